/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA APIs and of the operating system's libraries, and what correlation ids stand
 * for. The ids of a process count up, so that a table by id is as dense as the calls are; where a
 * file has them far apart, a map stands in. */
#include <stdlib.h>
#include <string.h>

#include "import/nsys_load.h"

enum column { START, END, GLOBAL_TID, NAME_ID, RETURN_VALUE, EVENT_CLASS, CORRELATION, N_COLUMNS };

static const char *const columns[N_COLUMNS] = {
    "start", "end", "globalTid", "nameId", "returnValue", "eventClass", "correlationId"};

static int is_before(const struct rf_call *a, const struct rf_call *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
}

static int compare_calls(const void *left, const void *right)
{
    return is_before(right, left) - is_before(left, right);
}

static int add_call(struct nsys_load *load, uint32_t thread, const struct rf_call *call)
{
    struct nsys_thread *of = &load->thread[thread];
    if (nsys_grow(&of->call, of->n_calls, &of->call_room, sizeof(*of->call)) != RF_OK)
        return nsys_no_memory(load);
    if (of->n_calls > 0 && is_before(call, &of->call[of->n_calls - 1]))
        of->calls_unsorted = 1;
    of->call[of->n_calls++] = *call;
    return RF_OK;
}

static int read_row(struct nsys_load *load, struct nsys_row *row, int is_cuda)
{
    struct rf_call call = {.name = RF_NO_STRING, .first_op = RF_NO_INDEX, .kind = RF_CALL_OS};
    int64_t name, value;
    int is_clamped;
    if (!nsys_row_times(load, row, START, END, &call.start_ns, &call.end_ns, &is_clamped))
        return RF_OK;
    if (call.end_ns == RF_NO_TIME) {
        nsys_db_skip(&load->db, row->table, "no end: taken as empty", 1);
        call.end_ns = call.start_ns;
    }
    uint32_t thread = nsys_row_thread(load, row, GLOBAL_TID);
    if (thread == RF_NO_INDEX)
        return nsys_no_memory(load);
    if (nsys_row_int(row, NAME_ID, &name)) {
        call.name = nsys_string(load, row, name, NULL);
        if (call.name == RF_NO_STRING)
            return nsys_no_memory(load);
    }
    (void)nsys_row_int(row, RETURN_VALUE, &value);
    call.result = (int32_t)value;
    if (is_cuda) {
        (void)nsys_row_int(row, EVENT_CLASS, &value);
        call.kind = value == 1 ? RF_CALL_CUDA_DRIVER : RF_CALL_CUDA_RUNTIME;
        call.correlation = nsys_row_u32(row, CORRELATION);
        load->process[load->thread[thread].process].n_cuda_calls++;
    }
    return add_call(load, thread, &call);
}

static int read_cuda_row(void *context, struct nsys_row *row)
{
    return read_row(context, row, 1);
}

static int read_os_row(void *context, struct nsys_row *row)
{
    return read_row(context, row, 0);
}

static int read_table(struct nsys_load *load, const char *table, nsys_row_fn take)
{
    return nsys_db_read(&load->db, table, columns, N_COLUMNS, take, load);
}

/* ---- Correlation ids ---- */

static uint32_t *dense_place(const struct nsys_process *process, uint32_t correlation)
{
    uint64_t i = (uint64_t)correlation - process->lowest;
    return process->call_of != NULL && correlation >= process->lowest && i < process->n_ids
               ? &process->call_of[i]
               : NULL;
}

/* The range of the ids of every process, and a table where it is worth it. */
static int make_tables(struct nsys_load *load)
{
    for (uint32_t i = 0; i < load->n_processes; i++)
        load->process[i].lowest = UINT64_MAX;
    for (uint32_t t = 0; t < load->n_threads; t++) {
        struct nsys_process *process = &load->process[load->thread[t].process];
        for (size_t i = 0; i < load->thread[t].n_calls; i++) {
            uint32_t correlation = load->thread[t].call[i].correlation;
            if (correlation == 0)
                continue;
            if (correlation < process->lowest)
                process->lowest = correlation;
            if (correlation >= process->n_ids)
                process->n_ids = (uint64_t)correlation + 1; /* the end of them, for now */
        }
    }
    for (uint32_t i = 0; i < load->n_processes; i++) {
        struct nsys_process *process = &load->process[i];
        process->n_ids = process->n_ids > process->lowest ? process->n_ids - process->lowest : 0;
        if (process->n_ids == 0 || process->n_ids > 8 * (uint64_t)process->n_cuda_calls + 1024)
            continue;
        process->call_of = malloc(process->n_ids * sizeof(*process->call_of));
        if (process->call_of == NULL)
            return nsys_no_memory(load);
        memset(process->call_of, 0xff, process->n_ids * sizeof(*process->call_of));
    }
    return RF_OK;
}

/* Of several calls with one id the first one stands: a call of the runtime encloses that of the
 * driver. */
static int note_call(struct nsys_load *load, struct nsys_process *process, uint32_t correlation,
                     uint32_t number)
{
    uint32_t *place = dense_place(process, correlation);
    uint32_t old = place != NULL ? *place : rf_map_find(&process->sparse, correlation, 0);
    if (old != RF_NO_INDEX) {
        nsys_db_skip(&load->db, "CUPTI_ACTIVITY_KIND_RUNTIME",
                     "correlationId of another call too: GPU work is linked to the first", 1);
        return RF_OK;
    }
    if (place != NULL) {
        *place = number;
        return RF_OK;
    }
    return rf_map_set(&process->sparse, correlation, 0, number) == RF_OK ? RF_OK
                                                                         : nsys_no_memory(load);
}

static int index_calls(struct nsys_load *load)
{
    uint64_t n = 0;
    int status = make_tables(load);
    for (uint32_t t = 0; t < load->n_threads && status == RF_OK; t++) {
        struct nsys_thread *thread = &load->thread[t];
        thread->first_call = (uint32_t)n;
        n += thread->n_calls;
        if (n >= RF_NO_INDEX)
            return nsys_no_memory(load);
        if (thread->calls_unsorted &&
            nsys_sort(thread->call, thread->n_calls, sizeof(*thread->call), compare_calls) != RF_OK)
            return nsys_no_memory(load);
        for (size_t i = 0; i < thread->n_calls && status == RF_OK; i++)
            if (thread->call[i].correlation != 0)
                status = note_call(load, &load->process[thread->process],
                                   thread->call[i].correlation, thread->first_call + (uint32_t)i);
    }
    return status;
}

int nsys_find_call(const struct nsys_load *load, uint32_t process, uint32_t correlation,
                   uint32_t *thread, uint32_t *call)
{
    const uint32_t *place = dense_place(&load->process[process], correlation);
    uint32_t number =
        place != NULL ? *place : rf_map_find(&load->process[process].sparse, correlation, 0);
    uint32_t low = 0, high = load->n_threads;
    if (correlation == 0 || number == RF_NO_INDEX)
        return 0;
    while (low + 1 < high) { /* the last thread whose first call is not behind it */
        uint32_t middle = low + (high - low) / 2;
        if (load->thread[middle].first_call <= number)
            low = middle;
        else
            high = middle;
    }
    *thread = low;
    *call = number - load->thread[low].first_call;
    return 1;
}

/* ---- Work that does not name its process ---- */

#define SEVERAL_PROCESSES (RF_MAP_NONE - 1)

static int note_process(struct nsys_load *load, uint32_t process, uint32_t correlation)
{
    uint32_t old = rf_map_find(&load->process_by_call, correlation, 0);
    if (old == process || old == SEVERAL_PROCESSES)
        return RF_OK;
    return rf_map_set(&load->process_by_call, correlation, 0,
                      old == RF_MAP_NONE ? process : SEVERAL_PROCESSES);
}

/* One look per row: asking process after process would take rows times processes. */
static int index_processes(struct nsys_load *load)
{
    int status = RF_OK;
    for (uint32_t t = 0; t < load->n_threads && status == RF_OK; t++) {
        const struct nsys_thread *thread = &load->thread[t];
        for (size_t i = 0; i < thread->n_calls && status == RF_OK; i++)
            if (thread->call[i].correlation != 0)
                status = note_process(load, thread->process, thread->call[i].correlation);
    }
    load->has_process_by_call = 1;
    return status;
}

int nsys_only_process(struct nsys_load *load, uint32_t correlation, uint32_t *process)
{
    *process = RF_NO_INDEX;
    if (correlation == 0)
        return RF_OK;
    if (!load->has_process_by_call && index_processes(load) != RF_OK)
        return nsys_no_memory(load);
    uint32_t found = rf_map_find(&load->process_by_call, correlation, 0);
    if (found != RF_MAP_NONE && found != SEVERAL_PROCESSES)
        *process = found;
    return RF_OK;
}

int nsys_load_calls(struct nsys_load *load)
{
    int status = read_table(load, "CUPTI_ACTIVITY_KIND_RUNTIME", read_cuda_row);
    if (status == RF_OK)
        status = read_table(load, "CUPTI_ACTIVITY_KIND_DRIVER", read_cuda_row);
    if (status == RF_OK)
        status = read_table(load, "OSRT_API", read_os_row);
    return status == RF_OK ? index_calls(load) : status;
}
