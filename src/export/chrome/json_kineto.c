/* SPDX-License-Identifier: Apache-2.0 */
#include "export/chrome/json_kineto.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "export/chrome/json_tracks.h"

/* Devices are listed behind all processes; Kineto uses this number, too. */
#define FIRST_DEVICE_PLACE 5000000u

/* A device that is no plausible number must not meet a process. */
#define MAX_DEVICES    1024
#define ODD_DEVICE_BIT ((uint32_t)1 << 31)

#define MAX_OPERATOR_DEPTH 64 /* ranges around a call that are searched for an operator */

/* ---- Ids ---- */

uint32_t json_kineto_device_pid(uint32_t device)
{
    return device < MAX_DEVICES ? device : device | ODD_DEVICE_BIT;
}

static uint32_t next_pid(uint32_t pid, uint32_t device)
{
    return device < MAX_DEVICES && device >= pid ? device + 1 : pid;
}

uint32_t json_kineto_first_pid(const rf_recording *rec)
{
    uint32_t pid = 1;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++)
        pid = next_pid(pid, rf_gpu_track_at(rec, i)->device);
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        pid = next_pid(pid, rf_counter_at(rec, i)->device);
    return pid;
}

static void give_track_ids(struct json_kineto *kineto, struct json_writer *to)
{
    uint32_t n = rf_n_gpu_tracks(to->rec);
    for (uint32_t i = 0; i < n; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, i);
        kineto->tracks[i] =
            (struct rf_wanted_id){json_kineto_device_pid(track->device), track->stream, i};
    }
    rf_shown_ids_give(&to->ids, kineto->tracks, n, 1, kineto->track_tids);
}

/* Processes number their calls independently: the ids of the first one with GPU work stay. */
static void give_correlation_spaces(struct json_kineto *kineto, const rf_recording *rec)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, i);
        if (kineto->correlation_space[track->process] == 0)
            kineto->correlation_space[track->process] = ++n;
    }
    for (uint32_t i = 0; i < rf_n_processes(rec); i++)
        if (kineto->correlation_space[i] == 0)
            kineto->correlation_space[i] = ++n;
}

int json_kineto_init(struct json_kineto *kineto, struct json_writer *to)
{
    size_t n_tracks = rf_n_gpu_tracks(to->rec), n_threads = rf_n_threads(to->rec), n;
    uint64_t next_id = 1;
    kineto->track_tids = calloc(n_tracks + 1, sizeof(*kineto->track_tids));
    kineto->tracks = calloc(n_tracks + 1, sizeof(*kineto->tracks));
    kineto->first_external_id = calloc(n_threads + 1, sizeof(*kineto->first_external_id));
    kineto->correlation_space =
        calloc((size_t)rf_n_processes(to->rec) + 1, sizeof(*kineto->correlation_space));
    if (kineto->track_tids == NULL || kineto->tracks == NULL || kineto->first_external_id == NULL ||
        kineto->correlation_space == NULL)
        return rf_fail(to->job->err, RF_ERR_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n_threads; i++) {
        (void)rf_thread_events(to->rec, i, &n);
        kineto->first_external_id[i] = next_id;
        next_id += n;
    }
    give_correlation_spaces(kineto, to->rec);
    give_track_ids(kineto, to);
    return RF_OK;
}

void json_kineto_release(struct json_kineto *kineto)
{
    free(kineto->track_tids);
    free(kineto->tracks);
    free(kineto->first_external_id);
    free(kineto->correlation_space);
}

uint64_t json_kineto_correlation(const struct json_writer *to, uint32_t process,
                                 uint32_t correlation)
{
    if (correlation == 0)
        return 0;
    return (uint64_t)(to->kineto->correlation_space[process] - 1) << 32 | correlation;
}

uint64_t json_kineto_external_id(const struct json_writer *to, uint32_t thread, uint32_t event)
{
    return to->kineto->first_external_id[thread] + event;
}

/* ---- Operators ---- */

static bool begins(const char *text, size_t size, const char *prefix)
{
    size_t n = strlen(prefix);
    return size >= n && memcmp(text, prefix, n) == 0;
}

/* The parts that emit_nvtx() adds to a name. */
static const char *const added[] = {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};

const char *json_kineto_parse(const struct json_writer *to, const struct rf_event *event,
                              struct json_operator *out)
{
    static const char *const spaces[] = {"aten::", "c10d::", "prim::", "autograd::", "torch::"};
    size_t size;
    const char *text = rf_string(to->rec, event->name, &size);
    memset(out, 0, sizeof(*out));
    if (text == NULL)
        return NULL;
    out->size = out->name_size = size;
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
        out->is_operator |= begins(text, size, spaces[i]);
    for (const char *p = text; (p = memchr(p, ',', size - (size_t)(p - text))) != NULL; p++) {
        size_t left = size - (size_t)(p - text);
        bool is_added = false;
        for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
            is_added |= begins(p, left, added[i]);
        if (is_added && out->name_size == size)
            out->name_size = (size_t)(p - text);
        size_t n = strlen(added[0]);
        if (begins(p, left, added[0]) && left > n && isdigit((unsigned char)p[n])) {
            out->sequence = strtoull(p + n, NULL, 10);
            out->has_sequence = true;
        }
    }
    out->is_operator |= out->has_sequence; /* only what has a gradient is numbered */
    return text;
}

bool json_kineto_is_operator(const struct json_writer *to, const struct rf_event *event)
{
    struct json_operator parsed;
    (void)json_kineto_parse(to, event, &parsed);
    return parsed.is_operator;
}

void json_kineto_put_name(struct json_writer *to, const struct rf_event *event)
{
    struct json_operator parsed;
    const char *text = json_kineto_parse(to, event, &parsed);
    rf_sink_text(to->sink, "\"name\":");
    if (text != NULL)
        rf_sink_json(to->sink, text, parsed.name_size);
    else
        rf_sink_text(to->sink, "\"(null)\"");
}

uint64_t json_kineto_operator_of(const struct json_writer *to, uint32_t index)
{
    size_t n_events;
    const struct rf_gpu_op *op = rf_gpu_ops(to->rec, NULL) + index;
    if (to->projections == NULL || op->thread == RF_NO_INDEX)
        return 0;
    const struct rf_event *events = rf_thread_events(to->rec, op->thread, &n_events);
    uint32_t i = rf_projection_owner(to->projections, index);
    for (int depth = 0; i < n_events && depth < MAX_OPERATOR_DEPTH; depth++) {
        if (json_kineto_is_operator(to, &events[i]))
            return json_kineto_external_id(to, op->thread, i);
        i = rf_range_parent(to->projections, op->thread, i);
    }
    return 0;
}

size_t json_kineto_call_size(const char *name, size_t size)
{
    size_t n = size;
    while (n > 0 && isdigit((unsigned char)name[n - 1]))
        n--;
    /* _v2 is part of a name; versions of CUDA have at least four digits */
    return size - n >= 4 && n > 2 && name[n - 1] == 'v' && name[n - 2] == '_' ? n - 2 : size;
}

/* ---- The frame ---- */

/* The rank of the first process that has one. */
static int64_t find_rank(const struct json_writer *to)
{
    int64_t rank = to->job->options->kineto->rank;
    for (uint32_t i = 0; i < rf_n_processes(to->rec) && rank < 0; i++)
        rank = rf_process_at(to->rec, i)->rank;
    return rank < 0 ? 0 : rank;
}

static void put_device_properties(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    rf_sink_text(sink, "\"deviceProperties\": [");
    for (uint32_t i = 0; i < rf_n_gpus(to->rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(to->rec, i);
        json_put_member(sink, i > 0 ? ",\n{\"id\": " : "\n{\"id\": ", gpu->id);
        json_put_text_member(sink, ", \"name\": ", rf_string(to->rec, gpu->name, NULL));
        json_put_member(sink, ", \"totalGlobalMem\": ", gpu->memory_bytes);
        json_put_member(sink, ", \"computeMajor\": ", gpu->capability_major);
        json_put_member(sink, ", \"computeMinor\": ", gpu->capability_minor);
        json_put_member(sink, ", \"warpSize\": 32, \"numSms\": ", gpu->n_multiprocessors);
        rf_sink_char(sink, '}');
    }
    rf_sink_text(sink, "],\n");
}

/* The rank is looked for line by line, and with a space before the number. */
void json_kineto_put_head(struct json_writer *to)
{
    struct rf_sink *sink = to->sink;
    int64_t n_ranks = rf_get_info(to->rec)->world_size;
    json_put_member(sink, "{\n\"schemaVersion\": 1,\n\"distributedInfo\": {\n\"rank\": ",
                    (uint64_t)find_rank(to));
    if (n_ranks > 0)
        json_put_member(sink, ",\n\"world_size\": ", (uint64_t)n_ranks);
    rf_sink_text(sink, "},\n");
    put_device_properties(to);
    rf_sink_text(sink, "\"exported_by\": \"Rangefinder " RF_PRODUCT_VERSION "\",\n"
                       "\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": ");
    rf_sink_i64(sink,
                (int64_t)((uint64_t)rf_get_info(to->rec)->epoch_utc_ns - (uint64_t)to->base_ns));
    rf_sink_text(sink, ",\n\"traceEvents\": [");
}

void json_kineto_put_tail(struct json_writer *to)
{
    json_put_text_member(to->sink, "\n],\n\"traceName\": ", to->job->options->output);
    rf_sink_text(to->sink, "\n}\n");
}

/* ---- Devices and streams ---- */

/* Kineto names a device as its process, where that is one. */
static void put_device(struct json_writer *to, uint32_t pid, const struct rf_gpu_track *track,
                       bool is_shared)
{
    uint32_t name = is_shared ? RF_NO_STRING : rf_process_at(to->rec, track->process)->name;
    json_begin_metadata(to, "process_name", pid, 0);
    rf_sink_text(to->sink, "\"name\":\"");
    json_put_numbered_name(to, name, "GPU", track->device);
    rf_sink_text(to->sink, "\"}}");
    json_begin_metadata(to, "process_labels", pid, 0);
    json_put_member(to->sink, "\"labels\":\"GPU ", track->device);
    rf_sink_text(to->sink, "\"}}");
    json_put_sort_index(to, "process_sort_index", pid, 0,
                        (uint64_t)FIRST_DEVICE_PLACE + track->device);
}

void json_kineto_put_devices(struct json_writer *to)
{
    const struct rf_wanted_id *wanted = to->kineto->tracks;
    for (uint32_t i = 0, end, n = rf_n_gpu_tracks(to->rec); i < n; i = end) {
        const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, wanted[i].index);
        bool is_shared = false;
        for (end = i + 1; end < n && wanted[end].group == wanted[i].group; end++)
            is_shared |= rf_gpu_track_at(to->rec, wanted[end].index)->process != track->process;
        put_device(to, wanted[i].group, track, is_shared);
    }
}

void json_kineto_put_track_name(struct json_writer *to)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, to->stream);
    json_put_member(to->sink, "stream ", track->stream);
    if (to->kineto->track_tids[to->stream] == track->stream)
        return;
    /* another one has this number */
    json_put_member(to->sink, " of process ", rf_process_at(to->rec, track->process)->pid);
    json_put_member(to->sink, ", context ", track->context);
}
