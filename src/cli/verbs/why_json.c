/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/why_json.h"

#include "cli/json_out.h"

static const char *const outcomes[] = {
    [RF_WHY_TOO_FEW] = "too few",
    [RF_WHY_ALIKE] = "alike",
    [RF_WHY_CAUSED] = "caused",
    [RF_WHY_UNEXPLAINED] = "unexplained",
};

static const char *const parts[] = {
    [RF_WHY_RANGE] = "range", [RF_WHY_SELF] = "self", [RF_WHY_CALL] = "call",
    [RF_WHY_GAP] = "gap",     [RF_WHY_GAPS] = "gaps", [RF_WHY_MORE] = "more",
};

static void add_cause(struct json_out *json, const struct rf_why_cause *cause)
{
    json_begin_element(json);
    json_open(json, '{');
    json_text(json, "part", parts[cause->part]);
    json_text(json, "path", cause->path);
    json_text(json, "call", cause->call[0] != '\0' ? cause->call : NULL);
    json_u64(json, "slow_instances", cause->n_slow);
    json_u64(json, "ns", cause->ns);
    json_u64(json, "typical_ns", cause->typical_ns);
    json_double(json, "count", cause->count);
    json_double(json, "typical_count", cause->typical_count);
    json_double(json, "share_percent", cause->share);
    json_double(json, "chance", cause->chance);
    json_text(json, "work", cause->work[0] != '\0' ? cause->work : NULL);
    json_u64(json, "work_ns", cause->work_ns);
    json_u64(json, "typical_work_ns", cause->typical_work_ns);
    json_text(json, "other", cause->other[0] != '\0' ? cause->other : NULL);
    json_text(json, "other_thread", cause->other[0] != '\0' ? cause->other_thread : NULL);
    json_u64(json, "other_ns", cause->other_ns);
    json_u64(json, "typical_other_ns", cause->typical_other_ns);
    json_close(json, '}');
}

static void add_instance(struct json_out *json, const struct rf_why_instance *instance)
{
    json_begin_element(json);
    json_open(json, '{');
    json_text(json, "input", instance->input);
    json_text(json, "at", instance->view);
    json_u64(json, "pid", instance->pid);
    json_u64(json, "tid", instance->tid);
    json_i64(json, "start_ns", instance->start_ns);
    json_u64(json, "duration_ns", instance->duration_ns);
    json_u64(json, "excess_ns", instance->excess_ns);
    json_i64(json, "cause", instance->cause == UINT64_MAX ? -1 : (int64_t)instance->cause);
    json_close(json, '}');
}

int why_print_json(const rf_why *why, const struct rf_why_verdict *verdict,
                   const struct why_request *request, struct rf_err *err)
{
    struct json_out json;
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    struct rf_why_instance instance = RF_WHY_INSTANCE_INIT;
    int status = json_begin(&json, "why", err);
    if (status != RF_OK)
        return status;
    json_text(&json, "range", request->range);
    json_text(&json, "outcome", outcomes[verdict->outcome]);
    json_u64(&json, "recordings", request->n_inputs);
    json_u64(&json, "instances", verdict->n_instances);
    json_u64(&json, "left_out", verdict->n_left_out);
    json_u64(&json, "slow", verdict->n_slow);
    json_u64(&json, "explained", verdict->n_explained);
    json_u64(&json, "median_ns", verdict->median_ns);
    json_u64(&json, "slow_from_ns", verdict->slow_from_ns);
    json_u64(&json, "slowest_ns", verdict->slowest_ns);
    json_u64(&json, "excess_ns", verdict->excess_ns);
    json_begin_member(&json, "causes");
    json_open(&json, '[');
    for (size_t i = 0; rf_why_cause_at(why, i, &cause) == RF_OK; i++)
        add_cause(&json, &cause);
    json_close(&json, ']');
    json_begin_member(&json, "slow_instances");
    json_open(&json, '[');
    for (size_t i = 0; rf_why_instance_at(why, i, &instance) == RF_OK; i++)
        add_instance(&json, &instance);
    json_close(&json, ']');
    json_text(&json, "next", request->next);
    return json_end(&json, err);
}
