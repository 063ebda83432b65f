/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that began on one thread and ended on another, over the calls of their process. */
#ifndef RF_MODEL_PROJECTION_PROJECTION_PROCESS_H
#define RF_MODEL_PROJECTION_PROJECTION_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/projection/projection_sweep.h"
#include "rangefinder/rangefinder.h"

struct rf_process_range {
    uint32_t process, thread;
    struct rf_span span;
    struct rf_work work;
};

struct rf_process_ranges {
    struct rf_process_range *range; /* by thread, then event */
    size_t n;
    size_t next;      /* of rf_process_ranges_next() */
    uint8_t *covered; /* per operation of the recording: lies under one of them */
};

/* Whether a range ended on another thread than it began on. */
bool rf_ends_elsewhere(const rf_recording *rec, uint32_t thread, const struct rf_event *event);

/* Finds them all and their work. Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_process_ranges_init(struct rf_process_ranges *ranges, const rf_recording *rec,
                           bool kernels_only);
void rf_process_ranges_release(struct rf_process_ranges *ranges);

/* The work of an event; NULL: it is not one of these ranges. To be called in the order of events.
 */
const struct rf_work *rf_process_ranges_next(struct rf_process_ranges *ranges, uint32_t thread,
                                             uint32_t event);

#endif
