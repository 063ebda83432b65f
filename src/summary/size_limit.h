/* SPDX-License-Identifier: Apache-2.0 */
/* About what a summary takes in its file, for the limit of its size. */
#ifndef RF_SUMMARY_SIZE_LIMIT_H
#define RF_SUMMARY_SIZE_LIMIT_H

#include "summary/summary_data.h"

/* By path: the bytes of it and of its rows; the caller frees them. NULL: out of memory. */
uint64_t *rf_summary_path_bytes(const rf_summary *summary);

/* Bytes that are left of max_kb for paths and their rows. */
uint64_t rf_summary_room_of_paths(uint32_t max_kb);

/* Of a summary of one input: keeps so many tallies of each kind, at most so many as `most` says,
 * that with paths they take no more than max_kb. As rf_summary_tallies_limit(). */
int rf_summary_fit_tallies(rf_summary *summary, uint32_t most, uint32_t max_kb);

#endif
