/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/compare_json.h"

#include "cli/json_out.h"

/* NULL where it is not known. */
static void add_known(struct json_out *json, const char *name, bool is_known, double value)
{
    if (is_known)
        json_double(json, name, value);
    else
        json_text(json, name, NULL);
}

static void add_verdict(struct json_out *json, int kind, const char *name, int verdict, int reason)
{
    json_text(json, "kind", rf_compare_kind_name(kind));
    json_text(json, "name", name);
    json_text(json, "verdict", rf_compare_verdict_name(verdict));
    json_text(json, "reason", reason != RF_COMPARE_CLEAR ? rf_compare_reason_name(reason) : NULL);
}

static void add_time(struct json_out *json, const struct rf_compare_time *time)
{
    json_begin_element(json);
    json_open(json, '{');
    add_verdict(json, time->kind, time->name, time->verdict, time->reason);
    json_u64(json, "runs_a", time->n_a);
    json_u64(json, "runs_b", time->n_b);
    json_double(json, "a_ns", time->a_ns);
    json_double(json, "b_ns", time->b_ns);
    json_double(json, "ratio", time->ratio);
    add_known(json, "low", time->has_interval != 0, time->low);
    add_known(json, "high", time->has_interval != 0, time->high);
    json_double(json, "chance", time->chance);
    json_double(json, "share_a_percent", time->share_a);
    json_double(json, "share_b_percent", time->share_b);
    if (time->n_more > 0)
        json_u64(json, "more_runs", time->n_more);
    else
        json_text(json, "more_runs", NULL);
    json_text(json, "carrier", time->carrier[0] != '\0' ? time->carrier : NULL);
    add_known(json, "carried_percent", time->carrier[0] != '\0', time->carried);
    json_close(json, '}');
}

static void add_count(struct json_out *json, const struct rf_compare_count *count)
{
    json_begin_element(json);
    json_open(json, '{');
    add_verdict(json, count->kind, count->name, count->verdict, count->reason);
    json_text(json, "per", count->is_per_step ? "step" : "run");
    json_double(json, "a_min", count->a_min);
    json_double(json, "a_max", count->a_max);
    json_double(json, "b_min", count->b_min);
    json_double(json, "b_max", count->b_max);
    json_close(json, '}');
}

static void add_setting(struct json_out *json, const struct rf_compare_setting *setting)
{
    json_begin_element(json);
    json_open(json, '{');
    json_text(json, "name", setting->name);
    json_text(json, "a", setting->a);
    json_text(json, "b", setting->b);
    json_close(json, '}');
}

static void add_gates(struct json_out *json, unsigned gates)
{
    static const char *const names[] = {"slower", "counts", "cannot-tell", "mean"};
    json_begin_member(json, "failed");
    json_open(json, '[');
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((gates & 1u << i) != 0) {
            json_begin_element(json);
            rf_sink_char(json->sink, '"');
            rf_sink_text(json->sink, names[i]);
            rf_sink_char(json->sink, '"');
        }
    json_close(json, ']');
}

static void add_result(struct json_out *json, const struct rf_compare_result *result,
                       const struct compare_request *request)
{
    json_text(json, "step", result->step[0] != '\0' ? result->step : NULL);
    json_u64(json, "runs_a", result->n_runs_a);
    json_u64(json, "runs_b", result->n_runs_b);
    json_u64(json, "names_in_common", result->n_common);
    json_u64(json, "slower", result->n_slower);
    json_u64(json, "mean_slower", result->n_mean_slower);
    json_u64(json, "faster", result->n_faster);
    json_u64(json, "same", result->n_same);
    json_u64(json, "cannot_tell", result->n_cannot_tell);
    json_u64(json, "small", result->n_small);
    json_u64(json, "counts_differ", result->n_counts);
    json_u64(json, "counts_unclear", result->n_counts_unclear);
    json_u64(json, "counts_same", result->n_counts_same);
    json_bool(json, "folded_numbers", result->folds_numbers != 0);
    add_gates(json, request->failed_gate);
}

/* Whether row i is shown. */
static bool is_shown(const struct compare_request *request, size_t i)
{
    return request->max_rows == 0 || i < request->max_rows;
}

int compare_print_json(const rf_compare *compare, const struct rf_compare_result *result,
                       const struct compare_request *request, struct rf_err *err)
{
    struct json_out json;
    struct rf_compare_setting setting = RF_COMPARE_SETTING_INIT;
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    struct rf_compare_count count = RF_COMPARE_COUNT_INIT;
    int status = json_begin(&json, "compare", err);
    if (status != RF_OK)
        return status;
    add_result(&json, result, request);
    json_begin_member(&json, "settings");
    json_open(&json, '[');
    for (size_t i = 0; rf_compare_setting_at(compare, i, &setting) == RF_OK; i++)
        add_setting(&json, &setting);
    json_close(&json, ']');
    json_begin_member(&json, "times");
    json_open(&json, '[');
    for (size_t i = 0; is_shown(request, i) && rf_compare_time_at(compare, i, &time) == RF_OK; i++)
        add_time(&json, &time);
    json_close(&json, ']');
    json_begin_member(&json, "counts");
    json_open(&json, '[');
    for (size_t i = 0; is_shown(request, i) && rf_compare_count_at(compare, i, &count) == RF_OK;
         i++)
        add_count(&json, &count);
    json_close(&json, ']');
    json_text(&json, "next", request->next);
    return json_end(&json, err);
}
