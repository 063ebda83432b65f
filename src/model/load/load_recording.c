/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of opening a recording. */
#include "model/load/load_recording.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/map.h"
#include "model/cuda/cuda_link.h"
#include "model/cuda/cuda_load.h"
#include "model/cuda/cuda_places.h"
#include "model/cuda/cuda_stream.h"
#include "model/load/capture_windows.h"
#include "model/load/definitions.h"
#include "model/load/handles.h"
#include "model/load/merge.h"
#include "model/load/metrics_load.h"
#include "model/load/pair.h"
#include "model/load/payload_records.h"
#include "model/load/selecting.h"
#include "model/load/start_ends.h"
#include "model/load/streams.h"
#include "model/load/summing.h"
#include "model/load/threads.h"
#include "model/load/timeline.h"
#include "model/nvtx/nvtx_counters.h"
#include "model/nvtx/nvtx_deferred.h"
#include "model/nvtx/nvtx_samples.h"
#include "model/nvtx/nvtx_tracks.h"
#include "model/ranks.h"
#include "model/recording.h"
#include "model/strings.h"

/* In parts. With less than 16 MiB there is little to win; summaries find steps in recordings whose
 * events they have, up to 64 MiB. */
#define LONG_FOR_SUMS  256u
#define LONG_FOR_PATHS 1024u

static const char *clock_name(uint32_t kind)
{
    switch (kind) {
    case RF_CLOCK_TSC:
        return "tsc";
    case RF_CLOCK_CNTVCT:
        return "cntvct";
    default:
        return "monotonic";
    }
}

/* Ends the texts of the control page within their fields, even if the file is damaged. */
static void end_texts(struct rf_control *control)
{
    control->host[sizeof(control->host) - 1] = 0;
    control->product[sizeof(control->product) - 1] = 0;
    control->job.ranks[sizeof(control->job.ranks) - 1] = 0;
    for (uint32_t i = 0; i < RF_MAX_MESSAGES; i++)
        control->message[i][RF_MESSAGE_SIZE - 1] = 0;
}

static void set_session_info(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    const struct rf_control *control = &rec->control;
    struct rf_info *info = &rec->info;
    info->path = rec->path;
    info->product = control->product;
    info->host = control->host;
    rec->epoch_ticks = load->timeline.line[0].ticks;
    info->ranks = control->job.ranks;
    rec->n_clock_steps = load->timeline.n_steps;
    rec->clock_step_ns = load->timeline.step_ns;
    info->epoch_utc_ns = load->timeline.epoch_real_ns;
    info->epoch_mono_ns = load->timeline.epoch_mono_ns;
    info->epoch_boot_ns = load->timeline.epoch_boot_ns;
    info->utc_offset_s = rf_utc_offset(control->utc_offset_s);
    info->clock_name = clock_name(control->clock_kind);
    info->clock_hz = load->timeline.hz;
    info->n_lost_defs = control->lost_defs;
    info->n_failed_processes = control->n_failed_processes;
    info->n_stalls = control->n_stalls;
    info->n_time_calls = control->n_time_calls;
    info->n_memory_calls = control->n_memory_calls;
    info->n_uncaptured = control->n_uncaptured;
    info->stall_ns = control->stall_ns;
    info->n_damaged_bytes += load->log.n_damaged_bytes;
    info->size_bytes = load->log.size_bytes;
    info->expanded_bytes =
        load->log.size_bytes - load->log.compressed_bytes + load->log.expanded_bytes;
    info->is_finished = load->log.is_packed || control->is_finished;
    info->root_pid = control->root_pid;
    if (control->root_end == RF_ROOT_SIGNALED)
        info->root_signal = control->root_status;
    else if (control->root_end == RF_ROOT_EXITED)
        info->root_status = control->root_status;
    info->is_root_ended = control->root_end != RF_ROOT_UNKNOWN;
    info->n_damaged_bytes += control->n_damaged_bytes;
    info->n_lost_about = control->n_lost_about;
    info->is_end_missing = (control->salvaged & RF_SALVAGED_NO_END) != 0;
    info->was_live = control->was_live != 0;
}

static void set_ring(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_ring *ring = &rec->control.ring;
    size_t line = 0;
    ring->reason[sizeof(ring->reason) - 1] = ring->rule[sizeof(ring->rule) - 1] = '\0';
    rec->ring = (struct rf_ring_info){.size_bytes = ring->size,
                                      .keep_ns = ring->keep_ns,
                                      .n_recycled = ring->n_records,
                                      .recycled_bytes = ring->n_bytes,
                                      .snapshot = ring->snapshot,
                                      .asked_ns = RF_NO_TIME,
                                      .reason = ring->reason,
                                      .rule = ring->rule,
                                      .value_ns = ring->value_ns < 0 ? RF_NO_TIME : ring->value_ns};
    if (ring->snapshot != 0)
        rec->ring.asked_ns = rf_timeline_ns(&load->timeline, &line, ring->ticks);
    for (uint32_t i = 0; i < rec->n_threads; i++)
        if (rec->thread[i].kept_from_ns > rec->ring.kept_from_ns)
            rec->ring.kept_from_ns = rec->thread[i].kept_from_ns;
}

/* Before ranges get their ends, which depend on it. */
static void set_piece(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    const struct rf_pieces *pieces = &rec->control.pieces;
    size_t line = 0;
    rec->piece = (struct rf_piece_info){.number = pieces->piece,
                                        .goes_on = pieces->goes_on != 0,
                                        .n_removed = pieces->n_removed,
                                        .n_removed_records = pieces->removed_records,
                                        .removed_bytes = pieces->removed_bytes};
    if (pieces->begin_ticks != 0)
        rec->piece.begin_ns = rf_timeline_ns(&load->timeline, &line, pieces->begin_ticks);
}

/* Adds up what is counted per stream and per process. */
static void add_up_streams(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_info *info = &rec->info;
    info->end_ns = load->timeline.last_pair_ns;
    for (uint32_t i = 0; i < load->n_streams; i++) {
        const struct rf_load_stream *stream = &load->stream[i];
        rec->process[stream->process].n_lost_records += stream->n_lost_records;
        info->n_lost_records += stream->n_lost_records;
        info->lost_bytes += stream->lost_bytes;
        info->n_lost_parts += stream->n_lost_parts;
        info->n_damaged_bytes += stream->n_damaged_bytes;
    }
    /* the session's counters include losses that no later part reported */
    if (rec->control.lost_records > info->n_lost_records)
        info->n_lost_records = rec->control.lost_records;
    if (rec->control.n_lost_parts > info->n_lost_parts)
        info->n_lost_parts = rec->control.n_lost_parts;
    if (rec->control.lost_bytes > info->lost_bytes)
        info->lost_bytes = rec->control.lost_bytes;
    for (uint32_t i = 0; i < rec->n_processes; i++)
        if (load->process[i].end_ns > info->end_ns)
            info->end_ns = load->process[i].end_ns;
}

/* The captures as the library shows them. */
static int list_captures(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    const struct rf_capture_windows *windows = &load->windows;
    rec->info.is_focused = windows->is_focused;
    rec->capture = calloc((size_t)windows->n + 1, sizeof(*rec->capture));
    if (rec->capture == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < windows->n; i++) {
        const struct rf_window *window = &windows->window[i];
        bool is_open = window->end_ns == INT64_MAX;
        int64_t end_ns = is_open ? rec->info.end_ns : window->end_ns;
        rec->capture[i] = (struct rf_capture_info){
            .begin_ns = window->begin_ns,
            .end_ns = end_ns > window->begin_ns ? end_ns : window->begin_ns,
            .number = window->number,
            .is_open = is_open};
    }
    rec->n_captures = windows->n;
    return RF_OK;
}

/* Numbers the domains of each process in the order of their creation; they stand in the order in
 * which they were added. */
struct domain_key {
    uint32_t process, index;
    uint64_t ticks;
};

static int compare_domains(const void *left, const void *right)
{
    const struct domain_key *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static int number_domains(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    struct domain_key *key = calloc((size_t)rec->n_domains + 1, sizeof(*key));
    uint32_t id = 0;
    if (key == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < rec->n_domains; i++)
        key[i] = (struct domain_key){rec->domain[i].process, i, load->domain_ticks[i]};
    qsort(key, rec->n_domains, sizeof(*key), compare_domains);
    for (uint32_t i = 0; i < rec->n_domains; i++) {
        if (i == 0 || key[i].process != key[i - 1].process)
            id = 0;
        if (rec->domain[key[i].index].is_valid)
            rec->domain[key[i].index].id = id++;
    }
    free(key);
    return RF_OK;
}

static void release_load(struct rf_load *load)
{
    for (uint32_t i = 0; i < load->n_threads; i++) {
        struct rf_load_thread *thread = load->thread[i];
        free(thread->memory);
        free(thread->stack);
        rf_map_release(&thread->stack_of);
        free(thread->end);
        free(thread->end_payload);
        free(thread->parent);
        free(thread->call);
        free(thread);
    }
    for (uint32_t i = 0; i < load->n_streams; i++) {
        free(load->stream[i].start);
        free(load->stream[i].unseen);
        rf_sparse_bits_release(&load->stream[i].elsewhere);
        rf_map_release(&load->stream[i].cut_in);
    }
    rf_map_release(&load->string_of);
    rf_map_release(&load->domain_of);
    rf_map_release(&load->domain_by_name);
    rf_map_release(&load->bad_domain);
    rf_map_release(&load->own_domain);
    rf_map_release(&load->gone);
    rf_map_release(&load->object);
    rf_map_release(&load->thread_of);
    rf_load_payloads_release(load);
    free(load->process);
    free(load->handle);
    free(load->domain_ticks);
    free(load->domain_gone);
    free(load->naming);
    rf_cuda_places_release(&load->cuda_places);
    rf_cuda_stream_release(load);
    rf_cuda_load_release(&load->cuda, load->rec != NULL ? load->rec->n_processes : 0);
    rf_nvtx_load_release(&load->nvtx);
    rf_sums_release(&load->sums);
    rf_sums_release(&load->last_sums);
    rf_sums_release(&load->gpu_sums);
    free(load->met_place);
    free(load->n_summed.of_domain);
    free(load->n_selected.of_domain);
    rf_selection_release(&load->selection);
    free(load->thread_name);
    free(load->destroy);
    free(load->made_start);
    free(load->inherited);
    free(load->stream);
    free(load->thread);
    free(load->segment);
    rf_timeline_release(&load->timeline);
    rf_log_close(&load->log);
    (void)pthread_mutex_destroy(&load->mutex);
}

static int build(struct rf_load *load)
{
    static int (*const steps[])(struct rf_load *) = {
        rf_load_definitions, rf_select_begin,       rf_load_decode, rf_load_nvtx_samples,
        rf_load_merge,       rf_load_order_domains, rf_load_pair,   rf_load_payloads,
        rf_load_deferred,    rf_load_number,        rf_load_paths,  rf_load_cuda,
        rf_load_threads};
    int status = RF_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == RF_OK; i++) {
        status = steps[i](load);
        load->is_wrong = status == RF_OK && (load->needs_samples || load->needs_work ||
                                             rf_select_has_failed(load) || rf_sums_are_wrong(load));
        if (load->is_wrong)
            return RF_ERR_NO_MEMORY;
    }
    if (status == RF_OK)
        status = number_domains(load);
    if (status != RF_OK)
        return status;
    set_session_info(load);
    set_ring(load);
    add_up_streams(load);
    rf_recording_count_events(load->rec);
    rf_find_ranks(load->rec);
    status = list_captures(load);
    if (status == RF_OK)
        status = rf_load_metrics(load);
    if (status == RF_OK)
        status = rf_load_nvtx_counters(load);
    if (status == RF_OK)
        status = rf_nvtx_list_memory(load);
    if (status == RF_OK)
        status = rf_load_cuda_link(load);
    load->is_wrong = status == RF_OK && load->needs_work;
    if (load->is_wrong)
        return RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = rf_load_sums(load);
    load->is_wrong = status == RF_OK && rf_select_has_failed(load);
    return load->is_wrong ? RF_ERR_NO_MEMORY : status;
}

/* Whether calls and work can be added up by what a filter keeps. */
static bool can_stream(const struct rf_load *load)
{
    return load->sums_projected || load->sums_paths;
}

static bool wants_paths(unsigned flags)
{
    return (flags & (RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS)) != 0;
}

static int open_once(const char *path, unsigned flags, struct rf_load *load, struct rf_err *err)
{
    int status = rf_log_open(&load->log, path, flags, err);
    if (status != RF_OK)
        return status;
    load->has_no_details = (flags & RF_OPEN_NO_DETAILS) != 0;
    load->grid_ids_apart = (flags & RF_OPEN_GRID_IDS_APART) != 0;
    load->has_no_samples = (flags & RF_OPEN_NO_SAMPLES) != 0;
    load->sums_samples = load->has_no_samples && (flags & RF_OPEN_SAMPLE_SUMS) != 0;
    load->sums_projected =
        (flags & RF_OPEN_ANY_RANGE_WORK) != 0 && !wants_paths(flags) && !load->keeps_work &&
        ((flags & RF_OPEN_SUMS_ALWAYS) != 0 || load->log.n_parts >= LONG_FOR_SUMS);
    load->has_no_range_kernels = (flags & RF_OPEN_NO_RANGE_KERNELS) != 0;
    load->by_process = load->sums_projected && (flags & RF_OPEN_BY_PROCESS) != 0;
    load->folds_numbers = (flags & RF_OPEN_FOLD_NUMBERS) != 0;
    load->kernel_naming = flags & RF_OPEN_RANGE_WORK        ? RF_NAME_DEMANGLED
                          : flags & RF_OPEN_RANGE_WORK_BASE ? RF_NAME_BASE
                                                            : RF_NAME_MANGLED;
    load->counts_only = load->sums_projected || (flags & RF_OPEN_COUNTS) != 0;
    const unsigned long_for_paths = flags & RF_OPEN_NO_STEPS ? LONG_FOR_SUMS : LONG_FOR_PATHS;
    load->sums_paths = (flags & RF_OPEN_PATHS_ALWAYS) != 0 ||
                       ((flags & RF_OPEN_PATHS) != 0 && load->log.n_parts >= long_for_paths);
    load->sums_launches =
        (flags & RF_OPEN_LAUNCHES) != 0 && !load->keeps_work &&
        ((flags & RF_OPEN_SUMS_ALWAYS) != 0 || load->log.n_parts >= LONG_FOR_SUMS);
    const bool sums = !load->sums_paths &&
                      (flags & (RF_OPEN_LAUNCHES | RF_OPEN_ANY_RANGE_WORK)) == 0 &&
                      ((flags & RF_OPEN_SUMS_ALWAYS) != 0 ||
                       ((flags & RF_OPEN_SUMS) != 0 && load->log.n_parts >= LONG_FOR_SUMS));
    load->sums_ranges = load->counts_only || load->sums_paths || sums;
    if (!load->sums_ranges)
        load->selection.of = NULL;
    load->group_by =
        sums && load->selection.of != NULL ? load->selection.of->options->group_by : NULL;
    load->has_no_cuda = sums;
    load->sums_work = sums && (flags & RF_OPEN_NO_WORK) == 0;
    load->streams_work = (load->selection.of == NULL || can_stream(load)) &&
                         (load->sums_launches || load->sums_paths || load->sums_projected ||
                          (flags & RF_OPEN_WORK_COUNTS) != 0) &&
                         !load->keeps_work;
    rf_cuda_load_init(&load->cuda);
    (void)pthread_mutex_init(&load->mutex, NULL);
    load->rec = calloc(1, sizeof(*load->rec));
    if (load->rec != NULL)
        load->rec->path = strdup(path);
    if (load->rec == NULL || load->rec->path == NULL) {
        status = RF_ERR_NO_MEMORY;
    } else {
        load->rec->control = load->log.control;
        end_texts(&load->rec->control);
        rf_strings_init(&load->rec->strings, rf_hash_seed());
        load->rec->drift = load->drift;
        status = rf_timeline_init(&load->timeline, &load->log, NULL);
    }
    if (status == RF_OK && load->drift != 0)
        rf_timeline_stretch(&load->timeline, load->drift);
    if (status == RF_OK) {
        set_piece(load);
        rf_load_capture_windows(load);
        if (load->windows.is_focused && load->sums_work) { /* work lies in captures by its call */
            load->has_no_cuda = load->sums_work = false;
            load->sums_linked = load->streams_work = !load->keeps_work;
        }
        if (load->windows.is_focused && load->selection.of != NULL &&
            load->selection.of->options->without_cut) { /* what is cut is known last */
            load->keeps_events |= load->sums_projected;
            load->streams_work &= !load->sums_paths;
        }
        load->adds_projected =
            load->sums_paths && load->streams_work && (flags & RF_OPEN_ANY_RANGE_WORK) != 0;
        status = build(load);
    }
    release_load(load);
    if (status != RF_OK)
        rf_close(load->rec);
    return status == RF_OK || load->is_wrong
               ? status
               : rf_fail(err, status, "cannot read '%s': out of memory", path);
}

/* Whether calls and work have to be in memory, too: joining them with ranges that are did not do.
 */
static bool needs_all(const struct rf_load *load)
{
    return load->needs_work && !(load->needs_ranges && load->sums_projected && !load->keeps_events);
}

int rf_recording_open(const char *path, unsigned flags, double drift,
                      struct rf_selecting *selecting, rf_recording **out, struct rf_err *err)
{
    struct rf_load load = {.drift = drift, .selection.of = selecting};
    *out = NULL;
    if (flags & ~(unsigned)RF_OPEN_KNOWN)
        return rf_fail(err, RF_ERR_USAGE, "rf_open: unknown flags 0x%x", flags);
    if (flags & RF_OPEN_LAUNCHES)
        flags |= RF_OPEN_COUNTS;
    int status = open_once(path, flags, &load, err);
    while (load.is_wrong) {                /* each reason comes once */
        if (rf_select_has_failed(&load)) { /* rf_filter() says why */
            selecting = NULL;
            flags &= ~(unsigned)RF_OPEN_ANY_SUMS;
        }
        struct rf_load next = {.drift = drift,
                               .selection.of = selecting,
                               .keeps_events = load.keeps_events,
                               .keeps_work = load.keeps_work || needs_all(&load),
                               .has_one_worker = load.has_one_worker || load.needs_one_worker};
        if (load.needs_samples)
            flags &= ~(unsigned)(RF_OPEN_NO_SAMPLES | RF_OPEN_SAMPLE_SUMS);
        else if (!load.needs_one_worker && wants_paths(flags)) /* work lies in ranges */
            flags &= ~(unsigned)(RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS | RF_OPEN_ANY_RANGE_WORK);
        next.keeps_events |= !load.needs_samples && !load.needs_one_worker && !needs_all(&load);
        load = next;
        status = open_once(path, flags, &load, err);
    }
    if (status == RF_OK)
        *out = load.rec;
    return status;
}
