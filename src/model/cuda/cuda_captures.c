/* SPDX-License-Identifier: Apache-2.0 */
/* Of a focused recording: a call belongs to a capture if any of it lies in it; GPU work, and what
 * else names a call, if its call does, or, where that is not known, if it begins in it. */
#include "model/cuda/cuda_captures.h"

#include <stdbool.h>
#include <stdlib.h>

#include "model/gpu/call_index.h"
#include "model/load/capture_windows.h"
#include "model/load/load.h"

static int init_index(const struct rf_cuda_load *cuda, uint32_t n_processes,
                      struct rf_call_index *index)
{
    uint64_t n_twice;
    struct rf_indexed_calls *list = malloc(((size_t)cuda->n_callers + 1) * sizeof(*list));
    if (list == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < cuda->n_callers; i++)
        list[i] = (struct rf_indexed_calls){cuda->caller[i].call, cuda->caller[i].n,
                                            cuda->caller[i].process};
    int status = rf_call_index_init(index, n_processes, list, cuda->n_callers, &n_twice);
    free(list);
    return status;
}

static bool is_inside(const struct rf_load *load, const struct rf_call_index *index,
                      uint32_t process, uint32_t correlation, int64_t start_ns)
{
    uint32_t caller, i;
    if (!rf_call_index_find(index, process, correlation, &caller, &i))
        return start_ns != RF_NO_TIME && rf_windows_contain(&load->windows, start_ns);
    const struct rf_call *call = &load->cuda.caller[caller].call[i];
    return rf_windows_overlap(&load->windows, call->start_ns, call->end_ns);
}

static void choose_ops(struct rf_load *load, const struct rf_call_index *index)
{
    rf_recording *rec = load->rec;
    size_t n = 0;
    for (size_t i = 0; i < rec->n_ops; i++) {
        const struct rf_gpu_op *op = &rec->op[i];
        if (is_inside(load, index, rec->track[op->track].process, op->correlation, op->start_ns))
            rec->op[n++] = *op;
    }
    rec->n_ops = n;
}

static void choose_extras(struct rf_load *load, const struct rf_call_index *index)
{
    rf_recording *rec = load->rec;
    size_t n = 0;
    for (size_t i = 0; i < rec->n_extras; i++) {
        const struct rf_extra *extra = &rec->extra[i];
        if (is_inside(load, index, extra->process, extra->correlation, extra->start_ns))
            rec->extra[n++] = *extra;
    }
    rec->n_extras = n;
}

static void choose_calls(struct rf_load *load)
{
    for (uint32_t t = 0; t < load->cuda.n_callers; t++) {
        struct rf_cuda_caller *caller = &load->cuda.caller[t];
        size_t n = 0;
        for (size_t i = 0; i < caller->n; i++)
            if (rf_windows_overlap(&load->windows, caller->call[i].start_ns,
                                   caller->call[i].end_ns))
                caller->call[n++] = caller->call[i];
        caller->n = n;
        caller->is_object = 0;
    }
    for (size_t i = 0; i < load->rec->n_extras; i++)
        if (load->rec->extra[i].thread != RF_NO_INDEX)
            load->cuda.caller[load->rec->extra[i].thread].is_object = 1;
}

void rf_cuda_drop_tracks(rf_recording *rec, uint32_t *place)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        if (place[i] == RF_NO_INDEX)
            continue;
        rec->track[n] = rec->track[i];
        place[i] = n++;
    }
    rec->n_tracks = n;
}

/* Tracks whose work was left out are none. */
static int drop_empty_tracks(rf_recording *rec)
{
    uint32_t *place = malloc(((size_t)rec->n_tracks + 1) * sizeof(*place));
    if (place == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rec->n_tracks; i++)
        place[i] = RF_NO_INDEX;
    for (size_t i = 0; i < rec->n_ops; i++)
        place[rec->op[i].track] = 0;
    rf_cuda_drop_tracks(rec, place);
    for (size_t i = 0; i < rec->n_ops; i++)
        rec->op[i].track = place[rec->op[i].track];
    free(place);
    return RF_OK;
}

int rf_cuda_remove_left_out(struct rf_load *load)
{
    struct rf_call_index index = {.ids = NULL};
    int status = init_index(&load->cuda, load->rec->n_processes, &index);
    if (status == RF_OK) {
        choose_ops(load, &index);
        choose_extras(load, &index);
        choose_calls(load);
        status = drop_empty_tracks(load->rec);
    }
    rf_call_index_release(&index);
    return status;
}
