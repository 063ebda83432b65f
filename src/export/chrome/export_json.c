/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome trace JSON, for Perfetto and chrome://tracing: integer ids, names as metadata events,
 * times in microseconds with three decimals (exact nanoseconds), one event per line. Written
 * thread by thread, since viewers sort anyway. docs/exports.md has the particulars. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "model/fields/event_names.h"
#include "export/chrome/export_nsys2json.h"
#include "export/chrome/json_about.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_merged.h"
#include "export/chrome/json_kineto_work.h"
#include "export/chrome/json_nvtx.h"
#include "export/chrome/json_scopes.h"
#include "export/chrome/json_projection.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"
#include "export/chrome/json_writer.h"
#include "export/counter_names.h"
#include "export/counter_values.h"
#include "export/shown_begin.h"
#include "model/private_access.h"

/* ---- The frame ---- */

static void put_head(struct json_writer *to)
{
    rf_sink_text(to->sink, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
    json_put_about(to);
    rf_sink_text(to->sink, "},\n\"metadata\":{"); /* Perfetto's table of this name */
    json_put_trace_info(to);
    rf_sink_text(to->sink, "},\n\"traceEvents\":[");
}

/* ---- Names of processes ---- */

static void put_process_names(struct json_writer *to)
{
    for (uint32_t i = 0; i < rf_n_processes(to->rec); i++) {
        const struct rf_process *process = rf_process_at(to->rec, i);
        uint32_t pid = to->ids.pids[i];
        json_begin_metadata(to, "process_name", pid, 0);
        rf_sink_text(to->sink, "\"name\":\"");
        json_put_prefix(to, process);
        json_put_inner_name(to, process->name, "process");
        if (pid != process->pid) {
            json_put_member(to->sink, " (pid ", process->pid);
            rf_sink_char(to->sink, ')');
        }
        rf_sink_text(to->sink, "\"}}");
        json_put_sort_index(to, "process_sort_index", pid, 0, to->first_process + i);
        json_begin_metadata(to, "process_labels", pid, 0); /* chrome://tracing shows them */
        rf_sink_text(to->sink, "\"labels\":\"");
        json_put_inner_name(to, process->command, "");
        rf_sink_text(to->sink, "\"}}");
    }
}

/* ---- Counters ---- */

#define LARGEST_PLAIN 9007199254740992.0 /* 2^53: whole numbers below it are exact */

static void put_value(struct rf_sink *sink, double value)
{
    if (!isfinite(value))
        rf_sink_text(sink, "null");
    else if (value == floor(value) && fabs(value) < LARGEST_PLAIN)
        rf_sink_i64(sink, (int64_t)value);
    else
        rf_sink_double(sink, value);
}

static int put_inner_string(struct rf_sink *sink, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    rf_sink_json_inner(sink, text, size);
    return 0;
}

/* The counter that is being written. */
struct json_counter {
    struct json_writer *to;
    const struct rf_counter *counter;
    bool has_sets;
    uint32_t pid;
};

static int put_point(void *context, int64_t ns, double value)
{
    const struct json_counter *at = context;
    struct json_writer *to = at->to;
    json_begin_line(to);
    rf_sink_text(to->sink, "{\"ph\":\"C\",\"cat\":\"counter\",\"name\":\"");
    rf_sink_counter_name(to->sink, to->rec, at->counter, at->has_sets, put_inner_string);
    json_put_member(to->sink, "\",\"pid\":", at->pid);
    rf_sink_text(to->sink, ",\"ts\":");
    rf_sink_thousandths(to->sink, json_shown_ns(to, ns));
    rf_sink_text(to->sink, ",\"args\":{\"value\":");
    put_value(to->sink, value);
    rf_sink_text(to->sink, "}}");
    return json_step(to);
}

/* A counter of a GPU belongs to a process of the viewer's that stands for it; others to their
 * process, or to one for the machine. */
static void put_owner_name(struct json_writer *to, uint32_t pid, uint32_t device)
{
    json_begin_metadata(to, "process_name", pid, 0);
    rf_sink_text(to->sink, "\"name\":\"");
    json_put_prefix(to, NULL);
    if (device != RF_NO_INDEX)
        json_put_member(to->sink, "GPU ", device);
    else
        rf_sink_text(to->sink, "machine");
    rf_sink_text(to->sink, "\"}}");
    json_put_sort_index(to, "process_sort_index", pid, 0, (uint64_t)rf_n_processes(to->rec) + pid);
}

static bool has_track(const struct json_writer *to, uint32_t device)
{
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec); i++)
        if (rf_gpu_track_at(to->rec, i)->device == device)
            return true;
    return false;
}

/* The pid of a counter's owner, which is named where nothing else did so. */
static uint32_t owner_of(struct json_writer *to, const struct rf_counter *counter)
{
    if (counter->process != RF_NO_INDEX)
        return to->ids.pids[counter->process];
    bool is_device = to->kineto != NULL && counter->device != RF_NO_INDEX;
    uint32_t pid = is_device ? json_kineto_device_pid(counter->device) : to->ids.next_id++;
    if (!is_device || !has_track(to, counter->device))
        put_owner_name(to, pid, counter->device);
    return pid;
}

static int put_counters(struct json_writer *to)
{
    const int64_t first_ns = (int64_t)(0 - (uint64_t)to->base_ns);
    int status = RF_OK;
    bool has_sets;
    for (uint32_t i = 0; i < rf_n_counters(to->rec) && status == RF_OK;) {
        uint32_t end = rf_counters_end(to->rec, i, &has_sets);
        uint32_t pid = owner_of(to, rf_counter_at(to->rec, i));
        for (; i < end && status == RF_OK; i++) {
            struct json_counter at = {to, rf_counter_at(to->rec, i), has_sets, pid};
            status = rf_each_point(to->rec, at.counter, first_ns, put_point, &at);
        }
    }
    return status;
}

/* ---- All of it ---- */

#define MAX_EXACT_NS ((int64_t)1 << 52)

static void put_beginning(struct json_writer *to)
{
    if (to->kineto != NULL)
        json_kineto_put_head(to);
    else if (to->job->merging == NULL)
        put_head(to);
    put_process_names(to);
    if (to->kineto != NULL)
        json_kineto_put_devices(to);
}

static int put_events(struct json_writer *to)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_threads(to->rec) && status == RF_OK; i++)
        status = json_put_thread(to, i);
    if (status == RF_OK)
        status = json_put_scopes(to);
    if (status == RF_OK && to->projections != NULL && to->kineto == NULL)
        status = json_put_projections(to);
    if (status == RF_OK)
        status = to->kineto != NULL ? json_kineto_put_streams(to) : json_put_streams(to);
    if (status == RF_OK)
        status = put_counters(to);
    return status;
}

/* Readers have ts as a double, which is exact to the nanosecond for 52 days, and refuse times below
 * 0. Otherwise ts is the recording's time. */
static int choose_base(struct json_writer *to)
{
    int64_t begin_ns = rf_shown_begin_ns(to->rec);
    if (to->job->merging != NULL)
        return json_merged_base(to, begin_ns);
    bool is_far = begin_ns < 0 || begin_ns > MAX_EXACT_NS;
    to->base_ns = is_far ? (int64_t)(0 - (uint64_t)begin_ns) : 0;
    return RF_OK;
}

static int init_members(struct json_writer *to)
{
    to->members = malloc(sizeof(*to->members));
    if (to->members == NULL)
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    rf_members_init(to->members->call, to->rec, &rf_call_fields, RF_MEMBERS_CHROME);
    rf_members_init(to->members->event, to->rec, &rf_event_fields, RF_MEMBERS_CHROME);
    rf_members_init(to->members->range, to->rec, &rf_range_fields, RF_MEMBERS_CHROME);
    rf_members_init(to->members->op, to->rec, &rf_op_fields, RF_MEMBERS_CHROME);
    return RF_OK;
}

/* How much there is for several threads to write: only of our own flavor. */
static uint64_t count_items(const struct json_writer *to)
{
    size_t n;
    if (to->kineto != NULL)
        return 0;
    (void)rf_gpu_ops(to->rec, &n);
    uint64_t n_items = n + rf_get_info(to->rec)->n_samples;
    for (uint32_t i = 0; i < rf_n_threads(to->rec); i++) {
        (void)rf_thread_calls(to->rec, i, &n);
        n_items += n + rf_thread_at(to->rec, i)->n_events;
    }
    return n_items;
}

/* What all shares begin with, and what the next input does. */
struct json_shares {
    const struct json_writer *first; /* before anything is written */
    uint32_t next_id;
    bool has_line;
};

static int write_share(void *context, struct rf_share *share)
{
    struct json_shares *shares = context;
    struct json_writer to = *shares->first;
    to.job = &share->job;
    to.share = share;
    to.sink = share->sink;
    to.is_skipped = !share->is_mine;
    put_beginning(&to);
    int status = put_events(&to);
    if (to.kineto != NULL)
        json_kineto_put_tail(&to);
    else if (to.job->merging == NULL)
        rf_sink_text(to.sink, "\n]}\n");
    if (share->number == 0) { /* all found the same */
        shares->next_id = to.ids.next_id;
        shares->has_line = to.has_line;
    }
    rf_lanes_release(&to.lanes);
    return status;
}

static int write_shares(struct json_writer *to)
{
    struct json_shares shares = {.first = to, .next_id = to->ids.next_id};
    const int status =
        rf_export_in_shares(to->job, to->sink, count_items(to), write_share, &shares);
    to->ids.next_id = shares.next_id;
    if (to->job->merging != NULL)
        to->job->merging->has_events |= shares.has_line;
    return status;
}

static int write_json(struct rf_export_job *job, struct rf_sink *sink)
{
    const struct rf_project_options options = {.size = sizeof(options),
                                               .by_process = job->options->by_process};
    struct json_kineto kineto = {0};
    struct json_writer to = {.job = job, .rec = job->rec, .sink = sink};
    bool is_kineto = job->options->kineto != NULL;
    if (job->options->nsys2json != NULL)
        return rf_write_nsys2json(job, sink);
    int status = choose_base(&to);
    to.by_category = job->options->tracks_by_category && !is_kineto;
    to.has_scopes = !is_kineto && rf_has_scopes(job->rec);
    if (status == RF_OK)
        status =
            rf_shown_ids_init(&to.ids, job->rec, is_kineto ? json_kineto_first_pid(job->rec) : 1,
                              rf_job_ids(job), job->err);
    if (status == RF_OK && is_kineto) {
        to.kineto = &kineto;
        status = json_kineto_init(&kineto, &to);
    }
    if (status == RF_OK)
        status = init_members(&to);
    if (status == RF_OK && rf_gpu_ops(job->rec, NULL) != NULL)
        status = rf_project(job->rec, &options, &to.projections, job->err);
    if (status == RF_OK && job->merging != NULL)
        status = json_merged_begin(&to);
    if (status == RF_OK)
        status = write_shares(&to);
    rf_projections_free(to.projections);
    json_kineto_release(&kineto);
    free(to.members);
    rf_shown_ids_release(&to.ids);
    return status;
}

const struct rf_export_format rf_export_json = {
    .name = "json",
    .description = "Chrome trace JSON, for Perfetto and chrome://tracing",
    .extensions = {"json"},
    .is_trace = true,
    .has_layouts = true,
    .write_text = write_json,
    .can_merge = true,
    .end_text = json_merged_end,
};
