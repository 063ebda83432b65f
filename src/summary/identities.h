/* SPDX-License-Identifier: Apache-2.0 */
/* Which recordings the inputs of a summary are of, so that none counts twice. */
#ifndef RF_SUMMARY_IDENTITIES_H
#define RF_SUMMARY_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "rangefinder/summary.h"

/* What tells a recording, or the part of one that was summed up, from others, whatever its path
 * is. */
struct rf_summary_identity {
    uint32_t input;              /* that it is part of */
    uint32_t host, filter, path; /* strings; path: of what has no date, else RF_NO_STRING */
    uint32_t file;       /* of the summary that it was read from; RF_NO_STRING. Not kept in files */
    uint8_t boot_id[16]; /* zeros: not known */
    int64_t pid;         /* of the program; 0: not known */
    int64_t rank;        /* that the recording says; -1: none */
    int64_t start_utc_ns;
    uint64_t duration_ns, n_events;
};

/* All zero: none. */
struct rf_summary_identities {
    struct rf_summary_identity *item;
    uint32_t *before; /* by item: the one before it of the same key; RF_MAP_NONE */
    size_t n, room, before_room;
    struct rf_map of; /* start, other numbers -> the last of these items */
};

/* That of an input of one recording. pid 0 and rank -1: not known. Its host, filter and path become
 * strings of the summary. RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_identify(rf_summary *summary, uint32_t input, int64_t pid, int64_t rank);

/* Adds one; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_identity_add(rf_summary *summary, const struct rf_summary_identity *item);

/* An item of the summary that is the same recording as one of another summary, in an input of one
 * recording; NULL: there is none. */
const struct rf_summary_identity *rf_summary_find_recording(const rf_summary *summary,
                                                            const rf_summary *from,
                                                            const struct rf_summary_identity *item);

/* The same in any input, as in one that others were added up to. */
const struct rf_summary_identity *rf_summary_find_part(const rf_summary *summary,
                                                       const rf_summary *from,
                                                       const struct rf_summary_identity *item);

/* What it is part of, in words, as in 'part0.rf' of 'job.rfsum'; returns text. */
const char *rf_summary_identity_name(const rf_summary *summary,
                                     const struct rf_summary_identity *of, char *text, size_t size);

/* Two items of one recording; false: there are none. */
bool rf_summary_find_twice(const rf_summary *summary, const struct rf_summary_identity **a,
                           const struct rf_summary_identity **b);

/* Adds those of another summary. input: by its inputs, which one they go to; RF_NO_INDEX: none;
 * NULL: the same one. RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_identities_absorb(rf_summary *to, const rf_summary *from, const uint32_t *input);

/* Says of all where they were read; RF_OK or RF_ERR_NO_MEMORY. */
int rf_summary_identities_are_of(rf_summary *summary, const char *file);

/* Puts them into the order of a file, which is the same for every order of adding. */
void rf_summary_identities_sort(rf_summary *summary);

void rf_summary_identities_release(struct rf_summary_identities *identities);

#endif
