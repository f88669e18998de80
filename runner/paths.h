/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things are: data files and helper programs in the installed prefix or in the source and
 * build trees, and the cache folder. */
#pragma once
#include <glib.h>

/* A data file or folder by its path in the source tree, e.g. "models/nvme/profiles".
 * $QUIRKBENCH_DATA stands before all else.  The file need not exist. (transfer full) */
char *paths_data(const char *relative);
/* A program that the build makes, by its path in the build tree. (transfer full) */
char *paths_program(const char *relative);
/* A script of the source tree; installed beside the programs. (transfer full) */
char *paths_script(const char *relative);
/* @option (--cache), or $XDG_CACHE_HOME/quirkbench, or ~/.cache/quirkbench. (transfer full) */
char *paths_cache(const char *option);

/* A profile by name, file name or path. @folder: "models/nvme/profiles" or "models/host/profiles".
 * NULL: @error names the nearest one. (transfer full) */
char *paths_profile(const char *folder, const char *name, GError **error);
/* Names of the profiles in @folder, sorted, NULL-ended. (transfer full) */
char **paths_profiles(const char *folder);
