/* SPDX-License-Identifier: Apache-2.0 */
/* The members of the objects are described in docs/always-on.md. */
#include "cli/top/top_json.h"

#include "base/escape.h"
#include "log/capture.h"

static void put_text(struct json_out *json, const char *name, const struct top_text *text)
{
    json_begin_member(json, name);
    (void)rf_sink_json(json->sink, text->bytes, text->size);
}

static void put_counts(struct json_out *json, const struct top_counts *counts)
{
    json_u64(json, "n_events", top_n_events(counts));
    json_u64(json, "n_ranges", counts->n_ranges);
    json_u64(json, "n_marks", counts->n_marks);
    json_u64(json, "n_samples", counts->n_counters);
    json_u64(json, "n_cuda", counts->n_cuda);
    json_u64(json, "n_bytes", counts->n_bytes);
}

static void begin_array(struct json_out *json, const char *name)
{
    json_begin_member(json, name);
    json_open(json, '[');
}

static void begin_item(struct json_out *json)
{
    json_begin_element(json);
    json_open(json, '{');
}

static void put_range(struct json_out *json, const struct top_range_figures *range)
{
    const bool has_ended = range->n > 0;
    begin_item(json);
    put_text(json, "name", range->name);
    put_text(json, "domain", range->domain);
    json_text(json, "type", range->style == TOP_PUSH_POP ? "push_pop" : "start_end");
    json_u64(json, "n", range->n);
    json_u64(json, "n_open", range->n_open);
    json_i64(json, "total_ns", range->total_ns);
    json_time(json, "self_ns", range->style == TOP_PUSH_POP ? range->self_ns : RF_NO_TIME);
    json_time(json, "mean_ns", has_ended ? range->mean_ns : RF_NO_TIME);
    json_time(json, "p50_ns", has_ended ? range->p50_ns : RF_NO_TIME);
    json_time(json, "p99_ns", has_ended ? range->p99_ns : RF_NO_TIME);
    json_time(json, "max_ns", has_ended ? range->max_ns : RF_NO_TIME);
    json_close(json, '}');
}

static void put_who(struct json_out *json, const struct top_who *who)
{
    json_u64(json, "pid", who->pid);
    json_u64(json, "tid", who->tid);
    put_text(json, "process", who->process);
    json_text(json, "thread", who->thread);
}

static void put_instances(struct json_out *json, const char *name, const char *ns_name,
                          const struct top_instance_figures *instance, size_t n)
{
    begin_array(json, name);
    for (size_t i = 0; i < n; i++) {
        begin_item(json);
        put_text(json, "name", instance[i].name);
        put_text(json, "domain", instance[i].domain);
        put_who(json, &instance[i].who);
        json_i64(json, "start_ns", instance[i].start_ns);
        json_i64(json, ns_name, instance[i].ns);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_threads(struct json_out *json, const struct top_figures *f)
{
    begin_array(json, "threads");
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct top_thread_figures *t = &f->thread[i];
        begin_item(json);
        put_who(json, &t->who);
        put_counts(json, &t->counts);
        if (t->name != NULL) {
            put_text(json, "in_name", t->name);
            put_text(json, "in_domain", t->domain);
            json_i64(json, "in_ns", t->in_ns);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
    begin_array(json, "processes");
    for (size_t i = 0; i < f->n_processes; i++) {
        begin_item(json);
        json_u64(json, "pid", f->process[i].pid);
        put_text(json, "process", f->process[i].name);
        json_u64(json, "n_threads", f->process[i].n_threads);
        put_counts(json, &f->process[i].counts);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_ring(struct json_out *json, const struct rf_ring *ring)
{
    if (ring->size == 0)
        return;
    json_begin_member(json, "ring");
    json_open(json, '{');
    json_u64(json, "size_bytes", ring->size);
    json_u64(json, "n_recycled", ring->n_records);
    json_u64(json, "recycled_bytes", ring->n_bytes);
    json_close(json, '}');
}

static void put_losses(struct json_out *json, const struct top_session *s)
{
    const struct rf_control *c = &s->control;
    json_begin_member(json, "lost");
    json_open(json, '{');
    json_u64(json, "n_records", c->lost_records);
    json_u64(json, "n_bytes", c->lost_bytes);
    json_u64(json, "n_definitions", c->lost_defs);
    json_u64(json, "n_processes", c->n_failed_processes);
    json_u64(json, "n_stalls", c->n_stalls);
    json_u64(json, "stall_ns", c->stall_ns);
    json_u64(json, "n_unseen_parts", s->reading.n_missed_parts);
    json_u64(json, "unseen_bytes", s->reading.missed_bytes);
    json_close(json, '}');
}

static void put_capture(struct json_out *json, const struct top_session *s)
{
    const uint64_t word = s->control.capture.word;
    if (s->control.records_all != 0)
        return;
    json_begin_member(json, "capture");
    json_open(json, '{');
    json_bool(json, "is_on", rf_capture_is_on(word));
    json_bool(json, "is_over", (word & RF_CAPTURE_OVER) != 0);
    json_u64(json, "n_begun", (rf_capture_phase(word) + 1) / 2);
    json_close(json, '}');
}

void top_json_write(struct json_out *json, const struct top_figures *f, const char *title)
{
    const struct top_session *s = f->session;
    json_text(json, "session", title);
    json_i64(json, "time_ns", f->time_ns);
    json_double(json, "interval_s", f->seconds);
    put_counts(json, &f->counts);
    json_u64(json, "n_processes", f->n_all_processes);
    json_u64(json, "n_threads", f->n_all_threads);
    json_u64(json, "n_open", f->n_all_open);
    json_bool(json, "all_open_are_known", !s->reading.is_cut);
    json_u64(json, "n_names", f->n_all_ranges);
    json_u64(json, "pool_bytes", f->pool_bytes);
    json_u64(json, "log_bytes", f->log_bytes);
    put_ring(json, &s->control.ring);
    put_losses(json, s);
    put_capture(json, s);
    json_bool(json, "answers", !s->is_silent);
    begin_array(json, "ranges");
    for (size_t i = 0; i < f->n_ranges; i++)
        put_range(json, &f->range[i]);
    json_close(json, ']');
    put_instances(json, "open", "open_ns", f->open, f->n_open);
    put_instances(json, "slowest", "duration_ns", f->slowest, f->n_slowest);
    put_threads(json, f);
}
