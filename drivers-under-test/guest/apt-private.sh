# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by fetch-kernel and fetch-tools: Debian packages of one release, fetched without touching
# the machine's own package state.  Mirrors come from the machine's apt configuration; only the
# release is ours, so that a Debian 13 machine tests against the same kernel as a Debian 12 one.

QB_SUITE=bookworm

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

say() {
    echo "${0##*/}: $*" >&2
}

cache_default() {
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/quirkbench"
}

need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null ||
            die "$program is not installed; install it (apt-get install $(need_package "$program")) and run again"
    done
}

need_package() {
    case $1 in
    apt-get | apt-cache) echo apt ;;
    dpkg-deb) echo dpkg ;;
    flock) echo util-linux ;;
    xz) echo xz-utils ;;
    cc) echo build-essential ;;
    readelf) echo binutils ;;
    awk) echo gawk ;;
    sha256sum | realpath) echo coreutils ;;
    *) echo "$1" ;;
    esac
}

# Maps one suite name of the machine to ours; nothing when it has no counterpart.
apt_suite() {
    case $1 in
    *backports* | *proposed* | *sloppy*) ;;
    *-security | */updates) echo "$QB_SUITE-security" ;;
    *-updates) echo "$QB_SUITE-updates" ;;
    bookworm | trixie | forky | sid | stable | testing | unstable | oldstable | oldoldstable) echo "$QB_SUITE" ;;
    esac
}

# One-line sources on stdin -> the same mirrors with our suite.
apt_rewrite_lines() {
    local line options uri suite rest
    while IFS= read -r line; do
        options=
        [[ $line =~ ^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]]+([^[:space:]]+)(.*)$ ]] ||
            continue
        options=${BASH_REMATCH[1]} uri=${BASH_REMATCH[2]} rest=${BASH_REMATCH[4]}
        suite=$(apt_suite "${BASH_REMATCH[3]}")
        if [[ -n $suite ]]; then
            echo "deb $options$uri $suite${rest%%#*}"
        fi
    done
}

# deb822 sources on stdin -> stanzas with our suites; a stanza that maps to none is left out.
apt_rewrite_deb822() {
    local line stanza='' suites='' enabled=yes word mapped
    while IFS= read -r line; do
        [[ -n ${line//[[:space:]]/} ]] || line=
        case $line in
        '#'*) ;;
        [Ss]uites:*)
            for word in ${line#*:}; do
                mapped=$(apt_suite "$word")
                [[ -z $mapped || " $suites " == *" $mapped "* ]] || suites+=" $mapped"
            done
            ;;
        [Tt]ypes:*) stanza+="Types: deb"$'\n' ;;
        [Ee]nabled:*[Nn]o*) enabled=no ;;
        '')
            [[ -z $suites || $enabled == no ]] || printf '%sSuites:%s\n\n' "$stanza" "$suites"
            stanza='' suites='' enabled=yes
            ;;
        *) stanza+=$line$'\n' ;;
        esac
    done < <(cat && printf '\n\n')
}

# The sources directory of the private apt: $1 is created and filled.
apt_copy_sources() {
    local file base
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ -r $file ]] || continue
        base=$(basename "$file" .list)
        apt_rewrite_lines <"$file" >"$1/$base.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ -r $file ]] || continue
        apt_rewrite_deb822 <"$file" >"$1/$(basename "$file")"
    done
    find "$1" -type f -size 0 -delete
    [[ -n $(ls -A "$1") ]] ||
        die "this machine's apt configuration names no Debian mirror; add one to /etc/apt/sources.list.d and run again"
}

# Sets up a private apt in $1 and brings its package lists up to date.  Afterwards apt-get and
# apt-cache, called as they are, see our release and an empty package database.
apt_setup() {
    local dir=$1
    need apt-get apt-cache dpkg-deb
    mkdir -p "$dir"/{sources,lists/partial,cache/archives/partial,parts}
    : >"$dir/status"
    apt_copy_sources "$dir/sources"
    {
        [[ ! -r /etc/apt/apt.conf ]] || cat /etc/apt/apt.conf
        cat <<CONF
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$dir/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$dir/parts";
Dir::State "$dir";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir/cache";
APT::Architecture "amd64";
#clear APT::Architectures;
APT::Architectures { "amd64"; };
#clear APT::Update;
#clear APT::Default-Release;
APT::Update::Error-Mode "any";
APT::Get::List-Cleanup "true";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
    } >"$dir/apt.conf"
    echo "Dir::Etc::main \"$dir/apt.conf\";" >"$dir/first.conf"
    export APT_CONFIG=$dir/first.conf
    say "reading the package lists of Debian $QB_SUITE"
    apt-get -qq update >"$dir/log" 2>&1 ||
        die "cannot read Debian's package lists ($(grep -m1 '^E:' "$dir/log" || tail -n1 "$dir/log")): check the network or the proxy in the machine's apt configuration, then run again"
}

# Downloads package $1 (name or name=version) into the current directory.
apt_fetch() {
    apt-get -qq download "$@" >download.log 2>&1 ||
        die "cannot download $* ($(grep -m1 '^E:' download.log || tail -n1 download.log)): check the network, then run again"
}
