/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_read.h"

#include <string.h>

#include "log/log_memory.h"
#include "model/load/load.h"

bool rf_cuda_read_record(union rf_cuda_record *out, const struct rf_record *r)
{
    const size_t size = 8 * (size_t)r->n_words;
    if (r->is_long || r->n_words < 2)
        return false;
    memset(out, 0, sizeof(*out));
    memcpy(out, r->words, size < sizeof(*out) ? size : sizeof(*out));
    return true;
}

void rf_cuda_finish_part(const struct rf_load *load, const struct rf_stream_cursor *cursor,
                         const struct rf_load_stream *stream, struct rf_log_read *read)
{
    const struct rf_log_part *entered = cursor->part - 1;
    rf_part_reader_drop(cursor->reader, stream->part, entered);
    if (entered > stream->part) {
        const struct rf_part_view stored = rf_part_stored(&entered[-1]);
        rf_log_was_read(&load->log, read, stored.data, stored.size);
    }
}
