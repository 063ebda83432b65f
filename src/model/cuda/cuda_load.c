/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_load.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "log/log_memory.h"
#include "model/arrays.h"
#include "model/cuda/cuda_callers.h"
#include "model/cuda/cuda_captures.h"
#include "model/cuda/cuda_clock.h"
#include "model/cuda/cuda_names.h"
#include "model/cuda/cuda_places.h"
#include "model/cuda/cuda_read.h"
#include "model/cuda/cuda_records.h"
#include "model/cuda/cuda_stream.h"
#include "model/gpu/gpu_order.h"
#include "model/load/load.h"
#include "model/load/timeline.h"

void rf_cuda_load_init(struct rf_cuda_load *cuda)
{
    memset(cuda, 0, sizeof(*cuda));
    cuda->last_caller = RF_NO_INDEX;
    rf_op_details_init(&cuda->details);
    rf_track_finder_init(&cuda->tracks);
}

void rf_cuda_load_release(struct rf_cuda_load *cuda, uint32_t n_processes)
{
    for (uint32_t i = 0; i < n_processes && cuda->clock != NULL; i++)
        rf_cuda_clock_release(&cuda->clock[i]);
    for (uint32_t i = 0; i < cuda->n_callers; i++)
        free(cuda->caller[i].call);
    free(cuda->clock);
    free(cuda->caller);
    rf_map_release(&cuda->caller_of);
    rf_cuda_names_release(&cuda->names);
    rf_track_finder_release(&cuda->tracks);
    rf_op_details_release(&cuda->details);
}

/* ---- Definitions ---- */

int rf_load_cuda_define(struct rf_load *load, uint32_t process, const struct rf_def *def,
                        uint32_t text, uint64_t ticks, int64_t ns)
{
    struct rf_cuda_names *names = &load->cuda.names;
    const struct rf_cuda_pair pair = {def->value, ticks, def->detail};
    switch (def->domain) {
    case RF_CUDA_DEF_FUNCTION:
        return rf_cuda_names_add_function(names, process, def->index, text);
    case RF_CUDA_DEF_KERNEL:
        return rf_cuda_names_add_kernel(names, process, def->index, text);
    case RF_CUDA_DEF_CLOCK:
        return rf_cuda_make_clocks(&load->cuda.clock, load->log.n_processes) == RF_OK &&
                       rf_cuda_clock_add(&load->cuda.clock[process], &pair) == RF_OK
                   ? RF_OK
                   : RF_ERR_NO_MEMORY;
    case RF_CUDA_DEF_CONTEXT:
        if (rf_map_set(&names->device_of, process, def->index, (uint32_t)def->value) != RF_OK)
            return RF_ERR_NO_MEMORY;
        break;
    default:
        break;
    }
    return rf_cuda_places_define(load, process, def, text, ns);
}

/* ---- Times ---- */

static int finish_clocks(struct rf_load *load)
{
    struct rf_cuda_load *cuda = &load->cuda;
    int status = rf_cuda_make_clocks(&load->cuda.clock, load->log.n_processes);
    for (uint32_t i = 0; i < load->rec->n_processes && status == RF_OK; i++) {
        uint64_t n_records = 0;
        for (uint32_t k = 0; k < load->process[i].n_streams; k++)
            n_records += load->stream[load->process[i].first_stream + k].n_cuda;
        if (cuda->clock[i].n_pairs == 0)
            cuda->n_notes[RF_NOTE_NO_CLOCK] += n_records;
        if (n_records > 0)
            status = rf_cuda_clock_finish(&cuda->clock[i], &load->rec->control, load->timeline.hz);
    }
    return status;
}

/* ---- Records ---- */

static int read_record(struct rf_load *load, uint32_t process, const struct rf_record *r)
{
    union rf_cuda_record record;
    int64_t ns = rf_timeline_ns(&load->timeline, &load->cuda.line, r->ticks);
    if (!rf_cuda_read_record(&record, r)) {
        load->cuda.n_notes[RF_NOTE_SHORT]++;
        return RF_OK;
    }
    return rf_cuda_add_record(load, process, &record, ns);
}

static int read_stream(struct rf_load *load, const struct rf_load_stream *stream,
                       struct rf_part_reader *reader)
{
    struct rf_stream_cursor cursor;
    struct rf_stream_part part;
    struct rf_record record;
    struct rf_log_read read = {.from = NULL};
    enum rf_stream_step step;
    int status = RF_OK;
    rf_stream_init(&cursor, reader, stream->part, stream->n_parts);
    while (status == RF_OK && (step = rf_stream_next(&cursor, &record, &part)) != RF_STREAM_END)
        if (step == RF_STREAM_PART)
            rf_cuda_finish_part(load, &cursor, stream, &read);
        else if (record.type == RF_REC_CUDA)
            status = read_record(load, stream->process, &record);
    rf_part_reader_drop(reader, stream->part, cursor.part);
    return status == RF_OK && reader->is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}

static int read_records(struct rf_load *load)
{
    struct rf_part_reader reader;
    int status = RF_OK;
    rf_part_reader_init(&reader, &load->log);
    for (uint32_t i = 0; i < load->n_streams && status == RF_OK; i++)
        if (load->stream[i].n_cuda > 0)
            status = read_stream(load, &load->stream[i], &reader);
    rf_part_reader_release(&reader);
    if (status == RF_OK)
        status = rf_cuda_sort_calls(&load->cuda);
    if (status == RF_OK && load->windows.is_focused)
        status = rf_cuda_remove_left_out(load);
    return status;
}

int rf_load_cuda(struct rf_load *load)
{
    int status = RF_OK;
    bool has_records = false;
    for (uint32_t i = 0; i < load->n_streams && !load->has_no_cuda; i++)
        has_records |= load->stream[i].n_cuda > 0;
    load->cuda.has_records = has_records && !load->streams_work;
    if (has_records) {
        status = finish_clocks(load);
        if (status == RF_OK)
            status = load->streams_work ? rf_cuda_stream_begin(load) : read_records(load);
    }
    return status == RF_OK ? rf_cuda_places_finish(load) : status;
}
