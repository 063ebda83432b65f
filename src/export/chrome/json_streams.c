/* SPDX-License-Identifier: Apache-2.0 */
/* The tracks of streams in Chrome trace JSON. */
#include "export/chrome/json_streams.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "model/fields/gpu_names.h"
#include "export/chrome/json_tracks.h"
#include "export/chrome/json_work.h"

static int is_same_device(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device;
}

static int is_same_context(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->context == b->context && a->green_context == b->green_context;
}

/* The tracks of a device in a process are neighbors. *end: the first behind them. Returns whether
 * they are of several contexts: then these stand in the names. */
static int find_contexts(const rf_recording *rec, uint32_t first, uint32_t *end)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(rec, first);
    int has_several = 0;
    for (*end = first + 1; *end < rf_n_gpu_tracks(rec); ++*end) {
        const struct rf_gpu_track *next = rf_gpu_track_at(rec, *end);
        if (!is_same_device(track, next))
            break;
        has_several |= !is_same_context(track, next);
    }
    return has_several;
}

/* " context 1 green context 2" where contexts tell streams apart, or have names; or nothing. */
static void put_context(const struct json_writer *to, const struct rf_gpu_track *track,
                        char text[2 * RF_PLACE_NAME_SIZE])
{
    char context[RF_PLACE_NAME_SIZE], green[RF_PLACE_NAME_SIZE];
    uint32_t name = rf_track_context_name(to->rec, track);
    text[0] = '\0';
    if (!to->has_contexts && name == RF_NO_STRING)
        return;
    if (track->green_context == 0)
        (void)snprintf(text, 2 * RF_PLACE_NAME_SIZE, " %s",
                       rf_place_name(to->rec, "context", track->context, name, context));
    else
        (void)snprintf(text, 2 * RF_PLACE_NAME_SIZE, " context %" PRIu32 " %s", track->context,
                       rf_place_name(to->rec, "green context", track->green_context, name, green));
}

static void put_stream_lane_name(struct json_writer *to, size_t lane)
{
    char device[RF_PLACE_NAME_SIZE], context[2 * RF_PLACE_NAME_SIZE], stream[RF_PLACE_NAME_SIZE];
    char number[32] = "", name[5 * RF_PLACE_NAME_SIZE];
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, to->stream);
    rf_place_name(to->rec, "GPU", track->device, rf_track_device_name(to->rec, track), device);
    rf_place_name(to->rec, "stream", track->stream, rf_track_stream_name(to->rec, track), stream);
    put_context(to, track, context);
    if (lane > 0)
        (void)snprintf(number, sizeof(number), " (%zu)", lane + 1);
    int size = snprintf(name, sizeof(name), "%s%s %s%s", device, context, stream, number);
    rf_sink_text(to->sink, "\"name\":");
    rf_sink_json(to->sink, name, (size_t)size);
    rf_sink_text(to->sink, "}}");
}

int json_put_streams(struct json_writer *to)
{
    const struct rf_gpu_op *ops = rf_gpu_ops(to->rec, NULL);
    uint32_t end_of_device = 0;
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        to->stream = i;
        if (i >= end_of_device)
            to->has_contexts = find_contexts(to->rec, i, &end_of_device);
        json_begin_track(to, to->lanes.pids[track->process], 0, json_next_place(to),
                         put_stream_lane_name);
        for (uint32_t k = 0; k < track->n_ops && status == RF_OK; k++)
            status = json_put_op(to, &ops[track->first_op + k], track->first_op + k);
    }
    return status;
}
