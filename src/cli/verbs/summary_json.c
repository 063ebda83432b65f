/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/summary_json.h"

#include "cli/command.h"
#include "cli/json_out.h"

/* -1: it is not known. */
static void add_known(struct json_out *json, const char *name, int64_t value)
{
    if (value < 0)
        json_null(json, name);
    else
        json_i64(json, name, value);
}

static void add_input(struct json_out *json, const struct rf_summary_input *input)
{
    json_open_element(json, '{');
    json_text(json, "path", input->path);
    json_text(json, "host", input->host);
    json_text(json, "filter", input->filter);
    add_known(json, "rank", input->rank);
    add_known(json, "local_rank", input->local_rank);
    add_known(json, "world_size", input->world_size);
    json_i64(json, "start_utc_ns", input->start_utc_ns);
    json_u64(json, "duration_ns", input->duration_ns);
    json_u64(json, "n_inputs", input->n_inputs);
    json_u64(json, "n_events", input->n_events);
    json_u64(json, "n_lost_records", input->n_lost);
    json_u64(json, "n_cut", input->n_cut);
    json_u64(json, "n_paths_folded", input->n_paths_folded);
    json_u64(json, "n_searched", input->n_searched);
    json_u64(json, "n_steps", input->n_steps);
    json_u64(json, "n_steps_left_out", input->n_steps_left_out);
    json_close(json, '}');
}

int summary_print_json(const char *path, const rf_summary *summary)
{
    struct json_out json;
    if (json_start(&json, "summary") != CLI_OK)
        return CLI_FAILED;
    json_text(&json, "path", path);
    json_open_member(&json, "inputs", '[');
    for (uint32_t i = 0; i < rf_summary_n_inputs(summary); i++)
        add_input(&json, rf_summary_input_at(summary, i));
    json_close(&json, ']');
    json_next(&json, "stats", path);
    return json_finish(&json);
}
