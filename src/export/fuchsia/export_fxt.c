/* SPDX-License-Identifier: Apache-2.0 */
/* The Fuchsia trace format, which Perfetto loads in less time than its own: a range is one record.
 * It has processes, threads and what nests in them. So streams are threads, what crosses gets
 * further threads, and there is no place for facts about the recording. docs/exports.md has the
 * particulars. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "export/chrome/json_lanes.h"
#include "export/counter_names.h"
#include "export/counter_values.h"
#include "export/export.h"
#include "export/fuchsia/fxt_args.h"
#include "export/projection_order.h"
#include "export/shown_begin.h"
#include "export/shown_ids.h"
#include "export/stream_names.h"
#include "export/work_cursor.h"
#include "model/fields/event_names.h"

/* The words of the format's table of texts, in this order. */
/* clang-format off */
#define WORDS(X) \
    X(process) X(nvtx) X(nvtx_gpu_projection) X(gpu_flow) X(submit) X(counter) X(value) \
    X(domain) X(message) X(flags) X(nvtx_range) X(calls) X(gpu_ops) X(busy_ns) \
    X(range_start_ns) X(range_duration_ns) X(by_process) X(recording) X(exported_by) \
    X(recorded_by) X(host) X(clock) X(start_utc) X(recording_time_ns) X(cut_ranges) \
    X(cut_at_start) X(lost_events) X(capture) X(number) X(is_open) X(pid) X(tid)
/* clang-format on */

enum word {
#define NUMBER(name) WORD_##name,
    WORDS(NUMBER)
#undef NUMBER
        N_WORDS
};

struct fxt_writer {
    struct rf_export_job *job;
    const rf_recording *rec;
    struct fxt fxt;
    struct fxt_args args;
    uint16_t word[N_WORDS];
    uint16_t call_category[RF_MAX_KINDS], op_category[RF_MAX_KINDS], event_category[RF_MAX_KINDS];
    struct rf_shown_ids ids;
    rf_projections *projections; /* NULL: there is no GPU work */
    int64_t base_ns;             /* the time of the recording's time 0: there is none below 0 */
    uint64_t n_crossing;
    /* The track that is being written: */
    struct rf_lanes lanes;
    struct fxt_thread lane[RF_MAX_LANES];
    uint32_t pid, first_tid; /* of its first lane; 0: it is given one */
    struct rf_json_text name_text;
    const char *name;
    size_t name_size;
};

static int64_t shown_ns(const struct fxt_writer *to, int64_t ns)
{
    return (int64_t)((uint64_t)ns + (uint64_t)to->base_ns);
}

static int put_raw_string(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    if (text != NULL)
        rf_sink_bytes(sink, text, size);
    return 0;
}

/* Between two items. */
static int next_item(struct fxt_writer *to)
{
    fxt_next_item(&to->fxt);
    return to->fxt.has_no_memory ? rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory")
                                 : rf_sink_status(to->fxt.sink);
}

static int step(struct fxt_writer *to)
{
    int status = rf_export_step(to->job);
    return status == RF_OK ? next_item(to) : status;
}

/* ---- Tracks ---- */

/* Ends what was put together in to->name_text. */
static void take_name(struct fxt_writer *to)
{
    to->name = rf_json_text_end(&to->name_text, &to->name_size);
    to->fxt.has_no_memory |= to->name == NULL;
}

/* Under the name that was taken last. */
static void begin_track(struct fxt_writer *to, uint32_t pid, uint32_t first_tid)
{
    rf_lanes_begin_thread(&to->lanes);
    memset(to->lane, 0, sizeof(to->lane));
    to->pid = pid;
    to->first_tid = first_tid;
}

static struct fxt_thread *lane_of(struct fxt_writer *to, size_t lane)
{
    struct fxt_thread *of = &to->lane[lane];
    struct rf_sink *sink;
    size_t size;
    if (of->tid != 0)
        return of;
    of->pid = to->pid;
    of->tid = lane == 0 && to->first_tid != 0 ? to->first_tid : to->ids.next_id++;
    sink = fxt_compose(&to->fxt);
    if (to->name != NULL)
        rf_sink_bytes(sink, to->name, to->name_size);
    if (lane > 0) {
        rf_sink_text(sink, " (");
        rf_sink_u64(sink, lane + 1);
        rf_sink_char(sink, ')');
    }
    const char *name = fxt_composed_text(&to->fxt, &size);
    if (name != NULL)
        fxt_name_thread(&to->fxt, of, to->word[WORD_process], name, size);
    return of;
}

/* Where a range begins, and how it ends. */
struct slice {
    const struct fxt_thread *of;
    uint64_t async_id; /* 0: it lies on a track, since it nests there */
    uint16_t category, name;
    int64_t end_ns;
};

/* Begins a range on the track; the caller names it and adds arguments. */
static int begin_slice(struct fxt_writer *to, struct slice *slice, uint16_t category,
                       int64_t start_ns, int64_t end_ns)
{
    int lane = rf_lanes_place(&to->lanes, start_ns, end_ns, to->job->err);
    if (lane < 0)
        return lane;
    to->n_crossing += lane == RF_MAX_LANES;
    *slice = (struct slice){.of = lane_of(to, lane < RF_MAX_LANES ? (size_t)lane : 0),
                            .async_id = lane < RF_MAX_LANES ? 0 : to->n_crossing,
                            .category = category,
                            .end_ns = end_ns};
    fxt_begin(&to->fxt, slice->async_id != 0 ? FXT_ASYNC_BEGIN : FXT_COMPLETE, slice->of, category,
              shown_ns(to, start_ns));
    if (slice->async_id != 0) { /* Perfetto shows these apart from processes */
        fxt_u64(&to->fxt, to->word[WORD_pid], slice->of->pid);
        fxt_u64(&to->fxt, to->word[WORD_tid], slice->of->tid);
    }
    return RF_OK;
}

static void name_slice(struct fxt_writer *to, struct slice *slice, uint16_t name)
{
    slice->name = name;
    fxt_name(&to->fxt, name);
}

static void end_slice(struct fxt_writer *to, const struct slice *slice)
{
    if (slice->async_id == 0) {
        fxt_end(&to->fxt, (uint64_t)shown_ns(to, slice->end_ns));
        return;
    }
    fxt_end(&to->fxt, slice->async_id);
    fxt_begin(&to->fxt, FXT_ASYNC_END, slice->of, slice->category, shown_ns(to, slice->end_ns));
    fxt_name(&to->fxt, slice->name);
    fxt_end(&to->fxt, slice->async_id);
}

/* ---- Annotations ---- */

static void put_domain(struct fxt_writer *to, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (!domain->is_valid) {
        rf_sink_hex(fxt_compose(&to->fxt), domain->handle);
        fxt_arg_text(&to->fxt, to->word[WORD_domain], fxt_composed(&to->fxt));
    } else if (domain->id != 0 && rf_string(to->rec, domain->name, NULL) != NULL)
        fxt_arg_text(&to->fxt, to->word[WORD_domain], fxt_string(&to->fxt, domain->name, ""));
}

static void put_details(struct fxt_writer *to, uint32_t thread, const struct rf_event *event)
{
    const struct rf_event_at at = {event, thread};
    struct rf_row row;
    put_domain(to, event);
    if (event->name == RF_NO_STRING && event->kind != RF_EVENT_SYNC)
        fxt_arg_text(&to->fxt, to->word[WORD_message], fxt_words(&to->fxt, "null"));
    if (!rf_event_is_plain(event)) {
        rf_row_of_event(to->rec, &at, &row);
        fxt_put_fields(&to->fxt, &to->args.event[event->kind], &row, true);
        if (event->kind <= RF_EVENT_START_END)
            fxt_put_fields(&to->fxt, &to->args.range[event->kind], &row, true);
    }
    if (!rf_has_flags(to->rec, event))
        return;
    rf_sink_flags(fxt_compose(&to->fxt), to->rec, event);
    fxt_arg_text(&to->fxt, to->word[WORD_flags], fxt_composed(&to->fxt));
}

static int put_range(struct fxt_writer *to, uint32_t thread, const struct rf_event *event)
{
    struct slice slice;
    int status = begin_slice(to, &slice, to->word[WORD_nvtx], event->start_ns, event->end_ns);
    if (status != RF_OK)
        return status;
    name_slice(to, &slice, fxt_string(&to->fxt, event->name, "(null)"));
    put_details(to, thread, event);
    end_slice(to, &slice);
    return RF_OK;
}

static void put_instant(struct fxt_writer *to, uint32_t thread, const struct rf_event *event)
{
    fxt_begin(&to->fxt, FXT_INSTANT, lane_of(to, 0), to->event_category[event->kind],
              shown_ns(to, event->start_ns));
    if (event->kind == RF_EVENT_MARK) {
        fxt_name(&to->fxt, fxt_string(&to->fxt, event->name, "(null)"));
    } else {
        struct rf_sink *sink = fxt_compose(&to->fxt);
        rf_sink_text(sink, rf_instant_label(event));
        if (rf_string(to->rec, event->name, NULL) != NULL) {
            rf_sink_char(sink, ' ');
            (void)put_raw_string(sink, to->rec, event->name);
        }
        fxt_name(&to->fxt, fxt_composed(&to->fxt));
    }
    put_details(to, thread, event);
    fxt_end_instant(&to->fxt);
}

/* What is on the track of a thread. Names are where they are used. */
static int put_event(struct fxt_writer *to, uint32_t thread, const struct rf_event *event)
{
    if (event->kind == RF_EVENT_PUSH_POP)
        return put_range(to, thread, event);
    if (event->kind == RF_EVENT_MARK || rf_event_is_instant(event))
        put_instant(to, thread, event);
    return RF_OK;
}

/* Start/end ranges cross others, and those of one thread each other. */
static int put_start_ends(struct fxt_writer *to, uint32_t thread)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(to->rec, thread, &n);
    int status = RF_OK;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        if (event[i].kind != RF_EVENT_START_END)
            continue;
        status = put_range(to, thread, &event[i]);
        if (status == RF_OK)
            status = next_item(to);
    }
    return status;
}

/* ---- Calls, and the flows from them ---- */

static void put_flow(struct fxt_writer *to, enum fxt_event_type type, const struct fxt_thread *of,
                     int64_t at_ns, uint32_t op)
{
    fxt_begin(&to->fxt, type, of, to->word[WORD_gpu_flow], shown_ns(to, at_ns));
    fxt_name(&to->fxt, to->word[WORD_submit]);
    fxt_end(&to->fxt, (uint64_t)op + 1);
}

static int put_call(struct fxt_writer *to, const struct rf_call *call)
{
    size_t n_ops;
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, &n_ops);
    struct slice slice;
    struct rf_row row;
    int status =
        begin_slice(to, &slice, to->call_category[call->kind], call->start_ns, call->end_ns);
    if (status != RF_OK)
        return status;
    rf_row_of_call(call, &row);
    name_slice(to, &slice, fxt_string(&to->fxt, call->name, "(unknown)"));
    fxt_put_fields(&to->fxt, &to->args.call[call->kind], &row, true);
    end_slice(to, &slice);
    for (uint32_t i = call->first_op; i < n_ops; i = ops[i].next_op)
        if (rf_has_flow(to->job, &ops[i]))
            put_flow(to, FXT_FLOW_BEGIN, slice.of, call->start_ns, i);
    return RF_OK;
}

static int put_thread_items(struct fxt_writer *to, uint32_t thread)
{
    size_t n_events, n_calls;
    const struct rf_event *event = rf_thread_events(to->rec, thread, &n_events);
    const struct rf_call *call = rf_thread_calls(to->rec, thread, &n_calls);
    int status = RF_OK;
    while ((n_events > 0 || n_calls > 0) && status == RF_OK) {
        if (n_calls == 0 || (n_events > 0 && rf_is_before_call(event, call))) {
            status = put_event(to, thread, event++);
            n_events--;
        } else {
            status = put_call(to, call++);
            n_calls--;
        }
        if (status == RF_OK)
            status = step(to);
    }
    return status;
}

/* Puts together what the track of a thread is called: "NAME", "thread 12", with what goes before
 * and behind, and " (tid 12)" where viewers are given another id. */
static void name_track(struct fxt_writer *to, const char *before, uint32_t index,
                       const char *behind)
{
    const struct rf_thread *thread = rf_thread_at(to->rec, index);
    struct rf_sink *sink = &to->name_text.sink;
    (void)rf_json_text_begin(&to->name_text); /* begin() did it once: it has memory */
    rf_sink_text(sink, before);
    if (rf_string(to->rec, thread->name, NULL) != NULL) {
        (void)put_raw_string(sink, to->rec, thread->name);
    } else {
        rf_sink_text(sink, "thread ");
        rf_sink_u64(sink, thread->tid);
    }
    if (to->ids.tids[index] != thread->tid) {
        rf_sink_text(sink, " (tid ");
        rf_sink_u64(sink, thread->tid);
        rf_sink_char(sink, ')');
    }
    rf_sink_text(sink, behind);
    take_name(to);
}

static int put_threads(struct fxt_writer *to)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_threads(to->rec) && status == RF_OK; i++) {
        name_track(to, "", i, "");
        begin_track(to, to->ids.pids[rf_thread_at(to->rec, i)->process], to->ids.tids[i]);
        (void)lane_of(to, 0);
        status = next_item(to);
        if (status == RF_OK)
            status = put_thread_items(to, i);
        name_track(to, "", i, ": start/end");
        begin_track(to, to->pid, 0);
        if (status == RF_OK)
            status = put_start_ends(to, i);
    }
    return status;
}

/* ---- GPU work ---- */

static void put_owner(struct fxt_writer *to, const struct rf_gpu_op *op)
{
    size_t n;
    if (op->thread == RF_NO_INDEX)
        return;
    const struct rf_event *events = rf_thread_events(to->rec, op->thread, &n);
    uint32_t owner =
        rf_projection_owner(to->projections, (uint32_t)(op - rf_gpu_ops(to->rec, NULL)));
    if (owner < n)
        fxt_arg_text(&to->fxt, to->word[WORD_nvtx_range],
                     fxt_string(&to->fxt, events[owner].name, "(null)"));
}

static uint16_t name_of_op(struct fxt_writer *to, const struct rf_gpu_op *op)
{
    char buffer[128];
    size_t size;
    if (op->name != RF_NO_STRING)
        return fxt_string(&to->fxt, op->name, "");
    const char *label = rf_op_label(to->rec, op, buffer, &size);
    return fxt_text(&to->fxt, label, size);
}

static int put_op(struct fxt_writer *to, const struct rf_gpu_op *op, uint32_t index)
{
    struct slice slice;
    struct rf_row row;
    int status = begin_slice(to, &slice, to->op_category[op->kind], op->start_ns, op->end_ns);
    if (status != RF_OK)
        return status;
    name_slice(to, &slice, name_of_op(to, op));
    rf_row_of_op(to->rec, op, &row);
    put_owner(to, op);
    fxt_put_fields(&to->fxt, &to->args.op[op->kind], &row,
                   rf_names_call(to->job, op, rf_has_flow(to->job, op)));
    end_slice(to, &slice);
    if (rf_has_flow(to->job, op))
        put_flow(to, FXT_FLOW_END, slice.of, op->start_ns, index);
    return step(to);
}

static int put_streams(struct fxt_writer *to)
{
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, NULL);
    char name[RF_STREAM_NAME_SIZE];
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        to->name = name;
        to->name_size = rf_stream_name(to->rec, i, true, name);
        begin_track(to, to->ids.pids[track->process], 0);
        for (uint32_t k = 0; k < track->n_ops && status == RF_OK; k++) {
            rf_track_fetch_ahead(to->rec, track, k);
            status = put_op(to, &ops[track->first_op + k], track->first_op + k);
        }
    }
    return status;
}

/* ---- Ranges as the GPU saw them ---- */

static void put_figures(struct fxt_writer *to, const struct rf_projection *projection,
                        const struct rf_event *event)
{
    fxt_u64(&to->fxt, to->word[WORD_calls], projection->n_calls);
    fxt_u64(&to->fxt, to->word[WORD_gpu_ops], projection->n_ops);
    fxt_u64(&to->fxt, to->word[WORD_busy_ns], projection->busy_ns);
    fxt_i64(&to->fxt, to->word[WORD_range_start_ns], shown_ns(to, event->start_ns));
    fxt_i64(&to->fxt, to->word[WORD_range_duration_ns], rf_duration_ns(event));
}

static int put_projection(struct fxt_writer *to, const struct rf_projection *projection)
{
    const struct rf_event *event =
        rf_thread_events(to->rec, projection->thread, NULL) + projection->event;
    struct slice slice;
    int status = begin_slice(to, &slice, to->word[WORD_nvtx_gpu_projection], projection->start_ns,
                             projection->end_ns);
    if (status != RF_OK)
        return status;
    name_slice(to, &slice, fxt_string(&to->fxt, event->name, "(null)"));
    if (!to->job->options->no_figures)
        put_figures(to, projection, event);
    if (projection->by_process)
        fxt_true(&to->fxt, to->word[WORD_by_process]);
    put_details(to, projection->thread, event);
    end_slice(to, &slice);
    return step(to);
}

static int put_projections(struct fxt_writer *to)
{
    size_t n;
    const struct rf_projection **order;
    int status = rf_order_projections(to->projections, &order, &n, to->job->err);
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        uint32_t thread = order[i]->thread;
        if (i == 0 || order[i - 1]->thread != thread) {
            name_track(to, "NVTX on the GPU: ", thread, "");
            begin_track(to, to->ids.pids[rf_thread_at(to->rec, thread)->process], 0);
        }
        status = put_projection(to, order[i]);
    }
    free(order);
    return status;
}

/* ---- Counters ---- */

struct counter_at {
    struct fxt_writer *to;
    const struct fxt_thread *of;
    const struct rf_counter *counter;
    const char *name;
    size_t name_size;
    uint64_t id;
    bool has_sets;
};

static int put_point(void *context, int64_t ns, double value)
{
    const struct counter_at *at = context;
    struct fxt_writer *to = at->to;
    fxt_begin(&to->fxt, FXT_COUNTER, at->of, to->word[WORD_counter], shown_ns(to, ns));
    fxt_name(&to->fxt, fxt_text(&to->fxt, at->name, at->name_size));
    fxt_double(&to->fxt, to->word[WORD_value], value);
    fxt_end(&to->fxt, at->id);
    return step(to);
}

/* A counter of a GPU belongs to a process that stands for it; others to their process, or to one
 * for the machine. */
static struct fxt_thread owner_of(struct fxt_writer *to, const struct rf_counter *counter)
{
    struct fxt_thread of = {.tid = to->ids.next_id++};
    char name[32] = "machine";
    of.pid = counter->process != RF_NO_INDEX ? to->ids.pids[counter->process] : to->ids.next_id++;
    if (counter->device != RF_NO_INDEX)
        (void)snprintf(name, sizeof(name), "GPU %" PRIu32, counter->device);
    if (counter->process == RF_NO_INDEX)
        fxt_name_process(&to->fxt, of.pid, name, strlen(name));
    fxt_name_thread(&to->fxt, &of, to->word[WORD_process], "counters", strlen("counters"));
    return of;
}

static int put_counters(struct fxt_writer *to)
{
    const int64_t first_ns = (int64_t)(0 - (uint64_t)to->base_ns);
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_counters(to->rec) && status == RF_OK;) {
        struct counter_at at = {.to = to};
        uint32_t end = rf_counters_end(to->rec, i, &at.has_sets);
        struct fxt_thread of = owner_of(to, rf_counter_at(to->rec, i));
        at.of = &of;
        for (; i < end && status == RF_OK; i++) {
            at.counter = rf_counter_at(to->rec, i);
            at.id = (uint64_t)i + 1;
            (void)rf_json_text_begin(&to->name_text);
            rf_sink_counter_name(&to->name_text.sink, to->rec, at.counter, at.has_sets,
                                 put_raw_string);
            take_name(to);
            at.name = to->name;
            at.name_size = to->name_size;
            status = next_item(to);
            if (status == RF_OK)
                status = rf_each_point(to->rec, at.counter, first_ns, put_point, &at);
        }
    }
    return status;
}

/* ---- All of it ---- */

static uint16_t category_of(struct fxt_writer *to, const struct rf_row_kind *kind)
{
    const char *word = kind->perfetto != NULL ? kind->perfetto
                       : kind->chrome != NULL ? kind->chrome
                                              : kind->name;
    return fxt_words(&to->fxt, word);
}

static void init_words(struct fxt_writer *to)
{
    static const char *const words[] = {
#define TEXT(name) #name,
        WORDS(TEXT)
#undef TEXT
    };
    for (unsigned i = 0; i < N_WORDS; i++)
        to->word[i] = fxt_words(&to->fxt, words[i]);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++) {
        to->call_category[kind] = category_of(to, rf_row_kind(&rf_call_fields, kind));
        to->op_category[kind] = category_of(to, rf_row_kind(&rf_op_fields, kind));
        to->event_category[kind] = kind == RF_EVENT_MARK
                                       ? to->word[WORD_nvtx]
                                       : category_of(to, rf_row_kind(&rf_event_fields, kind));
    }
}

static int put_processes(struct fxt_writer *to)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_processes(to->rec) && status == RF_OK; i++) {
        const struct rf_process *process = rf_process_at(to->rec, i);
        struct rf_sink *sink = fxt_compose(&to->fxt);
        size_t size;
        if (rf_string(to->rec, process->name, NULL) != NULL)
            (void)put_raw_string(sink, to->rec, process->name);
        else
            rf_sink_text(sink, "process");
        if (to->ids.pids[i] != process->pid) {
            rf_sink_text(sink, " (pid ");
            rf_sink_u64(sink, process->pid);
            rf_sink_char(sink, ')');
        }
        const char *name = fxt_composed_text(&to->fxt, &size);
        if (name != NULL)
            fxt_name_process(&to->fxt, to->ids.pids[i], name, size);
        status = next_item(to);
    }
    return status;
}

static int begin(struct fxt_writer *to, struct rf_sink *sink)
{
    const struct rf_project_options options = {.size = sizeof(options),
                                               .by_process = to->job->options->by_process};
    int64_t begin_ns = rf_shown_begin_ns(to->rec);
    to->base_ns = begin_ns < 0 ? (int64_t)(0 - (uint64_t)begin_ns) : 0;
    int status = fxt_init(&to->fxt, to->rec, sink);
    if (status == RF_OK)
        status = rf_json_text_begin(&to->name_text);
    if (status == RF_OK) {
        fxt_args_init(&to->args, &to->fxt);
        init_words(to);
        fxt_keep(&to->fxt);
    }
    if (status != RF_OK || to->fxt.has_no_memory)
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    status = rf_shown_ids_init(&to->ids, to->rec, 1, NULL, to->job->err);
    if (status == RF_OK && rf_gpu_ops(to->rec, NULL) != NULL)
        status = rf_project(to->rec, &options, &to->projections, to->job->err);
    return status;
}

static void put_fact(struct fxt_writer *to, enum word key, const char *text)
{
    fxt_arg_text(&to->fxt, to->word[key], fxt_words(&to->fxt, text != NULL ? text : ""));
}

/* Facts about the recording: the format has no place for them. */
static void put_recording(struct fxt_writer *to, struct fxt_thread *of)
{
    const struct rf_info *info = rf_get_info(to->rec);
    int64_t begin_ns = rf_shown_begin_ns(to->rec);
    fxt_begin(&to->fxt, FXT_INSTANT, of, to->word[WORD_recording], shown_ns(to, begin_ns));
    fxt_name(&to->fxt, to->word[WORD_recording]);
    put_fact(to, WORD_exported_by, "Rangefinder " RF_PRODUCT_VERSION);
    put_fact(to, WORD_recorded_by, info->product);
    put_fact(to, WORD_host, info->host);
    put_fact(to, WORD_clock, info->clock_name);
    rf_sink_utc(fxt_compose(&to->fxt), info->epoch_utc_ns);
    fxt_arg_text(&to->fxt, to->word[WORD_start_utc], fxt_composed(&to->fxt));
    fxt_i64(&to->fxt, to->word[WORD_recording_time_ns], begin_ns);
    fxt_u64(&to->fxt, to->word[WORD_cut_ranges], info->n_cut);
    if (info->is_focused)
        fxt_u64(&to->fxt, to->word[WORD_cut_at_start], info->n_cut_at_start);
    fxt_u64(&to->fxt, to->word[WORD_lost_events], info->n_lost_records);
    fxt_end_instant(&to->fxt);
}

static int put_captures(struct fxt_writer *to)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_captures(to->rec) && status == RF_OK; i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        int64_t end_ns = capture->end_ns > capture->begin_ns ? capture->end_ns : capture->begin_ns;
        struct slice slice;
        status = begin_slice(to, &slice, to->word[WORD_recording], capture->begin_ns, end_ns);
        if (status != RF_OK)
            break;
        name_slice(to, &slice, to->word[WORD_capture]);
        fxt_u64(&to->fxt, to->word[WORD_number], capture->number);
        fxt_u64(&to->fxt, to->word[WORD_is_open], capture->is_open != 0);
        end_slice(to, &slice);
        status = step(to);
    }
    return status;
}

/* They stand in a process of their own. */
static int put_about(struct fxt_writer *to)
{
    static const char name[] = "Recording";
    uint32_t pid = to->ids.next_id++;
    fxt_name_process(&to->fxt, pid, name, strlen(name));
    to->name = name;
    to->name_size = strlen(name);
    begin_track(to, pid, 0);
    put_recording(to, lane_of(to, 0));
    return put_captures(to);
}

static int write_all(struct fxt_writer *to)
{
    int status = put_processes(to);
    if (status == RF_OK)
        status = put_about(to);
    if (status == RF_OK)
        status = put_threads(to);
    if (status == RF_OK && to->projections != NULL)
        status = put_projections(to);
    if (status == RF_OK)
        status = put_streams(to);
    if (status == RF_OK)
        status = put_counters(to);
    return status == RF_OK ? next_item(to) : status; /* the last one's errors */
}

static int write_fxt(struct rf_export_job *job, struct rf_sink *sink)
{
    struct fxt_writer *to = calloc(1, sizeof(*to));
    if (to == NULL)
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    to->job = job;
    to->rec = job->rec;
    int status = begin(to, sink);
    if (status == RF_OK)
        status = write_all(to);
    rf_projections_free(to->projections);
    rf_shown_ids_release(&to->ids);
    rf_lanes_release(&to->lanes);
    rf_json_text_release(&to->name_text);
    fxt_release(&to->fxt);
    free(to);
    return status;
}

const struct rf_export_format rf_export_fxt = {
    .name = "fxt",
    .description = "Fuchsia trace for https://ui.perfetto.dev: small, and loads fastest",
    .extensions = {"fxt"},
    .is_trace = true,
    .write_text = write_fxt,
};
