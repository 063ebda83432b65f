/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/replayed_ranges.h"

#include "model/load/capture_windows.h"
#include "model/load/handles.h"
#include "model/load/load.h"
#include "model/load/namings.h"

/* ---- Beginning ---- */

struct rf_replayed_thread *rf_replayed_thread_of(struct rf_range_replay *r, uint32_t index)
{
    struct rf_replayed_thread *thread = &r->thread[index];
    const struct rf_load_thread *from = r->load->thread[index];
    if (thread->has_begun)
        return thread;
    rf_range_stack_init(&thread->ranges);
    thread->decoded = (struct rf_load_thread){.process = from->process,
                                              .tid = from->tid,
                                              .serial = from->serial,
                                              .system_name = RF_NO_STRING,
                                              .last_ns = RF_NO_TIME};
    thread->is_inside = !r->load->windows.is_focused;
    thread->change_ns =
        thread->is_inside ? INT64_MAX : rf_windows_next_change(&r->load->windows, INT64_MIN);
    thread->next_begun = r->begun_threads;
    r->begun_threads = thread;
    thread->has_begun = true;
    return thread;
}

void rf_replayed_need_kept(struct rf_range_replay *r)
{
    r->is_uncertain = r->needs_kept = true;
}

static uint32_t place_of(const struct rf_range_replay *r, const struct rf_replayed_thread *thread)
{
    return r->load->thread[thread - r->thread]->place;
}

int rf_replayed_begin(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t place,
                      const struct rf_event *range)
{
    struct rf_range_stack *ranges = &thread->ranges;
    const uint32_t around = ranges->open;
    const uint32_t domain =
        r->are_kept ? range->domain : rf_load_final_domain(r->load, range->domain);
    uint32_t path = 0;
    if (!r->are_kept && range->payload_type == RF_TYPE_EXTENDED) /* it may say what it is called */
        rf_replayed_need_kept(r);
    if (!r->holds_nodes) {
        const struct rf_sum_key key = {domain, range->name, range->kind,
                                       around != RF_NO_INDEX ? r->pool.node[around].tag + 1 : 0};
        path = rf_sums_index(&r->paths, &key);
    }
    if (path == RF_NO_INDEX ||
        rf_range_stack_push(ranges, &r->pool, range->start_ns, path) != RF_OK)
        return RF_ERR_NO_MEMORY;
    int status = RF_OK;
    if (r->projected != NULL)
        status = rf_projected_work_push(r->projected, ranges->open, place, domain, range->name,
                                        range->kind);
    if (status == RF_OK && r->path_work.pool != NULL)
        status = rf_path_work_push(&r->path_work, ranges->open, domain, range->name, range->kind);
    return status;
}

int64_t rf_replayed_note_ends(const struct rf_range_replay *r, struct rf_replayed_thread *thread,
                              const struct rf_event *range, int64_t cut_ns)
{
    int64_t ns = cut_ns;
    if (ns == RF_NO_TIME && r->load->n_destroys > 0)
        ns = rf_load_destroyed_ns(r->load, range->domain, range->start_ns);
    if (thread->ranges.open == RF_NO_INDEX && thread->n_waiting == 0)
        thread->ends_ns = INT64_MAX;
    if (ns != RF_NO_TIME && ns < thread->ends_ns)
        thread->ends_ns = ns;
    return ns;
}

int rf_replayed_begin_or_wait(struct rf_range_replay *r, struct rf_replayed_thread *thread,
                              const struct rf_event *range, uint32_t *node)
{
    if (thread->is_inside) {
        const int status = rf_replayed_begin(r, thread, place_of(r, thread), range);
        *node = thread->ranges.open;
        return status;
    }
    if (range->payload_type == RF_TYPE_EXTENDED)
        rf_replayed_need_kept(r);
    thread->n_waiting++;
    *node = RF_REPLAY_WAITS;
    return RF_OK;
}

/* ---- Ends ---- */

bool rf_replayed_is_outside(const struct rf_range_replay *r, int64_t ns)
{
    return r->load->windows.is_focused && !rf_windows_contain(&r->load->windows, ns);
}

/* A range ends with a capture, or ended behind it; the arguments are those of rf_replayed_end(). */
static int leave(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t node,
                 int64_t left_ns, uint32_t collective)
{
    if (node == RF_NO_INDEX)
        return RF_OK;
    if (node == RF_REPLAY_WAITS) { /* it belongs to none */
        thread->n_waiting--;
        rf_replayed_collectives_drop(&r->collectives, collective);
        return RF_OK;
    }
    r->is_uncertain |= thread->ranges.n_leaving > 0 && left_ns != thread->left_ns;
    thread->left_ns = left_ns;
    rf_range_stack_leave(&thread->ranges, &r->pool, node);
    return rf_replayed_collectives_end(&r->collectives, collective, left_ns);
}

int rf_replayed_end(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t node,
                    int64_t end_ns, uint32_t collective)
{
    if (node == RF_NO_INDEX)
        return RF_OK;
    if (node == RF_REPLAY_WAITS || rf_replayed_is_outside(r, end_ns))
        return leave(r, thread, node, rf_windows_settled(&r->load->windows, end_ns), collective);
    int status = rf_range_stack_take(&thread->ranges, &r->pool, node, end_ns);
    return status == RF_OK ? rf_replayed_collectives_end(&r->collectives, collective, end_ns)
                           : status;
}

bool rf_replayed_leaves_out_cut(const struct rf_range_replay *r)
{
    return r->load->selection.of != NULL && r->load->selection.filter.has_no_cut;
}

/* It is cut, which was not known when it began if those are left out; unless no more is read. */
static int cut_range(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t node,
                     int64_t end_ns, uint32_t collective)
{
    if (node != RF_NO_INDEX && rf_replayed_leaves_out_cut(r) && !r->is_uncertain)
        rf_replayed_need_kept(r);
    return rf_replayed_end(r, thread, node, end_ns, collective);
}

/* The last push/pop range, or start/end range, that is open ends. */
static int end_last_push(struct rf_range_replay *r, struct rf_replayed_thread *thread)
{
    const struct rf_event *range = &thread->decoded.event[--thread->decoded.n];
    return cut_range(r, thread, range->color, range->end_ns, range->category);
}

static int end_last_start(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    const struct rf_replayed_start *last = &thread->start[--thread->n_starts];
    return cut_range(r, thread, last->node, last->ends_ns != RF_NO_TIME ? last->ends_ns : ns,
                     last->collective);
}

/* All push/pop ranges end. */
static int cut_pushes(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns,
                      enum rf_cut why)
{
    int status = RF_OK;
    rf_decode_cut(r->load, &thread->decoded, ns, why);
    while (thread->decoded.n > 0 && status == RF_OK)
        status = end_last_push(r, thread);
    return status;
}

/* ---- Captures ---- */

/* The first range that waits, from a place on, begins. Of two that begin at one time it is not
 * known which lies in which. */
static int begin_next(struct rf_range_replay *r, struct rf_replayed_thread *thread,
                      struct rf_replayed_place *at)
{
    const enum rf_replayed_kind kind = rf_replayed_next_waiting(thread, at);
    const bool is_push = kind == RF_REPLAYED_PUSH;
    struct rf_event range = {.kind = RF_EVENT_START_END};
    if (kind != RF_REPLAYED_PUSH && kind != RF_REPLAYED_START) {
        r->is_uncertain = true;
        return RF_OK;
    }
    uint32_t *node =
        is_push ? &thread->decoded.event[at->push].color : &thread->start[at->start].node;
    if (is_push) {
        range = thread->decoded.event[at->push];
    } else {
        range.start_ns = thread->start[at->start].start_ns;
        range.domain = thread->start[at->start].domain;
        range.name = thread->start[at->start].name;
    }
    const int status = rf_replayed_begin(r, thread, place_of(r, thread), &range);
    *node = thread->ranges.open;
    thread->n_waiting--;
    return status;
}

/* Ranges that wait, and have not ended, belong to the capture that begins now. */
static int begin_waiting(struct rf_range_replay *r, struct rf_replayed_thread *thread)
{
    struct rf_replayed_place at = {0, 0};
    int status = RF_OK;
    if (thread->n_waiting > 0)
        rf_range_count_steps(&thread->ranges, &r->pool, thread->decoded.n + thread->n_starts);
    while (thread->n_waiting > 0 && status == RF_OK && !r->is_uncertain)
        status = begin_next(r, thread, &at);
    return status;
}

/* A capture begins, or is over: as decode.c does, where it is not known what is open outside. */
static int leave_pushes(struct rf_range_replay *r, struct rf_replayed_thread *thread)
{
    const int64_t left_ns = thread->change_ns - 1;
    int status = RF_OK;
    rf_decode_cut(r->load, &thread->decoded, left_ns, RF_CUT_CAPTURE_ENDED);
    while (thread->decoded.n > 0 && status == RF_OK) {
        const struct rf_event *range = &thread->decoded.event[--thread->decoded.n];
        status = leave(r, thread, range->color, left_ns, range->category);
    }
    return status;
}

/* In a focused recording captures begin and end up to then. Which ranges end with a capture is
 * known when the next one begins. */
static int enter_time(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    const struct rf_capture_windows *windows = &r->load->windows;
    const int64_t over_ns = thread->change_ns;
    int status = RF_OK;
    if (ns < over_ns || !windows->is_focused)
        return RF_OK;
    const bool is_over = thread->is_inside && !rf_windows_contain(windows, over_ns);
    if (!windows->keeps_open)
        status = leave_pushes(r, thread);
    if (!is_over || ns >= rf_windows_next_change(windows, over_ns)) { /* the next one has begun */
        if (status == RF_OK)
            status = rf_range_stack_take_leaving(&thread->ranges, &r->pool, thread->left_ns);
        if (status == RF_OK)
            status = begin_waiting(r, thread);
    }
    thread->is_inside = rf_windows_contain(windows, ns);
    thread->change_ns = rf_windows_next_change(windows, ns);
    return status;
}

/* ---- Ends without a record ---- */

/* Ranges that end before ns without a record have ended. */
static int end_known(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    int status = RF_OK;
    while (status == RF_OK && (thread->ranges.open != RF_NO_INDEX || thread->n_waiting > 0) &&
           ns > thread->ends_ns && !thread->ranges.is_uncertain) {
        const struct rf_replayed_ending first = rf_replayed_first_ending(r->load, thread, &r->pool);
        thread->ends_ns = first.ns;
        if (first.ns >= ns)
            break;
        if (first.ns >= thread->change_ns) {
            status = enter_time(r, thread, first.ns);
            continue;
        }
        const struct rf_replayed_start start =
            first.start > 0 ? thread->start[first.start - 1]
                            : (struct rf_replayed_start){.node = first.push->color,
                                                         .collective = first.push->category};
        status = start.is_cut ? leave(r, thread, start.node, first.ns, start.collective)
                              : cut_range(r, thread, start.node, first.ns, start.collective);
        if (first.start > 0)
            rf_replayed_remove_start(thread, &r->pool, first.start - 1);
        else
            first.push->color = RF_NO_INDEX;
    }
    return status;
}

int rf_replayed_advance(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    const int status = end_known(r, thread, ns);
    return status == RF_OK ? enter_time(r, thread, ns) : status;
}

int rf_replayed_cut(struct rf_range_replay *r, uint32_t index, int64_t ns, enum rf_cut why)
{
    if (index == RF_NO_INDEX)
        return RF_OK;
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, index);
    int status = rf_replayed_advance(r, thread, ns);
    if (status == RF_OK)
        status = cut_pushes(r, thread, ns, why);
    r->is_uncertain |= thread->ranges.is_uncertain;
    return status;
}

/* Its process ends outside of captures: its ranges end with the one before. */
static int leave_all(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns)
{
    int status = RF_OK;
    while (thread->decoded.n > 0 && status == RF_OK)
        status = end_last_push(r, thread);
    while (thread->n_starts > 0 && status == RF_OK)
        status = end_last_start(r, thread, ns);
    return status == RF_OK ? rf_range_stack_take_leaving(&thread->ranges, &r->pool, thread->left_ns)
                           : status;
}

int rf_replayed_cut_all(struct rf_range_replay *r, uint32_t index)
{
    if (index == RF_NO_INDEX)
        return RF_OK;
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, index);
    struct rf_load_thread *decoded = &thread->decoded;
    const struct rf_load_process *process = &r->load->process[decoded->process];
    int status = rf_replayed_advance(r, thread, process->end_ns);
    rf_decode_cut(r->load, &thread->decoded, process->end_ns, process->end_cut);
    if (status == RF_OK && rf_replayed_is_outside(r, process->end_ns))
        status = leave_all(r, thread, process->end_ns);
    while (thread->ranges.open != RF_NO_INDEX && status == RF_OK) {
        const uint32_t last = r->pool.node[thread->ranges.open].range;
        while (decoded->n > 0 && decoded->event[decoded->n - 1].color == RF_NO_INDEX)
            decoded->n--;
        if (decoded->n > 0 && decoded->event[decoded->n - 1].color == last)
            status = end_last_push(r, thread);
        else if (thread->n_starts > 0)
            status = end_last_start(r, thread, process->end_ns);
        else
            break;
    }
    r->is_uncertain |= thread->ranges.is_uncertain || thread->ranges.open != RF_NO_INDEX;
    decoded->n = 0;
    return status;
}
