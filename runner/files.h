/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders and files that a run makes and unmakes. */
#pragma once
#include <glib.h>

/* Removes a folder and all in it; follows no symlink.  What is not there is fine. */
void files_remove_folder(const char *path);
/* The last @lines lines of a text file, or "". (transfer full) */
char *files_tail(const char *path, unsigned lines);
gboolean files_sync(const char *path, GError **error);

/* A run's scratch folder: TMPDIR/quirkbench-XXXXXX with a lock inside, held while the run lives. */
typedef struct ScratchFolder {
    char *path;
    int lock_fd;
} ScratchFolder;
/* Removes those of dead runs first. */
ScratchFolder *scratch_folder_new(GError **error);
void scratch_folder_free(ScratchFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ScratchFolder, scratch_folder_free)
/* Scratch folders that no living run holds; removes them if @remove.  Returns how many. */
unsigned scratch_folder_clean(gboolean remove);
