/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_merged.h"

#include "base/error.h"
#include "base/escape.h"
#include "export/chrome/json_about.h"
#include "export/chrome/json_tracks.h"

/* Readers refuse times below 0, and who comes first is not known before all were read: the first
 * input's time 0 is one day. Readers have ts as a double, which is exact for 52 days. */
#define DAY_NS ((int64_t)86400 * 1000000000)

int json_merged_base(struct json_writer *to, int64_t begin_ns)
{
    const struct rf_merging *merging = to->job->merging;
    const struct rf_merged_input *input = rf_merging_last(merging);
    int64_t first_ns;
    bool is_sound = !__builtin_add_overflow(DAY_NS, input->shift_ns, &to->base_ns) &&
                    !__builtin_add_overflow(to->base_ns, begin_ns, &first_ns) && first_ns >= 0;
    return is_sound ? RF_OK
                    : rf_fail(to->job->err, RF_ERR_UNSUPPORTED,
                              "'%s' begins more than a day before '%s'; name it first", input->path,
                              merging->input[0].path);
}

static void put_clock(struct json_writer *to, const struct rf_merged_input *input)
{
    json_put_text_member(to->sink, "\"input\":", input->path);
    json_put_text_member(to->sink, ",\"clock_method\":", rf_align_method_name(input->method));
    rf_sink_text(to->sink, ",\"clock_shift_ns\":\"");
    rf_sink_i64(to->sink, input->shift_ns);
    rf_sink_text(to->sink, "\",\"clock_uncertainty_ns\":");
    if (input->uncertainty_ns >= 0)
        rf_sink_u64(to->sink, (uint64_t)input->uncertainty_ns);
    else
        rf_sink_text(to->sink, "null");
    if (input->rank >= 0)
        json_put_member(to->sink, ",\"rank\":", (uint64_t)input->rank);
    rf_sink_char(to->sink, ',');
}

/* What is said about the input, as an object, to merging->about. */
static int keep_about(struct json_writer *to)
{
    struct rf_merging *merging = to->job->merging;
    struct rf_sink about, *events = to->sink;
    int status = rf_sink_init(&about, rf_merging_keep, merging, to->job->err);
    if (status != RF_OK)
        return status;
    to->sink = &about;
    rf_sink_text(&about, merging->n > 1 ? ",\n{" : "\n{");
    put_clock(to, rf_merging_last(merging));
    json_put_about(to);
    rf_sink_char(&about, '}');
    to->sink = events;
    status = rf_sink_finish(&about);
    rf_sink_release(&about);
    return status;
}

int json_merged_begin(struct json_writer *to)
{
    const struct rf_merging *merging = to->job->merging;
    if (merging->n == 1)
        rf_sink_text(to->sink, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    to->has_line = merging->has_events;
    to->first_process = merging->n_processes;
    to->first_flow = merging->n_ops;
    return keep_about(to);
}

/* Perfetto's table of this name has texts: one line per input. */
static void put_metadata(const struct rf_merging *merging, struct rf_sink *sink)
{
    rf_sink_text(sink, "\"metadata\":{\"exported_by\":\"Rangefinder " RF_PRODUCT_VERSION "\"");
    for (size_t i = 0; i < merging->n; i++) {
        const struct rf_merged_input *input = &merging->input[i];
        json_put_member(sink, ",\n\"input_", i);
        rf_sink_text(sink, "\":\"");
        rf_sink_json_inner(sink, input->path, strlen(input->path));
        rf_sink_text(sink, " @ ");
        rf_sink_json_inner(sink, input->host, strlen(input->host));
        rf_sink_text(sink, ", clock: ");
        rf_sink_text(sink, rf_align_method_name(input->method));
        rf_sink_text(sink, ", shift ");
        rf_sink_i64(sink, input->shift_ns);
        if (input->uncertainty_ns >= 0)
            json_put_member(sink, " ns, uncertainty ", (uint64_t)input->uncertainty_ns);
        rf_sink_text(sink, " ns\"");
    }
    rf_sink_char(sink, '}');
}

int json_merged_end(struct rf_merging *merging, struct rf_sink *sink, struct rf_err *err)
{
    (void)err; /* the sink has it */
    rf_sink_text(sink, "\n],\n\"otherData\":{\"exported_by\":\"Rangefinder " RF_PRODUCT_VERSION
                       "\",\"ts_of_time_0\":");
    rf_sink_thousandths(sink, DAY_NS);
    rf_sink_text(sink, ",\n\"inputs\":[");
    rf_sink_bytes(sink, merging->about, merging->about_size);
    rf_sink_text(sink, "]},\n");
    put_metadata(merging, sink);
    rf_sink_text(sink, "}\n");
    return rf_sink_status(sink);
}
