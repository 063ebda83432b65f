/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/compare_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "base/escape.h"
#include "cli/say.h"
#include "cli/text_out.h"

#define MAX_SLOWER 3 /* lines; the tables have the others */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- What comes before the tables ---- */

static void put_sides(struct rf_sink *sink, const struct rf_compare_result *result)
{
    rf_sink_format(sink, "A: %llu run%s, B: %llu run%s; ", (unsigned long long)result->n_runs_a,
                   plural(result->n_runs_a), (unsigned long long)result->n_runs_b,
                   plural(result->n_runs_b));
    if (result->step[0] != '\0') {
        rf_sink_text(sink, "step ");
        rf_sink_quoted(sink, result->step);
    } else {
        rf_sink_text(sink, "no range repeats in all of them: shares are of the whole run");
    }
    rf_sink_char(sink, '\n');
}

static void put_settings(struct rf_sink *sink, const rf_compare *compare)
{
    struct rf_compare_setting setting = RF_COMPARE_SETTING_INIT;
    for (size_t i = 0; rf_compare_setting_at(compare, i, &setting) == RF_OK; i++) {
        if (i == 0)
            rf_sink_text(sink, "nothing can be told, since machine or settings differ "
                               "(--ignore=NAME,... if that does not matter):\n");
        rf_sink_text(sink, "   ");
        rf_sink_printable(sink, setting.name, strlen(setting.name));
        rf_sink_text(sink, ": ");
        rf_sink_quoted(sink, setting.a);
        rf_sink_text(sink, " in A, ");
        rf_sink_quoted(sink, setting.b);
        rf_sink_text(sink, " in B\n");
    }
}

static void put_times(struct rf_sink *sink, const struct rf_compare_result *result)
{
    const struct {
        const char *word;
        uint64_t n;
    } part[] = {{"slower", result->n_slower},
                {"faster", result->n_faster},
                {"same", result->n_same},
                {"cannot tell", result->n_cannot_tell}};
    rf_sink_text(sink, "times:");
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        rf_sink_format(sink, "%s %s %llu", i > 0 ? "," : "", part[i].word,
                       (unsigned long long)part[i].n);
    if (result->n_small > 0)
        rf_sink_format(sink, "; %llu with less than 0.5 %% of the %s not compared",
                       (unsigned long long)result->n_small,
                       result->step[0] != '\0' ? "step" : "run");
    rf_sink_char(sink, '\n');
}

/* Of what is slower, but in nothing that is slower: by how much, and where that lies. */
static void put_slower(struct rf_sink *sink, const rf_compare *compare)
{
    struct rf_compare_time time = RF_COMPARE_TIME_INIT;
    size_t n = 0;
    for (size_t i = 0; n < MAX_SLOWER && rf_compare_time_at(compare, i, &time) == RF_OK; i++) {
        char text[40];
        if (time.verdict != RF_COMPARE_SLOWER || time.is_part || time.kind == RF_COMPARE_MEAN)
            continue;
        n++;
        rf_sink_format(sink, "slower: %s ", rf_compare_kind_name(time.kind));
        rf_sink_quoted(sink, time.name);
        rf_sink_format(sink, " by %.1f %%", 100 * (time.ratio - 1));
        if (time.b_ns - time.a_ns >= 1)
            rf_sink_format(
                sink, " (%s)",
                rf_format_duration(text, sizeof(text), (int64_t)(time.b_ns - time.a_ns)));
        if (time.carrier[0] != '\0') {
            rf_sink_format(sink, ", %.0f %% of it in ", time.carried);
            rf_sink_quoted(sink, time.carrier);
        }
        rf_sink_char(sink, '\n');
    }
}

static void put_counts(struct rf_sink *sink, const struct rf_compare_result *result)
{
    rf_sink_format(sink, "counts: %llu differ, %llu the same", (unsigned long long)result->n_counts,
                   (unsigned long long)result->n_counts_same);
    if (result->n_counts_unclear > 0)
        rf_sink_format(sink, ", %llu cannot tell", (unsigned long long)result->n_counts_unclear);
    rf_sink_char(sink, '\n');
}

static void put_hints(struct rf_sink *sink, const struct rf_compare_result *result)
{
    if (result->n_runs_a < 2 || result->n_runs_b < 2)
        rf_sink_text(sink, "one run says nothing about how much runs vary: record five of each, "
                           "in turn\n");
    if (result->folds_numbers)
        rf_sink_text(sink, "names that differ by numbers are one: --fold-numbers=false keeps them "
                           "apart\n");
    if (result->n_paths_folded > 0)
        rf_sink_format(
            sink,
            "%llu names have no row of their own, and are not compared: 'rangefinder summarize' "
            "with --fold-numbers or --max-paths keeps more\n",
            (unsigned long long)result->n_paths_folded);
}

static void put_head(struct rf_sink *sink, const rf_compare *compare,
                     const struct rf_compare_result *result)
{
    put_sides(sink, result);
    put_settings(sink, compare);
    put_times(sink, result);
    put_slower(sink, compare);
    put_counts(sink, result);
    put_hints(sink, result);
    rf_sink_char(sink, '\n');
}

static int print_head(const rf_compare *compare, const struct rf_compare_result *result,
                      struct rf_err *err)
{
    struct text_out out;
    int status = text_begin(&out, err);
    if (status != RF_OK)
        return status;
    put_head(&out.sink, compare, result);
    return text_end(&out, err);
}

int compare_print(const rf_compare *compare, const struct rf_compare_result *result,
                  const struct compare_request *request, struct rf_err *err)
{
    struct rf_report_options options = RF_REPORT_OPTIONS_INIT;
    const bool has_counts = result->n_counts + result->n_counts_unclear > 0;
    options.format = request->format;
    options.output = "-";
    options.width = cli_output_width();
    int status = print_head(compare, result, err);
    if (status == RF_OK)
        status = rf_compare_write(compare, RF_COMPARE_TIMES, request->max_rows, &options, err);
    if (status == RF_OK && has_counts) {
        (void)putchar('\n');
        (void)fflush(stdout);
        status = rf_compare_write(compare, RF_COMPARE_COUNTS, request->max_rows, &options, err);
    }
    return status;
}
