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
#include "cli/say.h"

/* ---- All of them ---- */

static void put_set_json(struct rf_sink *sink, const struct rf_pm_set *set)
{
    size_t n = 0;
    while (set->chips[n] != NULL)
        n++;
    rf_sink_char(sink, '{');
    gpu_metrics_put_member(sink, "name", set->name);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_member(sink, "title", set->title);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_array(sink, "chips", set->chips, n);
    rf_sink_text(sink, ", \"n_metrics\": ");
    rf_sink_u64(sink, set->n_metrics);
    rf_sink_char(sink, '}');
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
    if (gpu_metrics_open_output(&sink) != CLI_OK)
        return CLI_FAILED;
    for (size_t i = 0; (set = rf_pm_set_at(i)) != NULL; i++) {
        if (!is_json) {
            put_set_row(&sink, set);
            continue;
        }
        rf_sink_text(&sink, i == 0 ? "[\n  " : ",\n  ");
        put_set_json(&sink, set);
    }
    rf_sink_text(&sink, is_json ? "\n]\n" : "");
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

static void put_row_json(struct rf_sink *sink, const struct rf_pm_set_metric *row,
                         const char *state)
{
    rf_sink_char(sink, '{');
    gpu_metrics_put_member(sink, "metric", row->metric);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_member(sink, "label", row->label);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_member(sink, "state", state);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_member(sink, "description", row->description);
    rf_sink_char(sink, '}');
}

static void put_choice_json(struct rf_sink *sink, const char *chip, const struct rf_pm_set *set,
                            const struct rf_pm_choice *choice)
{
    bool is_first = true;
    rf_sink_char(sink, '{');
    gpu_metrics_put_member(sink, "set", set->name);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_member(sink, "title", set->title);
    rf_sink_text(sink, ", ");
    gpu_metrics_put_member(sink, "chip", chip);
    rf_sink_text(sink, ", \"metrics\": [");
    for (size_t i = 0; i < set->n_metrics; i++) {
        const char *state = state_of(choice, &set->metrics[i]);
        if (state == NULL)
            continue;
        rf_sink_text(sink, is_first ? "\n  " : ",\n  ");
        is_first = false;
        put_row_json(sink, &set->metrics[i], state);
    }
    rf_sink_text(sink, "\n]}\n");
}

static int print_ours(rf_pm_chip *chip, const struct rf_pm_set *set, bool is_json)
{
    struct rf_sink sink;
    struct rf_pm_choice *choice;
    struct rf_pm_error err;
    if (rf_pm_choose(chip, set, &choice, &err) != RF_PM_OK)
        return gpu_metrics_fail(&err);
    int status = gpu_metrics_open_output(&sink);
    if (status == CLI_OK) {
        (is_json ? put_choice_json : put_choice)(&sink, rf_pm_chip_name(chip), set, choice);
        status = gpu_metrics_close_output(&sink, CLI_OK);
    }
    rf_pm_choice_free(choice);
    return status;
}

/* ---- One of CUPTI's ---- */

static void put_single_pass(struct rf_sink *sink, const char *chip, const char *name,
                            const char *const *metrics, size_t n, bool is_json)
{
    if (is_json) {
        rf_sink_char(sink, '{');
        gpu_metrics_put_member(sink, "set", name);
        rf_sink_text(sink, ", ");
        gpu_metrics_put_member(sink, "chip", chip);
        rf_sink_text(sink, ", ");
        gpu_metrics_put_array(sink, "metrics", metrics, n);
        rf_sink_text(sink, "}\n");
        return;
    }
    rf_sink_text(sink, name);
    rf_sink_text(sink, ": single-pass set of CUPTI. On ");
    rf_sink_text(sink, chip);
    rf_sink_text(sink, ": ");
    gpu_metrics_put_count(sink, n, "metric", "metrics");
    rf_sink_text(sink, "\n\n");
    for (size_t i = 0; i < n; i++) {
        rf_sink_printable(sink, metrics[i], strlen(metrics[i]));
        rf_sink_char(sink, '\n');
    }
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
    struct rf_sink sink;
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
    if (gpu_metrics_open_output(&sink) != CLI_OK)
        return CLI_FAILED;
    put_single_pass(&sink, rf_pm_chip_name(chip), name, metrics, n, is_json);
    return gpu_metrics_close_output(&sink, CLI_OK);
}

int gpu_metrics_print_set(rf_pm_chip *chip, const struct rf_pm_set *set, const char *name,
                          bool is_json)
{
    return set != NULL ? print_ours(chip, set, is_json) : print_single_pass(chip, name, is_json);
}
