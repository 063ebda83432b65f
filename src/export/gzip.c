/* SPDX-License-Identifier: Apache-2.0 */
#include "export/gzip.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define GZIP_BUFFER_SIZE ((size_t)256 << 10)
#define GZIP_WINDOW_BITS (15 + 16) /* 16: a gzip header and trailer instead of zlib's */

/* The fastest level: traces shrink tenfold with it, and the higher ones take 5 times as long for a
 * few percent. */
#define GZIP_LEVEL 1

int rf_gzip_init(struct rf_gzip *gzip, struct rf_output *output, struct rf_err *err)
{
    memset(gzip, 0, sizeof(*gzip));
    gzip->output = output;
    gzip->buffer = malloc(GZIP_BUFFER_SIZE);
    if (gzip->buffer == NULL || deflateInit2(&gzip->stream, GZIP_LEVEL, Z_DEFLATED,
                                             GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        rf_gzip_release(gzip);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    gzip->is_open = 1;
    return RF_OK;
}

/* Compresses what the stream was given, until it wants more; with Z_FINISH until the end. */
static int deflate_all(struct rf_gzip *gzip, int flush, struct rf_err *err)
{
    do {
        gzip->stream.next_out = gzip->buffer;
        gzip->stream.avail_out = (uInt)GZIP_BUFFER_SIZE;
        (void)deflate(&gzip->stream, flush);
        size_t n = GZIP_BUFFER_SIZE - gzip->stream.avail_out;
        int status = rf_output_write(gzip->output, gzip->buffer, n, err);
        if (status != RF_OK)
            return status;
    } while (gzip->stream.avail_out == 0);
    return RF_OK;
}

int rf_gzip_write(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_gzip *gzip = context;
    gzip->stream.next_in = (z_const Bytef *)data;
    gzip->stream.avail_in = (uInt)size; /* a sink's buffer: far below 4 GiB */
    return deflate_all(gzip, Z_NO_FLUSH, err);
}

int rf_gzip_finish(struct rf_gzip *gzip, struct rf_err *err)
{
    gzip->stream.next_in = NULL;
    gzip->stream.avail_in = 0;
    return deflate_all(gzip, Z_FINISH, err);
}

void rf_gzip_release(struct rf_gzip *gzip)
{
    if (gzip->is_open)
        (void)deflateEnd(&gzip->stream);
    free(gzip->buffer);
    gzip->is_open = 0;
    gzip->buffer = NULL;
}
