/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 of files, remembered by path, size, times and inode: a run hashes only what has changed.
 */
#pragma once
#include <glib.h>

typedef struct HashCache HashCache;

/* @cache: the cache folder.  A file that cannot be read is an empty memory. */
HashCache *hash_cache_new(const char *cache);
/* Writes what is new (best effort) and frees. */
void hash_cache_free(HashCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HashCache, hash_cache_free)

/* Lower-case hex, or NULL and @error.  (transfer full) */
char *hash_cache_file(HashCache *self, const char *path, GError **error);
