/* SPDX-License-Identifier: Apache-2.0 */
/* What the recordings of a job say of its ranks: which are there, and what has become of them. */
#ifndef RF_CLI_VERBS_JOB_FATES_H
#define RF_CLI_VERBS_JOB_FATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

enum job_state {
    JOB_KILLED = 0, /* by a signal */
    JOB_GONE,       /* it ended without exit(): a signal, _exit, a crash */
    JOB_LEFT,       /* nobody saw its end */
    JOB_RUNNING,
    JOB_ENDED, /* with an exit status */
    JOB_SAVED, /* it ran on when the file was written, or the file does not say */
    JOB_N_STATES
};

/* One rank in one recording. */
struct job_rank {
    int32_t rank;
    int32_t world_size; /* -1: it does not say */
    enum job_state state;
    int number;         /* the exit status or signal; -1: unknown */
    int64_t idle_ns;    /* running: since its last event; RF_NO_TIME: it has none */
    int64_t end_utc_ns; /* of the recording */
    uint32_t root_pid;  /* with the epoch: captures of one run are alike */
    int64_t epoch_utc_ns;
    char *path;
    char *host;
    char *where; /* names of the ranges that were open at the end, the outermost first, as in
                  * "step > forward"; "": none, or nobody looked */
};

struct job {
    struct job_rank *rank; /* job_sort(): by rank */
    size_t n, room;
    char *ranks;       /* --ranks of `profile`; NULL: all */
    size_t n_unranked; /* recordings without a rank */
    size_t n_unread;   /* inputs that could not be opened; counted by the caller */
};

/* Adds the ranks of a recording, which may have been opened for counts alone. */
int job_add(struct job *job, const rf_recording *rec, const char *path, struct rf_err *err);

void job_sort(struct job *job);
void job_release(struct job *job);

/* "killed" */
const char *job_state_name(enum job_state state);

/* The number of ranks that most recordings name; -1: none does. */
int32_t job_world_size(const struct job *job);

struct job_span {
    int32_t first, last;
};

/* The ranks that were to be recorded and are not there, of a sorted job. The caller frees *spans.
 */
int job_find_missing(const struct job *job, struct job_span **spans, size_t *n, struct rf_err *err);

/* Whether rank i is there another time, in a sorted job: before it, and not as another capture of
 * one run. */
bool job_is_twice(const struct job *job, size_t i);

#endif
