/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing what is written to an output, as it is written. */
#ifndef RF_EXPORT_GZIP_H
#define RF_EXPORT_GZIP_H

#include <zlib.h>

#include "base/output.h"

struct rf_gzip {
    struct rf_output *output;
    z_stream stream;
    unsigned char *buffer;
    int is_open;
};

/* Begins a gzip member on output, which stays the caller's. */
int rf_gzip_init(struct rf_gzip *gzip, struct rf_output *output, struct rf_err *err);

/* A rf_sink_flush_fn: context is the struct rf_gzip. */
int rf_gzip_write(void *context, const void *data, size_t size, struct rf_err *err);

/* Writes what is left and the trailer. */
int rf_gzip_finish(struct rf_gzip *gzip, struct rf_err *err);

/* Frees what the compression holds. Harmless on a zeroed struct and after itself. */
void rf_gzip_release(struct rf_gzip *gzip);

#endif
