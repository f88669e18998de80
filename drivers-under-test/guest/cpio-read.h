/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks an uncompressed cpio archive ("newc") of files, folders and symlinks.  The archive may be
 * damaged: nothing is read outside it, and nothing is written outside the target folder. */
#pragma once
#include "text.h"

bool cpio_unpack(const void *archive, size_t length, const char *target, Reason *reason);
