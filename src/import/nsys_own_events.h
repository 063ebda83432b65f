/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables RANGEFINDER_NVTX_* of our own databases say of rows of NVTX_EVENTS: why a range
 * was cut, what was odd about an event, and where it was. */
#ifndef RF_IMPORT_NSYS_OWN_EVENTS_H
#define RF_IMPORT_NSYS_OWN_EVENTS_H

#include "import/nsys_load.h"

/* Of one row. */
struct nsys_own_event {
    uint8_t cut;    /* enum rf_cut */
    uint8_t flags;  /* enum rf_event_flags */
    uint32_t scope; /* string, or RF_NO_STRING */
    bool is_placed; /* see rf_is_placed() */
};

/* Reads the tables into load->own_events; NULL there: the file has none of them. */
int nsys_load_own_events(struct nsys_load *load);

/* What is said of the row with a number; is_range: it is one, and can be cut. */
struct nsys_own_event nsys_own_event(const struct nsys_load *load, int64_t row, bool is_range);

/* NULL is accepted. */
void nsys_own_events_free(struct nsys_own_events *own);

#endif
