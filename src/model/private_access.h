/* SPDX-License-Identifier: Apache-2.0 */
/* What export and stats read of a recording beyond its public interface. */
#ifndef RF_MODEL_PRIVATE_ACCESS_H
#define RF_MODEL_PRIVATE_ACCESS_H

#include <stdbool.h>

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_sums;
struct rf_sample_sum;
struct rf_work_sums;
struct rf_launch_sums;
struct rf_projected_sums;

/* A flag of rf_open(): RF_OPEN_SUMS, however short the recording is. */
#define RF_OPEN_SUMS_ALWAYS 0x10000u

/* Likewise RF_OPEN_PATHS. */
#define RF_OPEN_PATHS_ALWAYS 0x20000u

/* A flag of rf_open(): the numbers of launches stand apart from the details of kernels, so that
 * kernels that are launched alike share them. rf_kernel.grid_id is 0; the field of that name is as
 * without the flag. */
#define RF_OPEN_GRID_IDS_APART 0x40000u

/* With RF_OPEN_SUMS, of a SQLite database: GPU work alone, or calls of CUDA alone, is read of the
 * large tables. rf_report_open_flags() has them for reports of nothing else. */
#define RF_OPEN_WORK_ALONE  0x1000000u
#define RF_OPEN_CALLS_ALONE 0x2000000u

/* All flags that there are. */
#define RF_OPEN_KNOWN                                                                              \
    (RF_OPEN_SALVAGE | RF_OPEN_NO_DETAILS | RF_OPEN_NO_SAMPLES | RF_OPEN_SUMS | RF_OPEN_COUNTS |   \
     RF_OPEN_PATHS | RF_OPEN_NO_STEPS | RF_OPEN_VERIFY | RF_OPEN_SAMPLE_SUMS | RF_OPEN_PAGES |     \
     RF_OPEN_LIBRARY | RF_OPEN_NO_WORK | RF_OPEN_SUMS_ALWAYS | RF_OPEN_PATHS_ALWAYS |              \
     RF_OPEN_GRID_IDS_APART | RF_OPEN_WORK_COUNTS | RF_OPEN_LAUNCHES | RF_OPEN_RANGE_WORK |        \
     RF_OPEN_RANGE_WORK_BASE | RF_OPEN_RANGE_WORK_MANGLED | RF_OPEN_NO_RANGE_KERNELS |             \
     RF_OPEN_FOLD_NUMBERS | RF_OPEN_BY_PROCESS | RF_OPEN_WORK_ALONE | RF_OPEN_CALLS_ALONE)

/* The GPU work of ranges, whatever kernels are called. */
#define RF_OPEN_ANY_RANGE_WORK                                                                     \
    (RF_OPEN_RANGE_WORK | RF_OPEN_RANGE_WORK_BASE | RF_OPEN_RANGE_WORK_MANGLED)

/* What leaves events, calls or GPU work out of memory. */
#define RF_OPEN_ANY_SUMS                                                                           \
    (RF_OPEN_SUMS | RF_OPEN_SUMS_ALWAYS | RF_OPEN_COUNTS | RF_OPEN_PATHS | RF_OPEN_PATHS_ALWAYS |  \
     RF_OPEN_WORK_COUNTS | RF_OPEN_LAUNCHES | RF_OPEN_ANY_RANGE_WORK)

#define RF_OS_CALL_CLASS 27 /* rf_call.event_class of whole calls of the system's functions */

/* Whether the recording is of a rank, or of several, of which it has none. */
bool rf_has_rank(const rf_recording *rec);

/* Like rf_thread_calls(), and also the calls that a filter hides but the projection needs. */
const struct rf_call *rf_recording_calls(const rf_recording *rec, uint32_t thread, size_t *n);

/* Whether a range is counted in another file: that in which it ends (rf_get_piece()). */
static inline bool rf_goes_on(const rf_recording *rec, const struct rf_event *range)
{
    if (range->cut != RF_CUT_LIVE)
        return false;
    const struct rf_piece_info *piece = rf_get_piece(rec);
    return piece != NULL && piece->goes_on != 0;
}

/* Whether the end of a range, or its begin in a capture, was not recorded. */
static inline bool rf_is_cut(const struct rf_event *range)
{
    return range->cut != RF_CUT_NONE || (range->flags & RF_EVENT_CUT_AT_START) != 0;
}

static inline uint64_t rf_n_going_on(const rf_recording *rec)
{
    const struct rf_piece_info *piece = rf_get_piece(rec);
    return piece != NULL && piece->goes_on != 0 ? rf_get_info(rec)->n_cut_by[RF_CUT_LIVE] : 0;
}

/* What the ranges of a recording add up to, by the first domain of a name; NULL: it has its ranges.
 */
const struct rf_sums *rf_recording_sums(const rf_recording *rec);

/* The path by whose values these are grouped, key.around being 1 + the string of a value; NULL:
 * they are not. */
const char *rf_recording_group_by(const rf_recording *rec);

/* What its ranges add up to by the names around them, with RF_OPEN_PATHS; NULL: it has its ranges.
 */
const struct rf_sums *rf_recording_paths(const rf_recording *rec);

/* What its calls of CUDA and its GPU work add up to with RF_OPEN_PATHS, with the places of the
 * shortest and the longest; NULL: it has them, or there are none. In keys kind is an enum
 * rf_work_kind, domain the process, or RF_NO_INDEX for work without a call; name is a string, of
 * copies the kind of copy. */
const struct rf_sums *rf_recording_named_work(const rf_recording *rec);

/* What its calls of CUDA and its GPU work add up to, with RF_OPEN_SUMS; NULL: it has them, or they
 * were not read. */
const struct rf_work_sums *rf_recording_work_sums(const rf_recording *rec);

/* What the GPU work of its ranges adds up to, with RF_OPEN_RANGE_WORK; NULL: it has all of them. */
const struct rf_projected_sums *rf_recording_projected_sums(const rf_recording *rec);

/* What its launches add up to, with RF_OPEN_LAUNCHES; NULL: it has its calls and its work. */
const struct rf_launch_sums *rf_recording_launch_sums(const rf_recording *rec);

/* How a file that was imported numbers a counter, and what its samples add up to. */
struct rf_counter_origin {
    const struct rf_sample_sum *sum; /* with RF_OPEN_SAMPLE_SUMS; NULL: see sums/sample_sums.h */
    int64_t type, source;            /* typeId, sourceId */
    uint32_t metric;
    uint8_t is_soc; /* of the system on the chip, not of the GPU */
};

/* The numbers of counter i in the file that it was imported from; NULL: it is our own recording. */
const struct rf_counter_origin *rf_counter_origin_at(const rf_recording *rec, uint32_t i);

/* rf_info.host of an import that does not say it. */
#define RF_UNKNOWN_HOST "an unknown machine"

/* Where and when a recording was made; zeros: it is not known. */
struct rf_recording_origin {
    uint8_t session_id[16];
    uint8_t boot_id[16];     /* of the machine, since it booted */
    int64_t clock_spread_ns; /* by how much the distance of CLOCK_REALTIME from CLOCK_MONOTONIC
                              * varied between the pairs that were taken of them; -1: not known */
};

void rf_recording_origin(const rf_recording *rec, struct rf_recording_origin *out);

/* Whether payloads say of an event where it was: the field `scope`. */
bool rf_has_scopes(const rf_recording *rec);

/* The string of that field; RF_NO_STRING: it is a thread, or nothing is said. */
uint32_t rf_event_scope(const rf_recording *rec, const struct rf_event *event);

/* How long all captures took. */
uint64_t rf_captured_ns(const rf_recording *rec);

#endif
