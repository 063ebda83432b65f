/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome trace JSON, for Perfetto and chrome://tracing: integer ids, names as metadata events,
 * times in microseconds with three decimals (exact nanoseconds), one event per line. Written
 * thread by thread, since viewers sort anyway. docs/exports.md has the particulars. */
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "export/event_names.h"
#include "export/json_writer.h"

/* JavaScript's numbers are exact to 2^53. */
#define MAX_EXACT_NUMBER ((uint64_t)1 << 53)

void json_begin_line(struct json_writer *to)
{
    rf_sink_text(to->sink, to->has_line ? ",\n" : "\n");
    to->has_line = 1;
}

void json_put_member(struct rf_sink *sink, const char *name, uint64_t value)
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
    json_put_member(sink, ",\"cut_ranges\":", info->n_cut);
    if (info->is_focused)
        json_put_member(sink, ",\"ranges_cut_at_start\":", info->n_cut_at_start);
    json_put_member(sink, ",\"lost_events\":", info->n_lost_records);
}

static void put_captures(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"captures\":[");
    for (uint32_t i = 0; i < rf_n_captures(to->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        json_put_member(sink, i > 0 ? ",\n{\"number\":" : "\n{\"number\":", capture->number);
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
        json_put_member(sink, "\"pid\":", process->pid);
        json_put_member(sink, ",\"shown_as_pid\":", to->lanes.pids[i]);
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
    if (rf_n_gpus(to->rec) > 0)
        json_put_gpus(to);
    rf_sink_text(to->sink, "},\n\"metadata\":{"); /* Perfetto's table of this name */
    put_trace_info(to->sink, info);
    rf_sink_text(to->sink, "},\n\"traceEvents\":[");
}

/* ---- Names of processes, threads and lanes ---- */

static void begin_metadata(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"M\",\"name\":\"");
    rf_sink_text(to->sink, name);
    json_put_member(to->sink, "\",\"pid\":", pid);
    if (tid != 0)
        json_put_member(to->sink, ",\"tid\":", tid);
    rf_sink_text(to->sink, ",\"args\":{");
}

static void put_sort_index(struct json_writer *to, const char *name, uint32_t pid, uint32_t tid,
                           uint64_t index)
{
    begin_metadata(to, name, pid, tid);
    json_put_member(to->sink, "\"sort_index\":", index);
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

static void put_thread_lane_name(struct json_writer *to, size_t lane)
{
    char suffix[64] = "";
    char otherwise[32];
    const struct rf_thread *thread = rf_thread_at(to->rec, to->thread);
    int n = 0;
    if (to->lanes.tids[to->thread] != thread->tid)
        n = snprintf(suffix, sizeof(suffix), " (tid %" PRIu32 ")", thread->tid);
    if (lane > 0)
        (void)snprintf(suffix + n, sizeof(suffix) - (size_t)n, " (%zu)", lane + 1);
    (void)snprintf(otherwise, sizeof(otherwise), "thread %" PRIu32, thread->tid);
    put_shown_name(to, thread->name, otherwise, suffix);
}

/* ---- Tracks ---- */

void json_begin_track(struct json_writer *to, uint32_t process, uint32_t first_tid,
                      uint64_t sort_index,
                      void (*put_lane_name)(struct json_writer *to, size_t lane))
{
    to->pid = to->lanes.pids[process];
    to->first_tid = first_tid;
    to->sort_index = sort_index;
    to->put_lane_name = put_lane_name;
    rf_lanes_begin_thread(&to->lanes);
}

uint32_t json_lane_tid(struct json_writer *to, size_t lane)
{
    struct rf_lane *of = &to->lanes.lanes[lane];
    if (of->tid != 0)
        return of->tid;
    of->tid = lane == 0 && to->first_tid != 0 ? to->first_tid : to->lanes.next_id++;
    begin_metadata(to, "thread_name", to->pid, of->tid);
    to->put_lane_name(to, lane);
    put_sort_index(to, "thread_sort_index", to->pid, of->tid, to->sort_index + lane);
    return of->tid;
}

void json_put_place(struct json_writer *to, uint32_t tid, int64_t at_ns)
{
    json_put_member(to->sink, ",\"pid\":", to->pid);
    json_put_member(to->sink, ",\"tid\":", tid);
    rf_sink_text(to->sink, ",\"ts\":");
    rf_sink_thousandths(to->sink, at_ns);
}

static void put_half(struct json_writer *to, const struct json_slice *slice, char phase,
                     uint64_t id, uint32_t tid, int64_t at_ns)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"");
    rf_sink_char(to->sink, phase);
    rf_sink_text(to->sink, "\",\"cat\":\"");
    rf_sink_text(to->sink, slice->category);
    rf_sink_text(to->sink, "\",\"id\":\"");
    rf_sink_hex(to->sink, id);
    rf_sink_text(to->sink, "\",");
    slice->put_name(to, slice->item);
    json_put_place(to, tid, at_ns);
}

/* Ranges that overlap as they like: viewers call them asynchronous and pair them by category and
 * id. */
static void put_async(struct json_writer *to, const struct json_slice *slice, uint64_t id,
                      uint32_t tid, uint32_t end_tid)
{
    put_half(to, slice, 'b', id, tid, slice->start_ns);
    slice->put_args(to, slice->item);
    put_half(to, slice, 'e', id, end_tid, slice->end_ns);
    rf_sink_char(to->sink, '}');
}

int json_put_slice(struct json_writer *to, const struct json_slice *slice, uint32_t *tid)
{
    int lane = rf_lanes_place(&to->lanes, slice->start_ns, slice->end_ns, to->job->err);
    if (lane < 0)
        return lane;
    uint32_t of = json_lane_tid(to, lane < RF_MAX_LANES ? (size_t)lane : 0);
    if (tid != NULL)
        *tid = of;
    if (lane == RF_MAX_LANES) { /* ids above those of start/end ranges */
        put_async(to, slice, ((uint64_t)1 << 32) + to->job->n_done, of, of);
        return RF_OK;
    }
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"X\",\"cat\":\"");
    rf_sink_text(to->sink, slice->category);
    rf_sink_text(to->sink, "\",");
    slice->put_name(to, slice->item);
    json_put_place(to, of, slice->start_ns);
    rf_sink_text(to->sink, ",\"dur\":");
    rf_sink_thousandths(to->sink, (int64_t)((uint64_t)slice->end_ns - (uint64_t)slice->start_ns));
    slice->put_args(to, slice->item);
    return RF_OK;
}

int json_step(struct json_writer *to)
{
    int status = rf_export_step(to->job);
    return status == RF_OK ? rf_sink_status(to->sink) : status;
}

/* ---- Events ---- */

void json_put_arg(struct rf_sink *sink, int *n_args, const char *name)
{
    rf_sink_text(sink, (*n_args)++ == 0 ? ",\"args\":{\"" : ",\"");
    rf_sink_text(sink, name);
    rf_sink_text(sink, "\":");
}

void json_end_args(struct rf_sink *sink, int n_args)
{
    rf_sink_text(sink, n_args > 0 ? "}}" : "}");
}

void json_put_domain_arg(struct json_writer *to, const struct rf_event *event, int *n_args)
{
    const struct rf_domain *domain = rf_domain_at(to->rec, event->domain);
    if (domain->id == 0 && domain->is_valid)
        return;
    json_put_arg(to->sink, n_args, "domain");
    if (domain->is_valid) {
        rf_sink_json_name(to->sink, to->rec, domain->name);
        return;
    }
    rf_sink_char(to->sink, '"');
    rf_sink_hex(to->sink, domain->handle);
    rf_sink_char(to->sink, '"');
}

static void put_payload_arg(struct json_writer *to, const struct rf_event *event, int *n_args)
{
    struct rf_sink *sink = to->sink;
    if (event->payload_type == RF_TYPE_NONE)
        return;
    if (rf_payload_string(event) != RF_NO_STRING) {
        json_put_arg(sink, n_args, "payload");
        rf_sink_json_name(sink, to->rec, rf_payload_string(event));
        return;
    }
    uint64_t size = event->payload;
    if (event->payload_type == RF_TYPE_INT64 && (int64_t)size < 0)
        size = 0 - size;
    int is_wide = event->payload_type == RF_TYPE_UINT64 || event->payload_type == RF_TYPE_INT64;
    int is_text = !rf_is_payload_number(event) || (is_wide && size > MAX_EXACT_NUMBER);
    json_put_arg(sink, n_args, "payload");
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
    json_put_arg(to->sink, n_args, "category");
    rf_sink_u64(to->sink, event->category);
    uint32_t name = rf_category_name(to->rec, event->domain, event->category);
    if (name != RF_NO_STRING) {
        json_put_arg(to->sink, n_args, "category_name");
        rf_sink_json_name(to->sink, to->rec, name);
    }
}

static void put_args(struct json_writer *to, const struct rf_event *event)
{
    struct rf_sink *sink = to->sink;
    int n_args = 0;
    json_put_domain_arg(to, event, &n_args);
    if (event->name == RF_NO_STRING && event->kind != RF_EVENT_SYNC) {
        json_put_arg(sink, &n_args, "message"); /* tells it from a text that reads the same */
        rf_sink_text(sink, "null");
    }
    put_category_arg(to, event, &n_args);
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0) {
        json_put_arg(sink, &n_args, "color");
        rf_sink_char(sink, '"');
        rf_sink_color(sink, event->color);
        rf_sink_char(sink, '"');
    }
    put_payload_arg(to, event, &n_args);
    if (event->kind == RF_EVENT_START_END) {
        json_put_arg(sink, &n_args, "range");
        rf_sink_u64(sink, rf_start_end_at(to->rec, event->link)->number);
    }
    if (event->cut != RF_CUT_NONE) {
        json_put_arg(sink, &n_args, "cut");
        rf_sink_json(sink, rf_cut_name(event->cut), strlen(rf_cut_name(event->cut)));
    }
    if (rf_has_flags(to->rec, event)) {
        json_put_arg(sink, &n_args, "flags");
        rf_sink_char(sink, '"');
        rf_sink_flags(sink, to->rec, event);
        rf_sink_char(sink, '"');
    }
    json_end_args(sink, n_args);
}

void json_put_event_name(struct json_writer *to, const struct rf_event *event)
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

static void put_slice_name(struct json_writer *to, const void *item)
{
    json_put_event_name(to, item);
}

static void put_slice_args(struct json_writer *to, const void *item)
{
    put_args(to, item);
}

static struct json_slice slice_of(const struct rf_event *event)
{
    return (struct json_slice){"nvtx",         event,           put_slice_name,
                               put_slice_args, event->start_ns, event->end_ns};
}

static void put_start_end(struct json_writer *to, const struct rf_event *event)
{
    const struct json_slice slice = slice_of(event);
    uint32_t end_thread = rf_start_end_at(to->rec, event->link)->end_thread;
    uint32_t tid = to->lanes.tids[to->thread];
    put_async(to, &slice, (uint64_t)event->link + 1, tid,
              end_thread != RF_NO_INDEX ? to->lanes.tids[end_thread] : tid);
}

static int put_push_pop(struct json_writer *to, const struct rf_event *event)
{
    const struct json_slice slice = slice_of(event);
    return json_put_slice(to, &slice, NULL);
}

static void put_mark(struct json_writer *to, const struct rf_event *event)
{
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"nvtx\",");
    json_put_event_name(to, event);
    json_put_place(to, to->lanes.tids[to->thread], event->start_ns);
    put_args(to, event);
}

static void put_sync(struct json_writer *to, const struct rf_event *event)
{
    size_t size;
    const char *name = rf_string(to->rec, event->name, &size);
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"nvtx.sync\",\"name\":\"");
    rf_sink_text(to->sink, rf_sync_operation_name(event->category));
    if (name != NULL) {
        rf_sink_char(to->sink, ' ');
        rf_sink_json_inner(to->sink, name, size);
    }
    rf_sink_char(to->sink, '"');
    json_put_place(to, to->lanes.tids[to->thread], event->start_ns);
    json_put_member(to->sink, ",\"args\":{\"sync\":", event->color);
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

/* Whether an event goes before a call: what encloses goes first. */
static int is_before(const struct rf_event *event, const struct rf_call *call)
{
    if (event->start_ns != call->start_ns)
        return event->start_ns < call->start_ns;
    return event->kind != RF_EVENT_PUSH_POP || event->end_ns >= call->end_ns;
}

static int put_thread(struct json_writer *to, uint32_t thread)
{
    size_t n_events, n_calls;
    const struct rf_event *event = rf_thread_events(to->rec, thread, &n_events);
    const struct rf_call *call = rf_thread_calls(to->rec, thread, &n_calls);
    int status = RF_OK;
    to->thread = thread;
    json_begin_track(to, rf_thread_at(to->rec, thread)->process, to->lanes.tids[thread],
                     (uint64_t)thread * RF_MAX_LANES, put_thread_lane_name);
    (void)json_lane_tid(to, 0);
    while ((n_events > 0 || n_calls > 0) && status == RF_OK) {
        if (n_calls == 0 || (n_events > 0 && is_before(event, call))) {
            status = put_event(to, event++);
            n_events--;
        } else {
            status = json_put_call(to, call++);
            n_calls--;
        }
        if (status == RF_OK)
            status = json_step(to);
    }
    return status;
}

static int write_json(struct rf_export_job *job, struct rf_sink *sink)
{
    const struct rf_project_options plain = {0};
    struct json_writer to = {.job = job, .rec = job->rec, .sink = sink};
    int status = rf_lanes_init(&to.lanes, job->rec, job->err);
    if (status == RF_OK && rf_gpu_ops(job->rec, NULL) != NULL)
        status = rf_project(job->rec, &plain, &to.projections, job->err);
    if (status == RF_OK) {
        put_head(&to);
        put_process_names(&to);
    }
    for (uint32_t i = 0; i < rf_n_threads(job->rec) && status == RF_OK; i++)
        status = put_thread(&to, i);
    if (status == RF_OK && to.projections != NULL)
        status = json_put_projections(&to);
    if (status == RF_OK)
        status = json_put_streams(&to);
    rf_sink_text(sink, "\n]}\n");
    rf_projections_free(to.projections);
    rf_lanes_release(&to.lanes);
    return status;
}

const struct rf_export_format rf_export_json = {
    .name = "json",
    .description = "Chrome trace JSON, for Perfetto and chrome://tracing",
    .write_text = write_json,
};
