/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges by name, as options and filters spell them: MESSAGE[@DOMAIN][/INDEX]. */
#ifndef RF_MODEL_FILTER_RANGE_SEARCH_H
#define RF_MODEL_FILTER_RANGE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* One way to read a text. */
struct rf_wanted_range {
    char *message;      /* NULL: it cannot be read so */
    const char *domain; /* in the memory of message; NULL: any; "": the default one */
    bool has_index;
    uint64_t index;
};

#define RF_WAYS_TO_READ 4 /* the first that finds ranges counts */

/* Reads a text in the way-th way. Returns RF_OK or RF_ERR_NO_MEMORY; free wanted->message. */
int rf_wanted_range_init(struct rf_wanted_range *wanted, const char *text, int way);

/* Whether a domain is the one that is wanted. */
bool rf_wants_domain(const struct rf_wanted_range *wanted, const rf_recording *rec,
                     uint32_t domain);

struct rf_found_range {
    int64_t start_ns, end_ns;
    uint32_t thread;
    size_t event; /* of that thread: rf_thread_event_at() */
};

/* Which comes first, for qsort(): by start, end, thread and event. */
int rf_compare_found_ranges(const void *left, const void *right);

struct rf_found_ranges {
    struct rf_found_range *range; /* in that order */
    size_t n, room;
    bool is_indexed; /* the text has an INDEX: there is one */
};

/* Finds the ranges of a text, with an INDEX only that one. Without DOMAIN they may be of any; "@"
 * alone is the default domain. A message may contain @ and /: the whole text is tried as a message
 * first. keeps_process: which processes are searched, by index; NULL: all. RF_ERR_NOT_FOUND: there
 * is no such range. Release the result either way. */
int rf_find_ranges(const rf_recording *rec, const char *text, const uint8_t *keeps_process,
                   struct rf_found_ranges *found, struct rf_err *err);
void rf_found_ranges_release(struct rf_found_ranges *found);

#endif
