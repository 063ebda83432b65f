/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_data.h"

#include <stdlib.h>

#include "base/grow.h"
#include "log/nvtx_ext.h"
#include "rangefinder/rangefinder.h"

static int add_bytes(struct rf_nvtx_data *data, struct rf_nvtx_array *array, const uint8_t *bytes,
                     size_t size)
{
    uint64_t left = array->declared - array->size;
    size = size < left ? size : (size_t)left;
    if (data->n + size > data->room) {
        size_t room = 2 * (data->n + size) + 4096;
        uint8_t *more = realloc(data->byte, room);
        if (more == NULL)
            return RF_ERR_NO_MEMORY;
        data->byte = more;
        data->room = room;
    }
    if (size > 0)
        memcpy(data->byte + data->n, bytes, size);
    data->n += size;
    array->size += size;
    return RF_OK;
}

static struct rf_nvtx_array *add_reference(struct rf_nvtx_data *data)
{
    if (rf_grow_array(&data->reference, data->n_references, &data->references_room,
                      sizeof(*data->reference)) != RF_OK)
        return NULL;
    return &data->reference[data->n_references++];
}

/* Where the bytes of a record belong to, and where they begin; *array NULL: to nothing that is
 * read. It is that of the record before. Returns 0 or RF_ERR_NO_MEMORY. */
static int find_array(struct rf_nvtx_data *data, struct rf_nvtx_array **array,
                      const struct rf_record *record, uint32_t *first_word)
{
    uint64_t kind = record->n_words > 1 ? rf_load64(record->words + 8) & 0xff : 0;
    *first_word = kind == RF_DATA_MORE ? 2 : 4;
    if (kind == RF_DATA_MORE)
        return RF_OK;
    *array = NULL;
    if ((kind != RF_DATA_ARRAY && kind != RF_DATA_REFERENCE) || record->n_words < 4)
        return RF_OK;
    const uint64_t word = rf_load64(record->words + 16);
    if (kind == RF_DATA_REFERENCE)
        *array = add_reference(data);
    else if (word < RF_NVTX_ARRAYS && !data->array[word].is_there)
        *array = &data->array[word];
    else
        return RF_OK;
    if (*array == NULL)
        return RF_ERR_NO_MEMORY;
    **array = (struct rf_nvtx_array){.first = data->n,
                                     .declared = rf_load64(record->words + 24),
                                     .is_there = true,
                                     .address = word};
    return RF_OK;
}

int rf_nvtx_read_data(struct rf_nvtx_data *data, struct rf_stream_cursor *cursor)
{
    struct rf_nvtx_array *array = NULL;
    int status = RF_OK;
    data->n = data->n_references = 0;
    memset(data->array, 0, sizeof(data->array));
    while (status == RF_OK) {
        struct rf_stream_cursor ahead = *cursor;
        struct rf_stream_part part = {.is_gap = false};
        struct rf_record record;
        uint32_t first;
        enum rf_stream_step step = rf_stream_next(&ahead, &record, &part);
        if (step == RF_STREAM_PART && !part.is_gap)
            step = rf_stream_next(&ahead, &record, &part);
        if (step != RF_STREAM_RECORD || record.type != RF_REC_DATA)
            break;
        status = find_array(data, &array, &record, &first);
        if (status == RF_OK && array != NULL && record.n_words > first)
            status = add_bytes(data, array, record.words + 8 * (size_t)first,
                               8 * (size_t)(record.n_words - first));
        *cursor = ahead;
    }
    return status;
}

void rf_nvtx_data_release(struct rf_nvtx_data *data)
{
    free(data->byte);
    free(data->reference);
    *data = (struct rf_nvtx_data){.byte = NULL};
}
