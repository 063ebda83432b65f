/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing what is written to an output, as it is written: one gzip member, whose blocks are
 * compressed side by side by as many threads as there are processors (at most 8). Each block may
 * refer to the 32 KiB before it, so that the result is about as small as if one thread had made it.
 * Memory is bounded: two blocks per thread. */
#ifndef RF_EXPORT_GZIP_H
#define RF_EXPORT_GZIP_H

#include "base/output.h"
#include "base/sink.h"

struct rf_gzip;

/* Begins a gzip member on output, which stays the caller's. The caller frees *gzip, after a failure
 * too. */
int rf_gzip_new(struct rf_gzip **gzip, struct rf_output *output, struct rf_err *err);

/* A rf_sink_flush_fn: context is the struct rf_gzip. */
int rf_gzip_write(void *context, const void *data, size_t size, struct rf_err *err);

/* Where several threads make what is written, each can compress its own pieces before their turn.
 */
struct rf_gzip_piece;

/* The gzip member that a sink writes to, or NULL. */
struct rf_gzip *rf_gzip_of(const struct rf_sink *sink);

/* Scratch of one thread. Returns NULL where there is no memory; the caller frees it with
 * rf_gzip_piece_free(), which accepts NULL. */
struct rf_gzip_piece *rf_gzip_piece_new(void);
void rf_gzip_piece_free(struct rf_gzip_piece *piece);

/* Compresses the beginning of data, without referring to what is before it. Returns how many bytes
 * that are. */
size_t rf_gzip_pack(struct rf_gzip_piece *piece, const char *data, size_t size);

/* Writes what was packed last, behind all that was written before. */
int rf_gzip_put(struct rf_gzip *gzip, const struct rf_gzip_piece *piece, struct rf_err *err);

/* Writes what is left and the trailer. */
int rf_gzip_finish(struct rf_gzip *gzip, struct rf_err *err);

/* Ends the threads and frees what the compression holds. NULL is accepted. */
void rf_gzip_free(struct rf_gzip *gzip);

#endif
