/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/gpu_metrics_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/gpu_metrics/gpu_metrics_chip.h"
#include "cli/gpu_metrics/gpu_metrics_output.h"
#include "cli/json_out.h"

#define MAX_NAME 512

struct checking {
    struct rf_sink sink; /* of text */
    rf_pm_chip *chip;
    const char *const *metrics;
    const struct rf_pm_check *check;
    bool fits; /* all of them, in one pass */
};

static const char *fit_name(int fit)
{
    static const char *const names[] = {"fits", "unknown", "left out"};
    return names[fit];
}

/* The known names nearest to an unknown metric, at most RF_PM_NEAREST. */
static size_t find_nearest(const struct checking *c, size_t i, const char *nearest[RF_PM_NEAREST])
{
    int n = c->check->fit[i] == RF_PM_UNKNOWN
                ? rf_pm_chip_nearest(c->chip, c->metrics[i], nearest, NULL)
                : 0;
    return n > 0 ? (size_t)n : 0;
}

/* CUPTI has some metrics in a second form that needs fewer counters: its name, where it fits alone.
 */
static const char *find_smaller(const struct checking *c, size_t i, char *name, size_t size)
{
    struct rf_pm_check *check;
    const char *metric = name;
    if (c->check->fit[i] != RF_PM_LEFT_OUT)
        return NULL;
    (void)snprintf(name, size, "TriageCompute.%s", c->metrics[i]);
    if (rf_pm_check_new(c->chip, &metric, 1, NULL, &check, NULL) != RF_PM_OK)
        return NULL;
    bool fits = check->n_fitting == 1 && check->n_passes == 1;
    rf_pm_check_free(check);
    return fits ? name : NULL;
}

/* ---- As text ---- */

static void put_row(struct checking *c, size_t i)
{
    char name[MAX_NAME];
    const char *nearest[RF_PM_NEAREST];
    size_t n = find_nearest(c, i, nearest);
    rf_sink_text(&c->sink, "  ");
    gpu_metrics_put_cell(&c->sink, fit_name(c->check->fit[i]), 9);
    rf_sink_printable(&c->sink, c->metrics[i], strlen(c->metrics[i]));
    for (size_t k = 0; k < n; k++) {
        rf_sink_text(&c->sink, k == 0 ? "; did you mean '" : ", '");
        rf_sink_printable(&c->sink, nearest[k], strlen(nearest[k]));
        rf_sink_text(&c->sink, k + 1 < n ? "'" : "'?");
    }
    const char *smaller = find_smaller(c, i, name, sizeof(name));
    if (smaller != NULL) {
        rf_sink_text(&c->sink, "; in one pass: '");
        rf_sink_printable(&c->sink, smaller, strlen(smaller));
        rf_sink_char(&c->sink, '\'');
    }
    rf_sink_char(&c->sink, '\n');
}

/* "GH100: 3 metrics fit in one pass" */
static void put_verdict(struct checking *c)
{
    const struct rf_pm_check *check = c->check;
    rf_sink_text(&c->sink, rf_pm_chip_name(c->chip));
    rf_sink_text(&c->sink, ": ");
    if (c->fits) {
        gpu_metrics_put_count(&c->sink, check->n, "metric fits", "metrics fit");
        rf_sink_text(&c->sink, " in one pass\n");
        return;
    }
    gpu_metrics_put_count(&c->sink, check->n, "metric", "metrics");
    if (check->n_unknown > 0) {
        rf_sink_text(&c->sink, ", ");
        rf_sink_u64(&c->sink, check->n_unknown);
        rf_sink_text(&c->sink, " of them unknown");
    }
    if (check->n_passes > 1) {
        rf_sink_text(&c->sink, check->n_unknown > 0 ? "; the others take " : " that take ");
        rf_sink_u64(&c->sink, check->n_passes);
        rf_sink_text(&c->sink, " passes, and sampling has one");
    }
    rf_sink_char(&c->sink, '\n');
}

static int print_text(struct checking *c)
{
    if (gpu_metrics_open_output(&c->sink) != CLI_OK)
        return CLI_FAILED;
    put_verdict(c);
    for (size_t i = 0; i < c->check->n; i++)
        put_row(c, i);
    return gpu_metrics_close_output(&c->sink, CLI_OK);
}

/* ---- As JSON ---- */

static void add_row(const struct checking *c, struct json_out *json, size_t i)
{
    char name[MAX_NAME];
    const char *nearest[RF_PM_NEAREST];
    json_open_element(json, '{');
    json_text(json, "metric", c->metrics[i]);
    json_text(json, "fit", fit_name(c->check->fit[i]));
    json_texts(json, "nearest", nearest, find_nearest(c, i, nearest));
    json_text(json, "instead", find_smaller(c, i, name, sizeof(name)));
    json_close(json, '}');
}

static int print_json(struct checking *c)
{
    struct json_out json;
    if (json_start(&json, "gpu-metrics-check") != CLI_OK)
        return CLI_FAILED;
    json_text(&json, "chip", rf_pm_chip_name(c->chip));
    json_bool(&json, "fits", c->fits);
    json_u64(&json, "n_passes", c->check->n_passes);
    json_open_member(&json, "metrics", '[');
    for (size_t i = 0; i < c->check->n; i++)
        add_row(c, &json, i);
    json_close(&json, ']');
    return json_finish(&json);
}

int gpu_metrics_print_check(rf_pm_chip *chip, const char *const *metrics, size_t n, bool is_json)
{
    struct rf_pm_check *check;
    struct rf_pm_error err;
    if (rf_pm_check_new(chip, metrics, n, NULL, &check, &err) != RF_PM_OK)
        return gpu_metrics_fail(&err);
    struct checking c = {.chip = chip,
                         .metrics = metrics,
                         .check = check,
                         .fits = check->n_fitting == n && check->n_passes == 1};
    int status = (is_json ? print_json : print_text)(&c);
    rf_pm_check_free(check);
    return c.fits ? status : CLI_FAILED;
}
