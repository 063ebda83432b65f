/* SPDX-License-Identifier: Apache-2.0 */
/* The final order: processes and threads by their ids, events and work by time, links between
 * them. */
#include "import/nsys_finish.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_extra.h"
#include "import/nsys_group.h"
#include "import/nsys_nvtx_counters.h"
#include "model/gpu/counters.h"
#include "model/ranks.h"
#include "model/sort.h"

struct order {
    uint64_t key;
    uint32_t index;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a == RF_NO_TIME || (b != RF_NO_TIME && b < a) ? b : a;
}

/* ---- Processes ---- */

static void add_process(struct nsys_load *load, struct nsys_process *from, uint32_t place)
{
    from->place = place;
    load->rec->process[place] = (struct rf_process){.pid = from->pid,
                                                    .parent = RF_NO_INDEX,
                                                    .name = from->name,
                                                    .exe = RF_NO_STRING,
                                                    .command = from->name,
                                                    .cwd = RF_NO_STRING,
                                                    .cpu = RF_NO_STRING,
                                                    .first_ns = RF_NO_TIME,
                                                    .exit_ns = RF_NO_TIME};
}

static int list_processes(struct nsys_load *load, struct order *order)
{
    rf_recording *rec = load->rec;
    uint32_t n = load->n_processes;
    rec->process = calloc((size_t)n + 1, sizeof(*rec->process));
    if (rec->process == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        order[i] = (struct order){load->process[i].key, i};
    qsort(order, n, sizeof(*order), compare_order);
    for (uint32_t i = 0; i < n; i++)
        add_process(load, &load->process[order[i].index], i);
    rec->n_processes = n;
    for (uint32_t i = 0; i < rec->n_domains; i++)
        rec->domain[i].process = load->process[rec->domain[i].process].place;
    return RF_OK;
}

/* ---- Threads ---- */

/* Ranges that were open when the capture ended end there. */
static int finish_events(struct nsys_load *load, uint32_t index)
{
    struct nsys_thread *thread = &load->thread[index];
    bool is_unsorted = thread->is_unsorted;
    for (size_t i = 0; i < thread->n_events; i++) {
        struct rf_event *event = &thread->event[i];
        if (event->cut == RF_CUT_NONE || event->end_ns != RF_NO_TIME)
            continue;
        event->end_ns = load->last_ns;
        load->needs_all = load->leaves_out_work; /* they end with the last call or work */
        is_unsorted = true;                      /* it can enclose one that starts with it */
        if (event->link != RF_NO_INDEX)
            load->rec->start_end[event->link].end_thread = index;
    }
    return is_unsorted ? rf_sort_nested(thread->event, thread->n_events) : RF_OK;
}

static void add_thread(struct nsys_load *load, struct nsys_thread *from, uint32_t place)
{
    rf_recording *rec = load->rec;
    uint32_t process = load->process[from->process].place;
    int64_t first_ns = from->n_events > 0 ? from->event[0].start_ns : RF_NO_TIME;
    int64_t *process_ns = &rec->process[process].first_ns;
    from->place = place;
    *process_ns = earlier(*process_ns, first_ns);
    if (from->n_calls > 0)
        *process_ns = earlier(*process_ns, from->call[0].start_ns);
    rec->thread[place] = (struct rf_thread){.process = process,
                                            .tid = from->tid,
                                            .serial = 1,
                                            .name = from->name,
                                            .is_named = from->is_named,
                                            .first_ns = first_ns,
                                            .end_ns = RF_NO_TIME,
                                            .n_events = from->n_events,
                                            .has_priority = from->priority >= INT32_MIN &&
                                                            from->priority <= INT32_MAX,
                                            .priority = (int32_t)from->priority};
    if (place > 0 && rec->thread[place - 1].process == process)
        rec->thread[place].serial = rec->thread[place - 1].serial + 1;
    rec->events[place] = (struct rf_thread_events){from->event, from->n_events, from->event};
    rec->calls[place] = (struct rf_thread_calls){from->call, from->n_calls};
    from->event = NULL;
    from->call = NULL;
}

static int list_threads(struct nsys_load *load, struct order *order)
{
    rf_recording *rec = load->rec;
    uint32_t n = load->n_threads;
    int status = RF_OK;
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        const struct nsys_thread *thread = &load->thread[i];
        order[i] =
            (struct order){(uint64_t)load->process[thread->process].place << 32 | thread->tid, i};
        status = finish_events(load, i);
    }
    rec->thread = calloc((size_t)n + 1, sizeof(*rec->thread));
    rec->events = calloc((size_t)n + 1, sizeof(*rec->events));
    rec->calls = calloc((size_t)n + 1, sizeof(*rec->calls));
    if (status != RF_OK || rec->thread == NULL || rec->events == NULL || rec->calls == NULL)
        return RF_ERR_NO_MEMORY;
    qsort(order, n, sizeof(*order), compare_order);
    rec->n_threads = n;
    for (uint32_t i = 0; i < n; i++)
        add_thread(load, &load->thread[order[i].index], i);
    for (uint32_t i = 0; i < rec->n_start_end; i++)
        rec->start_end[i].end_thread = load->thread[rec->start_end[i].end_thread].place;
    return RF_OK;
}

/* ---- GPU work ---- */

/* Work that was read without parts: it knows its track and its call. */
static int order_work(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    for (uint32_t i = 0; i < rec->n_tracks; i++)
        rec->track[i].process = load->process[rec->track[i].process].place;
    for (size_t i = 0; i < rec->n_ops; i++)
        if (rec->op[i].thread != RF_NO_INDEX)
            rec->op[i].thread = load->thread[rec->op[i].thread].place;
    return rf_order_gpu_work(rec);
}

static int finish_ops(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    int status = load->parts != NULL ? nsys_group_work(load) : order_work(load);
    if (status != RF_OK)
        return status;
    rf_link_gpu_work(rec);
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        struct rf_process *process = &rec->process[rec->track[i].process];
        process->first_ns = earlier(process->first_ns, rec->op[rec->track[i].first_op].start_ns);
    }
    rf_op_details_move(&load->details, rec);
    return RF_OK;
}

int nsys_finish(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    uint32_t n = load->n_threads > load->n_processes ? load->n_threads : load->n_processes;
    struct order *order = malloc(((size_t)n + 1) * sizeof(*order));
    int status = order != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (load->last_ns == RF_NO_TIME)
        load->last_ns = 0;
    if (status == RF_OK)
        status = list_processes(load, order);
    if (status == RF_OK)
        status = list_threads(load, order);
    free(order);
    if (status == RF_OK)
        status = finish_ops(load);
    if (status == RF_OK)
        status = nsys_finish_extras(load);
    if (status == RF_OK)
        status = nsys_finish_nvtx_counters(load);
    if (status != RF_OK)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < rec->n_processes; i++)
        if (rec->process[i].first_ns == RF_NO_TIME)
            rec->process[i].first_ns = 0;
    rec->info.end_ns = load->last_ns;
    rf_find_ranks(rec);
    return nsys_memory_status(load, rf_recording_finish_counters(rec) == RF_OK);
}

/* ---- What is known of all of it ---- */

int nsys_add_skipped(struct nsys_load *load, size_t *room, const struct nsys_skip *skip)
{
    rf_recording *rec = load->rec;
    uint32_t table = rf_strings_add(&rec->strings, skip->table, strlen(skip->table));
    if (table == RF_NO_STRING ||
        rf_grow_array(&rec->skipped, rec->n_skipped, room, sizeof(*rec->skipped)) != RF_OK)
        return nsys_no_memory(load);
    rec->skipped[rec->n_skipped++] = (struct rf_skipped){
        .table = rec->strings.entry[table].text, .reason = skip->reason, .n_rows = skip->n_rows};
    return RF_OK;
}

void nsys_set_info(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_info *info = &rec->info;
    info->path = rec->path;
    info->product = rec->control.product;
    info->host = rec->control.host;
    info->ranks = rec->control.job.ranks;
    info->clock_name = "monotonic";
    info->clock_hz = 1e9;
    info->size_bytes = info->expanded_bytes = load->db.size_bytes;
    info->is_finished = true;
    info->is_import = true;
    rf_recording_count_events(rec);
}
