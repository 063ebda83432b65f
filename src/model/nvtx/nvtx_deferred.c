/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred events become marks and ranges of the thread whose scope they have, or else of the one
 * that submitted them. Ranges are push/pop ranges only where a thread is their scope: on its stack
 * nothing stands that was somewhere else. */
#include "model/nvtx/nvtx_deferred.h"

#include <stdlib.h>

#include "model/load/decode.h"
#include "model/load/payload_records.h"
#include "model/load/start_ends.h"
#include "model/nvtx/nvtx_dated.h"
#include "model/nvtx/nvtx_scope.h"
#include "model/payload/nvtx_definitions.h"

/* An event, or the begin or end of one. */
struct deferred {
    const struct rf_nvtx_submitted *from;
    struct rf_nvtx_dates dates;
    int64_t start_ns, end_ns; /* a begin or an end: both the same */
    uint64_t end_group;       /* the payloads of its end; 0: none */
    uint32_t thread;          /* in rf_load.thread */
    uint32_t before;          /* 1 + the one that is open around it while they are paired; or 0 */
    uint8_t kind;             /* enum rf_nvtx_event_kind */
    uint8_t flags, cut;
    bool is_on_stream; /* of NVTXW, which is a thread of its own */
    bool is_on_thread; /* its scope is the thread */
    bool is_placed;    /* a time of its own is missing: it is that of the submission */
};

struct placing {
    struct rf_load *load;
    struct rf_nvtx_clocks clocks;
    struct deferred *event;
    uint32_t n;
    struct rf_map thread_of; /* (process, tid) to rf_load.thread */
    struct rf_map open;      /* key of a stack, or of an id, to 1 + the innermost begin; or 0 */
};

/* ---- What each one is ---- */

static bool is_begin(const struct deferred *e)
{
    return e->kind == RF_NVTX_PUSH || e->kind == RF_NVTX_START;
}

static bool is_end(const struct deferred *e)
{
    return e->kind == RF_NVTX_POP || e->kind == RF_NVTX_STOP;
}

static bool is_whole(const struct deferred *e)
{
    return e->kind == RF_NVTX_PUSH_POP || e->kind == RF_NVTX_START_END;
}

/* Of a schema that does not say it. */
static uint8_t kind_of(const struct rf_nvtx_dates *dates)
{
    if (dates->kind > RF_NVTX_COUNTERS)
        return dates->kind;
    return dates->ns[RF_NVTX_BEGIN] != RF_NO_TIME && dates->ns[RF_NVTX_END] != RF_NO_TIME
               ? RF_NVTX_START_END
               : RF_NVTX_MARK;
}

static int64_t first_known(int64_t a, int64_t b)
{
    return a != RF_NO_TIME ? a : b;
}

/* Where no time is known, it is that of the submission. */
static void set_times(struct placing *p, struct deferred *e)
{
    const int64_t *ns = e->dates.ns;
    const int64_t begin_ns = first_known(ns[RF_NVTX_BEGIN], ns[RF_NVTX_POINT]);
    const int64_t end_ns = first_known(ns[RF_NVTX_END], ns[RF_NVTX_POINT]);
    const int64_t point_ns = first_known(ns[RF_NVTX_POINT], first_known(begin_ns, end_ns));
    if (is_whole(e)) {
        e->start_ns = first_known(begin_ns, first_known(end_ns, e->from->ns));
        e->end_ns = first_known(ns[RF_NVTX_END], e->start_ns);
        e->is_placed = begin_ns == RF_NO_TIME || ns[RF_NVTX_END] == RF_NO_TIME;
    } else {
        const int64_t own_ns = is_begin(e) ? begin_ns : is_end(e) ? end_ns : point_ns;
        e->start_ns = e->end_ns = first_known(own_ns, e->from->ns);
        e->is_placed = own_ns == RF_NO_TIME;
    }
    if (e->is_placed || e->dates.is_far)
        p->load->cuda.n_notes[e->dates.is_far ? RF_NOTE_EVENT_FAR : RF_NOTE_EVENT_PLACED]++;
    e->is_placed |= e->dates.is_far;
    if (e->end_ns < e->start_ns) {
        e->end_ns = e->start_ns;
        e->flags |= RF_EVENT_CLAMPED;
    }
}

static void set_thread(const struct placing *p, struct deferred *e)
{
    e->thread = e->from->thread;
    e->is_on_thread =
        (rf_nvtx_is_thread_scope(e->dates.scope) || (e->is_on_stream && e->dates.scope == 0)) &&
        !e->dates.has_tid;
    if (!e->dates.has_tid)
        return;
    uint32_t thread = rf_map_find(&p->thread_of, e->from->process, e->dates.tid);
    if (thread == RF_MAP_NONE)
        return;
    e->thread = thread;
    e->is_on_thread = true;
    e->dates.has_tid = false;
    e->dates.scope = 0;
}

/* What a stream of NVTXW says is valid where events say nothing. */
static void take_stream(const struct placing *p, struct deferred *e)
{
    struct rf_stream_def stream;
    const struct rf_load_thread *thread = p->load->thread[e->from->thread];
    if (!rf_nvtx_stream_of(p->load->rec, thread->process, thread->tid, &stream))
        return;
    e->is_on_stream = true;
    e->dates.time_domain = stream.time_domain;
    if (e->dates.scope == 0)
        e->dates.scope = stream.scope;
}

static int read_events(struct placing *p)
{
    struct rf_load *load = p->load;
    int status = RF_OK;
    for (uint32_t i = 0; i < p->n && status == RF_OK; i++) {
        struct deferred *e = &p->event[i];
        e->from = &load->nvtx.submitted[i];
        e->dates.scope = e->from->scope;
        e->dates.scope_rank = e->from->scope != 0 ? RF_NVTX_BATCH_RANK : 0;
        e->dates.domain = e->from->domain;
        take_stream(p, e);
        const struct rf_payload_group group = rf_load_group(load, e->from->domain, e->from->group);
        status = rf_nvtx_read_dates(&p->clocks, e->from->process, &group, &e->dates);
        e->kind = kind_of(&e->dates);
        set_times(p, e);
        set_thread(p, e);
    }
    return status;
}

static int list_threads(struct placing *p)
{
    int status = RF_OK;
    for (uint32_t i = p->load->n_threads; i-- > 0 && status == RF_OK;)
        status = rf_map_set(&p->thread_of, p->load->thread[i]->process, p->load->thread[i]->tid, i);
    return status;
}

/* ---- Begins and ends ---- */

static int compare_times(const void *left, const void *right)
{
    const struct deferred *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from; /* in the order of submission */
}

/* Ranges pair by their id in their process, others by thread, domain and scope. */
static void key_of(const struct deferred *e, uint64_t *a, uint64_t *b)
{
    const bool has_id = (e->kind == RF_NVTX_START || e->kind == RF_NVTX_STOP) && e->dates.has_id;
    *a = has_id ? (uint64_t)e->from->process << 32 | UINT32_MAX
                : (uint64_t)e->thread << 32 | e->from->domain;
    *b = has_id ? e->dates.id : e->dates.scope << 1 | (e->kind >= RF_NVTX_START);
}

static int end_range(struct placing *p, const struct deferred *end, uint32_t open, uint64_t a,
                     uint64_t b)
{
    if (open == 0) {
        p->load->rec->info.n_unmatched_ends++;
        return RF_OK;
    }
    struct deferred *begin = &p->event[open - 1];
    begin->end_ns = end->end_ns;
    begin->end_group = end->from->group;
    begin->is_placed |= end->is_placed;
    begin->cut = RF_CUT_NONE;
    return rf_map_set(&p->open, a, b, begin->before);
}

/* A begin without an end is cut where its process ends. */
static int pair(struct placing *p)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < p->n && status == RF_OK; i++) {
        struct deferred *e = &p->event[i];
        uint64_t a, b;
        if (!is_begin(e) && !is_end(e))
            continue;
        key_of(e, &a, &b);
        const uint32_t found = rf_map_find(&p->open, a, b);
        const uint32_t open = found != RF_MAP_NONE ? found : 0;
        if (is_end(e)) {
            status = end_range(p, e, open, a, b);
            continue;
        }
        const struct rf_load_process *process = &p->load->process[e->from->process];
        e->before = open;
        e->end_ns = process->end_ns > e->start_ns ? process->end_ns : e->start_ns;
        e->cut = process->end_cut;
        status = rf_map_set(&p->open, a, b, i + 1);
    }
    return status;
}

/* ---- Events of threads ---- */

static struct rf_event *new_event(struct rf_load_thread *thread)
{
    thread->is_unsorted = thread->has_ties = thread->is_needed = true;
    return thread->n < thread->room ? &thread->event[thread->n++] : rf_load_grow_events(thread);
}

static int add_event(struct placing *p, const struct deferred *e)
{
    struct rf_load_thread *thread = p->load->thread[e->thread];
    struct rf_event *event = new_event(thread);
    if (event == NULL)
        return RF_ERR_NO_MEMORY;
    *event = (struct rf_event){.start_ns = e->start_ns,
                               .end_ns = e->kind == RF_NVTX_MARK ? RF_NO_TIME : e->end_ns,
                               .payload = e->from->group,
                               .name = RF_NO_STRING,
                               .domain = e->from->domain,
                               .link = RF_NO_INDEX,
                               .kind = e->kind == RF_NVTX_MARK ? RF_EVENT_MARK : RF_EVENT_PUSH_POP,
                               .flags = e->flags,
                               .payload_type = RF_TYPE_EXTENDED,
                               .cut = e->cut};
    p->load->cuda.n_notes[RF_NOTE_EVENT_OUTSIDE] +=
        p->load->windows.is_focused && !rf_windows_have(&p->load->windows, event);
    rf_load_join_groups(p->load, e->from->group, e->end_group);
    int status = rf_load_attach(p->load, e->from->process, event);
    if (status == RF_OK)
        status = rf_nvtx_set_scope(p->load, event, &e->dates);
    if (e->is_placed)
        rf_nvtx_mark_placed(p->load, event);
    if (status == RF_OK && event->payload_type == RF_TYPE_EXTENDED)
        status = rf_nvtx_sample_event(p->load, e->thread, event);
    if (status != RF_OK || e->kind == RF_NVTX_MARK)
        return status;
    const bool is_push = e->kind == RF_NVTX_PUSH_POP || e->kind == RF_NVTX_PUSH;
    const uint32_t index = (uint32_t)(thread->n - 1);
    return is_push && e->is_on_thread
               ? rf_nvtx_add_dated(p->load, e->thread, index)
               : rf_load_make_start_end(p->load, e->thread, index, e->dates.id);
}

static int place(struct placing *p)
{
    int status = list_threads(p);
    if (status == RF_OK)
        status = read_events(p);
    if (status == RF_OK)
        qsort(p->event, p->n, sizeof(*p->event), compare_times);
    if (status == RF_OK)
        status = pair(p);
    for (uint32_t i = 0; i < p->n && status == RF_OK; i++)
        if (!is_end(&p->event[i]))
            status = add_event(p, &p->event[i]);
    return status;
}

int rf_load_deferred(struct rf_load *load)
{
    struct placing p = {.load = load, .clocks = {.load = load}, .n = load->nvtx.n_submitted};
    int status = RF_OK;
    if (p.n > 0) {
        p.event = calloc(p.n, sizeof(*p.event));
        status = p.event != NULL ? place(&p) : RF_ERR_NO_MEMORY;
    }
    free(p.event);
    rf_map_release(&p.thread_of);
    rf_map_release(&p.open);
    rf_nvtx_clocks_release(&p.clocks);
    return status == RF_OK ? rf_nvtx_nest(load) : status;
}
