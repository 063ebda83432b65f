/* SPDX-License-Identifier: Apache-2.0 */
/* JSON lines: what the recording is, its processes and threads, then one object per event in the
 * order of time. Absent attributes are absent members. docs/exports.md lists the members. */
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "model/fields/event_names.h"
#include "export/export.h"
#include "export/extra_words.h"
#include "export/members.h"
#include "model/fields/gpu_names.h"

struct jsonl_writer {
    const rf_recording *rec;
    struct rf_members call[RF_MAX_KINDS];
    struct rf_members op[RF_MAX_KINDS];
    struct rf_members event[RF_MAX_KINDS];
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

static void put_hex(struct rf_sink *sink, const char *member, uint64_t value)
{
    rf_sink_text(sink, member);
    rf_sink_char(sink, '"');
    rf_sink_hex(sink, value);
    rf_sink_char(sink, '"');
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

/* ---- Events ---- */

static void put_domain(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(rec, event->domain);
    put_u64(sink, ",\"domain_id\":", domain->id);
    if (domain->id == 0 && domain->is_valid)
        return;
    put_name(sink, rec, ",\"domain\":", domain->name);
    if (!domain->is_valid)
        put_hex(sink, ",\"domain_handle\":", domain->handle);
}

static void put_attributes(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_event *event)
{
    if ((event->flags & RF_EVENT_REGISTERED) != 0)
        rf_sink_text(sink, ",\"is_registered\":true");
    if ((event->flags & RF_EVENT_HAS_CATEGORY) != 0) {
        uint32_t name = rf_category_name(rec, event->domain, event->category);
        put_u64(sink, ",\"category\":", event->category);
        if (name != RF_NO_STRING)
            put_name(sink, rec, ",\"category_name\":", name);
    }
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0) {
        rf_sink_text(sink, ",\"color\":\"");
        rf_sink_color(sink, event->color);
        rf_sink_char(sink, '"');
    }
    if (event->payload_type == RF_TYPE_NONE)
        return;
    put_text(sink, ",\"payload_type\":", rf_payload_type_name(event->payload_type));
    if (rf_payload_string(event) != RF_NO_STRING) {
        put_name(sink, rec, ",\"payload\":", rf_payload_string(event));
        return;
    }
    const char *quote = rf_is_payload_number(event) ? "" : "\"";
    rf_sink_text(sink, ",\"payload\":");
    rf_sink_text(sink, quote);
    rf_sink_payload(sink, event);
    rf_sink_text(sink, quote);
}

static void put_members(struct rf_sink *sink, const struct jsonl_writer *to,
                        const struct rf_event *event)
{
    struct rf_row row;
    rf_row_of_event(to->rec, event, &row);
    (void)rf_sink_members(sink, &to->event[event->kind], &row);
}

static void put_range(struct rf_sink *sink, const struct jsonl_writer *to,
                      const struct rf_event *event, uint32_t thread)
{
    put_i64(sink, ",\"end_ns\":", event->end_ns);
    put_i64(sink, ",\"duration_ns\":", rf_duration_ns(event));
    if (event->kind == RF_EVENT_START_END) {
        const struct rf_start_end *link = rf_start_end_at(to->rec, event->link);
        put_u64(sink, ",\"range\":", link->number);
        put_hex(sink, ",\"range_id\":", link->id);
        if (link->end_thread != thread && link->end_thread != RF_NO_INDEX)
            put_u64(sink, ",\"end_thread\":", link->end_thread);
        put_members(sink, to, event);
    }
    if (event->cut != RF_CUT_NONE)
        put_text(sink, ",\"cut\":", rf_cut_name(event->cut));
}

static void put_event(void *context, struct rf_sink *sink, const struct rf_event_at *at)
{
    const struct jsonl_writer *to = context;
    const rf_recording *rec = to->rec;
    const struct rf_event *event = at->event;
    const struct rf_thread *thread = rf_thread_at(rec, at->thread);
    bool is_range = event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
    rf_sink_text(sink, "{\"type\":\"");
    rf_sink_text(sink, rf_event_kind_name(event->kind));
    put_i64(sink, "\",\"start_ns\":", event->start_ns);
    if (is_range)
        put_range(sink, to, event, at->thread);
    put_u64(sink, ",\"pid\":", rf_process_at(rec, thread->process)->pid);
    put_u64(sink, ",\"tid\":", thread->tid);
    put_u64(sink, ",\"thread\":", at->thread);
    put_domain(sink, rec, event);
    rf_sink_text(sink, ",\"name\":");
    if (rf_sink_json_name(sink, rec, event->name))
        rf_sink_text(sink, ",\"is_utf8\":false");
    if (is_range || event->kind == RF_EVENT_MARK)
        put_attributes(sink, rec, event);
    else
        put_members(sink, to, event);
    if (rf_has_flags(rec, event)) {
        rf_sink_text(sink, ",\"flags\":\"");
        rf_sink_flags(sink, rec, event);
        rf_sink_char(sink, '"');
    }
    rf_sink_text(sink, "}\n");
}

/* ---- Calls and GPU work ---- */

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

static char *put_stretch(char *out, int64_t start_ns, int64_t end_ns)
{
    if (start_ns != RF_NO_TIME)
        out = rf_put_i64(rf_put_text(out, ",\"start_ns\":"), start_ns);
    if (end_ns == RF_NO_TIME)
        return out;
    out = rf_put_i64(rf_put_text(out, ",\"end_ns\":"), end_ns);
    out = rf_put_text(out, ",\"duration_ns\":");
    return rf_put_i64(out, (int64_t)((uint64_t)end_ns - (uint64_t)start_ns));
}

static char *put_caller(char *out, const rf_recording *rec, uint32_t index)
{
    const struct rf_thread *thread = rf_thread_at(rec, index);
    out = rf_put_u64(rf_put_text(out, ",\"pid\":"), rf_process_at(rec, thread->process)->pid);
    out = rf_put_u64(rf_put_text(out, ",\"tid\":"), thread->tid);
    return rf_put_u64(rf_put_text(out, ",\"thread\":"), index);
}

/* When and for whom work was done. */
struct work_head {
    const char *type;
    int64_t start_ns, end_ns;
    uint32_t thread;  /* of the caller; RF_NO_INDEX: only the process is known, */
    uint32_t process; /* or RF_NO_INDEX */
};

static void put_work_head(struct rf_sink *sink, const rf_recording *rec,
                          const struct work_head *head)
{
    char *out = rf_sink_reserve(sink, 512);
    out = rf_put_text(rf_put_text(out, "{\"type\":\""), head->type);
    *out++ = '"';
    out = put_stretch(out, head->start_ns, head->end_ns);
    if (head->thread != RF_NO_INDEX)
        out = put_caller(out, rec, head->thread);
    else if (head->process != RF_NO_INDEX)
        out = rf_put_u64(rf_put_text(out, ",\"pid\":"), rf_process_at(rec, head->process)->pid);
    sink->used = (size_t)(out - sink->buffer);
}

static void put_correlation(struct rf_sink *sink, uint32_t correlation)
{
    if (correlation != 0)
        put_u64(sink, ",\"correlation\":", correlation);
}

static void put_time_flags(struct rf_sink *sink, uint8_t flags)
{
    if (flags == 0)
        return;
    rf_sink_text(sink, ",\"flags\":\"");
    rf_sink_time_flags(sink, flags);
    rf_sink_char(sink, '"');
}

static void put_call(struct jsonl_writer *to, struct rf_sink *sink, const struct rf_work_at *at)
{
    const struct rf_call *call = at->call;
    const struct work_head head = {rf_call_kind_name(call->kind), call->start_ns, call->end_ns,
                                   at->thread, RF_NO_INDEX};
    struct rf_row row;
    rf_row_of_call(call, &row);
    put_work_head(sink, to->rec, &head);
    (void)rf_sink_members(sink, &to->call[call->kind], &row);
    put_time_flags(sink, call->flags);
    rf_sink_text(sink, "}\n");
}

static void put_op(struct jsonl_writer *to, struct rf_sink *sink, const struct rf_gpu_op *op)
{
    const struct work_head head = {rf_gpu_op_kind_name(op->kind), op->start_ns, op->end_ns,
                                   op->thread, rf_gpu_track_at(to->rec, op->track)->process};
    struct rf_row row;
    rf_row_of_op(to->rec, op, &row);
    put_work_head(sink, to->rec, &head);
    (void)rf_sink_members(sink, &to->op[op->kind], &row);
    put_time_flags(sink, op->flags);
    rf_sink_text(sink, "}\n");
}

/* ---- What else was recorded, and counters ---- */

static void put_id(struct rf_sink *sink, const char *member, uint32_t id)
{
    if (id != RF_NO_INDEX)
        put_u64(sink, member, id);
}

static void put_extra(struct rf_sink *sink, const rf_recording *rec, const struct rf_extra *extra)
{
    const struct work_head head = {rf_extra_kind_name(extra->kind), extra->start_ns, extra->end_ns,
                                   extra->thread, extra->process};
    put_work_head(sink, rec, &head);
    put_id(sink, ",\"device\":", extra->device);
    put_id(sink, ",\"context\":", extra->context);
    if (extra->green_context != 0)
        put_u64(sink, ",\"green_context\":", extra->green_context);
    put_id(sink, ",\"stream\":", extra->stream);
    put_correlation(sink, extra->correlation);
    if (extra->name != RF_NO_STRING)
        put_name(sink, rec, ",\"name\":", extra->name);
    rf_sink_extra_members(sink, rec, extra);
    rf_sink_text(sink, "}\n");
}

static void put_counter(struct rf_sink *sink, const rf_recording *rec, uint32_t i)
{
    const struct rf_counter *counter = rf_counter_at(rec, i);
    put_u64(sink, "{\"type\":\"counter\",\"counter\":", i);
    put_name(sink, rec, ",\"name\":", counter->name);
    if (counter->set != RF_NO_STRING)
        put_name(sink, rec, ",\"set\":", counter->set);
    put_id(sink, ",\"device\":", counter->device);
    if (counter->process != RF_NO_INDEX)
        put_u64(sink, ",\"pid\":", rf_process_at(rec, counter->process)->pid);
    put_u64(sink, ",\"samples\":", counter->n_samples);
    rf_sink_text(sink, "}\n");
}

static void put_sample(struct rf_sink *sink, const struct rf_work_at *at)
{
    put_i64(sink, "{\"type\":\"sample\",\"start_ns\":", *at->sample_ns);
    put_u64(sink, ",\"counter\":", at->counter);
    rf_sink_text(sink, ",\"value\":");
    rf_sink_double(sink, *at->sample);
    rf_sink_text(sink, "}\n");
}

static void put_work(void *context, struct rf_sink *sink, const struct rf_work_at *at)
{
    struct jsonl_writer *to = context;
    if (at->call != NULL)
        put_call(to, sink, at);
    else if (at->op != NULL)
        put_op(to, sink, at->op);
    else if (at->extra != NULL)
        put_extra(sink, to->rec, at->extra);
    else
        put_sample(sink, at);
}

static void put_places(struct rf_sink *sink, const rf_recording *rec)
{
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
        put_counter(sink, rec, i);
}

static int write_jsonl(struct rf_export_job *job, struct rf_sink *sink)
{
    struct jsonl_writer *to = calloc(1, sizeof(*to));
    if (to == NULL)
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    to->rec = job->rec;
    rf_members_init(to->call, to->rec, &rf_call_fields, RF_MEMBERS_PLAIN);
    rf_members_init(to->op, to->rec, &rf_op_fields, RF_MEMBERS_PLAIN);
    rf_members_init(to->event, to->rec, &rf_event_fields, RF_MEMBERS_PLAIN);
    put_places(sink, to->rec);
    int status = rf_export_each(job, sink, put_event, put_work, to);
    free(to);
    return status;
}

const struct rf_export_format rf_export_jsonl = {
    .name = "jsonl",
    .description = "JSON lines: one object per process, thread and event",
    .extensions = {"jsonl"},
    .write_text = write_jsonl,
};
