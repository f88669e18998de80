# SPDX-License-Identifier: GPL-2.0-or-later
# Steps that ./quickstart and ./runtests share.  Sourced by bash; every step says what it does, skips
# what is done, and fails with one line that says what to do.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${QUIRKBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/quirkbench}
started=$SECONDS
step_started=$SECONDS

say() { printf '== %s\n' "$*"; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 3
}

# step TITLE COMMAND…: runs it, tells the time it took.
step() {
    local title=$1
    shift
    step_started=$SECONDS
    say "$title"
    "$@" || die "this step failed: $title (see the lines above)"
    say "$title: $((SECONDS - step_started)) s"
}

missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            printf '%s\n' "$package"
    done
}

# install_packages LIST-FILE…: one package a line, '#' starts a comment.
install_packages() {
    local wanted missing as_root=()
    command -v apt-get >/dev/null || die "apt-get is missing: Quirkbench installs on Debian 12 or 13"
    wanted=$(sed 's/#.*//' "$@" | tr -s ' \n' '\n' | sort -u)
    # shellcheck disable=SC2086
    missing=$(missing_packages $wanted)
    if [ -z "$missing" ]; then
        say "packages: all there"
        return 0
    fi
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            die "these packages are missing; as root: apt-get install $(echo $missing)"
        as_root=(sudo)
    fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
        say "apt-get update failed: trying with the lists that are here"
    # shellcheck disable=SC2086
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $missing ||
        die "apt-get could not install: $(echo $missing)"
}

# build_project DIR [MESON OPTION…]: configures once, then builds.
build_project() {
    local dir=$1
    shift
    if [ ! -f "$dir/build.ninja" ]; then
        rm -rf "$dir"
        meson setup "$dir" "$top" "$@" >"$dir.setup.log" 2>&1 || {
            tail -n 20 "$dir.setup.log" >&2
            rm -rf "$dir"
            return 1
        }
        rm -f "$dir.setup.log"
    fi
    ninja -C "$dir" --quiet
}

build_qemu() { "$top/qemu-devices/build-qemu" --models "$top/build/models/libquirkbench-models.a"; }
fetch_guest() { "$top/drivers-under-test/guest/fetch-kernel" && "$top/drivers-under-test/guest/fetch-tools"; }

elapsed() { printf '%d min %d s' $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)); }
