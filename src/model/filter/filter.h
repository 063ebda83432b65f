/* SPDX-License-Identifier: Apache-2.0 */
/* The options of rf_filter(), parsed. */
#ifndef RF_MODEL_FILTER_FILTER_H
#define RF_MODEL_FILTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter/filter_payload.h"
#include "model/filter/name_pattern.h"
#include "rangefinder/rangefinder.h"

struct rf_filter_window {
    int64_t begin_ns, end_ns;
};

struct rf_filter {
    bool has_windows;
    struct rf_filter_window *window; /* by time; they do not overlap */
    size_t n_windows, window_room;
    uint8_t *keeps_process; /* by index; NULL: all */
    uint8_t *keeps_thread;  /* likewise */
    uint32_t *gpu;          /* NULL: all */
    size_t n_gpus;
    unsigned activities; /* enum rf_activity */
    bool has_no_cut;     /* ranges that were cut are left out */
    struct rf_name_pattern name;
    struct rf_name_pattern kernel;
    struct rf_payload_test *payload; /* all of them are to fit */
    size_t n_payloads;
};

#endif
