/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates what was decoded of a GPU and writes it to metrics.log, in a thread of its own: CUPTI
 * takes about as long to evaluate samples as to decode them, and at 10 kHz one core hardly does
 * both. Where no thread can be had the caller does it. */
#ifndef RF_CLI_GPU_METRICS_METRICS_WRITER_H
#define RF_CLI_GPU_METRICS_METRICS_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/gpu_metrics/metrics_file.h"
#include "rangefinder/pm_sampling.h"

#define METRICS_WRITER_ROOM 2u /* images of megabytes that wait */

enum metrics_work_kind {
    METRICS_BEGIN,   /* sampling was started at ns */
    METRICS_SAMPLES, /* data, which the writer frees; is_torn: what came after it may be lost */
    METRICS_LOSS,    /* the samples up to ns are lost */
    METRICS_END /* sampling has ended at ns; where the last data was torn samples are missing */
};

struct metrics_work {
    enum metrics_work_kind kind;
    bool is_torn;
    int64_t ns; /* CLOCK_REALTIME */
    rf_pm_data *data;
};

struct metrics_writer {
    struct metrics_file *file;
    uint32_t slot; /* of the GPU's chunks */
    uint64_t seq;  /* of the last one */
    uint32_t hz;

    /* the thread's; of anybody where it does not run */
    int64_t last_end_ns; /* CLOCK_REALTIME: of the last sample, or of the start */
    bool is_torn;        /* there were more samples than were decoded, and none has come since */
    bool is_slow;        /* samples came faster than they were read */
    uint64_t n_samples, n_lost;
    int64_t reached_ns; /* last_end_ns, for other threads; INT64_MAX: nothing more comes; atomic */

    pthread_t thread;
    bool is_running;      /* the thread was started */
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct metrics_work work[METRICS_WRITER_ROOM];
    unsigned first, n; /* in work, around its end; the first is being done */
    bool must_stop;
    struct rf_pm_error err; /* status not 0: why nothing is evaluated any more */
};

/* Starts the thread. The GPU has been described in the file. */
void metrics_writer_start(struct metrics_writer *writer, struct metrics_file *file);

/* Hands over work; waits while too much is waiting. */
void metrics_writer_put(struct metrics_writer *writer, const struct metrics_work *work);

/* Waits until everything is written. */
void metrics_writer_drain(struct metrics_writer *writer);

/* The time (CLOCK_REALTIME) up to which samples are written, or known to be lost. Any thread. */
int64_t metrics_writer_reached_ns(const struct metrics_writer *writer);

/* No samples will come any more; everything is written. */
void metrics_writer_finish(struct metrics_writer *writer);

/* Whether evaluation has failed; *err says why. */
bool metrics_writer_has_failed(struct metrics_writer *writer, struct rf_pm_error *err);

/* Writes the rest and ends the thread. Harmless where there is none. */
void metrics_writer_stop(struct metrics_writer *writer);

#endif
