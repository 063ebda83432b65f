/* SPDX-License-Identifier: Apache-2.0 */
/* Making one file of a session directory. Chunks are moved as they are; only the index, with its
 * checksums, is made here. */
#ifndef RF_LOG_PACK_H
#define RF_LOG_PACK_H

#include "rangefinder/rangefinder.h"

/* Packs a session directory that nobody writes to any more. On the same file system the largest log
 * becomes the file: what it lacks is appended to it, and it is renamed at the end. On failure the
 * directory is what it was. RF_ERR_EXISTS where output is taken and can_overwrite is 0. */
int rf_pack(const char *directory, const char *output, int can_overwrite, struct rf_err *err);

/* The same into a new file: the directory stays as it is, and may be written to meanwhile. */
int rf_pack_copy(const char *directory, const char *output, int can_overwrite, struct rf_err *err);

/* Packs what can be read of a damaged file into another one. */
int rf_salvage(const char *input, const char *output, int can_overwrite, struct rf_err *err);

#endif
