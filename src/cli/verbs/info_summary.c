/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/info_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "base/escape.h"
#include "base/sink.h"
#include "cli/text_out.h"
#include "rangefinder/summary.h"

static void put_number(struct rf_sink *sink, int width, uint64_t n)
{
    char count[32], text[48];
    (void)snprintf(text, sizeof(text), " %*s", width, rf_format_count(count, sizeof(count), n));
    rf_sink_text(sink, text);
}

static void put_input(struct rf_sink *sink, const struct rf_summary_input *input)
{
    char rank[32] = "None", text[80];
    if (input->rank >= 0)
        (void)snprintf(rank, sizeof(rank), "%" PRIi64, input->rank);
    (void)snprintf(text, sizeof(text), "%8s", rank);
    rf_sink_text(sink, text);
    put_number(sink, 10, input->n_inputs);
    put_number(sink, 15, input->n_events);
    put_number(sink, 12, input->n_lost);
    put_number(sink, 12, input->n_cut);
    if (input->n_searched > 0)
        put_number(sink, 10, input->n_steps);
    else
        rf_sink_text(sink, "       None");
    rf_sink_text(sink, "  ");
    rf_sink_printable(sink, input->path, strlen(input->path));
    if (input->host[0] != '\0') {
        rf_sink_text(sink, " on ");
        rf_sink_printable(sink, input->host, strlen(input->host));
    }
    if (input->filter[0] != '\0') {
        rf_sink_text(sink, ", ");
        rf_sink_printable(sink, input->filter, strlen(input->filter));
    }
    rf_sink_char(sink, '\n');
}

static void put_lines(struct rf_sink *sink, const char *path, const rf_summary *summary)
{
    char count[32];
    rf_sink_text(sink, "summary     ");
    rf_sink_printable(sink, path, strlen(path));
    rf_sink_text(sink, "\n\ninputs (");
    rf_sink_text(sink, rf_format_count(count, sizeof(count), rf_summary_n_inputs(summary)));
    rf_sink_text(
        sink,
        ")\n    rank recordings          events         lost          cut      steps  recording\n");
    for (uint32_t i = 0; i < rf_summary_n_inputs(summary); i++)
        put_input(sink, rf_summary_input_at(summary, i));
}

int info_print_summary(const char *path, const rf_summary *summary, struct rf_err *err)
{
    struct text_out out;
    int status = text_begin(&out, err);
    if (status != RF_OK)
        return status;
    put_lines(&out.sink, path, summary);
    return text_end(&out, err);
}
