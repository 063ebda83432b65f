/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome trace JSON, for Perfetto and chrome://tracing: integer ids, names as metadata events,
 * times in microseconds with three decimals (exact nanoseconds), one event per line. Written
 * thread by thread, since viewers sort anyway. docs/exports.md has the particulars. */
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "export/event_names.h"
#include "export/export.h"
#include "export/json_lanes.h"

/* JavaScript's numbers are exact to 2^53. */
#define MAX_EXACT_NUMBER ((uint64_t)1 << 53)

struct json_writer {
    struct rf_export_job *job;
    const rf_recording *rec;
    struct rf_sink *sink;
    struct rf_lanes lanes;
    uint32_t thread;
    uint32_t pid; /* of the thread, as the viewer is told */
    int has_line;
};

static void begin_line(struct json_writer *to)
{
    rf_sink_text(to->sink, to->has_line ? ",\n" : "\n");
    to->has_line = 1;
}

static void put_member(struct rf_sink *sink, const char *name, uint64_t value)
{
    rf_sink_text(sink, name);
    rf_sink_u64(sink, value);
}

/* ---- What is said about the whole trace ---- */

static void put_text_member(struct rf_sink *sink, const char *name, const char *text)
{
    rf_sink_text(sink, name);
    rf_sink_json(sink, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* Numbers beyond 2^53 stand as text. */
static void put_trace_info(struct rf_sink *sink, const struct rf_info *info)
{
    rf_sink_text(sink, "\"exported_by\":\"Rangefinder " RF_PRODUCT_VERSION "\"");
    put_text_member(sink, ",\"recorded_by\":", info->product);
    put_text_member(sink, ",\"host\":", info->host);
    rf_sink_text(sink, ",\"epoch_utc_ns\":\"");
    rf_sink_i64(sink, info->epoch_utc_ns);
    rf_sink_text(sink, "\",\"epoch_utc\":\"");
    rf_sink_utc(sink, info->epoch_utc_ns);
    rf_sink_text(sink, "\",\"epoch_monotonic_ns\":\"");
    rf_sink_i64(sink, info->epoch_mono_ns);
    put_text_member(sink, "\",\"clock\":", info->clock_name);
    put_member(sink, ",\"cut_ranges\":", info->n_cut);
    if (info->is_focused)
        put_member(sink, ",\"ranges_cut_at_start\":", info->n_cut_at_start);
    put_member(sink, ",\"lost_events\":", info->n_lost_records);
}

static void put_captures(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"captures\":[");
    for (uint32_t i = 0; i < rf_n_captures(to->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        put_member(sink, i > 0 ? ",\n{\"number\":" : "\n{\"number\":", capture->number);
        rf_sink_text(sink, ",\"ts\":");
        rf_sink_thousandths(sink, capture->begin_ns);
        rf_sink_text(sink, ",\"end\":");
        rf_sink_thousandths(sink, capture->end_ns);
        rf_sink_text(sink, capture->is_open ? ",\"is_open\":true}" : ",\"is_open\":false}");
    }
    rf_sink_char(sink, ']');
}

static void put_processes(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"processes\":[");
    for (uint32_t i = 0; i < rf_n_processes(to->rec); i++) {
        const struct rf_process *process = rf_process_at(to->rec, i);
        rf_sink_text(sink, i > 0 ? ",\n{" : "\n{");
        put_member(sink, "\"pid\":", process->pid);
        put_member(sink, ",\"shown_as_pid\":", to->lanes.pids[i]);
        rf_sink_text(sink, ",\"name\":");
        rf_sink_json_name(sink, to->rec, process->name);
        rf_sink_text(sink, ",\"command\":");
        rf_sink_json_name(sink, to->rec, process->command);
        rf_sink_char(sink, '}');
    }
    rf_sink_char(sink, ']');
}

static void put_head(struct json_writer *to)
{
    const struct rf_info *info = rf_get_info(to->rec);
    rf_sink_text(to->sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
    put_trace_info(to->sink, info);
    put_processes(to);
    if (info->is_focused)
        put_captures(to);
    rf_sink_text(to->sink, "},\n\"metadata\":{"); /* Perfetto's table of this name */
    put_trace_info(to->sink, info);
    rf_sink_text(to->sink, "},\n\"traceEvents\":[");
}

/* ---- Names of processes, threads and lanes ---- */

static void begin_metadata(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid)
{
    begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"M\",\"name\":\"");
    rf_sink_text(to->sink, name);
    put_member(to->sink, "\",\"pid\":", pid);
    if (tid != 0)
        put_member(to->sink, ",\"tid\":", tid);
    rf_sink_text(to->sink, ",\"args\":{");
}

static void put_sort_index(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid,
                           uint64_t index)
{
    begin_metadata(to, name, pid, tid);
    put_member(to->sink, "\"sort_index\":", index);
    rf_sink_text(to->sink, "}}");
}

/* A name, followed by what it stands for where its id is not the program's own. */
static void put_shown_name(struct json_writer *to, uint32_t name, const char *otherwise,
                           const char *suffix)
{
    size_t size;
    const char *text = rf_string(to->rec, name, &size);
    rf_sink_text(to->sink, "\"name\":\"");
    if (text != NULL)
        rf_sink_json_inner(to->sink, text, size);
    else
        rf_sink_text(to->sink, otherwise);
    rf_sink_text(to->sink, suffix);
    rf_sink_text(to->sink, "\"}}");
}

static void put_process_names(struct json_writer *to)
{
    char suffix[40];
    for (uint32_t i = 0; i < rf_n_processes(to->rec); i++) {
        const struct rf_process *process = rf_process_at(to->rec, i);
        uint32_t pid = to->lanes.pids[i];
        suffix[0] = '\0';
        if (pid != process->pid)
            (void)snprintf(suffix, sizeof(suffix), " (pid %" PRIu32 ")", process->pid);
        begin_metadata(to, "process_name", pid, 0);
        put_shown_name(to, process->name, "process", suffix);
        put_sort_index(to, "process_sort_index", pid, 0, i);
        begin_metadata(to, "process_labels", pid, 0); /* chrome://tracing shows them */
        rf_sink_text(to->sink, "\"labels\":");
        if (process->command != RF_NO_STRING)
            rf_sink_json_name(to->sink, to->rec, process->command);
        else
            rf_sink_text(to->sink, "\"\"");
        rf_sink_text(to->sink, "}}");
    }
}

/* The viewer's tid of a lane of the current thread; names it the first time. */
static uint32_t lane_tid(struct json_writer *to, size_t lane)
{
    char suffix[64] = "";
    char otherwise[32];
    const struct rf_thread *thread = rf_thread_at(to->rec, to->thread);
    struct rf_lane *of = &to->lanes.lanes[lane];
    if (of->tid != 0)
        return of->tid;
    of->tid = lane == 0 ? to->lanes.tids[to->thread] : to->lanes.next_id++;
    int n = 0;
    if (to->lanes.tids[to->thread] != thread->tid)
        n = snprintf(suffix, sizeof(suffix), " (tid %" PRIu32 ")", thread->tid);
    if (lane > 0)
        (void)snprintf(suffix + n, sizeof(suffix) - (size_t)n, " (%zu)", lane + 1);
    (void)snprintf(otherwise, sizeof(otherwise), "thread %" PRIu32, thread->tid);
    begin_metadata(to, "thread_name", to->pid, of->tid);
    put_shown_name(to, thread->name, otherwise, suffix);
    put_sort_index(to, "thread_sort_index", to->pid, of->tid,
                   (uint64_t)to->thread * RF_MAX_LANES + lane);
    return of->tid;
}

/* ---- Events ---- */

static void put_arg(struct rf_sink *sink, int *n_args, const char *name)
{
    rf_sink_text(sink, (*n_args)++ == 0 ? ",\"args\":{\"" : ",\"");
    rf_sink_text(sink, name);
    rf_sink_text(sink, "\":");
}

static void put_domain_arg(struct json_writer *to, const struct rf_event *event, int *n_args)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (domain->id == 0 && domain->is_valid)
        return;
    put_arg(to->sink, n_args, "domain");
    if (domain->is_valid) {
        rf_sink_json_name(to->sink, to->rec, domain->name);
        return;
    }
    rf_sink_char(to->sink, '"');
    rf_sink_hex(to->sink, domain->handle);
    rf_sink_char(to->sink, '"');
}

static void put_payload_arg(struct rf_sink *sink, const struct rf_event *event, int *n_args)
{
    if (event->payload_type == RF_TYPE_NONE)
        return;
    uint64_t size = event->payload;
    if (event->payload_type == RF_TYPE_INT64 && (int64_t)size < 0)
        size = 0 - size;
    int is_wide = event->payload_type == RF_TYPE_UINT64 || event->payload_type == RF_TYPE_INT64;
    int is_text = !rf_is_payload_number(event) || (is_wide && size > MAX_EXACT_NUMBER);
    put_arg(sink, n_args, "payload");
    if (is_text)
        rf_sink_char(sink, '"');
    rf_sink_payload(sink, event);
    if (is_text)
        rf_sink_char(sink, '"');
}

static void put_category_arg(struct json_writer *to, const struct rf_event *event, int *n_args)
{
    if ((event->flags & RF_EVENT_HAS_CATEGORY) == 0)
        return;
    put_arg(to->sink, n_args, "category");
    rf_sink_u64(to->sink, event->category);
    uint32_t name = rf_category_name(to->rec, event->domain, event->category);
    if (name != RF_NO_STRING) {
        put_arg(to->sink, n_args, "category_name");
        rf_sink_json_name(to->sink, to->rec, name);
    }
}

static void put_args(struct json_writer *to, const struct rf_event *event)
{
    struct rf_sink *sink = to->sink;
    int n_args = 0;
    put_domain_arg(to, event, &n_args);
    if (event->name == RF_NO_STRING && event->kind != RF_EVENT_SYNC) {
        put_arg(sink, &n_args, "message"); /* tells it from a text that reads the same */
        rf_sink_text(sink, "null");
    }
    put_category_arg(to, event, &n_args);
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0) {
        put_arg(sink, &n_args, "color");
        rf_sink_char(sink, '"');
        rf_sink_color(sink, event->color);
        rf_sink_char(sink, '"');
    }
    put_payload_arg(sink, event, &n_args);
    if (event->kind == RF_EVENT_START_END) {
        put_arg(sink, &n_args, "range");
        rf_sink_u64(sink, rf_start_end_at(to->rec, event->link)->number);
    }
    if (event->cut != RF_CUT_NONE) {
        put_arg(sink, &n_args, "cut");
        rf_sink_json(sink, rf_cut_name(event->cut), strlen(rf_cut_name(event->cut)));
    }
    if (rf_has_flags(to->rec, event)) {
        put_arg(sink, &n_args, "flags");
        rf_sink_char(sink, '"');
        rf_sink_flags(sink, to->rec, event);
        rf_sink_char(sink, '"');
    }
    rf_sink_text(sink, n_args > 0 ? "}}" : "}");
}

static void put_name(struct json_writer *to, const struct rf_event *event)
{
    size_t size;
    const char *text = rf_string(to->rec, event->name, &size);
    rf_sink_text(to->sink, "\"name\":\"");
    if (text != NULL)
        rf_sink_json_inner(to->sink, text, size);
    else
        rf_sink_text(to->sink, "(null)");
    rf_sink_char(to->sink, '"');
}

static void put_place(struct json_writer *to, uint32_t tid, int64_t at_ns)
{
    put_member(to->sink, ",\"pid\":", to->pid);
    put_member(to->sink, ",\"tid\":", tid);
    rf_sink_text(to->sink, ",\"ts\":");
    rf_sink_thousandths(to->sink, at_ns);
}

/* Start/end ranges overlap as they like: viewers call such ranges asynchronous and pair them by
 * category and id. */
static void put_async(struct json_writer *to, const struct rf_event *event, uint64_t id,
                      uint32_t end_thread)
{
    begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"b\",\"cat\":\"nvtx\",\"id\":\"");
    rf_sink_hex(to->sink, id);
    rf_sink_text(to->sink, "\",");
    put_name(to, event);
    put_place(to, to->lanes.tids[to->thread], event->start_ns);
    put_args(to, event);
    begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"e\",\"cat\":\"nvtx\",\"id\":\"");
    rf_sink_hex(to->sink, id);
    rf_sink_text(to->sink, "\",");
    put_name(to, event);
    put_place(to, to->lanes.tids[end_thread], event->end_ns);
    rf_sink_char(to->sink, '}');
}

static void put_start_end(struct json_writer *to, const struct rf_event *event)
{
    uint32_t end_thread = rf_start_end_at(to->rec, event->link)->end_thread;
    put_async(to, event, (uint64_t)event->link + 1,
              end_thread != RF_NO_INDEX ? end_thread : to->thread);
}

static int put_push_pop(struct json_writer *to, const struct rf_event *event)
{
    int lane = rf_lanes_place(&to->lanes, event->start_ns, event->end_ns, to->job->err);
    if (lane < 0)
        return lane;
    if (lane == RF_MAX_LANES) { /* ids above those of start/end ranges */
        put_async(to, event, ((uint64_t)1 << 32) + to->job->n_done, to->thread);
        return RF_OK;
    }
    uint32_t tid = lane_tid(to, (size_t)lane);
    begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"X\",\"cat\":\"nvtx\",");
    put_name(to, event);
    put_place(to, tid, event->start_ns);
    rf_sink_text(to->sink, ",\"dur\":");
    rf_sink_thousandths(to->sink, rf_duration_ns(event));
    put_args(to, event);
    return RF_OK;
}

static void put_mark(struct json_writer *to, const struct rf_event *event)
{
    begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"nvtx\",");
    put_name(to, event);
    put_place(to, to->lanes.tids[to->thread], event->start_ns);
    put_args(to, event);
}

static void put_sync(struct json_writer *to, const struct rf_event *event)
{
    size_t size;
    const char *name = rf_string(to->rec, event->name, &size);
    begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"nvtx.sync\",\"name\":\"");
    rf_sink_text(to->sink, rf_sync_operation_name(event->category));
    if (name != NULL) {
        rf_sink_char(to->sink, ' ');
        rf_sink_json_inner(to->sink, name, size);
    }
    rf_sink_char(to->sink, '"');
    put_place(to, to->lanes.tids[to->thread], event->start_ns);
    put_member(to->sink, ",\"args\":{\"sync\":", event->color);
    rf_sink_text(to->sink, "}}");
}

static int put_event(struct json_writer *to, const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_PUSH_POP:
        return put_push_pop(to, event);
    case RF_EVENT_START_END:
        put_start_end(to, event);
        return RF_OK;
    case RF_EVENT_MARK:
        put_mark(to, event);
        return RF_OK;
    case RF_EVENT_SYNC:
        put_sync(to, event);
        return RF_OK;
    default: /* names are where they are used */
        return RF_OK;
    }
}

static int put_thread(struct json_writer *to, uint32_t thread)
{
    size_t n;
    const struct rf_event *events = rf_thread_events(to->rec, thread, &n);
    int status = RF_OK;
    to->thread = thread;
    to->pid = to->lanes.pids[rf_thread_at(to->rec, thread)->process];
    rf_lanes_begin_thread(&to->lanes);
    (void)lane_tid(to, 0);
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        status = put_event(to, &events[i]);
        if (status == RF_OK)
            status = rf_export_step(to->job);
        if (status == RF_OK)
            status = rf_sink_status(to->sink);
    }
    return status;
}

static int write_json(struct rf_export_job *job, struct rf_sink *sink)
{
    struct json_writer to = {.job = job, .rec = job->rec, .sink = sink};
    int status = rf_lanes_init(&to.lanes, job->rec, job->err);
    if (status == RF_OK) {
        put_head(&to);
        put_process_names(&to);
    }
    for (uint32_t i = 0; i < rf_n_threads(job->rec) && status == RF_OK; i++)
        status = put_thread(&to, i);
    rf_sink_text(sink, "\n]}\n");
    rf_lanes_release(&to.lanes);
    return status;
}

const struct rf_export_format rf_export_json = {
    .name = "json",
    .description = "Chrome trace JSON, for Perfetto and chrome://tracing",
    .write_text = write_json,
};
