/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/range_ids.h"

uint32_t rf_load_find_process(const struct rf_load *load, uint64_t number)
{
    uint32_t low = 0, high = load->rec->n_processes;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (load->process[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < load->rec->n_processes && load->process[low].number == number ? low : RF_NO_INDEX;
}

static const struct rf_load_stream *find_stream(const struct rf_load *load, uint32_t process,
                                                uint32_t slot)
{
    const struct rf_load_process *state = &load->process[process];
    uint32_t low = 0, high = state->n_streams;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (load->stream[state->first_stream + middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    const struct rf_load_stream *stream = &load->stream[state->first_stream + low];
    return low < state->n_streams && stream->slot == slot ? stream : NULL;
}

const struct rf_load_stream *rf_load_stream_of_id(const struct rf_load *load, uint32_t process,
                                                  uint64_t id)
{
    const uint32_t slot = id >> RF_ID_COUNTER_BITS & ((1u << RF_ID_SLOT_BITS) - 1);
    if (id >> (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS) != (load->process[process].number & 1023) ||
        slot == 0)
        return NULL;
    return find_stream(load, process, slot - 1);
}

struct rf_load_start *rf_load_start_at(const struct rf_load_stream *stream, uint64_t counter)
{
    if (stream->n_starts == 0 || counter < stream->start[0].counter)
        return NULL;
    /* its place is known if nothing was lost, and nothing taken out */
    size_t low = 0, high = stream->n_starts, guess = counter - stream->start[0].counter;
    if (guess < high && stream->start[guess].counter == counter)
        return &stream->start[guess];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stream->start[middle].counter < counter)
            low = middle + 1;
        else
            high = middle;
    }
    return low < stream->n_starts && stream->start[low].counter == counter ? &stream->start[low]
                                                                           : NULL;
}

const struct rf_load_start *rf_load_find_start(const struct rf_load *load, uint32_t process,
                                               uint64_t id)
{
    const struct rf_load_stream *stream = rf_load_stream_of_id(load, process, id);
    return stream != NULL ? rf_load_start_at(stream, rf_counter_of_id(id)) : NULL;
}
