/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's own format (docs/perfetto.md): what the trace is about; then all the rest, part by
 * part, since readers sort packets by time. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "model/fields/event_names.h"
#include "export/perfetto/export_perfetto.h"
#include "export/perfetto/export_perfetto_counters.h"
#include "export/perfetto/export_perfetto_gpu.h"
#include "export/perfetto/export_perfetto_nvtx.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_projection.h"
#include "export/perfetto/export_perfetto_scopes.h"
#include "export/perfetto/export_perfetto_threads.h"
#include "export/perfetto/export_perfetto_time.h"
#include "export/perfetto/export_perfetto_tracks.h"
#include "export/perfetto/export_perfetto_turns.h"
#include "export/shown_begin.h"
#include "model/private_access.h"

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3, CLOCK_ID_BOOTTIME = 6 };
enum { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };

/* ---- Time ---- */

/* A clock's time where the trace begins; epoch_ns: its time at the recording's time 0. */
static void put_clock(struct pf_writer *to, uint32_t id, int64_t epoch_ns)
{
    int64_t at_ns = (int64_t)((uint64_t)epoch_ns + (uint64_t)to->begin_ns);
    bool is_sound = to->begin_ns >= 0 ? at_ns >= epoch_ns : at_ns >= 0 && at_ns < epoch_ns;
    if (!is_sound)
        return;
    size_t begin = rf_proto_begin(&to->packet, SNAPSHOT_CLOCKS);
    rf_proto_u64(&to->packet, 1, id);
    rf_proto_u64(&to->packet, 2, (uint64_t)at_ns);
    rf_proto_end(&to->packet, begin);
}

static void put_clocks(struct pf_writer *to)
{
    const struct rf_info *info = rf_get_info(to->rec);
    pf_begin_packet_at(to, to->begin_ns);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_CLOCK_SNAPSHOT);
    put_clock(to, CLOCK_ID_BOOTTIME, to->base_ns);
    if (info->epoch_mono_ns > 0)
        put_clock(to, CLOCK_ID_MONOTONIC, info->epoch_mono_ns);
    if (info->epoch_utc_ns > 0)
        put_clock(to, CLOCK_ID_REALTIME, info->epoch_utc_ns);
    rf_proto_u64(&to->packet, SNAPSHOT_PRIMARY, CLOCK_ID_BOOTTIME);
    (void)pf_end_message(to, begin);
}

/* ---- The recording itself ---- */

static void put_info_text(struct pf_writer *to, enum pf_key key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        pf_put_words(to, PF_ANNOTATION, key, text);
}

/* How one input of several was put beside the others. */
static void put_place(struct pf_writer *to, const struct rf_merged_input *input)
{
    put_info_text(to, PF_KEY_INPUT, input->path);
    put_info_text(to, PF_KEY_CLOCK_METHOD, rf_align_method_name(input->method));
    pf_put_i64(to, PF_ANNOTATION, PF_KEY_CLOCK_SHIFT, input->shift_ns);
    if (input->uncertainty_ns >= 0)
        pf_put_i64(to, PF_ANNOTATION, PF_KEY_CLOCK_UNCERTAINTY, input->uncertainty_ns);
    if (input->rank >= 0)
        pf_put_i64(to, PF_ANNOTATION, PF_KEY_RANK, input->rank);
}

static void put_recording(struct pf_writer *to, uint64_t uuid)
{
    const struct rf_info *info = rf_get_info(to->rec);
    size_t begin = pf_begin_event(to, to->begin_ns, PF_INSTANT, uuid, PF_CAT_RECORDING);
    rf_proto_u64(&to->packet, PF_EVENT_NAME_IID, pf_fixed_name(to, PF_NAME_RECORDING));
    pf_put_words(to, PF_ANNOTATION, PF_KEY_EXPORTED_BY, "Rangefinder " RF_PRODUCT_VERSION);
    put_info_text(to, PF_KEY_RECORDED_BY, info->product);
    put_info_text(to, PF_KEY_HOST, info->host);
    put_info_text(to, PF_KEY_CLOCK, info->clock_name);
    rf_sink_utc(&to->words, info->epoch_utc_ns);
    pf_put_sunk(to, PF_ANNOTATION, PF_KEY_START_UTC);
    pf_put_i64(to, PF_ANNOTATION, PF_KEY_TIME, to->begin_ns);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_CUT_RANGES, info->n_cut);
    if (info->is_focused)
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_CUT_AT_START, info->n_cut_at_start);
    pf_put_u64(to, PF_ANNOTATION, PF_KEY_LOST, info->n_lost_records);
    if (to->job->merging != NULL)
        put_place(to, rf_merging_last(to->job->merging));
    (void)pf_end_message(to, begin);
}

static void put_captures(struct pf_writer *to, struct pf_track *track)
{
    for (uint32_t i = 0; i < rf_n_captures(to->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(to->rec, i);
        int64_t end_ns = capture->end_ns > capture->begin_ns ? capture->end_ns : capture->begin_ns;
        uint64_t uuid = pf_track_place(to, track, capture->begin_ns, end_ns);
        size_t begin = pf_begin_event(to, capture->begin_ns, PF_BEGIN, uuid, PF_CAT_RECORDING);
        rf_proto_u64(&to->packet, PF_EVENT_NAME_IID, pf_fixed_name(to, PF_NAME_CAPTURE));
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_NUMBER, capture->number);
        pf_put_u64(to, PF_ANNOTATION, PF_KEY_IS_OPEN, capture->is_open != 0);
        (void)pf_end_message(to, begin);
    }
    pf_track_finish(to, track);
}

static void put_about(struct pf_writer *to)
{
    static const struct pf_track_name name = {
        .text = "Recording", .string = RF_NO_STRING, .has_prefix = true};
    struct pf_track track;
    pf_track_begin(&track, 0, &name);
    put_recording(to, pf_track_instant(to, &track, to->begin_ns));
    put_captures(to, &track);
}

/* ---- The GPUs ---- */

enum gpu_field {
    GPU_INFO_GPUS = 1,
    GPU_NAME = 1,
    GPU_VENDOR = 2,
    GPU_MODEL = 3,
    GPU_ARCHITECTURE = 4,
    GPU_UUID = 5,
    GPU_EXTRA = 6,
};

/* Perfetto tells GPUs by their place in the list. */
#define MAX_LISTED_GPUS 1024

static void put_extra_text(struct pf_writer *to, const char *key, const char *text, size_t size)
{
    if (key == NULL || text == NULL)
        return;
    size_t begin = rf_proto_begin(&to->packet, GPU_EXTRA);
    rf_proto_words(&to->packet, 1, key);
    rf_proto_text(&to->packet, 2, text, size);
    rf_proto_end(&to->packet, begin);
}

static void put_gpu_extra(struct pf_writer *to, const char *key, uint64_t value)
{
    char text[24];
    if (value != 0)
        put_extra_text(to, key, text, rf_format_u64(text, value));
}

/* What else is known, by the names of nsys's columns. */
static void put_facts(struct pf_writer *to, const struct rf_gpu *gpu)
{
    size_t size = 0;
    const char *bus = rf_string(to->rec, gpu->bus, &size);
    put_extra_text(to, "busLocation", bus, size);
    for (uint32_t i = 0; i < gpu->n_facts; i++) {
        const struct rf_gpu_fact *fact = rf_gpu_fact_at(to->rec, gpu->first_fact + i);
        const char *name = rf_string(to->rec, fact->name, NULL);
        const char *text = rf_string(to->rec, fact->text, &size);
        if (text != NULL)
            put_extra_text(to, name, text, size);
        else if (fact->number > 0)
            put_gpu_extra(to, name, (uint64_t)fact->number);
    }
}

/* The 16 bytes of "GPU-00112233-4455-...". */
static void put_gpu_uuid(struct pf_writer *to, uint32_t string)
{
    uint8_t bytes[16];
    size_t n = 0;
    const char *text = rf_string(to->rec, string, NULL);
    if (text != NULL && strncmp(text, "GPU-", 4) == 0)
        text += 4;
    for (; text != NULL && *text != '\0' && n < 32; text++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, *text | 0x20);
        if (*text == '-')
            continue;
        if (digit == NULL)
            return;
        bytes[n / 2] =
            (uint8_t)(n % 2 == 0 ? (digit - digits) << 4 : bytes[n / 2] | (digit - digits));
        n++;
    }
    if (n == 32)
        rf_proto_bytes(&to->packet, GPU_UUID, bytes, sizeof(bytes));
}

static void put_gpu(struct pf_writer *to, const struct rf_gpu *gpu)
{
    char capability[32];
    (void)pf_put_whole(to, &to->packet, GPU_NAME, gpu->name);
    rf_proto_words(&to->packet, GPU_VENDOR, "NVIDIA");
    (void)pf_put_whole(to, &to->packet, GPU_MODEL, gpu->name);
    (void)pf_put_whole(to, &to->packet, GPU_ARCHITECTURE, gpu->chip);
    put_gpu_uuid(to, gpu->uuid);
    put_gpu_extra(to, "memory_bytes", gpu->memory_bytes);
    put_gpu_extra(to, "multiprocessors", gpu->n_multiprocessors);
    put_facts(to, gpu);
    if (gpu->capability_major == 0)
        return;
    (void)snprintf(capability, sizeof(capability), "%u.%u", gpu->capability_major,
                   gpu->capability_minor);
    put_extra_text(to, "compute_capability", capability, strlen(capability));
}

/* Where all GPUs are of one kind, kernels are said to be compiled for it. */
static void find_arch(struct pf_writer *to)
{
    const struct rf_gpu *first = rf_gpu_at(to->rec, 0);
    if (first == NULL || first->capability_major == 0)
        return;
    for (uint32_t i = 1; i < rf_n_gpus(to->rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(to->rec, i);
        if (gpu->capability_major != first->capability_major ||
            gpu->capability_minor != first->capability_minor)
            return;
    }
    (void)snprintf(to->arch_text, sizeof(to->arch_text), "sm_%u%u", first->capability_major % 1000,
                   first->capability_minor % 1000);
    to->arch = to->arch_text;
}

static int put_gpu_info(struct pf_writer *to)
{
    const struct rf_gpu *by_id[MAX_LISTED_GPUS] = {0};
    uint32_t n_listed = 0;
    find_arch(to);
    for (uint32_t i = 0; i < rf_n_gpus(to->rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(to->rec, i);
        if (gpu->id >= MAX_LISTED_GPUS)
            continue;
        by_id[gpu->id] = gpu;
        if (gpu->id >= n_listed)
            n_listed = gpu->id + 1;
    }
    if (n_listed == 0 || to->first_gpu > MAX_LISTED_GPUS)
        return to->status;
    pf_begin_packet_at(to, to->begin_ns);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_GPU_INFO);
    for (uint32_t i = 0; i < to->first_gpu; i++) /* a GPU's number is its place in the list */
        rf_proto_end(&to->packet, rf_proto_begin(&to->packet, GPU_INFO_GPUS));
    for (uint32_t i = 0; i < n_listed; i++) {
        size_t gpu = rf_proto_begin(&to->packet, GPU_INFO_GPUS);
        if (by_id[i] != NULL)
            put_gpu(to, by_id[i]);
        rf_proto_end(&to->packet, gpu);
    }
    return pf_end_message(to, begin);
}

/* ---- All of it ---- */

/* Two threads make the trace at once: one what happened on the CPU, the other what happened on the
 * GPU. Each half is a sequence of packets of its own, with numbers of its own. */

/* Tracks of the second half are numbered from here. Those of the next input follow in both. */
#define SECOND_UUIDS ((uint64_t)1 << 32)

static void write_half(struct pf_writer *to)
{
    if (to->half == 0) {
        (void)pf_write_threads(to);
        (void)pf_write_start_ends(to);
        (void)pf_write_scopes(to);
        (void)pf_write_calls(to);
    } else {
        (void)pf_project(to);
        (void)pf_write_gpu(to);
        (void)pf_write_projections(to);
        (void)pf_write_counters(to);
    }
    if (to->status == RF_OK)
        (void)pf_flush(to);
    if (to->turns != NULL)
        (void)pf_fail(to, pf_end_turns(to));
}

static void *run_second(void *second)
{
    write_half(second);
    return NULL;
}

/* The second half has its own memory, errors, and no part in the progress. */
static int begin_second(struct pf_writer *second, const struct pf_writer *first,
                        struct rf_export_job *job)
{
    *second = *first;
    second->job = job;
    second->half = 1;
    second->next_uuid = SECOND_UUIDS + (job->merging != NULL ? job->merging->n_second_uuids : 0);
    return pf_packets_init(second);
}

/* Without a second thread one half comes after the other. Returns the half that failed first, if
 * one did. */
static int write_halves(struct pf_writer *to, struct pf_writer *second)
{
    pthread_t thread;
    struct pf_turns turns;
    int failed = 0;
    if (pf_turns_init(&turns))
        to->turns = second->turns = &turns;
    if (to->turns != NULL && pthread_create(&thread, NULL, run_second, second) == 0) {
        write_half(to);
        (void)pthread_join(thread, NULL);
        failed = turns.failed;
    } else {
        to->turns = second->turns = NULL;
        write_half(to);
        if (to->status == RF_OK)
            write_half(second);
        failed = to->status == RF_OK;
    }
    to->turns = NULL;
    pf_turns_release(&turns);
    return failed;
}

static int write_in_parallel(struct pf_writer *to)
{
    struct pf_writer second;
    struct rf_err err = {0};
    struct rf_export_options options = *to->job->options;
    struct rf_export_job job = *to->job;
    int failed = 1;
    options.progress = NULL;
    job.options = &options;
    job.err = &err;
    if (to->status != RF_OK || pf_flush(to) != RF_OK)
        return to->status;
    if (pf_fail(&second, begin_second(&second, to, &job)) == RF_OK)
        failed = write_halves(to, &second);
    if (failed == 1 && err.code != RF_OK && to->job->err != NULL)
        *to->job->err = err; /* one of the sink is there already */
    (void)pf_fail(to, second.status);
    if (to->job->merging != NULL) {
        to->job->merging->n_uuids = to->next_uuid - 1;
        to->job->merging->n_second_uuids = second.next_uuid - SECOND_UUIDS;
    }
    rf_projections_free(second.projections);
    pf_packets_release(&second);
    return to->status;
}

/* What differs between the inputs of one trace. */
static void number_input(struct pf_writer *to)
{
    const struct rf_merging *merging = to->job->merging;
    uint64_t input = merging != NULL ? merging->n - 1 : 0;
    to->first_uuid = (merging != NULL ? merging->n_uuids : 0) + 1;
    to->next_uuid = to->first_uuid + rf_n_processes(to->rec) + rf_n_threads(to->rec);
    to->first_sequence = input * 2 + 1;
    to->first_process = merging != NULL ? merging->n_processes : 0;
    to->first_flow = (merging != NULL ? merging->n_ops : 0) + 1;
    to->first_gpu = merging != NULL && to->gpu_events ? merging->n_gpus : 0;
}

/* The trace's times of further inputs are those of the first one, shifted. */
static int choose_base(struct pf_writer *to)
{
    struct rf_merging *merging = to->job->merging;
    to->begin_ns = rf_shown_begin_ns(to->rec);
    if (merging == NULL || merging->n == 1)
        to->base_ns = pf_base_ns(to->rec, to->begin_ns);
    if (merging == NULL)
        return RF_OK;
    const struct rf_merged_input *input = rf_merging_last(merging);
    int64_t first_ns;
    if (merging->n == 1)
        merging->base_ns = to->base_ns;
    else if (__builtin_add_overflow(merging->base_ns, input->shift_ns, &to->base_ns) ||
             __builtin_add_overflow(to->base_ns, to->begin_ns, &first_ns) || first_ns < 0)
        return rf_fail(to->job->err, RF_ERR_UNSUPPORTED,
                       "'%s' is from before the machine of '%s' was started; name it first",
                       input->path, merging->input[0].path);
    return RF_OK;
}

static int write_all(struct pf_writer *to)
{
    if (pf_fail(to, choose_base(to)) != RF_OK)
        return to->status;
    if (to->first_sequence == 1)
        put_clocks(to);
    pf_describe_processes(to);
    put_about(to);
    (void)put_gpu_info(to);
    return write_in_parallel(to);
}

static int write_perfetto(struct rf_export_job *job, struct rf_sink *sink)
{
    struct pf_annotations annotations;
    struct pf_writer to = {.job = job, .rec = job->rec, .sink = sink, .annotations = &annotations};
    to.gpu_events = job->options->gpu_events;
    to.by_category = job->options->tracks_by_category;
    to.has_scopes = rf_has_scopes(job->rec);
    number_input(&to);
    int status = rf_shown_ids_init(&to.ids, job->rec, 1, rf_job_ids(job), job->err);
    if (status == RF_OK)
        status = pf_packets_init(&to);
    if (status == RF_OK) {
        pf_annotations_init(&annotations, &to);
        status = write_all(&to);
    }
    pf_packets_release(&to);
    rf_shown_ids_release(&to.ids);
    return status;
}

const struct rf_export_format rf_export_perfetto = {
    .name = "perfetto",
    .description = "Perfetto's trace format",
    .extensions = {"pftrace", "perfetto-trace"},
    .is_trace = true,
    .write_text = write_perfetto,
    .can_merge = true,
};
