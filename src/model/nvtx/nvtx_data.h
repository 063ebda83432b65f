/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that follow a record: its ARRAYs and REFERENCEs (docs/format.md, section 11.2). */
#ifndef RF_MODEL_NVTX_NVTX_DATA_H
#define RF_MODEL_NVTX_NVTX_DATA_H

#include "log/records.h"

#define RF_NVTX_ARRAYS 2u

/* All zero: nothing was read. The memory is used for one record after the other. */
struct rf_nvtx_data {
    uint8_t *byte;
    size_t n, room;
    struct rf_nvtx_array {
        size_t first; /* in byte */
        size_t size;  /* bytes that are there */
        uint64_t declared;
        bool is_there;
        uint64_t address; /* of a REFERENCE */
    } array[RF_NVTX_ARRAYS], *reference;
    uint32_t n_references;
    size_t references_room;
};

/* Reads the DATA records behind the one that the cursor gave last, and moves it behind them.
 * Returns 0 or RF_ERR_NO_MEMORY. */
int rf_nvtx_read_data(struct rf_nvtx_data *data, struct rf_stream_cursor *cursor);

/* The bytes of an ARRAY; NULL: nothing was read. */
static inline const uint8_t *rf_nvtx_bytes(const struct rf_nvtx_data *data, unsigned which)
{
    return data->byte != NULL ? data->byte + data->array[which].first : NULL;
}

void rf_nvtx_data_release(struct rf_nvtx_data *data);

#endif
