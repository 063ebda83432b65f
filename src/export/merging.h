/* SPDX-License-Identifier: Apache-2.0 */
/* What the inputs of one output share: ids that differ, one clock, and what is said of each. */
#ifndef RF_EXPORT_MERGING_H
#define RF_EXPORT_MERGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"
#include "export/shown_ids.h"
#include "model/same_recording.h"
#include "rangefinder/clocks.h"
#include "rangefinder/rangefinder.h"

struct rf_merged_input {
    char *path, *host;
    int64_t epoch_utc_ns, epoch_mono_ns, end_ns;
    double drift;                /* its times are stretched by this */
    struct rf_recording_key key; /* its texts are these */
    int64_t rank;                /* of all its processes; -1: each has its own, or none */
    int64_t shift_ns;            /* the time of the first input at this one's time 0 */
    int64_t uncertainty_ns;      /* of that; -1: not known */
    int method;                  /* enum rf_align_method */
};

/* All zero: there are none yet. */
struct rf_merging {
    bool has_no_times;             /* the output adds inputs up: no clock is common to them */
    const rf_align *align;         /* where the inputs are; NULL: found from their clocks... */
    rf_align *own;                 /* ... by this */
    struct rf_merged_input *input; /* the last one is being written */
    size_t n, room;
    struct rf_used_ids ids;
    int64_t base_ns; /* the output's time at time 0 of the first input */
    char *about;     /* what the format keeps for the end */
    size_t about_size, about_room;
    void *kept; /* likewise, of its own kind; NULL: nothing */
    void (*free_kept)(void *kept);
    bool has_events;                  /* the file has some */
    uint64_t n_processes;             /* of those before the last one */
    uint64_t n_ops;                   /* their pieces of GPU work */
    uint32_t n_gpus;                  /* their largest numbers of GPUs, and one for 0, added up */
    uint64_t n_uuids, n_second_uuids; /* of their tracks; see export_perfetto.c */
};

/* Adds an input. RF_ERR_USAGE: it is there already; RF_ERR_UNSUPPORTED: its time is not known. */
int rf_merging_add(struct rf_merging *merging, const rf_recording *rec, const char *path,
                   int64_t rank, struct rf_err *err);

/* The input is written. */
void rf_merging_end(struct rf_merging *merging, const rf_recording *rec);

/* A rf_sink_flush_fn whose context is the struct rf_merging: appends to about. */
int rf_merging_keep(void *merging, const void *data, size_t size, struct rf_err *err);

void rf_merging_release(struct rf_merging *merging);

static inline const struct rf_merged_input *rf_merging_last(const struct rf_merging *merging)
{
    return &merging->input[merging->n - 1];
}

#define RF_MERGING_PREFIX 384

/* Writes what stands before the names of an input's processes: "rank 3 @ host: ", as far as these
 * are known. process: NULL for what belongs to none. merging: NULL writes nothing. Returns text. */
const char *rf_merging_prefix(const struct rf_merging *merging, const rf_recording *rec,
                              const struct rf_process *process, char text[RF_MERGING_PREFIX]);

#endif
