/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/wait_scopes.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* How CUPTI numbers waits. */
enum { WAITS_FOR_EVENT = 1, STREAM_WAITS = 2, WAITS_FOR_STREAM = 3, WAITS_FOR_CONTEXT = 4 };

/* ---- Lists ---- */

static int compare_links(const void *a, const void *b)
{
    const struct rf_wait_link *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

/* *has_events: a call waits for an event. */
static bool list_links(struct rf_wait_scopes *scopes, bool *has_events)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(scopes->rec, &n);
    for (size_t i = 0; i < n; i++) {
        if (op[i].kind != RF_OP_SYNC || op[i].sync_type == STREAM_WAITS ||
            op[i].thread == RF_NO_INDEX || op[i].call == RF_NO_INDEX)
            continue;
        if (rf_grow_array(&scopes->link, scopes->n_links, &scopes->links_room,
                          sizeof(*scopes->link)) != RF_OK)
            return false;
        scopes->link[scopes->n_links++] =
            (struct rf_wait_link){op[i].thread, op[i].call, (uint32_t)i};
        *has_events = *has_events || op[i].sync_type == WAITS_FOR_EVENT;
    }
    if (scopes->n_links > 0)
        qsort(scopes->link, scopes->n_links, sizeof(*scopes->link), compare_links);
    return true;
}

static int compare_records(const void *a, const void *b)
{
    const struct rf_event_record *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->stream < y->stream ? -1 : x->stream > y->stream;
}

static unsigned value_named(const char *name)
{
    unsigned i = 0;
    const char *other;
    while ((other = rf_extra_value_name(RF_EXTRA_CUDA_EVENT, i)) != NULL &&
           strcmp(other, name) != 0)
        i++;
    return i;
}

static bool list_records(struct rf_wait_scopes *scopes)
{
    const unsigned event_value = value_named("eventId");
    size_t n = 0;
    const struct rf_extra *extra = rf_extras(scopes->rec, &n);
    for (size_t i = 0; i < n; i++) {
        struct rf_event_record record = {.process = extra[i].process,
                                         .start_ns = extra[i].start_ns,
                                         .context = extra[i].context,
                                         .stream = extra[i].stream};
        if (extra[i].kind != RF_EXTRA_CUDA_EVENT || record.process == RF_NO_INDEX ||
            record.start_ns == RF_NO_TIME ||
            rf_extra_value(scopes->rec, &extra[i], event_value, &record.event) != RF_VALUE_NUMBER)
            continue;
        if (rf_grow_array(&scopes->record, scopes->n_records, &scopes->records_room,
                          sizeof(*scopes->record)) != RF_OK)
            return false;
        scopes->record[scopes->n_records++] = record;
    }
    if (scopes->n_records > 0)
        qsort(scopes->record, scopes->n_records, sizeof(*scopes->record), compare_records);
    return true;
}

int rf_wait_scopes_init(struct rf_wait_scopes *scopes, const rf_recording *rec)
{
    bool has_events = false;
    *scopes = (struct rf_wait_scopes){.rec = rec};
    if (!list_links(scopes, &has_events) || (has_events && !list_records(scopes)))
        return RF_ERR_NO_MEMORY;
    return RF_OK;
}

void rf_wait_scopes_release(struct rf_wait_scopes *scopes)
{
    free(scopes->link);
    free(scopes->record);
}

/* ---- One call ---- */

/* The first link of a call, or of a later one of its thread. */
static const struct rf_wait_link *find_link(const struct rf_wait_scopes *scopes, uint32_t thread,
                                            uint32_t call)
{
    const struct rf_wait_link key = {thread, call, 0};
    size_t low = 0;
    for (size_t n = scopes->n_links; n > 0;) {
        size_t half = n / 2;
        bool is_before = compare_links(&scopes->link[low + half], &key) < 0;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    return low < scopes->n_links && scopes->link[low].thread == thread ? &scopes->link[low] : NULL;
}

/* The last record of an event up to a time: that is what a wait for it waits for. */
static const struct rf_event_record *find_record(const struct rf_wait_scopes *scopes,
                                                 uint32_t process, const struct rf_wait *wait,
                                                 int64_t until_ns)
{
    const struct rf_event_record key = {
        .process = process, .event = wait->event, .start_ns = until_ns, .stream = UINT32_MAX};
    size_t low = 0;
    for (size_t n = scopes->n_records; n > 0;) {
        size_t half = n / 2;
        bool is_before = compare_records(&scopes->record[low + half], &key) <= 0;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    const struct rf_event_record *last = low > 0 ? &scopes->record[low - 1] : NULL;
    bool is_found = last != NULL && last->process == process && last->event == key.event;
    return is_found ? last : NULL;
}

static void narrow(const struct rf_wait_scopes *scopes, const struct rf_gpu_op *sync,
                   struct rf_wait_scope *scope)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(scopes->rec, sync->track);
    const struct rf_event_record *record = NULL;
    const struct rf_wait *wait = rf_gpu_op_detail(scopes->rec, sync);
    if (sync->sync_type == WAITS_FOR_EVENT && wait != NULL)
        record = find_record(scopes, scope->process, wait, scope->before_ns);
    if (record != NULL) {
        scope->context = record->context;
        scope->stream = record->stream;
        scope->before_ns = record->start_ns;
    } else if (sync->sync_type == WAITS_FOR_STREAM) {
        scope->context = track->context;
        scope->stream = track->stream;
    } else if (sync->sync_type == WAITS_FOR_CONTEXT) {
        scope->context = track->context;
    }
    scope->is_recorded = record != NULL || sync->sync_type != WAITS_FOR_EVENT;
}

/* The work of a copy that blocks names its context. */
static void narrow_to_own_work(const rf_recording *rec, const struct rf_call *call,
                               struct rf_wait_scope *scope)
{
    const struct rf_gpu_op *op =
        call->first_op != RF_NO_INDEX ? rf_gpu_op_at(rec, call->first_op) : NULL;
    if (op == NULL)
        return;
    scope->context = rf_gpu_track_at(rec, op->track)->context;
    scope->is_recorded = true;
}

struct rf_wait_scope rf_wait_scope_of(const struct rf_wait_scopes *scopes, uint32_t thread,
                                      uint32_t call)
{
    const struct rf_call *of = rf_thread_call_at(scopes->rec, thread, call);
    struct rf_wait_scope scope = {rf_thread_at(scopes->rec, thread)->process, RF_NO_INDEX,
                                  RF_NO_INDEX, of->start_ns, false};
    const struct rf_wait_link *link = find_link(scopes, thread, call);
    const struct rf_call *linked =
        link != NULL ? rf_thread_call_at(scopes->rec, thread, link->call) : NULL;
    if (linked == of || (linked != NULL && linked->end_ns <= of->end_ns))
        narrow(scopes, rf_gpu_op_at(scopes->rec, link->op), &scope);
    else
        narrow_to_own_work(scopes->rec, of, &scope);
    return scope;
}
