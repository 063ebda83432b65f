/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing what is written to an output, as it is written: one gzip member, whose blocks are
 * compressed side by side by as many threads as there are processors (at most 8). Each block may
 * refer to the 32 KiB before it, so that the result is about as small as if one thread had made it.
 * Memory is bounded: two blocks per thread. */
#ifndef RF_EXPORT_GZIP_H
#define RF_EXPORT_GZIP_H

#include "base/output.h"

struct rf_gzip;

/* Begins a gzip member on output, which stays the caller's. The caller frees *gzip, after a failure
 * too. */
int rf_gzip_new(struct rf_gzip **gzip, struct rf_output *output, struct rf_err *err);

/* A rf_sink_flush_fn: context is the struct rf_gzip. */
int rf_gzip_write(void *context, const void *data, size_t size, struct rf_err *err);

/* Writes what is left and the trailer. */
int rf_gzip_finish(struct rf_gzip *gzip, struct rf_err *err);

/* Ends the threads and frees what the compression holds. NULL is accepted. */
void rf_gzip_free(struct rf_gzip *gzip);

#endif
