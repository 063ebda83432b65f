/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of GPU metrics as they stand in METRICS chunks (docs/format.md, section 10). A sampler is
 * the slot of its chunks, which seq numbers from 1. */
#ifndef RF_LOG_METRICS_H
#define RF_LOG_METRICS_H

#include <stdint.h>

#define RF_METRICS_FILE "metrics.log"
#define RF_METRICS_MOST 4096u /* metrics of a sampler */

enum rf_metrics_kind {
    RF_METRICS_DESCRIPTION = 1, /* what is sampled: the first chunk of its slot */
    RF_METRICS_SAMPLES = 2,
    RF_METRICS_LOST = 3, /* the hardware buffer was full: samples are missing */
};

/* Begins the payload of each. Times are CLOCK_REALTIME. */
struct rf_metrics_head {
    uint32_t kind; /* enum rf_metrics_kind */
    uint32_t n_metrics;
    uint64_t n; /* DESCRIPTION: bytes of text; SAMPLES: samples; LOST: about how many */
    int64_t start_ns, end_ns; /* SAMPLES: of the first and of the last; LOST: when */
    uint64_t interval;        /* DESCRIPTION: nanoseconds, or cycles of the SYS clock, by */
    uint32_t trigger;         /* enum rf_pm_trigger */
    uint32_t device;          /* DESCRIPTION: number of the GPU, as CUDA gave it to the sampler */
    uint8_t uuid[16];         /* DESCRIPTION: zero where it is not known */
};

/* DESCRIPTION: texts follow, each ended by a zero byte: chip, name of the GPU, place on the PCI
 * bus, title of the set; then per metric its name and its label. Zeros up to a word.
 *
 * SAMPLES: n times struct rf_metrics_sample and n_metrics doubles. */
struct rf_metrics_sample {
    int64_t start_ns, end_ns;
};

_Static_assert(sizeof(struct rf_metrics_head) == 64, "docs/format.md 10");
_Static_assert(sizeof(struct rf_metrics_sample) == 16, "docs/format.md 10");

#endif
