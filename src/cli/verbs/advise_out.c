/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/advise_out.h"

#include <stdio.h>

#include "base/amounts.h"
#include "cli/json_out.h"
#include "cli/text_out.h"

/* ---- Text: that of findings is safe on a terminal ---- */

static void put_line(struct rf_sink *sink, const char *before, const char *text, const char *after)
{
    rf_sink_text(sink, before);
    rf_sink_text(sink, text);
    rf_sink_text(sink, after);
}

static void put_gain(struct rf_sink *sink, const struct rf_finding *finding, size_t n_inputs)
{
    char text[96];
    put_line(sink, "   to gain: at most ",
             rf_format_duration(text, sizeof(text), (int64_t)finding->gain_ns), "");
    (void)snprintf(text, sizeof(text), ", %.1f %% of ",
                   100 * (double)finding->gain_ns / (double)finding->of_ns);
    put_line(sink, text, finding->of, "");
    if (n_inputs > 1) {
        (void)snprintf(text, sizeof(text), "; in %llu of %zu recordings",
                       (unsigned long long)finding->n_inputs, n_inputs);
        rf_sink_text(sink, text);
    }
    rf_sink_char(sink, '\n');
}

static void put_finding(struct rf_sink *sink, size_t i, const struct rf_finding *finding,
                        const struct advise_request *request)
{
    rf_sink_u64(sink, i + 1);
    put_line(sink, ". ", finding->title, " [");
    put_line(sink, finding->id, "]", "\n");
    if (finding->gain_ns > 0)
        put_gain(sink, finding, request->n_inputs);
    put_line(sink, "   because: ", finding->evidence, "\n");
    put_line(sink, "   do: ", finding->advice, "\n");
    put_line(sink, "   see: ", finding->command, request->filter[0] != '\0' ? " " : "");
    put_line(sink, request->filter, "", "\n");
}

int advise_print(const rf_advice *advice, const struct advise_request *request, struct rf_err *err)
{
    struct rf_finding finding = RF_FINDING_INIT;
    struct text_out out;
    size_t n = 0;
    int status = text_begin(&out, err);
    if (status != RF_OK)
        return status;
    for (; rf_advice_finding_at(advice, n, &finding) == RF_OK; n++)
        put_finding(&out.sink, n, &finding, request);
    if (n == 0)
        rf_sink_text(&out.sink, "nothing to advise: no rule of rangefinder-advise(1) applies\n");
    return text_end(&out, err);
}

/* ---- JSON ---- */

static void add_finding(struct json_out *json, const struct rf_finding *finding)
{
    json_begin_element(json);
    json_open(json, '{');
    json_text(json, "id", finding->id);
    json_text(json, "subject", finding->subject);
    json_text(json, "title", finding->title);
    json_text(json, "evidence", finding->evidence);
    json_text(json, "advice", finding->advice);
    json_text(json, "command", finding->command);
    json_u64(json, "gain_ns", finding->gain_ns);
    json_u64(json, "of_ns", finding->of_ns);
    json_text(json, "of", finding->of[0] != '\0' ? finding->of : NULL);
    json_u64(json, "recordings", finding->n_inputs);
    json_close(json, '}');
}

int advise_print_json(const rf_advice *advice, const struct advise_request *request,
                      struct rf_err *err)
{
    struct rf_finding finding = RF_FINDING_INIT;
    struct json_out json;
    int status = json_begin(&json, "advise", err);
    if (status != RF_OK)
        return status;
    json_u64(&json, "recordings", request->n_inputs);
    json_begin_member(&json, "findings");
    json_open(&json, '[');
    for (size_t i = 0; rf_advice_finding_at(advice, i, &finding) == RF_OK; i++)
        add_finding(&json, &finding);
    json_close(&json, ']');
    return json_end(&json, err);
}
