/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA APIs and of the operating system's libraries, and what correlation ids stand
 * for. */
#include "import/nsys_calls.h"

#include <stdlib.h>

#include "base/grow.h"
#include "import/nsys_fields.h"
#include "import/nsys_gpu.h"

int nsys_add_call(struct nsys_load *load, uint32_t thread, const struct rf_call *call)
{
    struct nsys_thread *of = &load->thread[thread];
    if (rf_grow_array(&of->call, of->n_calls, &of->call_room, sizeof(*of->call)) != RF_OK)
        return nsys_no_memory(load);
    if (of->n_calls > 0 && rf_compare_calls(call, &of->call[of->n_calls - 1]) < 0)
        of->calls_unsorted = true;
    of->call[of->n_calls++] = *call;
    return RF_OK;
}

enum column { START, END, GLOBAL_TID, EVENT_CLASS };

/* The pass over one table. */
struct call_pass {
    struct nsys_load *load;
    uint8_t kind; /* RF_CALL_CUDA_RUNTIME: of either CUDA API */
    struct nsys_fields fields;
};

static int read_row(void *context, struct nsys_row *row)
{
    const struct call_pass *pass = context;
    struct nsys_load *load = pass->load;
    struct rf_call call = {.first_op = RF_NO_INDEX, .kind = pass->kind};
    int64_t event_class;
    bool is_clamped;
    if (!nsys_row_times(load, row, START, END, &call.start_ns, &call.end_ns, &is_clamped))
        return RF_OK;
    if (call.end_ns == RF_NO_TIME) {
        (void)nsys_row_skip(row, "no end: taken as empty");
        call.end_ns = call.start_ns;
    }
    uint32_t thread = nsys_row_thread(load, row, GLOBAL_TID);
    if (thread == RF_NO_INDEX)
        return nsys_no_memory(load);
    (void)nsys_row_int(row, EVENT_CLASS, &event_class);
    if (call.kind == RF_CALL_OS)
        call.event_class =
            event_class > 0 && event_class <= UINT8_MAX ? (uint8_t)event_class : RF_OS_CALL_CLASS;
    else if (event_class == 1)
        call.kind = RF_CALL_CUDA_DRIVER;
    int status = nsys_fields_read(load, row, &pass->fields, &call);
    return status == RF_OK ? nsys_add_call(load, thread, &call) : status;
}

static int read_calls(struct nsys_load *load, uint8_t kind, const char *table)
{
    struct call_pass pass = {.load = load, .kind = kind};
    const struct nsys_wanted wanted = {.fields = &rf_call_fields,
                                       .kind = kind,
                                       .by_hand =
                                           NSYS_COLUMNS("start", "end", "globalTid", "eventClass")};
    const struct nsys_reader readers[] = {{table, read_row, pass.fields.columns}, {.table = NULL}};
    nsys_fields_init(&pass.fields, &wanted);
    return nsys_db_read(&load->db, readers, &pass);
}

/* ---- Correlation ids ---- */

static int sort_calls(struct nsys_load *load)
{
    uint64_t n = 0;
    for (uint32_t t = 0; t < load->n_threads; t++) {
        struct nsys_thread *thread = &load->thread[t];
        n += thread->n_calls;
        if (n >= RF_NO_INDEX)
            return nsys_no_memory(load);
        if (thread->calls_unsorted &&
            rf_sort_records(thread->call, thread->n_calls, sizeof(*thread->call),
                            rf_compare_calls) != RF_OK)
            return nsys_no_memory(load);
    }
    return RF_OK;
}

int nsys_index_calls(struct nsys_load *load, uint64_t *n_twice)
{
    int status = sort_calls(load);
    struct rf_indexed_calls *list =
        status == RF_OK ? malloc(((size_t)load->n_threads + 1) * sizeof(*list)) : NULL;
    if (list == NULL)
        return status != RF_OK ? status : nsys_no_memory(load);
    for (uint32_t t = 0; t < load->n_threads; t++)
        list[t] = (struct rf_indexed_calls){load->thread[t].call, load->thread[t].n_calls,
                                            load->thread[t].process};
    status = rf_call_index_init(&load->call_of, load->n_processes, list, load->n_threads, n_twice);
    free(list);
    return nsys_memory_status(load, status == RF_OK);
}

/* ---- Work that does not name its process ---- */

#define SEVERAL_PROCESSES (RF_MAP_NONE - 1)

static int add_process(struct nsys_load *load, uint32_t process, uint32_t correlation)
{
    uint32_t old = rf_map_find(&load->process_by_call, correlation, 0);
    if (old == process || old == SEVERAL_PROCESSES)
        return RF_OK;
    return rf_map_set(&load->process_by_call, correlation, 0,
                      old == RF_MAP_NONE ? process : SEVERAL_PROCESSES);
}

/* A search of every process for every row would take rows times processes. */
static int index_processes(struct nsys_load *load)
{
    int status = RF_OK;
    for (uint32_t t = 0; t < load->n_threads && status == RF_OK; t++) {
        const struct nsys_thread *thread = &load->thread[t];
        for (size_t i = 0; i < thread->n_calls && status == RF_OK; i++)
            if (thread->call[i].correlation != 0)
                status = add_process(load, thread->process, thread->call[i].correlation);
    }
    load->has_process_by_call = true;
    return status;
}

int nsys_only_process(struct nsys_load *load, uint32_t correlation, uint32_t *process,
                      bool *is_several)
{
    *is_several = false;
    *process = RF_NO_INDEX;
    if (correlation == 0)
        return RF_OK;
    if (!load->has_process_by_call && index_processes(load) != RF_OK)
        return nsys_no_memory(load);
    uint32_t found = rf_map_find(&load->process_by_call, correlation, 0);
    *is_several = found == SEVERAL_PROCESSES;
    if (found != RF_MAP_NONE && !*is_several)
        *process = found;
    return RF_OK;
}

static const struct {
    const char *table;
    uint8_t kind;
} calls[] = {{"CUPTI_ACTIVITY_KIND_RUNTIME", RF_CALL_CUDA_RUNTIME},
             {"CUPTI_ACTIVITY_KIND_DRIVER", RF_CALL_CUDA_RUNTIME},
             {"OSRT_API", RF_CALL_OS}};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static void leave_out(struct nsys_load *load, const char *name)
{
    struct nsys_table *table;
    while ((table = nsys_db_find_table(&load->db, name)) != NULL)
        table->is_known = table->is_left_out = true;
}

void nsys_leave_out(struct nsys_load *load)
{
    const unsigned flags = load->db.flags;
    if ((flags & RF_OPEN_SUMS) == 0)
        return;
    load->leaves_out_work = (flags & (RF_OPEN_NO_WORK | RF_OPEN_CALLS_ALONE)) != 0;
    load->leaves_out_calls = (flags & (RF_OPEN_NO_WORK | RF_OPEN_WORK_ALONE)) != 0;
    if ((flags & (RF_OPEN_WORK_ALONE | RF_OPEN_CALLS_ALONE)) != 0)
        leave_out(load, "NVTX_EVENTS");
    for (size_t i = 0; i < N_CALLS && load->leaves_out_calls; i++)
        leave_out(load, calls[i].table);
    for (size_t i = 0; nsys_work_table(i) != NULL && load->leaves_out_work; i++)
        leave_out(load, nsys_work_table(i));
}

int nsys_load_calls(struct nsys_load *load)
{
    uint64_t n_twice = 0;
    int status = RF_OK;
    for (size_t i = 0; i < N_CALLS && status == RF_OK; i++)
        status = read_calls(load, calls[i].kind, calls[i].table);
    if (status == RF_OK)
        status = nsys_index_calls(load, &n_twice);
    if (status == RF_OK && n_twice > 0)
        nsys_db_skip(&load->db, "CUPTI_ACTIVITY_KIND_RUNTIME",
                     "correlationId of another call too: GPU work is linked to the first", n_twice);
    return status;
}
