/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome trace JSON, for Perfetto and chrome://tracing: integer ids, names as metadata events,
 * times in microseconds with three decimals (exact nanoseconds), one event per line. Written
 * thread by thread, since viewers sort anyway. docs/exports.md has the particulars. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "model/fields/event_names.h"
#include "export/chrome/export_nsys2json.h"
#include "export/chrome/json_annotations.h"
#include "export/chrome/json_categories.h"
#include "export/chrome/json_counters.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_nvtx.h"
#include "export/chrome/json_projection.h"
#include "export/chrome/json_streams.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"
#include "export/chrome/json_writer.h"
#include "export/shown_begin.h"

/* ---- What is said about the whole trace ---- */

static void put_text_member(struct rf_sink *sink, const char *name, const char *text)
{
    rf_sink_text(sink, name);
    rf_sink_json(sink, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* Numbers beyond 2^53 stand as text. */
static void put_trace_info(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    const struct rf_info *info = rf_get_info(to->rec);
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
    if (to->base_ns == 0)
        return;
    rf_sink_text(sink, ",\"ts_of_time_0\":");
    rf_sink_thousandths(sink, to->base_ns);
}

static void put_captures(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"captures\":[");
    for (uint32_t i = 0; i < rf_n_captures(to->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        json_put_member(sink, i > 0 ? ",\n{\"number\":" : "\n{\"number\":", capture->number);
        rf_sink_text(sink, ",\"ts\":");
        rf_sink_thousandths(sink, json_shown_ns(to, capture->begin_ns));
        rf_sink_text(sink, ",\"end\":");
        rf_sink_thousandths(sink, json_shown_ns(to, capture->end_ns));
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
    put_trace_info(to);
    put_processes(to);
    if (info->is_focused)
        put_captures(to);
    if (rf_n_gpus(to->rec) > 0)
        json_put_gpus(to);
    rf_sink_text(to->sink, "},\n\"metadata\":{"); /* Perfetto's table of this name */
    put_trace_info(to);
    rf_sink_text(to->sink, "},\n\"traceEvents\":[");
}

/* ---- Names of processes ---- */

static void put_process_names(struct json_writer *to)
{
    char suffix[40];
    for (uint32_t i = 0; i < rf_n_processes(to->rec); i++) {
        const struct rf_process *process = rf_process_at(to->rec, i);
        uint32_t pid = to->lanes.pids[i];
        suffix[0] = '\0';
        if (pid != process->pid)
            (void)snprintf(suffix, sizeof(suffix), " (pid %" PRIu32 ")", process->pid);
        json_begin_metadata(to, "process_name", pid, 0);
        json_put_shown_name(to, process->name, "process", suffix);
        json_put_sort_index(to, "process_sort_index", pid, 0, i);
        json_begin_metadata(to, "process_labels", pid, 0); /* chrome://tracing shows them */
        rf_sink_text(to->sink, "\"labels\":");
        if (process->command != RF_NO_STRING)
            rf_sink_json_name(to->sink, to->rec, process->command);
        else
            rf_sink_text(to->sink, "\"\"");
        rf_sink_text(to->sink, "}}");
    }
}

/* ---- All of it ---- */

#define MAX_EXACT_NS ((int64_t)1 << 52)

static void put_beginning(struct json_writer *to)
{
    if (to->kineto != NULL)
        json_kineto_put_head(to);
    else
        put_head(to);
    put_process_names(to);
    if (to->kineto != NULL)
        json_kineto_put_devices(to);
}

static int put_events(struct json_writer *to)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_threads(to->rec) && status == RF_OK; i++) {
        status = json_put_thread(to, i);
        if (status == RF_OK && to->by_category)
            status = json_put_categories(to, i);
    }
    if (status == RF_OK && to->projections != NULL && to->kineto == NULL)
        status = json_put_projections(to);
    if (status == RF_OK)
        status = to->kineto != NULL ? json_kineto_put_streams(to) : json_put_streams(to);
    if (status == RF_OK)
        status = json_put_counters(to);
    return status;
}

/* Readers have ts as a double, which is exact to the nanosecond for 52 days, and refuse times below
 * 0. Otherwise ts is the recording's time. */
static int64_t choose_base(const rf_recording *rec)
{
    int64_t begin_ns = rf_shown_begin_ns(rec);
    return begin_ns < 0 || begin_ns > MAX_EXACT_NS ? (int64_t)(0 - (uint64_t)begin_ns) : 0;
}

static int init_members(struct json_writer *to)
{
    to->members = malloc(sizeof(*to->members));
    if (to->members == NULL)
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    rf_members_init(to->members->call, to->rec, &rf_call_fields, RF_MEMBERS_CHROME);
    rf_members_init(to->members->event, to->rec, &rf_event_fields, RF_MEMBERS_CHROME);
    rf_members_init(to->members->op, to->rec, &rf_op_fields, RF_MEMBERS_CHROME);
    return RF_OK;
}

static int write_trace(struct rf_export_job *job, struct rf_sink *sink)
{
    const struct rf_project_options options = {.size = sizeof(options),
                                               .by_process = job->options->by_process};
    struct json_kineto kineto = {0};
    struct json_writer to = {.job = job, .rec = job->rec, .sink = sink};
    int is_kineto = job->options->kineto != NULL;
    to.base_ns = choose_base(job->rec);
    to.by_category = job->options->tracks_by_category && !is_kineto;
    int status = rf_lanes_init_from(&to.lanes, job->rec,
                                    is_kineto ? json_kineto_first_pid(job->rec) : 1, job->err);
    if (status == RF_OK && is_kineto) {
        to.kineto = &kineto;
        status = json_kineto_init(&kineto, &to);
    }
    if (status == RF_OK)
        status = init_members(&to);
    if (status == RF_OK && rf_gpu_ops(job->rec, NULL) != NULL)
        status = rf_project(job->rec, &options, &to.projections, job->err);
    if (status == RF_OK) {
        put_beginning(&to);
        status = put_events(&to);
    }
    if (is_kineto)
        json_kineto_put_tail(&to);
    else
        rf_sink_text(sink, "\n]}\n");
    rf_projections_free(to.projections);
    json_kineto_release(&kineto);
    free(to.members);
    rf_lanes_release(&to.lanes);
    return status;
}

static int write_json(struct rf_export_job *job, struct rf_sink *sink)
{
    return job->options->nsys2json != NULL ? rf_write_nsys2json(job, sink) : write_trace(job, sink);
}

const struct rf_export_format rf_export_json = {
    .name = "json",
    .description = "Chrome trace JSON, for Perfetto and chrome://tracing",
    .extensions = {"json"},
    .has_layouts = true,
    .write_text = write_json,
};
