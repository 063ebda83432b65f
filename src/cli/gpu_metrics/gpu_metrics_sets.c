/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/gpu_metrics_sets.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/gpu_metrics/gpu_metrics_chip.h"
#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/gpu_metrics/gpu_metrics_output.h"
#include "cli/json_out.h"
#include "cli/say.h"

/* ---- All of them ---- */

static void add_set(struct json_out *json, const struct rf_pm_set *set)
{
    size_t n = 0;
    while (set->chips[n] != NULL)
        n++;
    json_open_element(json, '{');
    json_text(json, "name", set->name);
    json_text(json, "title", set->title);
    json_texts(json, "chips", set->chips, n);
    json_u64(json, "n_metrics", set->n_metrics);
    json_close(json, '}');
}

static int print_sets_json(void)
{
    struct json_out json;
    const struct rf_pm_set *set;
    if (json_start(&json, "gpu-metrics-sets") != CLI_OK)
        return CLI_FAILED;
    json_open_member(&json, "sets", '[');
    for (size_t i = 0; (set = rf_pm_set_at(i)) != NULL; i++)
        add_set(&json, set);
    json_close(&json, ']');
    return json_finish(&json);
}

static void put_set_row(struct rf_sink *sink, const struct rf_pm_set *set)
{
    gpu_metrics_put_cell(sink, set->name, 6);
    gpu_metrics_put_cell(sink, set->title, 47);
    for (size_t i = 0; set->chips[i] != NULL; i++) {
        rf_sink_text(sink, i > 0 ? " " : "");
        rf_sink_text(sink, set->chips[i]);
    }
    rf_sink_char(sink, '\n');
}

int gpu_metrics_print_sets(bool is_json)
{
    struct rf_sink sink;
    const struct rf_pm_set *set;
    if (is_json)
        return print_sets_json();
    if (gpu_metrics_open_output(&sink) != CLI_OK)
        return CLI_FAILED;
    for (size_t i = 0; (set = rf_pm_set_at(i)) != NULL; i++)
        put_set_row(&sink, set);
    return gpu_metrics_close_output(&sink, CLI_OK);
}

/* ---- One of ours ---- */

static const char *state_of(const struct rf_pm_choice *choice, const struct rf_pm_set_metric *row)
{
    for (size_t i = 0; i < choice->n_chosen; i++)
        if (choice->chosen[i] == row)
            return "sampled";
    for (size_t i = 0; i < choice->n_missing; i++)
        if (choice->missing[i] == row)
            return "missing";
    for (size_t i = 0; i < choice->n_left_out; i++)
        if (choice->left_out[i] == row)
            return "left out";
    return NULL; /* an unused substitute, or a metric that is substituted */
}

static void put_row(struct rf_sink *sink, const struct rf_pm_set_metric *row, const char *state)
{
    rf_sink_text(sink, row->label);
    if (strcmp(state, "missing") == 0)
        rf_sink_text(sink, "  -- not on this chip");
    else if (strcmp(state, "left out") == 0)
        rf_sink_text(sink, "  -- left out: it does not fit in one pass with those before");
    rf_sink_text(sink, "\n    ");
    rf_sink_text(sink, row->metric);
    rf_sink_text(sink, "\n    ");
    rf_sink_text(sink, row->description);
    rf_sink_char(sink, '\n');
}

static void put_choice(struct rf_sink *sink, const char *chip, const struct rf_pm_set *set,
                       const struct rf_pm_choice *choice)
{
    rf_sink_text(sink, set->name);
    rf_sink_text(sink, ": ");
    rf_sink_text(sink, set->title);
    rf_sink_text(sink, ". On ");
    rf_sink_text(sink, chip);
    rf_sink_text(sink, ": ");
    gpu_metrics_put_count(sink, choice->n_chosen, "metric", "metrics");
    rf_sink_text(sink, " in one pass");
    if (choice->n_missing > 0) {
        rf_sink_text(sink, ", ");
        gpu_metrics_put_count(sink, choice->n_missing, "is missing", "are missing");
    }
    if (choice->n_left_out > 0) {
        rf_sink_text(sink, ", ");
        gpu_metrics_put_count(sink, choice->n_left_out, "is left out", "are left out");
    }
    rf_sink_text(sink, "\n\n");
    for (size_t i = 0; i < set->n_metrics; i++) {
        const char *state = state_of(choice, &set->metrics[i]);
        if (state != NULL)
            put_row(sink, &set->metrics[i], state);
    }
}

static void add_row(struct json_out *json, const struct rf_pm_set_metric *row, const char *state)
{
    json_open_element(json, '{');
    json_text(json, "metric", row->metric);
    json_text(json, "label", row->label);
    json_text(json, "state", state);
    json_text(json, "description", row->description);
    json_close(json, '}');
}

static int print_choice_json(const char *chip, const struct rf_pm_set *set,
                             const struct rf_pm_choice *choice)
{
    struct json_out json;
    if (json_start(&json, "gpu-metrics-set") != CLI_OK)
        return CLI_FAILED;
    json_text(&json, "set", set->name);
    json_text(&json, "title", set->title);
    json_text(&json, "chip", chip);
    json_open_member(&json, "metrics", '[');
    for (size_t i = 0; i < set->n_metrics; i++) {
        const char *state = state_of(choice, &set->metrics[i]);
        if (state != NULL)
            add_row(&json, &set->metrics[i], state);
    }
    json_close(&json, ']');
    return json_finish(&json);
}

static int print_choice(const char *chip, const struct rf_pm_set *set,
                        const struct rf_pm_choice *choice)
{
    struct rf_sink sink;
    if (gpu_metrics_open_output(&sink) != CLI_OK)
        return CLI_FAILED;
    put_choice(&sink, chip, set, choice);
    return gpu_metrics_close_output(&sink, CLI_OK);
}

static int print_ours(rf_pm_chip *chip, const struct rf_pm_set *set, bool is_json)
{
    struct rf_pm_choice *choice;
    struct rf_pm_error err;
    if (rf_pm_choose(chip, set, &choice, &err) != RF_PM_OK)
        return gpu_metrics_fail(&err);
    int status = (is_json ? print_choice_json : print_choice)(rf_pm_chip_name(chip), set, choice);
    rf_pm_choice_free(choice);
    return status;
}

/* ---- One of CUPTI's ---- */

/* CUPTI has a name for the set, and nothing else: no title, label or description. */
static int print_single_pass_json(const char *chip, const char *name, const char *const *metrics,
                                  size_t n)
{
    struct json_out json;
    if (json_start(&json, "gpu-metrics-set") != CLI_OK)
        return CLI_FAILED;
    json_text(&json, "set", name);
    json_null(&json, "title");
    json_text(&json, "chip", chip);
    json_open_member(&json, "metrics", '[');
    for (size_t i = 0; i < n; i++) {
        json_open_element(&json, '{');
        json_text(&json, "metric", metrics[i]);
        json_null(&json, "label");
        json_text(&json, "state", "sampled");
        json_null(&json, "description");
        json_close(&json, '}');
    }
    json_close(&json, ']');
    return json_finish(&json);
}

static int print_single_pass_text(const char *chip, const char *name, const char *const *metrics,
                                  size_t n)
{
    struct rf_sink sink;
    if (gpu_metrics_open_output(&sink) != CLI_OK)
        return CLI_FAILED;
    rf_sink_text(&sink, name);
    rf_sink_text(&sink, ": single-pass set of CUPTI. On ");
    rf_sink_text(&sink, chip);
    rf_sink_text(&sink, ": ");
    gpu_metrics_put_count(&sink, n, "metric", "metrics");
    rf_sink_text(&sink, "\n\n");
    for (size_t i = 0; i < n; i++) {
        rf_sink_printable(&sink, metrics[i], strlen(metrics[i]));
        rf_sink_char(&sink, '\n');
    }
    return gpu_metrics_close_output(&sink, CLI_OK);
}

static int fail_unknown(const char *name, const char *near)
{
    if (near != NULL)
        cli_say("there is no metric set '%s'; did you mean '%s'?", name, near);
    else
        cli_say("there is no metric set '%s'; 'rangefinder gpu-metrics --sets' lists them", name);
    return CLI_FAILED;
}

/* The name is neither one of our sets nor one of CUPTI's. */
static int fail_single_pass(rf_pm_chip *chip, const char *name)
{
    const char *const *names;
    size_t n;
    if (rf_pm_chip_single_pass_sets(chip, &names, &n, NULL) != RF_PM_OK)
        n = 0;
    return fail_unknown(name, rf_nearest_name(name, names, n));
}

int gpu_metrics_find_set(const char *name, const struct rf_pm_set **out)
{
    *out = rf_pm_set_named(name);
    const char *near = *out == NULL ? gpu_metrics_nearest_set(name) : NULL;
    return near != NULL ? fail_unknown(name, near) : CLI_OK;
}

static int print_single_pass(rf_pm_chip *chip, const char *name, bool is_json)
{
    struct rf_pm_error err;
    const char *const *metrics;
    size_t n;
    int status = rf_pm_chip_single_pass_metrics(chip, name, &metrics, &n, &err);
    if (status == RF_PM_ERR_ARGUMENT)
        return fail_single_pass(chip, name);
    if (status == RF_PM_ERR_LIBRARY) {
        cli_say("there is no metric set '%s' ('rangefinder gpu-metrics --sets' lists them), and %s",
                name, err.text);
        return CLI_FAILED;
    }
    if (status != RF_PM_OK)
        return gpu_metrics_fail(&err);
    return (is_json ? print_single_pass_json : print_single_pass_text)(rf_pm_chip_name(chip), name,
                                                                       metrics, n);
}

int gpu_metrics_print_set(rf_pm_chip *chip, const struct rf_pm_set *set, const char *name,
                          bool is_json)
{
    return set != NULL ? print_ours(chip, set, is_json) : print_single_pass(chip, name, is_json);
}
