/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/range_replay.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/map.h"
#include "model/cuda/cuda_read.h"
#include "model/cuda/kept_ranges.h"
#include "model/cuda/replayed_ranges.h"
#include "model/filter/activities.h"
#include "model/load/capture_windows.h"
#include "model/load/early_ends.h"
#include "model/load/load.h"
#include "model/load/payload_matters.h"
#include "model/load/payload_records.h"
#include "model/load/timeline.h"
#include "model/private_access.h"

/* How many ranges that ended are held, about 10 MB with their work; and of a thread. */
#define MAX_ENDED       ((size_t)60000)
#define MAX_OF_THREAD   ((size_t)1 << 16)
#define LEAST_OF_THREAD ((size_t)1 << 11)

/* A stream, up to the record that comes next. */
struct rf_replayed_stream {
    struct rf_stream_cursor cursor;
    struct rf_log_read read;
    struct rf_record next;
    int64_t next_ns; /* INT64_MAX: there is none */
    int64_t most_ns; /* of it and the records before it */
    uint32_t thread; /* whose it is; RF_NO_INDEX: of none */
    struct rf_replayed_stream *next_begun;
    bool has_begun;
};

/* ---- Beginning and end ---- */

/* Whether ranges of a thread that calls may cross. */
static bool may_cross(const struct rf_load *load)
{
    bool may = load->has_crossing;
    for (uint32_t i = 0; i < load->n_threads; i++)
        may |= load->thread[i]->is_needed && load->thread[i]->has_starts;
    return may;
}

int rf_range_replay_begin(struct rf_range_replay *r, struct rf_load *load)
{
    *r = (struct rf_range_replay){.load = load,
                                  .are_kept = load->sums_projected && load->keeps_events};
    rf_decoder_init(&r->decoder, load);
    if (r->are_kept && rf_selector_init_final(&r->decoder.selector, load) != RF_OK)
        return RF_ERR_NO_MEMORY;
    if (!r->are_kept)
        rf_selector_init(&r->decoder.selector, load, r->decoder.strings, 0);
    rf_range_pool_init(&r->pool, MAX_ENDED, MAX_OF_THREAD, LEAST_OF_THREAD);
    r->holds_nodes = load->sums_projected || load->adds_projected || may_cross(load);
    if (r->holds_nodes && load->sums_paths)
        rf_path_work_begin(&r->path_work, &r->pool, &r->paths);
    if (load->sums_paths && rf_replayed_collectives_begin(&r->collectives, load) != RF_OK)
        return RF_ERR_NO_MEMORY;
    r->decoder.with_payloads = r->collectives.of_domain;
    r->decoder.n_with_payloads = r->collectives.n_domains;
    for (uint32_t i = 0; i < r->collectives.n_domains; i++)
        r->has_collectives |= rf_replayed_collectives_have(&r->collectives, i);
    r->stream = calloc((size_t)load->n_streams + 1, sizeof(*r->stream));
    r->thread = calloc((size_t)load->n_threads + 1, sizeof(*r->thread));
    return r->stream != NULL && r->thread != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_range_replay_release(struct rf_range_replay *r)
{
    if (r->load == NULL)
        return;
    for (uint32_t i = 0; i < r->load->n_threads && r->thread != NULL; i++)
        rf_replayed_release(&r->thread[i]);
    rf_decoder_release(&r->decoder);
    rf_range_pool_release(&r->pool);
    rf_path_work_release(&r->path_work);
    rf_replayed_collectives_release(&r->collectives);
    rf_sums_release(&r->paths);
    free(r->stream);
    free(r->thread);
    *r = (struct rf_range_replay){.load = NULL};
}

bool rf_range_replay_can(const struct rf_load *load)
{
    if (load->sums_projected && load->keeps_events)
        return true;
    if (load->nvtx.n_submitted > 0)
        return false;
    for (uint32_t i = 0; i < load->n_threads; i++)
        if ((load->thread[i]->is_needed || load->sums_projected || load->adds_projected) &&
            (load->thread[i]->is_merged || load->thread[i]->has_dated))
            return false;
    return true;
}

/* ---- Ranges ---- */

/* A range that begins may be a collective: its number, or 0. index: of its thread. */
static int note_collective(struct rf_range_replay *r, struct rf_event *range, uint32_t index,
                           uint32_t *number)
{
    *number = 0;
    return rf_replayed_collectives_have(&r->collectives, range->domain)
               ? rf_replayed_collectives_push(&r->collectives, &r->decoder, range, index, number)
               : RF_OK;
}

/* Whether the filter keeps a range that begins, in which a call lies that it keeps. Payloads that
 * a record alone does not explain may say its name, or what is asked of them. */
static bool is_selected(struct rf_range_replay *r, const struct rf_replayed_thread *thread,
                        const struct rf_event *range)
{
    const struct rf_selection *selection = &r->load->selection;
    if (selection->of == NULL)
        return true;
    if (!r->are_kept && range->payload_type == RF_TYPE_EXTENDED)
        rf_replayed_need_kept(r);
    const bool is_cut = r->are_kept ? rf_is_cut(range) : thread->begins_cut;
    return (selection->filter.activities & RF_ACTIVITY_NVTX) != 0 &&
           !(is_cut && selection->filter.has_no_cut) && rf_select_name(&r->decoder.selector, range);
}

static int push(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t index)
{
    uint32_t number;
    if (r->decoder.is_out_of_memory || thread->decoded.n == 0)
        return RF_ERR_NO_MEMORY;
    struct rf_event *range = &thread->decoded.event[thread->decoded.n - 1];
    const bool is_kept = is_selected(r, thread, range);
    range->color = RF_NO_INDEX;
    range->category = !is_kept && thread->begins_cut;
    if (!is_kept)
        return RF_OK;
    int status = note_collective(r, range, index, &number);
    if (!thread->is_inside && !r->load->windows.keeps_open) { /* its end will not be known */
        rf_replayed_collectives_drop(&r->collectives, number);
        return status;
    }
    (void)rf_replayed_note_ends(r, thread, range, RF_NO_TIME);
    if (status == RF_OK)
        status = rf_replayed_begin_or_wait(r, thread, range, &range->color);
    range->category = number;
    return status;
}

/* A pop was decoded: a range has an end, most often the last one. */
static int pop(struct rf_range_replay *r, struct rf_replayed_thread *thread)
{
    struct rf_load_thread *decoded = &thread->decoded;
    size_t i = decoded->n;
    while (i > 0 && decoded->event[i - 1].end_ns == RF_NO_TIME)
        i--;
    rf_range_count_steps(&thread->ranges, &r->pool, decoded->n - i);
    if (i == 0 && r->load->windows.is_focused)
        return RF_OK; /* it has no range */
    if (i == 0 || decoded->event[i - 1].payload_type == RF_TYPE_EXTENDED) {
        r->is_uncertain = true;
        return RF_OK;
    }
    const struct rf_event *range = &decoded->event[i - 1];
    if (range->color == RF_NO_INDEX && range->category != 0 && range->cut == RF_CUT_NONE)
        rf_replayed_need_kept(r); /* it was to be cut, and is not */
    int status = rf_replayed_end(r, thread, range->color, range->end_ns, range->category);
    rf_replayed_remove_push(thread, &r->pool, (uint32_t)(i - 1));
    return status;
}

/* ---- Start/end ranges ---- */

/* The filter keeps it. cut_in: the capture with which it is known to be cut, or RF_MAP_NONE. */
static int begin_start(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t index,
                       struct rf_event *range, uint32_t cut_in, struct rf_replayed_start *begun)
{
    if (begun->is_cut) /* where it ended, it may have been said what it exchanged */
        r->is_uncertain |= rf_replayed_collectives_have(&r->collectives, range->domain);
    begun->ends_ns = rf_replayed_note_ends(
        r, thread, range, begun->is_cut ? r->load->windows.window[cut_in].end_ns : RF_NO_TIME);
    const int status = note_collective(r, range, index, &begun->collective);
    return status == RF_OK ? rf_replayed_begin_or_wait(r, thread, range, &begun->node) : status;
}

/* A range that another thread ends is in no thread. counter: of its record. */
static int start(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                 struct rf_load_stream *from)
{
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, stream->thread);
    struct rf_record mark = stream->next;
    const uint64_t counter = stream->cursor.n_starts;
    const bool is_elsewhere = rf_sparse_bits_have(&from->elsewhere, counter);
    const uint32_t cut_in = rf_map_find(&from->cut_in, counter, 0);
    if (cut_in == RF_START_LEFT_OUT || (is_elsewhere && !r->has_collectives))
        return RF_OK;
    mark.type = RF_REC_MARK; /* it begins no range of the decoder's */
    rf_decode_record(&r->decoder, &thread->decoded, stream->thread, from, &stream->cursor, &mark);
    if (r->decoder.is_out_of_memory || thread->decoded.n == 0 ||
        rf_grow_array(&thread->start, thread->n_starts, &thread->start_room,
                      sizeof(*thread->start)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    struct rf_event range = thread->decoded.event[--thread->decoded.n];
    range.kind = RF_EVENT_START_END;
    if (is_elsewhere) { /* where it ends as a collective is not known here */
        r->is_uncertain |= rf_replayed_collectives_have(&r->collectives, range.domain);
        return RF_OK;
    }
    struct rf_replayed_start begun = {
        .id = rf_range_id(r->load->process[from->process].number, from->slot, counter),
        .start_ns = range.start_ns,
        .node = RF_NO_INDEX,
        .domain = range.domain,
        .name = range.name,
        .ends_ns = RF_NO_TIME,
        .is_cut = cut_in != RF_MAP_NONE};
    int status = RF_OK;
    if (is_selected(r, thread, &range))
        status = begin_start(r, thread, stream->thread, &range, cut_in, &begun);
    else if (!thread->begins_cut)
        return RF_OK;
    r->is_uncertain |= thread->n_starts > 0 && begun.id <= thread->start[thread->n_starts - 1].id;
    thread->start[thread->n_starts++] = begun;
    return status;
}

/* Of several ends the first one counts. */
static int end(struct rf_range_replay *r, struct rf_replayed_stream *stream)
{
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, stream->thread);
    const uint64_t id = stream->next.n_words > 1 ? rf_load64(stream->next.words + 8) : 0;
    const size_t i = rf_replayed_find_start(thread, id);
    const uint32_t domain = i < thread->n_starts ? thread->start[i].domain : RF_NO_INDEX;
    if (rf_data_may_follow(&stream->cursor)) /* it may say what a collective exchanged */
        r->is_uncertain |= rf_decode_needed_data(&r->decoder, &stream->cursor, domain) != 0;
    if (i == thread->n_starts)
        return RF_OK; /* another thread began it, or it has ended */
    const struct rf_replayed_start ended = thread->start[i];
    if (ended.node == RF_NO_INDEX)
        rf_replayed_need_kept(r); /* it was to be cut, and is not */
    rf_replayed_remove_start(thread, &r->pool, i);
    return rf_replayed_end(r, thread, ended.node, stream->next_ns, ended.collective);
}

/* ---- Records ---- */

static int take_range(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                      struct rf_load_stream *from)
{
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, stream->thread);
    struct rf_load_thread *decoded = &thread->decoded;
    const uint64_t n_unmatched = decoded->n_unmatched;
    switch (stream->next.type) {
    case RF_REC_PUSH:
        rf_decode_record(&r->decoder, decoded, stream->thread, from, &stream->cursor,
                         &stream->next);
        return push(r, thread, stream->thread);
    case RF_REC_POP:
    case RF_REC_POP_DOMAIN:
        rf_decode_record(&r->decoder, decoded, stream->thread, from, &stream->cursor,
                         &stream->next);
        return decoded->n_unmatched == n_unmatched ? pop(r, thread) : RF_OK;
    case RF_REC_THREAD_END:
        return rf_replayed_cut(r, stream->thread, stream->next_ns, RF_CUT_THREAD_ENDED);
    case RF_REC_START:
        return start(r, stream, from);
    case RF_REC_END:
        return end(r, stream);
    default:
        return RF_OK;
    }
}

static int take_record(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                       struct rf_load_stream *from)
{
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, stream->thread);
    const struct rf_capture_windows *windows = &r->load->windows;
    int status = rf_replayed_advance(r, thread, stream->next_ns);
    if (status != RF_OK)
        return status;
    if (stream->next_ns > thread->decoded.last_ns)
        thread->decoded.last_ns = stream->next_ns;
    thread->begins_cut =
        rf_replayed_leaves_out_cut(r) &&
        rf_select_is_cut(r->load, r->load->thread[stream->thread], stream->next_ns);
    if (!windows->is_focused || stream->next_ns <= windows->last_end_ns) /* as decode.c does */
        status = take_range(r, stream, from);
    r->is_uncertain |=
        thread->ranges.is_uncertain || (thread->ranges.has_crossed && !r->holds_nodes);
    return r->decoder.is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}

/* ---- Streams ---- */

/* As streams.c enters threads. */
static int enter_thread(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                        const struct rf_load_stream *from, uint32_t tid, uint32_t serial)
{
    const uint32_t old = stream->thread;
    int status = RF_OK;
    const uint32_t found =
        rf_map_find(&r->load->thread_of, (uint64_t)from->process << 32 | serial, tid);
    const uint32_t index = found != RF_MAP_NONE ? found : RF_NO_INDEX;
    if (index != old)
        status = rf_replayed_cut(
            r, old, rf_timeline_ns(&r->load->timeline, &r->decoder.line, stream->cursor.ticks),
            RF_CUT_THREAD_ENDED);
    stream->thread = index;
    return status;
}

static int enter_part(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                      const struct rf_load_stream *from, const struct rf_stream_part *part)
{
    rf_cuda_finish_part(r->load, &stream->cursor, from, &stream->read);
    int status = RF_OK;
    if (part->is_gap && stream->thread != RF_NO_INDEX)
        status =
            rf_replayed_cut(r, stream->thread,
                            rf_replayed_thread_of(r, stream->thread)->decoded.last_ns, RF_CUT_LOST);
    return status == RF_OK ? enter_thread(r, stream, from, part->tid, part->serial) : status;
}

/* The next record but for DATA and TEXT of marks, and of what is left out: their times mean
 * nothing.
 */
static enum rf_stream_step next_step(struct rf_replayed_stream *stream, struct rf_stream_part *part)
{
    enum rf_stream_step step;
    do
        step = rf_stream_next(&stream->cursor, &stream->next, part);
    while (step == RF_STREAM_RECORD &&
           (stream->next.type == RF_REC_DATA || stream->next.type == RF_REC_TEXT));
    return step;
}

/* Reads the next record; what ends before it has ended then. */
static int read_next(struct rf_range_replay *r, struct rf_replayed_stream *stream,
                     const struct rf_load_stream *from)
{
    struct rf_stream_part part;
    enum rf_stream_step step;
    int status = RF_OK;
    while (status == RF_OK && (step = next_step(stream, &part)) == RF_STREAM_PART)
        status = enter_part(r, stream, from, &part);
    if (status != RF_OK || r->decoder.parts.is_out_of_memory)
        return RF_ERR_NO_MEMORY;
    if (step == RF_STREAM_END) {
        stream->next_ns = INT64_MAX;
        rf_part_reader_drop(&r->decoder.parts, from->part, stream->cursor.part);
        return rf_replayed_cut_all(r, stream->thread);
    }
    stream->next_ns = rf_timeline_ns(&r->load->timeline, &r->decoder.line, stream->next.ticks);
    if (stream->next_ns >= stream->most_ns)
        stream->most_ns = stream->next_ns;
    else if (stream->next.type != RF_REC_CUDA) /* calls before it did not see it */
        rf_replayed_need_kept(r);
    if (stream->next.type == RF_REC_THREAD && stream->next.n_words > 1) {
        const uint64_t who = rf_load64(stream->next.words + 8);
        status = enter_thread(r, stream, from, (uint32_t)who, (uint32_t)(who >> 32));
    }
    return status;
}

static int read_up_to(struct rf_range_replay *r, uint32_t index, int64_t ns)
{
    struct rf_replayed_stream *stream = &r->stream[index];
    struct rf_load_stream *from = &r->load->stream[index];
    int status = RF_OK;
    if (!stream->has_begun) {
        rf_stream_init(&stream->cursor, &r->decoder.parts, from->part, from->n_parts);
        stream->thread = RF_NO_INDEX;
        stream->next_begun = r->begun_streams;
        r->begun_streams = stream;
        stream->has_begun = true;
        stream->most_ns = INT64_MIN;
        status = read_next(r, stream, from);
    }
    while (status == RF_OK && stream->next_ns <= ns && stream->next_ns != INT64_MAX &&
           !r->is_uncertain) {
        if (stream->thread != RF_NO_INDEX && stream->next.type != RF_REC_CUDA)
            status = take_record(r, stream, from);
        if (status == RF_OK)
            status = read_next(r, stream, from);
    }
    return status;
}

/* ---- Ranges in memory ---- */

static bool is_of_thread(const struct rf_range_replay *r, const struct rf_event *event,
                         uint32_t place)
{
    return event->kind == RF_EVENT_PUSH_POP ||
           (event->kind == RF_EVENT_START_END &&
            r->load->rec->start_end[event->link].end_thread == place);
}

static int read_kept(struct rf_range_replay *r, uint32_t index, int64_t until_ns)
{
    struct rf_replayed_thread *thread = rf_replayed_thread_of(r, index);
    struct rf_kept_ranges *kept = &thread->kept;
    const uint32_t place = r->load->thread[index]->place;
    const struct rf_event *event;
    enum rf_kept_step step;
    uint32_t node;
    int status = RF_OK;
    if (kept->event == NULL) {
        kept->event = r->load->rec->events[place].event;
        kept->n = r->load->rec->events[place].n;
    }
    while (status == RF_OK && !thread->ranges.is_uncertain &&
           (step = rf_kept_ranges_next(kept, until_ns, &event, &node)) != RF_KEPT_NONE) {
        if (step == RF_KEPT_END) {
            status = rf_range_stack_take(&thread->ranges, &r->pool, node, event->end_ns);
        } else if (is_of_thread(r, event, place) && is_selected(r, thread, event)) {
            status = rf_replayed_begin(r, thread, place, event);
            if (status == RF_OK)
                status = rf_kept_ranges_began(kept, event, thread->ranges.open);
        }
    }
    r->is_uncertain |= thread->ranges.is_uncertain;
    return status;
}

static int find_kept(struct rf_range_replay *r, uint32_t thread, int64_t start_ns, int64_t end_ns,
                     uint32_t *node)
{
    int status = r->is_uncertain ? RF_OK : read_kept(r, thread, end_ns);
    if (status == RF_OK && !r->is_uncertain)
        *node = rf_range_stack_find(&r->thread[thread].ranges, &r->pool, start_ns, end_ns);
    r->is_uncertain |= r->thread[thread].ranges.is_uncertain;
    return status;
}

int rf_range_replay_find(struct rf_range_replay *r, uint32_t thread, int64_t start_ns,
                         int64_t end_ns, uint32_t *node)
{
    const struct rf_load_thread *from = r->load->thread[thread];
    *node = RF_NO_INDEX;
    if (r->are_kept)
        return find_kept(r, thread, start_ns, end_ns, node);
    if (from->first_segment == RF_NO_INDEX || end_ns < from->first_ns || r->is_uncertain)
        return RF_OK; /* it has no ranges, or none yet */
    if (from->is_merged) {
        rf_replayed_need_kept(r);
        return RF_OK;
    }
    /* what is around it behind a capture goes on until the next one begins */
    const int64_t until_ns = rf_replayed_is_outside(r, end_ns)
                                 ? rf_windows_next_change(&r->load->windows, end_ns)
                                 : end_ns;
    if (rf_replayed_is_outside(r, end_ns) && until_ns == INT64_MAX)
        return RF_OK;
    int status = read_up_to(r, from->stream, until_ns);
    struct rf_range_stack *ranges = &rf_replayed_thread_of(r, thread)->ranges;
    if (status == RF_OK)
        status = rf_replayed_advance(r, rf_replayed_thread_of(r, thread), until_ns);
    if (status == RF_OK && !r->is_uncertain)
        *node = rf_range_stack_find(ranges, &r->pool, start_ns, end_ns);
    r->is_uncertain |= ranges->is_uncertain || (ranges->has_crossed && !r->holds_nodes);
    return status;
}

/* Collectives may be in threads that called nothing. */
static int begin_all(struct rf_range_replay *r, uint32_t begin, uint32_t end)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < r->load->n_threads; i++)
        r->is_uncertain |= r->load->thread[i]->is_merged;
    for (uint32_t i = begin; i < end && status == RF_OK && !r->is_uncertain; i++)
        if (r->load->stream[i].n_parts > 0)
            status = read_up_to(r, i, INT64_MIN);
    return status;
}

int rf_range_replay_end(struct rf_range_replay *r, uint32_t begin, uint32_t end)
{
    int status = r->has_collectives ? begin_all(r, begin, end) : RF_OK;
    for (; r->begun_streams != NULL && status == RF_OK;
         r->begun_streams = r->begun_streams->next_begun)
        status = read_up_to(r, (uint32_t)(r->begun_streams - r->stream), INT64_MAX);
    while (r->begun_threads != NULL && status == RF_OK) {
        struct rf_replayed_thread *thread = r->begun_threads;
        const uint32_t index = (uint32_t)(thread - r->thread);
        status = r->are_kept ? read_kept(r, index, INT64_MAX) : rf_replayed_cut_all(r, index);
        rf_range_stack_end(&thread->ranges, &r->pool);
        r->is_uncertain |= thread->ranges.is_uncertain;
        r->begun_threads = thread->next_begun;
        rf_replayed_release(thread);
    }
    if (status == RF_OK) /* of a payload or a name no more was known */
        status = rf_selector_join(r->load, &r->decoder.selector);
    return status == RF_OK && r->path_work.is_out_of_memory ? RF_ERR_NO_MEMORY : status;
}
