/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_json.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "base/sink.h"
#include "cli/verbs/info_count.h"

/* The comma is written when a member or element begins, unless is_first. */
struct json {
    struct rf_sink sink;
    bool is_first;
};

static int flush(void *context, const void *data, size_t size, struct rf_err *err)
{
    return rf_output_write(context, data, size, err);
}

static void begin_element(struct json *json)
{
    if (!json->is_first)
        rf_sink_char(&json->sink, ',');
    json->is_first = false;
}

static void begin_member(struct json *json, const char *name)
{
    begin_element(json);
    rf_sink_json(&json->sink, name, strlen(name));
    rf_sink_char(&json->sink, ':');
}

static void open_with(struct json *json, char bracket)
{
    rf_sink_char(&json->sink, bracket);
    json->is_first = true;
}

static void close_with(struct json *json, char bracket)
{
    rf_sink_char(&json->sink, bracket);
    json->is_first = false;
}

static void add_u64(struct json *json, const char *name, uint64_t value)
{
    begin_member(json, name);
    rf_sink_u64(&json->sink, value);
}

static void add_i64(struct json *json, const char *name, int64_t value)
{
    begin_member(json, name);
    rf_sink_i64(&json->sink, value);
}

static void add_time(struct json *json, const char *name, int64_t ns)
{
    begin_member(json, name);
    if (ns == RF_NO_TIME)
        rf_sink_text(&json->sink, "null");
    else
        rf_sink_i64(&json->sink, ns);
}

/* -1: it is not known. */
static void add_rank(struct json *json, const char *name, int32_t number)
{
    begin_member(json, name);
    if (number < 0)
        rf_sink_text(&json->sink, "null");
    else
        rf_sink_i64(&json->sink, number);
}

static void add_ranks(struct json *json, int32_t rank, int32_t local_rank, int32_t world_size)
{
    add_rank(json, "rank", rank);
    add_rank(json, "local_rank", local_rank);
    add_rank(json, "world_size", world_size);
}

static void add_bool(struct json *json, const char *name, bool is_true)
{
    begin_member(json, name);
    rf_sink_text(&json->sink, is_true ? "true" : "false");
}

static void add_text(struct json *json, const char *name, const char *text)
{
    begin_member(json, name);
    if (text == NULL)
        rf_sink_text(&json->sink, "null");
    else
        rf_sink_json(&json->sink, text, strlen(text));
}

static void put_string(struct json *json, const rf_recording *rec, uint32_t id)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    if (text == NULL)
        rf_sink_text(&json->sink, "null");
    else
        rf_sink_json(&json->sink, text, size);
}

static void add_string(struct json *json, const rf_recording *rec, const char *name, uint32_t id)
{
    begin_member(json, name);
    put_string(json, rec, id);
}

static void add_general(struct json *json, const rf_recording *rec,
                        const struct info_counts *counts)
{
    const struct rf_info *info = rf_get_info(rec);
    add_text(json, "path", info->path);
    add_u64(json, "size_bytes", info->size_bytes);
    add_text(json, "product", info->product);
    add_text(json, "host", info->host);
    add_ranks(json, info->rank, info->local_rank, info->world_size);
    add_i64(json, "epoch_utc_ns", info->epoch_utc_ns);
    add_i64(json, "epoch_mono_ns", info->epoch_mono_ns);
    add_i64(json, "utc_offset_s", info->utc_offset_s);
    add_text(json, "clock", info->clock_name);
    begin_member(json, "clock_hz");
    rf_sink_double(&json->sink, info->clock_hz);
    add_i64(json, "end_ns", info->end_ns);
    add_bool(json, "is_live", info->is_live);
    add_bool(json, "was_live", info->was_live);
    add_bool(json, "is_finished", info->is_finished);
    add_u64(json, "root_pid", info->root_pid);
    add_i64(json, "root_status", info->root_status);
    add_i64(json, "root_signal", info->root_signal);
    add_bool(json, "is_root_ended", info->is_root_ended);
    add_bool(json, "is_focused", info->is_focused);
    add_bool(json, "is_import", info->is_import);
    add_u64(json, "n_events", info->n_events);
    add_u64(json, "n_ranges", info->n_ranges);
    add_u64(json, "n_marks", info->n_marks);
    add_u64(json, "n_cut", info->n_cut);
    add_u64(json, "n_cut_at_start", info->n_cut_at_start);
    begin_member(json, "cut");
    open_with(json, '{');
    for (int i = 1; i < RF_CUT_REASONS; i++)
        if (info->n_cut_by[i] > 0)
            add_u64(json, rf_cut_name(i), info->n_cut_by[i]);
    close_with(json, '}');
    add_u64(json, "n_lost_records", info->n_lost_records);
    add_u64(json, "lost_bytes", info->lost_bytes);
    add_u64(json, "n_lost_about", info->n_lost_about);
    add_u64(json, "n_lost_parts", info->n_lost_parts);
    add_bool(json, "is_end_missing", info->is_end_missing);
    add_u64(json, "n_lost_defs", info->n_lost_defs);
    add_u64(json, "n_cuda_dropped", info->n_cuda_dropped);
    add_u64(json, "n_failed_processes", info->n_failed_processes);
    add_u64(json, "n_time_calls", info->n_time_calls);
    add_u64(json, "n_memory_calls", info->n_memory_calls);
    add_u64(json, "n_uncaptured", info->n_uncaptured);
    add_u64(json, "n_stalls", info->n_stalls);
    add_u64(json, "stall_ns", info->stall_ns);
    add_u64(json, "n_unmatched_ends", info->n_unmatched_ends);
    add_u64(json, "n_foreign_ends", info->n_foreign_ends);
    add_u64(json, "n_bad_times", info->n_bad_times);
    add_u64(json, "n_damaged_bytes", info->n_damaged_bytes);
    add_u64(json, "n_calls", counts->n_cuda_calls + counts->n_os_calls);
    add_u64(json, "n_os_calls", counts->n_os_calls);
    begin_member(json, "gpu_work");
    open_with(json, '{');
    for (int kind = 0; kind < INFO_N_OPS; kind++)
        if (counts->n_ops[kind] > 0)
            add_u64(json, rf_gpu_op_kind_name(kind), counts->n_ops[kind]);
    close_with(json, '}');
}

static void add_process(struct json *json, const rf_recording *rec, uint32_t i)
{
    const struct rf_process *process = rf_process_at(rec, i);
    begin_element(json);
    open_with(json, '{');
    add_u64(json, "pid", process->pid);
    add_u64(json, "ppid", process->ppid);
    add_ranks(json, process->rank, process->local_rank, process->world_size);
    add_string(json, rec, "name", process->name);
    add_string(json, rec, "exe", process->exe);
    add_string(json, rec, "cwd", process->cwd);
    begin_member(json, "args");
    open_with(json, '[');
    for (uint32_t a = 0; a < process->n_args; a++) {
        begin_element(json);
        put_string(json, rec, process->args[a]);
    }
    close_with(json, ']');
    begin_member(json, "env");
    open_with(json, '[');
    for (uint32_t e = 0; e < process->n_env; e++) {
        begin_element(json);
        put_string(json, rec, process->env[e]);
    }
    close_with(json, ']');
    add_time(json, "first_ns", process->first_ns);
    add_time(json, "exit_ns", process->exit_ns);
    add_u64(json, "n_events", process->n_annotations);
    add_u64(json, "n_lost_records", process->n_lost_records);
    close_with(json, '}');
}

static void add_thread(struct json *json, const rf_recording *rec, uint32_t i)
{
    const struct rf_thread *thread = rf_thread_at(rec, i);
    begin_element(json);
    open_with(json, '{');
    add_u64(json, "process", thread->process);
    add_u64(json, "tid", thread->tid);
    add_u64(json, "serial", thread->serial);
    add_string(json, rec, "name", thread->name);
    add_bool(json, "is_named", thread->is_named);
    add_time(json, "first_ns", thread->first_ns);
    add_time(json, "end_ns", thread->end_ns);
    add_u64(json, "n_events", thread->n_events);
    close_with(json, '}');
}

static void add_domain(struct json *json, const rf_recording *rec, uint32_t i)
{
    const struct rf_domain *domain = rf_domain_at(rec, i);
    begin_element(json);
    open_with(json, '{');
    add_u64(json, "process", domain->process);
    add_u64(json, "id", domain->id);
    add_string(json, rec, "name", domain->name);
    add_bool(json, "is_valid", domain->is_valid);
    add_u64(json, "n_events", domain->n_annotations);
    close_with(json, '}');
}

static void add_captures(struct json *json, const rf_recording *rec)
{
    begin_member(json, "captures");
    open_with(json, '[');
    for (uint32_t i = 0; i < rf_n_captures(rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(rec, i);
        begin_element(json);
        open_with(json, '{');
        add_u64(json, "number", capture->number);
        add_i64(json, "begin_ns", capture->begin_ns);
        add_i64(json, "end_ns", capture->end_ns);
        add_bool(json, "is_open", capture->is_open);
        close_with(json, '}');
    }
    close_with(json, ']');
}

/* Rows of other kinds, by kind, and counters. */
static void add_extras(struct json *json, const rf_recording *rec)
{
    uint64_t n_of[256] = {0};
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++)
        n_of[extra[i].kind]++;
    begin_member(json, "also");
    open_with(json, '{');
    for (int kind = 0; kind < 256; kind++)
        if (n_of[kind] > 0 && rf_extra_kind_name(kind) != NULL)
            add_u64(json, rf_extra_kind_name(kind), n_of[kind]);
    close_with(json, '}');
    add_u64(json, "n_counters", rf_n_counters(rec));
    add_u64(json, "n_counter_samples", rf_get_info(rec)->n_samples);
}

/* What an import left out or changed. */
static void add_skipped(struct json *json, const rf_recording *rec)
{
    const struct rf_skipped *skipped;
    begin_member(json, "not_read");
    open_with(json, '[');
    for (uint32_t i = 0; (skipped = rf_skipped_at(rec, i)) != NULL; i++) {
        begin_element(json);
        open_with(json, '{');
        begin_member(json, "table");
        rf_sink_json(&json->sink, skipped->table, strlen(skipped->table));
        begin_member(json, "reason");
        rf_sink_json(&json->sink, skipped->reason, strlen(skipped->reason));
        add_u64(json, "rows", skipped->n_rows);
        close_with(json, '}');
    }
    close_with(json, ']');
}

static void add_lists(struct json *json, const rf_recording *rec)
{
    add_captures(json, rec);
    begin_member(json, "processes");
    open_with(json, '[');
    for (uint32_t i = 0; i < rf_n_processes(rec); i++)
        add_process(json, rec, i);
    close_with(json, ']');
    begin_member(json, "threads");
    open_with(json, '[');
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        add_thread(json, rec, i);
    close_with(json, ']');
    begin_member(json, "domains");
    open_with(json, '[');
    for (uint32_t i = 0; i < rf_n_domains(rec); i++)
        add_domain(json, rec, i);
    close_with(json, ']');
    add_extras(json, rec);
    add_skipped(json, rec);
    begin_member(json, "messages");
    open_with(json, '[');
    const char *message;
    for (size_t i = 0; (message = rf_message_at(rec, i)) != NULL; i++) {
        begin_element(json);
        rf_sink_json(&json->sink, message, strlen(message));
    }
    close_with(json, ']');
}

int info_print_json(const rf_recording *rec, const struct info_counts *counts, struct rf_err *err)
{
    struct rf_output out;
    struct json json = {.is_first = true};
    int status = rf_output_open(&out, "-", 0, err);
    if (status != RF_OK)
        return status;
    status = rf_sink_init(&json.sink, flush, &out, err);
    if (status == RF_OK) {
        open_with(&json, '{');
        add_general(&json, rec, counts);
        add_lists(&json, rec);
        close_with(&json, '}');
        rf_sink_char(&json.sink, '\n');
        status = rf_sink_finish(&json.sink);
    }
    rf_sink_release(&json.sink);
    if (status == RF_OK)
        return rf_output_commit(&out, err);
    rf_output_abandon(&out);
    return status;
}
