/* SPDX-License-Identifier: Apache-2.0 */
/* Counters in Chrome trace JSON. Those of a GPU belong to a process of the viewer's that stands for
 * it; others to their process, or to one for the machine. */
#include "export/chrome/json_counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "export/counter_names.h"
#include "export/chrome/json_kineto.h"
#include "export/chrome/json_tracks.h"

#define LARGEST_PLAIN 9007199254740992.0 /* 2^53: whole numbers below it are exact */

static void put_value(struct rf_sink *sink, double value)
{
    if (!isfinite(value))
        rf_sink_text(sink, "null");
    else if (value == floor(value) && fabs(value) < LARGEST_PLAIN)
        rf_sink_i64(sink, (int64_t)value);
    else
        rf_sink_double(sink, value);
}

/* Viewers draw a value from its time on, and a sample stands for the time up to it. */
static int64_t begin_of(const struct json_writer *to, const struct rf_counter *counter, size_t i)
{
    const int64_t *ns = counter->ns;
    if (i > 0)
        return ns[i - 1];
    if (counter->n_samples == 1)
        return ns[0];
    int64_t begin_ns = (int64_t)(2 * (uint64_t)ns[0] - (uint64_t)ns[1]); /* one interval before */
    return begin_ns <= ns[0] && json_shown_ns(to, begin_ns) >= 0 ? begin_ns : ns[0];
}

static void put_name(struct json_writer *to, const struct rf_counter *counter, int has_sets)
{
    size_t size, set_size;
    const char *name = rf_string(to->rec, counter->name, &size);
    const char *set = rf_counter_set(to->rec, counter, has_sets, &set_size);
    rf_sink_char(to->sink, '"');
    if (name != NULL)
        rf_sink_json_inner(to->sink, name, size);
    else
        rf_sink_text(to->sink, "(null)");
    if (set != NULL) {
        rf_sink_text(to->sink, " (");
        rf_sink_json_inner(to->sink, set, set_size);
        rf_sink_char(to->sink, ')');
    }
    rf_sink_char(to->sink, '"');
}

static int put_counter(struct json_writer *to, const struct rf_counter *counter, int has_sets,
                       uint32_t pid)
{
    int status = RF_OK;
    for (size_t i = 0; i < counter->n_samples && status == RF_OK; i++) {
        json_begin_line(to);
        rf_sink_text(to->sink, "{\"ph\":\"C\",\"cat\":\"counter\",\"name\":");
        put_name(to, counter, has_sets);
        json_put_member(to->sink, ",\"pid\":", pid);
        rf_sink_text(to->sink, ",\"ts\":");
        rf_sink_thousandths(to->sink, json_shown_ns(to, begin_of(to, counter, i)));
        rf_sink_text(to->sink, ",\"args\":{\"value\":");
        put_value(to->sink, counter->value[i]);
        rf_sink_text(to->sink, "}}");
        status = json_step(to);
    }
    return status;
}

/* ---- Where they belong ---- */

static void put_owner_name(struct json_writer *to, uint32_t pid, uint32_t device)
{
    char name[40] = "machine";
    if (device != RF_NO_INDEX)
        (void)snprintf(name, sizeof(name), "GPU %" PRIu32, device);
    json_begin_metadata(to, "process_name", pid, 0);
    json_put_shown_name(to, RF_NO_STRING, name, "");
    json_put_sort_index(to, "process_sort_index", pid, 0, (uint64_t)rf_n_processes(to->rec) + pid);
}

static int has_track(const struct json_writer *to, uint32_t device)
{
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec); i++)
        if (rf_gpu_track_at(to->rec, i)->device == device)
            return 1;
    return 0;
}

/* The pid of a counter's owner, which is named where nothing else did so. */
static uint32_t owner_of(struct json_writer *to, const struct rf_counter *counter)
{
    if (counter->process != RF_NO_INDEX)
        return to->lanes.pids[counter->process];
    int is_device = to->kineto != NULL && counter->device != RF_NO_INDEX;
    uint32_t pid = is_device ? json_kineto_device_pid(counter->device) : to->lanes.next_id++;
    if (!is_device || !has_track(to, counter->device))
        put_owner_name(to, pid, counter->device);
    return pid;
}

int json_put_counters(struct json_writer *to)
{
    int status = RF_OK, has_sets;
    for (uint32_t i = 0; i < rf_n_counters(to->rec) && status == RF_OK;) {
        uint32_t end = rf_counters_end(to->rec, i, &has_sets);
        uint32_t pid = owner_of(to, rf_counter_at(to->rec, i));
        for (; i < end && status == RF_OK; i++)
            status = put_counter(to, rf_counter_at(to->rec, i), has_sets, pid);
    }
    return status;
}
