/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/job_json.h"

#include <stdlib.h>

#include "cli/json_out.h"

/* -1: it is not known. */
static void add_number(struct json_out *json, const char *name, int64_t number)
{
    json_begin_member(json, name);
    if (number < 0)
        rf_sink_text(json->sink, "null");
    else
        rf_sink_i64(json->sink, number);
}

static void add_rank(struct json_out *json, const struct job *job, size_t i)
{
    const struct job_rank *rank = &job->rank[i];
    json_begin_element(json);
    json_open(json, '{');
    json_i64(json, "rank", rank->rank);
    json_text(json, "path", rank->path);
    json_text(json, "host", rank->host);
    add_number(json, "world_size", rank->world_size);
    json_text(json, "state", job_state_name(rank->state));
    add_number(json, "status", rank->state == JOB_ENDED ? rank->number : -1);
    add_number(json, "signal", rank->state == JOB_KILLED ? rank->number : -1);
    add_number(json, "idle_ns", rank->idle_ns);
    json_i64(json, "end_utc_ns", rank->end_utc_ns);
    json_text(json, "where", rank->where);
    json_bool(json, "is_twice", job_is_twice(job, i));
    json_close(json, '}');
}

static void add_missing(struct json_out *json, const struct job_span *spans, size_t n)
{
    uint64_t n_missing = 0;
    json_begin_member(json, "missing");
    json_open(json, '[');
    for (size_t i = 0; i < n; i++) {
        json_begin_element(json);
        json_open(json, '[');
        json_begin_element(json);
        rf_sink_i64(json->sink, spans[i].first);
        json_begin_element(json);
        rf_sink_i64(json->sink, spans[i].last);
        json_close(json, ']');
        n_missing += (uint64_t)(spans[i].last - spans[i].first) + 1;
    }
    json_close(json, ']');
    json_u64(json, "n_missing", n_missing);
}

int job_print_json(const struct job *job, struct rf_err *err)
{
    struct json_out json;
    struct job_span *spans;
    size_t n;
    int status = job_find_missing(job, &spans, &n, err);
    if (status == RF_OK)
        status = json_begin(&json, "job", err);
    if (status != RF_OK) {
        free(spans);
        return status;
    }
    json_open_member(&json, "job", '{');
    add_number(&json, "world_size", job_world_size(job));
    json_text(&json, "ranks_wanted", job->ranks);
    add_missing(&json, spans, n);
    json_u64(&json, "n_without_rank", job->n_unranked);
    json_u64(&json, "n_not_read", job->n_unread);
    json_begin_member(&json, "ranks");
    json_open(&json, '[');
    for (size_t i = 0; i < job->n; i++)
        add_rank(&json, job, i);
    json_close(&json, ']');
    json_close(&json, '}');
    free(spans);
    return json_end(&json, err);
}
