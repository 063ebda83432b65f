/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stream_names.h"

#include <inttypes.h>
#include <stdio.h>

bool rf_has_contexts(const rf_recording *rec, uint32_t first, uint32_t *end)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(rec, first);
    bool has_several = false;
    for (*end = first + 1; *end < rf_n_gpu_tracks(rec); ++*end) {
        const struct rf_gpu_track *next = rf_gpu_track_at(rec, *end);
        if (next->process != track->process || next->device != track->device)
            break;
        has_several |=
            next->context != track->context || next->green_context != track->green_context;
    }
    return has_several;
}

/* " context 1 green context 2" where contexts tell streams apart, or have names; or nothing. */
static void put_context(const rf_recording *rec, const struct rf_gpu_track *track,
                        bool has_contexts, char text[2 * RF_PLACE_NAME_SIZE])
{
    char context[RF_PLACE_NAME_SIZE], green[RF_PLACE_NAME_SIZE];
    uint32_t name = rf_track_context_name(rec, track);
    text[0] = '\0';
    if (!has_contexts && name == RF_NO_STRING)
        return;
    if (track->green_context == 0)
        (void)snprintf(text, 2 * RF_PLACE_NAME_SIZE, " %s",
                       rf_place_name(rec, "context", track->context, name, context));
    else
        (void)snprintf(text, 2 * RF_PLACE_NAME_SIZE, " context %" PRIu32 " %s", track->context,
                       rf_place_name(rec, "green context", track->green_context, name, green));
}

size_t rf_stream_name(const rf_recording *rec, uint32_t index, bool has_contexts,
                      char name[RF_STREAM_NAME_SIZE])
{
    char device[RF_PLACE_NAME_SIZE], context[2 * RF_PLACE_NAME_SIZE], stream[RF_PLACE_NAME_SIZE];
    const struct rf_gpu_track *track = rf_gpu_track_at(rec, index);
    rf_place_name(rec, "GPU", track->device, rf_track_device_name(rec, track), device);
    rf_place_name(rec, "stream", track->stream, rf_track_stream_name(rec, track), stream);
    put_context(rec, track, has_contexts, context);
    int size = snprintf(name, RF_STREAM_NAME_SIZE, "%s%s %s", device, context, stream);
    return size > 0 ? (size_t)size : 0;
}
