/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/gpu_metrics_list.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/gpu_metrics/gpu_metrics_chip.h"
#include "cli/gpu_metrics/gpu_metrics_output.h"
#include "cli/json_out.h"

#define LINE_WIDTH 100

static const char *type_name(int type)
{
    static const char *const names[] = {"counter", "ratio", "throughput"};
    return type >= RF_PM_COUNTER && type <= RF_PM_THROUGHPUT ? names[type] : "metric";
}

/* A pattern without wildcards is a part of the name. */
static bool matches(const char *pattern, const char *name)
{
    if (pattern == NULL)
        return true;
    if (strpbrk(pattern, "*?[") != NULL)
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) != NULL;
}

/* ---- As text ---- */

/* ".avg .avg.per_second ..." in lines that begin below the first. */
static void put_submetrics(struct rf_sink *sink, const char *const *names, size_t n)
{
    static const char title[] = "    submetrics:";
    size_t at = strlen(title);
    rf_sink_text(sink, title);
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(names[i]) + 2;
        if (at + size > LINE_WIDTH) {
            rf_sink_char(sink, '\n');
            rf_sink_pad(sink, strlen(title));
            at = strlen(title);
        }
        rf_sink_text(sink, " .");
        rf_sink_printable(sink, names[i], strlen(names[i]));
        at += size;
    }
    rf_sink_char(sink, '\n');
}

static bool are_equal(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
    if (n_a != n_b)
        return false;
    for (size_t i = 0; i < n_a; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static void put_metric(struct rf_sink *sink, const struct rf_pm_metric *metric)
{
    rf_sink_printable(sink, metric->name, strlen(metric->name));
    rf_sink_text(sink, "\n    ");
    rf_sink_text(sink, type_name(metric->type));
    if (metric->hw_unit[0] != '\0') {
        rf_sink_text(sink, " of ");
        rf_sink_printable(sink, metric->hw_unit, strlen(metric->hw_unit));
    }
    if (metric->unit[0] != '\0') {
        rf_sink_text(sink, ", in ");
        rf_sink_printable(sink, metric->unit, strlen(metric->unit));
    }
    if (metric->description[0] != '\0') {
        rf_sink_text(sink, "\n    ");
        rf_sink_printable(sink, metric->description, strlen(metric->description));
    }
    rf_sink_char(sink, '\n');
}

/* ---- As JSON ---- */

/* submetrics: NULL where they were not asked for */
static void add_metric(struct json_out *json, const struct rf_pm_metric *metric,
                       const char *const *submetrics, size_t n)
{
    json_open_element(json, '{');
    json_text(json, "name", metric->name);
    json_text(json, "type", type_name(metric->type));
    json_text(json, "hw_unit", metric->hw_unit);
    json_text(json, "unit", metric->unit);
    json_text(json, "description", metric->description);
    if (submetrics != NULL)
        json_texts(json, "submetrics", submetrics, n);
    json_close(json, '}');
}

/* ---- The list ---- */

struct listing {
    struct json_out *json; /* NULL: text is printed */
    struct rf_sink sink;   /* of text */
    rf_pm_chip *chip;
    const char *pattern; /* or NULL */
    size_t n_printed;
    const char *const *submetrics; /* printed last: most metrics have the same ones */
    size_t n_submetrics;
};

static void print_submetrics(struct listing *list, const char *const *names, size_t n)
{
    if (n > 0 && are_equal(list->submetrics, list->n_submetrics, names, n))
        rf_sink_text(&list->sink, "    submetrics: as above\n");
    else if (n > 0)
        put_submetrics(&list->sink, names, n);
    list->submetrics = names;
    list->n_submetrics = n;
}

/* Only names where all are asked for, one in a line. */
static int print_metric(struct listing *list, const struct rf_pm_metric *metric, bool has_submetric,
                        struct rf_pm_error *err)
{
    const char *const *names = NULL;
    size_t n = 0;
    if (list->pattern != NULL && !has_submetric) {
        int status = rf_pm_chip_submetrics(list->chip, metric->name, &names, &n, err);
        if (status != RF_PM_OK)
            return status;
    }
    if (list->json != NULL) {
        add_metric(list->json, metric, names, n);
    } else if (list->pattern == NULL) {
        rf_sink_printable(&list->sink, metric->name, strlen(metric->name));
        rf_sink_char(&list->sink, '\n');
    } else {
        put_metric(&list->sink, metric);
        print_submetrics(list, names, n);
    }
    list->n_printed++;
    return RF_PM_OK;
}

static int print_matching(struct listing *list, struct rf_pm_error *err)
{
    const struct rf_pm_metric *metrics;
    size_t n;
    int status = rf_pm_chip_metrics(list->chip, &metrics, &n, err);
    for (size_t i = 0; i < n && status == RF_PM_OK; i++)
        if (matches(list->pattern, metrics[i].name))
            status = print_metric(list, &metrics[i], 0, err);
    return status;
}

/* A metric with a submetric is in no list; where one is named, it is described. */
static int print_all(struct listing *list, struct rf_pm_error *err)
{
    struct rf_pm_metric metric;
    int status = print_matching(list, err);
    if (status != RF_PM_OK || list->n_printed > 0 || list->pattern == NULL)
        return status;
    status = rf_pm_chip_describe(list->chip, list->pattern, &metric, err);
    return status == RF_PM_OK ? print_metric(list, &metric, 1, err) : status;
}

static int print_text(struct listing *list, struct rf_pm_error *err)
{
    if (gpu_metrics_open_output(&list->sink) != CLI_OK)
        return CLI_FAILED;
    if (print_all(list, err) == RF_PM_OK)
        return gpu_metrics_close_output(&list->sink, CLI_OK);
    rf_sink_release(&list->sink);
    return gpu_metrics_fail(err);
}

static int print_json(struct listing *list, struct rf_pm_error *err)
{
    struct json_out json;
    if (json_start(&json, "gpu-metrics-list") != CLI_OK)
        return CLI_FAILED;
    list->json = &json;
    json_text(&json, "chip", rf_pm_chip_name(list->chip));
    json_open_member(&json, "metrics", '[');
    if (print_all(list, err) == RF_PM_OK) {
        json_close(&json, ']');
        return json_finish(&json);
    }
    json_abandon(&json);
    return gpu_metrics_fail(err);
}

int gpu_metrics_print_list(rf_pm_chip *chip, const char *pattern, bool is_json)
{
    struct listing list = {.chip = chip, .pattern = pattern};
    struct rf_pm_error err;
    return (is_json ? print_json : print_text)(&list, &err);
}
