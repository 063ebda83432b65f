/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines: what the recording is, its processes and threads, then one object per event in the
 * order of time. Absent attributes are absent members. docs/exports.md lists the members. */
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "export/extra_words.h"
#include "export/flat/flat_rows.h"
#include "export/members.h"
#include "model/fields/event_names.h"
#include "model/fields/fields_counter.h"

struct jsonl_writer {
    const rf_recording *rec;
    struct rf_members of[RF_N_FLAT_SETS][RF_MAX_KINDS];
    struct rf_members of_range[RF_MAX_KINDS];
};

static void put_u64(struct rf_sink *sink, const char *member, uint64_t value)
{
    rf_sink_text(sink, member);
    rf_sink_u64(sink, value);
}

static void put_i64(struct rf_sink *sink, const char *member, int64_t value)
{
    rf_sink_text(sink, member);
    rf_sink_i64(sink, value);
}

static void put_text(struct rf_sink *sink, const char *member, const char *text)
{
    rf_sink_text(sink, member);
    if (text != NULL)
        rf_sink_json(sink, text, strlen(text));
    else
        rf_sink_text(sink, "null");
}

static void put_name(struct rf_sink *sink, const rf_recording *rec, const char *member,
                     uint32_t string)
{
    rf_sink_text(sink, member);
    rf_sink_json_name(sink, rec, string);
}

/* ---- The lines before the events ---- */

static void put_recording(struct rf_sink *sink, const struct rf_info *info)
{
    put_text(sink, "{\"type\":\"recording\",\"path\":", info->path);
    put_text(sink, ",\"recorded_by\":", info->product);
    rf_sink_text(sink, ",\"exported_by\":\"Rangefinder " RF_PRODUCT_VERSION "\"");
    put_text(sink, ",\"host\":", info->host);
    put_i64(sink, ",\"epoch_utc_ns\":", info->epoch_utc_ns);
    put_i64(sink, ",\"epoch_monotonic_ns\":", info->epoch_mono_ns);
    put_i64(sink, ",\"utc_offset_s\":", info->utc_offset_s);
    put_text(sink, ",\"clock\":", info->clock_name);
    put_i64(sink, ",\"end_ns\":", info->end_ns);
    put_u64(sink, ",\"events\":", info->n_events);
    put_u64(sink, ",\"cut_ranges\":", info->n_cut);
    if (info->is_focused)
        put_u64(sink, ",\"is_focused\":true,\"ranges_cut_at_start\":", info->n_cut_at_start);
    put_u64(sink, ",\"lost_events\":", info->n_lost_records);
    if (info->n_lost_about > 0)
        put_u64(sink, ",\"lost_events_about\":", info->n_lost_about);
    if (info->is_end_missing)
        rf_sink_text(sink, ",\"is_end_missing\":true");
    put_u64(sink, ",\"unmatched_ends\":", info->n_unmatched_ends);
    put_u64(sink, ",\"foreign_ends\":", info->n_foreign_ends);
    rf_sink_text(sink, "}\n");
}

static void put_capture(struct rf_sink *sink, const rf_recording *rec, uint32_t i)
{
    const struct rf_capture_info *capture = rf_capture_at(rec, i);
    put_u64(sink, "{\"type\":\"capture\",\"number\":", capture->number);
    put_i64(sink, ",\"start_ns\":", capture->begin_ns);
    put_i64(sink, ",\"end_ns\":", capture->end_ns);
    rf_sink_text(sink, capture->is_open ? ",\"is_open\":true}\n" : ",\"is_open\":false}\n");
}

static void put_strings(struct rf_sink *sink, const rf_recording *rec, const char *member,
                        const uint32_t *strings, uint32_t n)
{
    rf_sink_text(sink, member);
    rf_sink_char(sink, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            rf_sink_char(sink, ',');
        rf_sink_json_name(sink, rec, strings[i]);
    }
    rf_sink_char(sink, ']');
}

static void put_rank(struct rf_sink *sink, const char *key, int32_t number)
{
    if (number >= 0)
        put_i64(sink, key, number);
}

static void put_process(struct rf_sink *sink, const rf_recording *rec, uint32_t i)
{
    const struct rf_process *process = rf_process_at(rec, i);
    put_u64(sink, "{\"type\":\"process\",\"process\":", i);
    put_u64(sink, ",\"pid\":", process->pid);
    put_u64(sink, ",\"ppid\":", process->ppid);
    if (process->parent != RF_NO_INDEX)
        put_u64(sink, ",\"forked_from\":", process->parent);
    put_name(sink, rec, ",\"name\":", process->name);
    put_name(sink, rec, ",\"exe\":", process->exe);
    put_name(sink, rec, ",\"cwd\":", process->cwd);
    put_strings(sink, rec, ",\"args\":", process->args, process->n_args);
    put_strings(sink, rec, ",\"env\":", process->env, process->n_env);
    put_rank(sink, ",\"rank\":", process->rank);
    put_rank(sink, ",\"local_rank\":", process->local_rank);
    put_rank(sink, ",\"world_size\":", process->world_size);
    if (process->first_ns != RF_NO_TIME)
        put_i64(sink, ",\"start_ns\":", process->first_ns);
    if (process->exit_ns != RF_NO_TIME)
        put_i64(sink, ",\"exit_ns\":", process->exit_ns);
    if (process->n_lost_records > 0)
        put_u64(sink, ",\"lost_events\":", process->n_lost_records);
    rf_sink_text(sink, "}\n");
}

static void put_thread(struct rf_sink *sink, const rf_recording *rec, uint32_t i)
{
    const struct rf_thread *thread = rf_thread_at(rec, i);
    put_u64(sink, "{\"type\":\"thread\",\"thread\":", i);
    put_u64(sink, ",\"process\":", thread->process);
    put_u64(sink, ",\"tid\":", thread->tid);
    put_name(sink, rec, ",\"name\":", thread->name);
    rf_sink_text(sink, thread->is_named ? ",\"is_named\":true" : ",\"is_named\":false");
    if (thread->end_ns != RF_NO_TIME)
        put_i64(sink, ",\"end_ns\":", thread->end_ns);
    put_u64(sink, ",\"events\":", thread->n_events);
    rf_sink_text(sink, "}\n");
}

static void put_gpu(struct rf_sink *sink, const rf_recording *rec, uint32_t i)
{
    const struct rf_gpu *gpu = rf_gpu_at(rec, i);
    put_u64(sink, "{\"type\":\"gpu\",\"device\":", gpu->id);
    put_name(sink, rec, ",\"name\":", gpu->name);
    put_name(sink, rec, ",\"chip\":", gpu->chip);
    put_name(sink, rec, ",\"uuid\":", gpu->uuid);
    if (gpu->bus != RF_NO_STRING)
        put_name(sink, rec, ",\"pci\":", gpu->bus);
    put_u64(sink, ",\"memory_bytes\":", gpu->memory_bytes);
    put_u64(sink, ",\"multiprocessors\":", gpu->n_multiprocessors);
    put_u64(sink, ",\"compute_capability\":[", gpu->capability_major);
    put_u64(sink, ",", gpu->capability_minor);
    rf_sink_text(sink, "]}\n");
}

static void put_counter(struct rf_sink *sink, const struct jsonl_writer *to, uint32_t i)
{
    const struct rf_counter *counter = rf_counter_at(to->rec, i);
    struct rf_row row;
    rf_row_of_counter(to->rec, counter, NULL, &row);
    put_u64(sink, "{\"type\":\"counter\",\"counter\":", i);
    (void)rf_sink_members(sink, to->of[RF_FLAT_SAMPLE], &row, true);
    if (counter->process != RF_NO_INDEX)
        put_u64(sink, ",\"pid\":", rf_process_at(to->rec, counter->process)->pid);
    put_u64(sink, ",\"samples\":", counter->n_samples);
    rf_sink_text(sink, "}\n");
}

static void put_places(struct rf_sink *sink, const struct jsonl_writer *to)
{
    const rf_recording *rec = to->rec;
    put_recording(sink, rf_get_info(rec));
    for (uint32_t i = 0; i < rf_n_captures(rec); i++)
        put_capture(sink, rec, i);
    for (uint32_t i = 0; i < rf_n_processes(rec); i++)
        put_process(sink, rec, i);
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        put_thread(sink, rec, i);
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        put_gpu(sink, rec, i);
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        put_counter(sink, to, i);
}

/* ---- Lines of events ---- */

/* Of the pieces that are written without a look at the sink. */
#define HEAD_ROOM ((size_t)512)

static char *put_head(char *out, const struct rf_flat_row *row)
{
    out = rf_put_text(rf_put_text(out, "{\"type\":\""), row->type);
    *out++ = '"';
    if (row->start_ns != RF_NO_TIME)
        out = rf_put_i64(rf_put_text(out, ",\"start_ns\":"), row->start_ns);
    if (row->end_ns == RF_NO_TIME)
        return out;
    out = rf_put_i64(rf_put_text(out, ",\"end_ns\":"), row->end_ns);
    return rf_put_i64(rf_put_text(out, ",\"duration_ns\":"), rf_flat_duration_ns(row));
}

static char *put_owner(char *out, const struct rf_flat_row *row)
{
    if (row->of_process != NULL)
        out = rf_put_u64(rf_put_text(out, ",\"pid\":"), row->of_process->pid);
    if (row->of_thread == NULL)
        return out;
    out = rf_put_u64(rf_put_text(out, ",\"tid\":"), row->of_thread->tid);
    return rf_put_u64(rf_put_text(out, ",\"thread\":"), row->thread);
}

static void put_domain(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(rec, event->domain);
    char *out = rf_put_text(rf_sink_reserve(sink, HEAD_ROOM), ",\"domain_id\":");
    sink->used = (size_t)(rf_put_u64(out, domain->id) - sink->buffer);
    if (domain->id == 0 && domain->is_valid)
        return;
    put_name(sink, rec, ",\"domain\":", domain->name);
    if (!domain->is_valid) {
        rf_sink_text(sink, ",\"domain_handle\":\"");
        rf_sink_hex(sink, domain->handle);
        rf_sink_char(sink, '"');
    }
}

static void put_event_name(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_event *event)
{
    rf_sink_text(sink, ",\"name\":");
    if (rf_sink_json_name(sink, rec, event->name))
        rf_sink_text(sink, ",\"is_utf8\":false");
}

/* "value" is null where the program had none. */
static void put_value(struct rf_sink *sink, const struct rf_sample_at *at)
{
    const bool is_number = rf_is_sample_number(at);
    if (rf_sample_form(at) == RF_SAMPLE_IS_NONE)
        rf_sink_text(sink, "null");
    if (!is_number)
        rf_sink_char(sink, '"');
    rf_sink_sample(sink, at);
    if (!is_number)
        rf_sink_char(sink, '"');
}

static void put_sample(struct rf_sink *sink, const struct rf_flat_row *row)
{
    const uint8_t shown = RF_SAMPLE_NO_VALUE | RF_SAMPLE_PLACED;
    put_i64(sink, "{\"type\":\"sample\",\"start_ns\":", row->start_ns);
    put_u64(sink, ",\"counter\":", row->work->counter);
    rf_sink_text(sink, ",\"value\":");
    put_value(sink, &row->sample);
    if (rf_sample_flags(&row->sample) & shown) {
        rf_sink_text(sink, ",\"flags\":\"");
        rf_sink_sample_flags(sink, &row->sample);
        rf_sink_char(sink, '"');
    }
    rf_sink_text(sink, "}\n");
}

static void put_row(void *context, struct rf_sink *sink, const struct rf_flat_row *row)
{
    const struct jsonl_writer *to = context;
    if (row->set == RF_FLAT_SAMPLE) {
        put_sample(sink, row);
        return;
    }
    char *out = put_head(rf_sink_reserve(sink, HEAD_ROOM), row);
    if (row->event != NULL && !row->is_plain) {
        sink->used = (size_t)(out - sink->buffer);
        (void)rf_sink_members(sink, &to->of_range[row->kind], row->parts, true);
        out = rf_sink_reserve(sink, HEAD_ROOM);
    }
    sink->used = (size_t)(put_owner(out, row) - sink->buffer);
    if (row->event != NULL) {
        put_domain(sink, row->rec, row->event);
        put_event_name(sink, row->rec, row->event);
    }
    if (!row->is_plain)
        (void)rf_sink_members(sink, &to->of[row->set][row->kind], row->parts, true);
    if (row->set == RF_FLAT_EXTRA)
        rf_sink_extra_members(sink, row->rec, row->work->extra);
    if (rf_flat_has_flags(row)) {
        rf_sink_text(sink, ",\"flags\":\"");
        rf_sink_flat_flags(sink, row);
        rf_sink_char(sink, '"');
    }
    rf_sink_text(sink, "}\n");
}

static int write_jsonl(struct rf_export_job *job, struct rf_sink *sink)
{
    struct jsonl_writer *to = calloc(1, sizeof(*to));
    if (to == NULL)
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    to->rec = job->rec;
    for (int set = 0; set < RF_N_FLAT_SETS; set++)
        rf_members_init(to->of[set], to->rec, rf_flat_fields[set], RF_MEMBERS_PLAIN);
    rf_members_init(to->of_range, to->rec, &rf_range_fields, RF_MEMBERS_PLAIN);
    put_places(sink, to);
    int status = rf_flat_export(job, sink, put_row, to);
    free(to);
    return status;
}

const struct rf_export_format rf_export_jsonl = {
    .name = "jsonl",
    .description = "JSON lines: one object per process, thread and event",
    .extensions = {"jsonl"},
    .write_text = write_jsonl,
};
