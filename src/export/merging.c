/* SPDX-License-Identifier: Apache-2.0 */
#include "export/merging.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/private_access.h"

static int check_new(const struct rf_merging *merging, const struct rf_merged_input *input,
                     struct rf_err *err)
{
    for (size_t i = 0; i < merging->n; i++)
        if (rf_is_same_recording(&merging->input[i].key, &input->key))
            return rf_fail(err, RF_ERR_USAGE, "'%s' is the same recording as '%s'", input->path,
                           merging->input[i].path);
    return RF_OK;
}

/* ---- Its time ---- */

/* Without an alignment that was given, by their clocks alone. */
static int find_place(struct rf_merging *merging, const rf_recording *rec,
                      struct rf_alignment *place, struct rf_err *err)
{
    struct rf_clock clock = RF_CLOCK_INIT;
    int status = RF_OK;
    if (merging->align != NULL)
        return rf_align_at(merging->align, (uint32_t)merging->n, place);
    if (merging->own == NULL)
        status = rf_align_new(&merging->own, err);
    if (status == RF_OK)
        status = rf_clock_of(rec, &clock, err);
    if (status == RF_OK)
        status = rf_align_add(merging->own, &clock, NULL, 0, err);
    if (status == RF_OK)
        status = rf_align_solve(merging->own, err);
    return status == RF_OK ? rf_align_at(merging->own, (uint32_t)merging->n, place) : status;
}

/* Where times run at another speed than the first one's, their middle is right. */
static void take_place(struct rf_merged_input *input, const struct rf_alignment *place)
{
    const double drift = place->drift - input->drift;
    const double half_ns = drift * (double)input->end_ns / 2;
    input->method = place->method;
    input->shift_ns = place->offset_ns + (int64_t)half_ns;
    input->uncertainty_ns = place->uncertainty_ns;
    if (place->uncertainty_ns >= 0)
        input->uncertainty_ns += (int64_t)(half_ns < 0 ? -half_ns : half_ns);
}

static int place(struct rf_merging *merging, struct rf_merged_input *input, const rf_recording *rec,
                 struct rf_err *err)
{
    struct rf_alignment found = RF_ALIGNMENT_INIT;
    if (merging->has_no_times)
        return RF_OK;
    int status = find_place(merging, rec, &found, err);
    if (status == RF_ERR_USAGE)
        return rf_fail(err, status, "the alignment has no input %zu", merging->n);
    if (status != RF_OK)
        return status;
    take_place(input, &found);
    if (found.method != RF_ALIGN_NONE)
        return RF_OK;
    return rf_fail(err, RF_ERR_UNSUPPORTED,
                   "'%s' cannot be put beside '%s': their times of day are not known, or too far "
                   "apart",
                   input->path, merging->input[0].path);
}

/* ---- All of them ---- */

static void release_input(struct rf_merged_input *input)
{
    free(input->path);
    free(input->host);
}

int rf_merging_add(struct rf_merging *merging, const rf_recording *rec, const char *path,
                   int64_t rank, struct rf_err *err)
{
    const struct rf_info *info = rf_get_info(rec);
    struct rf_recording_key key = rf_recording_key_of(rec, path != NULL ? path : info->path);
    struct rf_merged_input input = {
        .path = strdup(key.path),
        .host = strdup(key.host),
        .epoch_utc_ns = info->epoch_utc_ns,
        .epoch_mono_ns = info->epoch_mono_ns,
        .end_ns = info->end_ns,
        .drift = rf_opened_drift(rec),
        .rank = rank,
    };
    int status = RF_OK;
    if (input.path == NULL || input.host == NULL ||
        rf_grow_array(&merging->input, merging->n, &merging->room, sizeof(input)) != RF_OK)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    input.key = key;
    input.key.path = input.path;
    input.key.host = input.host;
    if (status == RF_OK)
        status = check_new(merging, &input, err);
    if (status == RF_OK)
        status = place(merging, &input, rec, err);
    if (status == RF_OK)
        merging->input[merging->n++] = input;
    else
        release_input(&input);
    return status;
}

/* More GPUs than one machine has are damage. */
#define MAX_GPUS 4096

static uint32_t max_gpu(uint32_t n, uint32_t number)
{
    return number < MAX_GPUS && number >= n ? number + 1 : n;
}

/* GPUs, devices of processes, and devices with counters are told by numbers of one kind. */
static uint32_t count_gpus(const rf_recording *rec)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        n = max_gpu(n, rf_gpu_at(rec, i)->id);
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++)
        n = max_gpu(n, rf_gpu_track_at(rec, i)->device);
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        n = max_gpu(n, rf_counter_at(rec, i)->device);
    return n;
}

void rf_merging_end(struct rf_merging *merging, const rf_recording *rec)
{
    const uint32_t n_gpus = count_gpus(rec);
    size_t n_ops;
    (void)rf_gpu_ops(rec, &n_ops);
    merging->n_processes += rf_n_processes(rec);
    merging->n_ops += n_ops;
    merging->n_gpus = merging->n_gpus < INT32_MAX - n_gpus ? merging->n_gpus + n_gpus : 0;
}

int rf_merging_keep(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct rf_merging *merging = context;
    if (merging->about_room - merging->about_size < size) {
        size_t room = 2 * merging->about_room + size;
        char *longer = realloc(merging->about, room);
        if (longer == NULL)
            return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
        merging->about = longer;
        merging->about_room = room;
    }
    memcpy(merging->about + merging->about_size, data, size);
    merging->about_size += size;
    return RF_OK;
}

void rf_merging_release(struct rf_merging *merging)
{
    for (size_t i = 0; i < merging->n; i++)
        release_input(&merging->input[i]);
    free(merging->input);
    free(merging->about);
    rf_align_free(merging->own);
    if (merging->kept != NULL)
        merging->free_kept(merging->kept);
    rf_used_ids_release(&merging->ids);
    memset(merging, 0, sizeof(*merging));
}

/* ---- Names ---- */

const char *rf_merging_prefix(const struct rf_merging *merging, const rf_recording *rec,
                              const struct rf_process *process, char text[RF_MERGING_PREFIX])
{
    char rank_text[32] = "";
    text[0] = '\0';
    if (merging == NULL)
        return text;
    const struct rf_merged_input *input = rf_merging_last(merging);
    int64_t rank = input->rank;
    if (rank < 0 && process != NULL)
        rank = process->rank;
    if (rank < 0)
        rank = rf_get_info(rec)->rank;
    if (rank >= 0)
        (void)snprintf(rank_text, sizeof(rank_text), "rank %" PRId64, rank);
    bool has_both = rank >= 0 && input->host[0] != '\0';
    if (rank >= 0 || input->host[0] != '\0')
        (void)snprintf(text, RF_MERGING_PREFIX, "%s%s%.256s: ", rank_text, has_both ? " @ " : "",
                       input->host);
    return text;
}
