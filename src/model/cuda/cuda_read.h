/* SPDX-License-Identifier: Apache-2.0 */
/* Reading CUDA records out of streams. */
#ifndef RF_MODEL_CUDA_CUDA_READ_H
#define RF_MODEL_CUDA_CUDA_READ_H

#include <stdbool.h>

#include "log/cuda.h"

struct rf_load;
struct rf_load_stream;
struct rf_log_read;
struct rf_record;
struct rf_stream_cursor;

/* A record whole. false: it is too short, or in long form, which none is. */
bool rf_cuda_read_record(union rf_cuda_record *out, const struct rf_record *record);

/* What was read before the part that is entered takes no more memory. */
void rf_cuda_finish_part(const struct rf_load *load, const struct rf_stream_cursor *cursor,
                         const struct rf_load_stream *stream, struct rf_log_read *read);

#endif
