/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_stream.h"

#include <stdlib.h>

#include "base/heap.h"
#include "log/log_memory.h"
#include "model/cuda/captured_rows.h"
#include "model/cuda/cuda_callers.h"
#include "model/cuda/cuda_captures.h"
#include "model/cuda/cuda_extra.h"
#include "model/cuda/cuda_load.h"
#include "model/cuda/cuda_notes.h"
#include "model/cuda/cuda_read.h"
#include "model/cuda/cuda_records.h"
#include "model/cuda/cuda_window.h"
#include "model/cuda/linked_sums.h"
#include "model/cuda/named_work.h"
#include "model/cuda/process_ranges.h"
#include "model/collectives/streamed_collectives.h"
#include "model/cuda/range_replay.h"
#include "model/cuda/select_cuda.h"
#include "model/filter/filter_windows.h"
#include "model/load/capture_windows.h"
#include "model/load/load.h"
#include "model/load/new_thread.h"
#include "model/load/thread_of_tid.h"
#include "model/load/timeline.h"
#include "model/recording.h"
#include "model/sums/launch_sums.h"
#include "model/sums/projected_sums.h"

/* About 23 MB, and 126 at most. A buffer in which CUPTI gives calls holds 52,000 of them, and is
 * given when it is full: after the work of all of them, and behind other buffers. */
static const struct rf_cuda_window_sizes sizes = {
    .calls = 1u << 18, .works = 1u << 17, .n_behind = 1u << 8, .most = 1u << 20};

struct rf_cuda_stream {
    struct rf_load *load;
    struct rf_tid_list tids;
    struct rf_cuda_window window;
    struct rf_range_replay ranges; /* where summaries are made, and projections */
    struct rf_projected_work projected;
    struct rf_ranges_of_process of_process; /* RF_OPEN_BY_PROCESS, where ranges are in memory */
    struct rf_captured_rows rows;           /* of a focused recording */
    uint32_t *place;                        /* by track, n_tracks: RF_NO_INDEX: it has no work */
    uint32_t n_tracks;
    bool is_linking;       /* it is the second reading */
    bool is_out_of_memory; /* sticky: where calls were given up */
};

/* Takes a record of a process; written_ns: when it was written. */
typedef int take_record(struct rf_cuda_stream *s, uint32_t process,
                        const union rf_cuda_record *record, int64_t written_ns);

/* ---- Reading ---- */

static int take(struct rf_cuda_stream *s, uint32_t process, const struct rf_record *r,
                take_record *take_one)
{
    struct rf_load *load = s->load;
    union rf_cuda_record record;
    if (!rf_cuda_read_record(&record, r)) {
        load->cuda.n_notes[RF_NOTE_SHORT] += !s->is_linking;
        return RF_OK;
    }
    return take_one(s, process, &record,
                    rf_timeline_ns(&load->timeline, &load->cuda.line, r->ticks));
}

/* Reads up to the end of a part, or to a record behind until: a part that is filled slowly has
 * records of times that other streams have not come to. *is_at_end: of the stream. */
static int read_part(struct rf_cuda_stream *s, const struct rf_load_stream *stream,
                     struct rf_stream_cursor *cursor, struct rf_log_read *read, int64_t until,
                     take_record *take_one, bool *is_at_end)
{
    struct rf_stream_part part;
    struct rf_record record;
    enum rf_stream_step step;
    int status = RF_OK;
    *is_at_end = false;
    while (status == RF_OK && (step = rf_stream_next(cursor, &record, &part)) != RF_STREAM_END) {
        if (step == RF_STREAM_PART)
            rf_cuda_finish_part(s->load, cursor, stream, read);
        else if (record.type == RF_REC_CUDA)
            status = take(s, stream->process, &record, take_one);
        if (cursor->part == cursor->part_end && rf_stream_is_at_end_of_part(cursor))
            break;
        if (rf_stream_is_at_end_of_part(cursor) || rf_heap_time(cursor->ticks) > until)
            return status;
    }
    *is_at_end = true;
    return status;
}

/* When the stream goes on. */
static int64_t next_time(const struct rf_stream_cursor *cursor)
{
    return rf_heap_time(rf_stream_is_at_end_of_part(cursor) ? cursor->part->ticks : cursor->ticks);
}

/* When another stream than the first one goes on. */
static int64_t second_time(const struct rf_heap *heap)
{
    int64_t time = INT64_MAX;
    for (size_t i = 1; i < 3 && i < heap->n; i++)
        time = heap->entry[i].time < time ? heap->entry[i].time : time;
    return time;
}

/* A process's streams with records of CUDA, from begin up to end. */
struct reading {
    struct rf_stream_cursor *cursor; /* by stream */
    struct rf_log_read *read;
    struct rf_heap heap;
    struct rf_part_reader reader;
};

static int begin_reading(struct reading *r, const struct rf_load *load, uint32_t begin,
                         uint32_t end)
{
    const size_t n = end - begin;
    *r = (struct reading){.cursor = calloc(n, sizeof(*r->cursor)),
                          .read = calloc(n, sizeof(*r->read)),
                          .heap = {.entry = calloc(n, sizeof(*r->heap.entry))}};
    rf_part_reader_init(&r->reader, &load->log);
    if (r->cursor == NULL || r->read == NULL || r->heap.entry == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        const struct rf_load_stream *stream = &load->stream[begin + i];
        if (stream->n_cuda == 0)
            continue;
        rf_stream_init(&r->cursor[i], &r->reader, stream->part, stream->n_parts);
        rf_heap_add(&r->heap, rf_heap_time(stream->part->ticks), i);
    }
    return RF_OK;
}

static void end_reading(struct reading *r)
{
    rf_part_reader_release(&r->reader);
    free(r->cursor);
    free(r->read);
    free(r->heap.entry);
}

static bool is_uncertain(const struct rf_cuda_stream *s)
{
    return s->window.is_uncertain || s->ranges.is_uncertain || s->of_process.is_uncertain ||
           (s->projected.is_too_deep && !s->projected.can_leave_kernels);
}

static int read_process(struct rf_cuda_stream *s, uint32_t begin, uint32_t end,
                        take_record *take_one)
{
    const struct rf_load *load = s->load;
    struct reading r;
    int status = begin_reading(&r, load, begin, end);
    while (r.heap.n > 0 && status == RF_OK && !is_uncertain(s)) {
        const size_t i = r.heap.entry[0].source;
        const struct rf_load_stream *stream = &load->stream[begin + i];
        struct rf_stream_cursor *cursor = &r.cursor[i];
        bool is_at_end;
        status =
            read_part(s, stream, cursor, &r.read[i], second_time(&r.heap), take_one, &is_at_end);
        if (status == RF_OK && r.reader.is_out_of_memory)
            status = RF_ERR_NO_MEMORY;
        rf_part_reader_drop(&r.reader, stream->part,
                            rf_stream_is_at_end_of_part(cursor) ? cursor->part : cursor->part - 1);
        if (is_at_end)
            rf_heap_drop(&r.heap);
        else
            rf_heap_advance(&r.heap, next_time(cursor));
    }
    end_reading(&r);
    return status;
}

/* end_one: NULL, or takes the end of a process, whose streams these are. */
static int read_all(struct rf_cuda_stream *s, take_record *take_one,
                    int (*end_one)(struct rf_cuda_stream *s, uint32_t begin, uint32_t end))
{
    const struct rf_load *load = s->load;
    int status = RF_OK;
    for (uint32_t i = 0, end; i < load->n_streams && status == RF_OK; i = end) {
        for (end = i + 1;
             end < load->n_streams && load->stream[end].process == load->stream[i].process;)
            end++;
        status = read_process(s, i, end, take_one);
        if (status == RF_OK && end_one != NULL && !is_uncertain(s))
            status = end_one(s, i, end);
    }
    return status;
}

/* ---- The first reading ---- */

/* Finds the thread of a caller, unless several had its tid. NULL: out of memory. */
static const struct rf_cuda_caller *note_caller(struct rf_cuda_stream *s, uint32_t process,
                                                uint32_t tid)
{
    struct rf_load *load = s->load;
    uint32_t first, end;
    const uint32_t i = rf_cuda_find_caller(&load->cuda, process, tid);
    struct rf_cuda_caller *caller = i != RF_NO_INDEX ? &load->cuda.caller[i] : NULL;
    if (caller == NULL || caller->is_known)
        return caller;
    rf_tid_list_find(&s->tids, process, tid, &first, &end);
    caller->thread = end - first == 1 ? s->tids.entry[first].index
                     : end == first   ? rf_load_add_thread(load, process, tid, 0)
                                      : RF_NO_INDEX;
    if (end == first && caller->thread == RF_NO_INDEX)
        return NULL;
    caller->is_known = 1;
    if (caller->thread != RF_NO_INDEX && !load->windows.is_focused)
        load->thread[caller->thread]->is_needed = true;
    return caller;
}

/* The thread of a caller at a time. */
static uint32_t thread_at(const struct rf_cuda_stream *s, const struct rf_cuda_caller *caller,
                          int64_t ns)
{
    return caller->thread != RF_NO_INDEX
               ? caller->thread
               : rf_tid_list_at(&s->tids, caller->process, caller->tid, ns);
}

/* Whether rows of memory become counters. */
static bool keeps_memory(const struct rf_load *load)
{
    return !load->sums_launches && !load->sums_linked;
}

/* Whether it is known of a row, before calls are, that it belongs to a capture; or there are none.
 */
static bool is_needed(const struct rf_load *load, const struct rf_extra *extra)
{
    return !load->windows.is_focused ||
           (extra->correlation == 0 && rf_windows_contain(&load->windows, extra->start_ns));
}

/* Rows that do not become counters are counted, in captures when calls are known. */
static int count_extra(struct rf_cuda_stream *s, uint32_t process,
                       const union rf_cuda_record *record, int64_t written_ns)
{
    struct rf_load *load = s->load;
    struct rf_cuda_load *cuda = &load->cuda;
    rf_recording *rec = load->rec;
    const size_t n = rec->n_extras;
    int status = rf_cuda_add_extra(load, process, record, written_ns);
    if (status != RF_OK || rec->n_extras == n)
        return status;
    const struct rf_extra extra = rec->extra[n];
    if (extra.kind == RF_EXTRA_MEMORY && keeps_memory(load))
        return RF_OK;
    rec->n_extras = n;
    cuda->n_extra_values = extra.first_value;
    rec->work_counts->n_extras[extra.kind] += !load->windows.is_focused;
    if (extra.thread == RF_NO_INDEX)
        return RF_OK;
    cuda->caller[extra.thread].is_object = 0;
    const struct rf_cuda_caller *caller = note_caller(s, process, cuda->caller[extra.thread].tid);
    if (caller == NULL)
        return RF_ERR_NO_MEMORY;
    load->thread[thread_at(s, caller, extra.start_ns)]->is_needed |= is_needed(load, &extra);
    return RF_OK;
}

static int note_call(struct rf_cuda_stream *s, uint32_t process, const struct rf_cuda_api *api,
                     int64_t written_ns)
{
    const struct rf_cuda_caller *caller = note_caller(s, process, api->tid);
    const struct rf_capture_windows *windows = &s->load->windows;
    int64_t start_ns, end_ns;
    if (caller == NULL || (caller->thread != RF_NO_INDEX && !windows->is_focused))
        return caller != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    (void)rf_cuda_set_times(s->load, process, api->start, api->end, written_ns, &start_ns, &end_ns);
    if (windows->is_focused && !rf_windows_overlap(windows, start_ns, end_ns))
        return RF_OK;
    s->load->thread[thread_at(s, caller, start_ns)]->is_needed = true;
    return RF_OK;
}

static int note_record(struct rf_cuda_stream *s, uint32_t process,
                       const union rf_cuda_record *record, int64_t written_ns)
{
    struct rf_load *load = s->load;
    struct rf_cuda_work work;
    if (rf_cuda_work_of(load, process, record, &work))
        return rf_find_track(&load->cuda.tracks, load->rec, &work.track) != RF_NO_INDEX
                   ? RF_OK
                   : RF_ERR_NO_MEMORY;
    switch (record->head.kind) {
    case RF_CUDA_API:
        return note_call(s, process, &record->api, written_ns);
    case RF_CUDA_DROPPED:
        load->rec->info.n_cuda_dropped += record->dropped.n;
        return RF_OK;
    default:
        return count_extra(s, process, record, written_ns);
    }
}

static bool reads_ranges(const struct rf_load *load)
{
    return load->sums_paths || load->sums_projected;
}

static bool has_projected(const struct rf_load *load)
{
    return load->sums_projected || load->adds_projected;
}

/* Calls may lie behind the end of the recording then, where no range is open any more. */
static bool has_no_clock(const struct rf_load *load)
{
    return load->cuda.n_notes[RF_NOTE_NO_CLOCK] > 0;
}

/* How many ranges another thread ended. */
static uint64_t count_left_out(const struct rf_load *load)
{
    const rf_recording *rec = load->rec;
    uint64_t n = 0;
    for (uint32_t i = 0; i < load->n_streams && !load->keeps_events; i++)
        n += load->stream[i].elsewhere.n;
    for (uint32_t t = 0; t < rec->n_threads && load->keeps_events; t++)
        n += rf_count_ended_by_others(rec, t);
    return n;
}

/* Ranges that other threads ended are found among those in memory. */
static bool needs_process_ranges(const struct rf_load *load)
{
    return load->by_process && !load->keeps_events && count_left_out(load) > 0;
}

int rf_cuda_stream_begin(struct rf_load *load)
{
    struct rf_cuda_stream *s = calloc(1, sizeof(*s));
    load->cuda.stream = s;
    load->rec->work_counts = calloc(1, sizeof(*load->rec->work_counts));
    if (load->sums_launches)
        load->rec->launch_sums = calloc(1, sizeof(*load->rec->launch_sums));
    if (has_projected(load))
        load->rec->projected_sums = calloc(1, sizeof(*load->rec->projected_sums));
    if (s == NULL || load->rec->work_counts == NULL ||
        (has_projected(load) && load->rec->projected_sums == NULL) ||
        (load->sums_launches && load->rec->launch_sums == NULL))
        return RF_ERR_NO_MEMORY;
    s->load = load;
    if (has_projected(load))
        rf_projected_sums_init(load->rec->projected_sums, load->kernel_naming, load->folds_numbers);
    int status = rf_tid_list_init(&s->tids, load);
    if (status == RF_OK && load->sums_linked)
        status = rf_linked_sums_begin(load);
    const size_t n_rows = load->rec->n_extras;
    if (status == RF_OK)
        status = read_all(s, note_record, NULL);
    if (status == RF_OK)
        status = rf_captured_rows_init(&s->rows, load->rec, n_rows);
    if (status == RF_OK && load->sums_paths)
        status = rf_named_work_begin(load);
    const bool needs_process = needs_process_ranges(load);
    const bool is_clear = !reads_ranges(load) || (rf_range_replay_can(load) && !needs_process);
    load->needs_ranges = !is_clear && !has_no_clock(load) &&
                         (!needs_process || load->selection.of == NULL); /* see can_filter() */
    load->needs_work |= !is_clear || (reads_ranges(load) && has_no_clock(load));
    return status;
}

/* ---- The second reading ---- */

static int add_launch(struct rf_cuda_stream *s, const struct rf_held_work *work,
                      const struct rf_held_call *call)
{
    const struct rf_cuda_name *name = &s->load->cuda.names.name[work->name];
    const struct rf_launch_key key = {.thread = s->load->thread[call->thread]->place,
                                      .device = s->load->rec->track[work->track].device,
                                      .function = call->name,
                                      .kernel = name->mangled};
    const struct rf_launch_times times =
        rf_launch_times(call->start_ns, call->end_ns, work->start_ns, work->end_ns);
    struct rf_launch_sum *sum = rf_launch_sums_find(s->load->rec->launch_sums, &key);
    if (sum == NULL)
        return RF_ERR_NO_MEMORY;
    sum->kernel.key.name = name->short_name;
    sum->kernel.key.mangled = name->mangled;
    sum->kernel.demangled = name->demangled;
    return rf_launch_sum_add(s->load->rec->launch_sums, sum, &times) ? RF_OK : RF_ERR_NO_MEMORY;
}

/* The work is that of the innermost range around its call. */
static int add_to_range(struct rf_cuda_stream *s, const struct rf_held_work *work,
                        const struct rf_held_call *call)
{
    const uint64_t ns = (uint64_t)work->end_ns - (uint64_t)work->start_ns;
    if (call == NULL || !call->is_selected || call->range == RF_NO_INDEX ||
        work->kind == RF_OP_SYNC)
        return RF_OK;
    if (s->ranges.holds_nodes)
        return rf_path_work_add(&s->ranges.path_work, call->range, ns);
    struct rf_sum *sum = &s->ranges.paths.sum[call->range];
    sum->gpu_ns += ns;
    sum->n_gpu++;
    return RF_OK;
}

static uint32_t label_of(const struct rf_cuda_stream *s, const struct rf_cuda_name *name)
{
    return rf_kernel_name_as(s->load->kernel_naming, name->short_name, name->mangled,
                             rf_cuda_name_label(name));
}

static int add_projected(struct rf_cuda_stream *s, const struct rf_held_work *work,
                         struct rf_held_call *call)
{
    const bool has_call = call != NULL && call->is_selected;
    const bool is_first = has_call && !call->is_counted && work->kind != RF_OP_SYNC;
    if (is_first)
        call->is_counted = true;
    const int status = rf_projected_work_add(
        &s->projected, work, has_call ? call->range : RF_NO_INDEX,
        has_call ? call->process_range : RF_NO_INDEX,
        call != NULL ? s->load->thread[call->thread]->place : RF_NO_INDEX,
        work->kind == RF_OP_KERNEL ? label_of(s, &s->load->cuda.names.name[work->name])
                                   : RF_NO_STRING,
        is_first);
    if (s->projected.is_too_deep && s->projected.can_leave_kernels) /* summaries do without them */
        rf_projected_work_leave_kernels(&s->projected);
    return status;
}

static int add_of_ranges(struct rf_cuda_stream *s, const struct rf_held_work *work,
                         struct rf_held_call *call)
{
    int status = has_projected(s->load) ? add_projected(s, work, call) : RF_OK;
    if (status == RF_OK && s->load->sums_paths)
        status = add_to_range(s, work, call);
    return status == RF_OK && s->load->sums_paths ? rf_named_work_add(s->load, work, call) : status;
}

/* No work of a call comes any more. */
static void give_up(void *context, const struct rf_held_call *call)
{
    struct rf_cuda_stream *s = context;
    if (call->range != RF_NO_INDEX)
        rf_range_pool_drop(&s->ranges.pool, call->range);
    if (call->process_range != RF_NO_INDEX)
        rf_range_pool_drop(&s->ranges.pool, call->process_range);
}

/* Too many ranges are held for calls. */
static bool make_room(void *context, int64_t ns)
{
    struct rf_cuda_stream *s = context;
    int status = RF_OK;
    const bool has_room = rf_cuda_window_drop_call(&s->window, ns, &status);
    s->is_out_of_memory |= status != RF_OK;
    return has_room;
}

/* See cuda_captures.c. */
static bool is_in_capture(const struct rf_cuda_stream *s, const struct rf_held_work *work,
                          const struct rf_held_call *call)
{
    const struct rf_capture_windows *windows = &s->load->windows;
    return !windows->is_focused || (call != NULL ? call->is_in_capture : work->is_in_capture);
}

/* Work and its call, as cuda_link.c has them. */
static int take_linked(void *context, const struct rf_held_work *work, struct rf_held_call *call)
{
    struct rf_cuda_stream *s = context;
    const uint8_t no_time = RF_TIME_NO_START | RF_TIME_NO_END;
    struct rf_held_work linked = *work;
    if (call != NULL && (linked.flags & no_time) == no_time)
        linked.start_ns = linked.end_ns = call->end_ns;
    else if (call != NULL && work->kind != RF_OP_SYNC && work->start_ns < call->start_ns)
        linked.flags |= RF_TIME_BEFORE_CALL;
    if (!is_in_capture(s, &linked, call))
        return RF_OK;
    if (work->is_row) {
        s->window.is_uncertain |= !rf_captured_rows_take(&s->rows, s->load, work);
        return RF_OK;
    }
    s->place[work->track] = 0;
    rf_cuda_note_work(s->load, linked.flags);
    s->load->rec->work_counts->n_ops[work->kind]++;
    const bool is_selected = rf_select_work(s->load, &linked, call);
    if (s->load->sums_linked)
        return rf_linked_sums_add_work(s->load, &linked, is_selected);
    if (!is_selected)
        return RF_OK;
    if (reads_ranges(s->load))
        return add_of_ranges(s, &linked, call);
    return call != NULL && work->kind == RF_OP_KERNEL && s->load->sums_launches
               ? add_launch(s, &linked, call)
               : RF_OK;
}

/* The ranges around a call: where their node need not be held, the path of the innermost one. */
static int find_range(struct rf_cuda_stream *s, struct rf_held_call *call)
{
    const struct rf_load *load = s->load;
    int status = RF_OK;
    call->range = RF_NO_INDEX;
    if (reads_ranges(load))
        status = rf_range_replay_find(&s->ranges, call->thread, call->start_ns, call->end_ns,
                                      &call->range);
    if (call->range == RF_NO_INDEX)
        return status;
    if (s->ranges.holds_nodes)
        rf_range_pool_use(&s->ranges.pool, call->range);
    else
        call->range = s->ranges.pool.node[call->range].tag;
    return status;
}

/* Likewise of ranges that other threads ended. */
static int find_process_range(struct rf_cuda_stream *s, uint32_t process, struct rf_held_call *call)
{
    if (!s->load->by_process || !s->ranges.are_kept || s->of_process.is_uncertain)
        return RF_OK;
    const int status = rf_ranges_of_process_find(&s->of_process, process, call->start_ns,
                                                 call->end_ns, &call->process_range);
    if (call->process_range != RF_NO_INDEX)
        rf_range_pool_use(&s->ranges.pool, call->process_range);
    return status;
}

/* Ranges around a call that is kept last longer than it, and are kept too; but of a call without a
 * duration, at the edge of a time, that is not sure. */
static void note_edge(struct rf_cuda_stream *s, const struct rf_held_call *call)
{
    if (s->load->selection.of != NULL && call->is_selected && call->start_ns == call->end_ns &&
        rf_filter_touches(&s->load->selection.filter, call->start_ns))
        s->window.is_uncertain = true;
}

static int add_call(struct rf_cuda_stream *s, uint32_t process, const struct rf_cuda_api *api,
                    int64_t written_ns)
{
    struct rf_load *load = s->load;
    const uint32_t i = rf_cuda_find_caller(&load->cuda, process, api->tid);
    const struct rf_cuda_caller *caller = i != RF_NO_INDEX ? &load->cuda.caller[i] : NULL;
    struct rf_held_call call = {
        .correlation = api->head.correlation,
        .name =
            rf_cuda_function_name(&load->cuda.names, &load->rec->strings, process, api->function)};
    const uint8_t flags = rf_cuda_set_times(load, process, api->start, api->end, written_ns,
                                            &call.start_ns, &call.end_ns);
    call.is_in_capture = rf_windows_overlap(&load->windows, call.start_ns, call.end_ns);
    const bool counts = call.is_in_capture || !load->windows.is_focused;
    if (counts)
        rf_cuda_note_call(load, flags);
    if (call.name == RF_NO_STRING || caller == NULL)
        return RF_ERR_NO_MEMORY;
    if (!caller->is_known) { /* it is being written */
        s->window.is_uncertain = true;
        return RF_OK;
    }
    call.thread = thread_at(s, caller, call.start_ns);
    load->rec->work_counts->n_cuda_calls += counts;
    int status = RF_OK;
    call.range = call.process_range = RF_NO_INDEX;
    call.is_selected = rf_select_call(load, process, call.thread, api->function, &call);
    note_edge(s, &call);
    if (counts && load->sums_linked)
        status = rf_linked_sums_add_call(load, &call);
    if (status == RF_OK && counts && call.is_selected)
        status = find_range(s, &call);
    if (status == RF_OK && counts && call.is_selected)
        status = find_process_range(s, process, &call);
    if (status == RF_OK && load->sums_paths && counts && call.is_selected &&
        !rf_select_hides_calls(load))
        status = rf_named_work_add_call(load, &call);
    return status == RF_OK ? rf_cuda_window_add_call(&s->window, &call) : status;
}

static int add_work(struct rf_cuda_stream *s, const struct rf_cuda_work *from,
                    const union rf_cuda_record *record, int64_t written_ns)
{
    struct rf_load *load = s->load;
    const uint32_t process = from->track.process;
    struct rf_held_work work = {
        .correlation = record->head.correlation, .name = RF_NO_STRING, .kind = from->kind};
    if (from->kind == RF_OP_KERNEL) {
        const struct rf_cuda_name *name =
            rf_cuda_names_of(&load->cuda.names, &load->rec->strings, process, record->kernel.name);
        if (name == NULL)
            return RF_ERR_NO_MEMORY;
        work.name = (uint32_t)(name - load->cuda.names.name);
        if (load->sums_linked)
            work.shape = rf_linked_sums_shape(load, &record->kernel);
    } else if (from->kind == RF_OP_MEMCPY) {
        work.name = record->memcpy.copy_kind;
        work.bytes = record->memcpy.bytes;
    } else if (from->kind == RF_OP_MEMSET) {
        work.bytes = record->memset.bytes;
    }
    work.track = rf_find_track(&load->cuda.tracks, load->rec, &from->track);
    if (work.track == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    if (work.track >= s->n_tracks) { /* it is being written */
        s->window.is_uncertain = true;
        return RF_OK;
    }
    work.flags = rf_cuda_set_times(load, process, from->start, from->end, written_ns,
                                   &work.start_ns, &work.end_ns);
    work.is_in_capture =
        work.start_ns != RF_NO_TIME && rf_windows_contain(&load->windows, work.start_ns);
    return rf_cuda_window_add_work(&s->window, &work);
}

/* A row of another kind, which belongs to a capture if its call does. */
static int add_row(struct rf_cuda_stream *s, uint32_t process, uint32_t correlation,
                   const struct rf_cuda_row *from)
{
    struct rf_load *load = s->load;
    struct rf_held_work row = {.start_ns = from->start_ns,
                               .end_ns = from->start_ns,
                               .correlation = correlation,
                               .track = RF_NO_INDEX,
                               .name = RF_NO_INDEX,
                               .kind = from->kind,
                               .is_row = true};
    row.is_in_capture =
        row.start_ns != RF_NO_TIME && rf_windows_contain(&load->windows, row.start_ns);
    if (from->kind == RF_EXTRA_MEMORY && keeps_memory(load))
        row.name = rf_captured_rows_next(&s->rows);
    if (from->has_thread) {
        const uint32_t i = rf_cuda_find_caller(&load->cuda, process, from->tid);
        if (i == RF_NO_INDEX)
            return RF_ERR_NO_MEMORY;
        if (load->cuda.caller[i].is_known)
            row.track = thread_at(s, &load->cuda.caller[i], row.start_ns);
        else /* it is being written */
            s->window.is_uncertain = true;
    }
    return rf_cuda_window_add_work(&s->window, &row);
}

static int link_record(struct rf_cuda_stream *s, uint32_t process,
                       const union rf_cuda_record *record, int64_t written_ns)
{
    struct rf_cuda_work work;
    struct rf_cuda_row row;
    if (record->head.kind == RF_CUDA_API)
        return add_call(s, process, &record->api, written_ns);
    if (rf_cuda_work_of(s->load, process, record, &work))
        return add_work(s, &work, record, written_ns);
    return s->load->windows.is_focused && rf_cuda_row_of(s->load, process, record, written_ns, &row)
               ? add_row(s, process, record->head.correlation, &row)
               : RF_OK;
}

static int end_process(struct rf_cuda_stream *s, uint32_t begin, uint32_t end)
{
    int status = rf_cuda_window_end(&s->window);
    if (status == RF_OK && reads_ranges(s->load))
        status = rf_range_replay_end(&s->ranges, begin, end);
    return status == RF_OK ? rf_ranges_of_process_end(&s->of_process) : status;
}

/* Of a focused recording tracks are those whose work lies in a capture. */
static int begin_tracks(struct rf_cuda_stream *s)
{
    s->n_tracks = s->load->rec->n_tracks;
    s->place = malloc(((size_t)s->n_tracks + 1) * sizeof(*s->place));
    for (uint32_t i = 0; i < s->n_tracks && s->place != NULL; i++)
        s->place[i] = s->load->windows.is_focused ? RF_NO_INDEX : 0;
    return s->place != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Tracks in their final order. */
static int order_tracks(struct rf_cuda_stream *s)
{
    rf_recording *rec = s->load->rec;
    rf_cuda_drop_tracks(rec, s->place);
    uint32_t *place = malloc(((size_t)rec->n_tracks + 1) * sizeof(*place));
    int status = place != NULL ? rf_sort_tracks(rec, place) : RF_ERR_NO_MEMORY;
    for (size_t i = 0; status == RF_OK && rec->collectives != NULL && i < rec->collectives->n; i++)
        if (rec->collectives->item[i].track != RF_NO_INDEX)
            rec->collectives->item[i].track = place[s->place[rec->collectives->item[i].track]];
    free(place);
    return status;
}

/* Whether what was added up is of what the filter keeps, of ranges that other threads ended and of
 * collectives, too. */
static bool can_filter(const struct rf_cuda_stream *s)
{
    const struct rf_load *load = s->load;
    const rf_recording *rec = load->rec;
    if (load->selection.of == NULL)
        return true;
    return (!has_projected(load) || rec->projected_sums->n_left_out == 0) &&
           (!load->sums_paths ||
            (!s->ranges.has_collectives && (rec->collectives == NULL || rec->collectives->n == 0)));
}

int rf_cuda_stream_link(struct rf_load *load)
{
    struct rf_cuda_stream *s = load->cuda.stream;
    int status = rf_cuda_window_init(&s->window, &sizes, take_linked, s);
    s->is_linking = true;
    if (status == RF_OK)
        status = begin_tracks(s);
    if (status == RF_OK && reads_ranges(load))
        status = rf_range_replay_begin(&s->ranges, load);
    if (status == RF_OK && has_projected(load)) {
        rf_projected_work_begin(&s->projected, &s->ranges.pool, load->rec->projected_sums);
        s->projected.strings = &load->rec->strings;
        s->projected.has_no_kernels = load->has_no_range_kernels;
        s->projected.can_leave_kernels = load->adds_projected;
        load->rec->projected_sums->has_no_kernels = load->has_no_range_kernels;
        s->ranges.projected = &s->projected;
        load->rec->projected_sums->by_process = load->by_process;
        s->of_process = (struct rf_ranges_of_process){
            .rec = load->rec, .pool = &s->ranges.pool, .projected = &s->projected};
    }
    if (s->ranges.holds_nodes) {
        s->window.given_up = give_up;
        s->ranges.pool.make_room = make_room;
        s->ranges.pool.of_room = s;
    }
    if (status == RF_OK)
        status = read_all(s, link_record, end_process);
    if (s->projected.is_out_of_memory || s->is_out_of_memory)
        status = RF_ERR_NO_MEMORY;
    if (has_projected(load))
        load->rec->projected_sums->n_left_out = count_left_out(load);
    load->needs_work = is_uncertain(s) || !can_filter(s);
    load->needs_ranges =
        s->ranges.needs_kept && !s->window.is_uncertain && !s->projected.is_too_deep;
    load->gpu_sums = s->ranges.paths;
    s->ranges.paths = (struct rf_sums){.sum = NULL};
    if (load->windows.is_focused && keeps_memory(load))
        rf_captured_rows_finish(&s->rows, load->rec);
    return status == RF_OK && !load->needs_work ? order_tracks(s) : status;
}

void rf_cuda_stream_release(struct rf_load *load)
{
    struct rf_cuda_stream *s = load->cuda.stream;
    if (s == NULL)
        return;
    rf_tid_list_release(&s->tids);
    rf_cuda_window_release(&s->window);
    rf_ranges_of_process_release(&s->of_process);
    rf_range_replay_release(&s->ranges);
    rf_projected_work_release(&s->projected);
    rf_captured_rows_release(&s->rows);
    free(s->place);
    free(s);
    load->cuda.stream = NULL;
}
