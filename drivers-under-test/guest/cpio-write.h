/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes an uncompressed cpio archive ("newc") with the same bytes for the same content: entries
 * sorted by path, owner root, time 0, inodes numbered from 1.  For the machine's side: the
 * initramfs and a run's input archive. */
#pragma once
#include <glib.h>
#include <stdint.h>

typedef struct CpioWriter CpioWriter;

#define CPIO_WRITER_ERROR (cpio_writer_error_quark())
GQuark cpio_writer_error_quark(void);
typedef enum {
    CPIO_WRITER_ERROR_PATH, /* empty, absolute, with `..`, or added twice */
    CPIO_WRITER_ERROR_SIZE, /* a file of 4 GiB or more */
} CpioWriterError;

/* (transfer full) */
CpioWriter *cpio_writer_new(void);
void cpio_writer_free(CpioWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CpioWriter, cpio_writer_free)

/* Paths are relative to the archive's root; missing parent folders are added with mode 0755.
 * @permissions: the low 12 bits of the mode.  All return FALSE exactly when @error is set. */
gboolean cpio_writer_add_bytes(CpioWriter *self, const char *path, unsigned permissions,
                               const void *data, size_t length, GError **error);
/* Reads @source, a file of the machine, following symlinks. */
gboolean cpio_writer_add_file(CpioWriter *self, const char *path, unsigned permissions,
                              const char *source, GError **error);
gboolean cpio_writer_add_dir(CpioWriter *self, const char *path, unsigned permissions,
                             GError **error);
gboolean cpio_writer_add_symlink(CpioWriter *self, const char *path, const char *target,
                                 GError **error);
/* A character device. */
gboolean cpio_writer_add_node(CpioWriter *self, const char *path, unsigned permissions,
                              unsigned major, unsigned minor, GError **error);

/* The archive (transfer full); the writer is empty afterwards. */
GByteArray *cpio_writer_finish(CpioWriter *self);
