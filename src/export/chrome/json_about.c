/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_about.h"

#include "base/escape.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"

/* Numbers beyond 2^53 stand as text. */
void json_put_trace_info(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    const struct rf_info *info = rf_get_info(to->rec);
    rf_sink_text(sink, "\"exported_by\":\"Rangefinder " RF_PRODUCT_VERSION "\"");
    json_put_text_member(sink, ",\"recorded_by\":", info->product);
    json_put_text_member(sink, ",\"host\":", info->host);
    rf_sink_text(sink, ",\"epoch_utc_ns\":\"");
    rf_sink_i64(sink, info->epoch_utc_ns);
    rf_sink_text(sink, "\",\"epoch_utc\":\"");
    rf_sink_utc(sink, info->epoch_utc_ns);
    rf_sink_text(sink, "\",\"epoch_monotonic_ns\":\"");
    rf_sink_i64(sink, info->epoch_mono_ns);
    json_put_text_member(sink, "\",\"clock\":", info->clock_name);
    json_put_member(sink, ",\"cut_ranges\":", info->n_cut);
    if (info->is_focused)
        json_put_member(sink, ",\"ranges_cut_at_start\":", info->n_cut_at_start);
    json_put_member(sink, ",\"lost_events\":", info->n_lost_records);
    if (to->base_ns == 0)
        return;
    rf_sink_text(sink, ",\"ts_of_time_0\":");
    rf_sink_thousandths(sink, to->base_ns);
}

static void put_captures(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"captures\":[");
    for (uint32_t i = 0; i < rf_n_captures(to->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        json_put_member(sink, i > 0 ? ",\n{\"number\":" : "\n{\"number\":", capture->number);
        rf_sink_text(sink, ",\"ts\":");
        rf_sink_thousandths(sink, json_shown_ns(to, capture->begin_ns));
        rf_sink_text(sink, ",\"end\":");
        rf_sink_thousandths(sink, json_shown_ns(to, capture->end_ns));
        rf_sink_text(sink, capture->is_open ? ",\"is_open\":true}" : ",\"is_open\":false}");
    }
    rf_sink_char(sink, ']');
}

static void put_processes(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, ",\"processes\":[");
    for (uint32_t i = 0; i < rf_n_processes(to->rec); i++) {
        const struct rf_process *process = rf_process_at(to->rec, i);
        json_put_member(sink, i > 0 ? ",\n{\"pid\":" : "\n{\"pid\":", process->pid);
        json_put_member(sink, ",\"shown_as_pid\":", to->ids.pids[i]);
        rf_sink_text(sink, ",\"name\":");
        rf_sink_json_name(sink, to->rec, process->name);
        rf_sink_text(sink, ",\"command\":");
        rf_sink_json_name(sink, to->rec, process->command);
        rf_sink_char(sink, '}');
    }
    rf_sink_char(sink, ']');
}

void json_put_about(struct json_writer *to)
{
    json_put_trace_info(to);
    put_processes(to);
    if (rf_get_info(to->rec)->is_focused)
        put_captures(to);
    if (rf_n_gpus(to->rec) > 0)
        json_put_gpus(to);
}
