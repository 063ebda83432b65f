/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_json.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "cli/json_out.h"
#include "cli/verbs/info_clocks.h"
#include "cli/verbs/info_next.h"

#define N_KINDS 256 /* in struct rf_work_counts */

/* -1: it is not known. */
static void add_rank(struct json_out *json, const char *name, int32_t number)
{
    json_begin_member(json, name);
    if (number < 0)
        rf_sink_text(json->sink, "null");
    else
        rf_sink_i64(json->sink, number);
}

static void add_ranks(struct json_out *json, int32_t rank, int32_t local_rank, int32_t world_size)
{
    add_rank(json, "rank", rank);
    add_rank(json, "local_rank", local_rank);
    add_rank(json, "world_size", world_size);
}

static void put_string(struct json_out *json, const rf_recording *rec, uint32_t id)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    if (text == NULL)
        rf_sink_text(json->sink, "null");
    else
        rf_sink_json(json->sink, text, size);
}

static void add_string(struct json_out *json, const rf_recording *rec, const char *name,
                       uint32_t id)
{
    json_begin_member(json, name);
    put_string(json, rec, id);
}

static void add_general(struct json_out *json, const rf_recording *rec,
                        const struct rf_work_counts *counts)
{
    const struct rf_info *info = rf_get_info(rec);
    json_text(json, "path", info->path);
    json_u64(json, "size_bytes", info->size_bytes);
    json_u64(json, "expanded_bytes", info->expanded_bytes);
    json_text(json, "product", info->product);
    json_text(json, "host", info->host);
    add_ranks(json, info->rank, info->local_rank, info->world_size);
    json_text(json, "ranks", info->ranks);
    json_i64(json, "epoch_utc_ns", info->epoch_utc_ns);
    json_i64(json, "epoch_mono_ns", info->epoch_mono_ns);
    json_i64(json, "utc_offset_s", info->utc_offset_s);
    json_text(json, "clock", info->clock_name);
    json_double(json, "clock_hz", info->clock_hz);
    json_i64(json, "end_ns", info->end_ns);
    json_bool(json, "is_live", info->is_live);
    json_bool(json, "was_live", info->was_live);
    json_bool(json, "is_finished", info->is_finished);
    json_u64(json, "root_pid", info->root_pid);
    json_i64(json, "root_status", info->root_status);
    json_i64(json, "root_signal", info->root_signal);
    json_bool(json, "is_root_ended", info->is_root_ended);
    json_bool(json, "is_focused", info->is_focused);
    json_bool(json, "is_import", info->is_import);
    if (info->is_import) {
        json_text(json, "import_reader", info->import_reader);
        json_text(json, "import_why", info->import_why != NULL ? info->import_why : "");
    }
    json_u64(json, "n_events", info->n_events);
    json_u64(json, "n_ranges", info->n_ranges);
    json_u64(json, "n_marks", info->n_marks);
    json_u64(json, "n_cut", info->n_cut);
    json_u64(json, "n_cut_at_start", info->n_cut_at_start);
    json_begin_member(json, "cut");
    json_open(json, '{');
    for (int i = 1; i < RF_CUT_REASONS; i++)
        if (info->n_cut_by[i] > 0)
            json_u64(json, rf_cut_name(i), info->n_cut_by[i]);
    json_close(json, '}');
    json_u64(json, "n_lost_records", info->n_lost_records);
    json_u64(json, "lost_bytes", info->lost_bytes);
    json_u64(json, "n_lost_about", info->n_lost_about);
    json_u64(json, "n_lost_parts", info->n_lost_parts);
    json_bool(json, "is_end_missing", info->is_end_missing);
    json_u64(json, "n_lost_defs", info->n_lost_defs);
    json_u64(json, "n_cuda_dropped", info->n_cuda_dropped);
    json_u64(json, "n_failed_processes", info->n_failed_processes);
    json_u64(json, "n_time_calls", info->n_time_calls);
    json_u64(json, "n_memory_calls", info->n_memory_calls);
    json_u64(json, "n_uncaptured", info->n_uncaptured);
    json_u64(json, "n_stalls", info->n_stalls);
    json_u64(json, "stall_ns", info->stall_ns);
    json_u64(json, "n_unmatched_ends", info->n_unmatched_ends);
    json_u64(json, "n_foreign_ends", info->n_foreign_ends);
    json_u64(json, "n_bad_times", info->n_bad_times);
    json_u64(json, "n_damaged_bytes", info->n_damaged_bytes);
    json_u64(json, "n_calls", counts->n_cuda_calls + counts->n_os_calls);
    json_u64(json, "n_os_calls", counts->n_os_calls);
    json_begin_member(json, "gpu_work");
    json_open(json, '{');
    for (int kind = 0; kind < N_KINDS; kind++)
        if (counts->n_ops[kind] > 0)
            json_u64(json, rf_gpu_op_kind_name(kind), counts->n_ops[kind]);
    json_close(json, '}');
}

static void add_ring(struct json_out *json, const rf_recording *rec)
{
    const struct rf_ring_info *ring = rf_get_ring(rec);
    if (ring == NULL)
        return;
    json_begin_member(json, "ring");
    json_open(json, '{');
    json_u64(json, "size_bytes", ring->size_bytes);
    json_i64(json, "keep_ns", ring->keep_ns);
    json_u64(json, "n_recycled", ring->n_recycled);
    json_u64(json, "recycled_bytes", ring->recycled_bytes);
    json_i64(json, "kept_from_ns", ring->kept_from_ns);
    if (ring->snapshot > 0) {
        json_u64(json, "snapshot", ring->snapshot);
        json_i64(json, "asked_ns", ring->asked_ns);
        json_text(json, "reason", ring->reason);
        json_text(json, "rule", ring->rule);
        if (ring->value_ns != RF_NO_TIME)
            json_i64(json, "value_ns", ring->value_ns);
    }
    json_close(json, '}');
}

static void add_piece(struct json_out *json, const rf_recording *rec)
{
    const struct rf_piece_info *piece = rf_get_piece(rec);
    if (piece == NULL)
        return;
    json_begin_member(json, "piece");
    json_open(json, '{');
    json_u64(json, "number", piece->number);
    json_bool(json, "goes_on", piece->goes_on != 0);
    json_i64(json, "begin_ns", piece->begin_ns);
    json_u64(json, "n_removed", piece->n_removed);
    json_u64(json, "n_removed_records", piece->n_removed_records);
    json_u64(json, "removed_bytes", piece->removed_bytes);
    json_close(json, '}');
}

static void add_process(struct json_out *json, const rf_recording *rec, uint32_t i)
{
    const struct rf_process *process = rf_process_at(rec, i);
    json_begin_element(json);
    json_open(json, '{');
    json_u64(json, "pid", process->pid);
    json_u64(json, "ppid", process->ppid);
    add_ranks(json, process->rank, process->local_rank, process->world_size);
    add_string(json, rec, "name", process->name);
    add_string(json, rec, "exe", process->exe);
    add_string(json, rec, "cwd", process->cwd);
    json_begin_member(json, "args");
    json_open(json, '[');
    for (uint32_t a = 0; a < process->n_args; a++) {
        json_begin_element(json);
        put_string(json, rec, process->args[a]);
    }
    json_close(json, ']');
    json_begin_member(json, "env");
    json_open(json, '[');
    for (uint32_t e = 0; e < process->n_env; e++) {
        json_begin_element(json);
        put_string(json, rec, process->env[e]);
    }
    json_close(json, ']');
    json_time(json, "first_ns", process->first_ns);
    json_time(json, "exit_ns", process->exit_ns);
    json_u64(json, "n_events", process->n_annotations);
    json_u64(json, "n_lost_records", process->n_lost_records);
    json_close(json, '}');
}

static void add_thread(struct json_out *json, const rf_recording *rec, uint32_t i)
{
    const struct rf_thread *thread = rf_thread_at(rec, i);
    json_begin_element(json);
    json_open(json, '{');
    json_u64(json, "process", thread->process);
    json_u64(json, "tid", thread->tid);
    json_u64(json, "serial", thread->serial);
    add_string(json, rec, "name", thread->name);
    json_bool(json, "is_named", thread->is_named);
    json_time(json, "first_ns", thread->first_ns);
    json_time(json, "end_ns", thread->end_ns);
    json_u64(json, "n_events", thread->n_events);
    if (thread->kept_from_ns != 0)
        json_i64(json, "kept_from_ns", thread->kept_from_ns);
    json_close(json, '}');
}

static void add_domain(struct json_out *json, const rf_recording *rec, uint32_t i)
{
    const struct rf_domain *domain = rf_domain_at(rec, i);
    json_begin_element(json);
    json_open(json, '{');
    json_u64(json, "process", domain->process);
    json_u64(json, "id", domain->id);
    add_string(json, rec, "name", domain->name);
    json_bool(json, "is_valid", domain->is_valid);
    json_u64(json, "n_events", domain->n_annotations);
    json_close(json, '}');
}

static void add_captures(struct json_out *json, const rf_recording *rec)
{
    json_begin_member(json, "captures");
    json_open(json, '[');
    for (uint32_t i = 0; i < rf_n_captures(rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(rec, i);
        json_begin_element(json);
        json_open(json, '{');
        json_u64(json, "number", capture->number);
        json_i64(json, "begin_ns", capture->begin_ns);
        json_i64(json, "end_ns", capture->end_ns);
        json_bool(json, "is_open", capture->is_open);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Rows of other kinds, by kind, and counters. */
static void add_extras(struct json_out *json, const rf_recording *rec,
                       const struct rf_work_counts *counts)
{
    const uint64_t *n_of = counts->n_extras;
    json_begin_member(json, "also");
    json_open(json, '{');
    for (int kind = 0; kind < N_KINDS; kind++)
        if (n_of[kind] > 0 && rf_extra_kind_name(kind) != NULL)
            json_u64(json, rf_extra_kind_name(kind), n_of[kind]);
    json_close(json, '}');
    json_u64(json, "n_counters", rf_n_counters(rec));
    json_u64(json, "n_counter_samples", rf_get_info(rec)->n_samples);
}

/* What an import left out or changed. */
static void add_skipped(struct json_out *json, const rf_recording *rec)
{
    const struct rf_skipped *skipped;
    json_begin_member(json, "not_read");
    json_open(json, '[');
    for (uint32_t i = 0; (skipped = rf_skipped_at(rec, i)) != NULL; i++) {
        json_begin_element(json);
        json_open(json, '{');
        json_text(json, "table", skipped->table);
        json_text(json, "reason", skipped->reason);
        json_u64(json, "rows", skipped->n_rows);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_lists(struct json_out *json, const rf_recording *rec,
                      const struct rf_work_counts *counts)
{
    info_clocks_json(json, rec);
    add_ring(json, rec);
    add_piece(json, rec);
    add_captures(json, rec);
    json_begin_member(json, "processes");
    json_open(json, '[');
    for (uint32_t i = 0; i < rf_n_processes(rec); i++)
        add_process(json, rec, i);
    json_close(json, ']');
    json_begin_member(json, "threads");
    json_open(json, '[');
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        add_thread(json, rec, i);
    json_close(json, ']');
    json_begin_member(json, "domains");
    json_open(json, '[');
    for (uint32_t i = 0; i < rf_n_domains(rec); i++)
        add_domain(json, rec, i);
    json_close(json, ']');
    add_extras(json, rec, counts);
    add_skipped(json, rec);
    json_begin_member(json, "messages");
    json_open(json, '[');
    const char *message;
    for (size_t i = 0; (message = rf_message_at(rec, i)) != NULL; i++) {
        json_begin_element(json);
        rf_sink_json(json->sink, message, strlen(message));
    }
    json_close(json, ']');
    json_next(json, info_next_verb(rec, counts), rf_get_info(rec)->path);
}

int info_print_json(const rf_recording *rec, const struct rf_work_counts *counts,
                    struct rf_err *err)
{
    struct json_out json;
    int status = json_begin(&json, "info", err);
    if (status != RF_OK)
        return status;
    add_general(&json, rec, counts);
    add_lists(&json, rec, counts);
    return json_end(&json, err);
}
