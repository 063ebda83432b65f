/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of memory, events and overhead of a focused recording whose calls are not kept: they belong
 * to a capture if their call does (cuda_captures.h), which is found as that of GPU work is. Rows of
 * memory are in memory, since counters are made of them; the others are counted. */
#ifndef RF_MODEL_CUDA_CAPTURED_ROWS_H
#define RF_MODEL_CUDA_CAPTURED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_held_work;
struct rf_load;

/* All zero: there are none. */
struct rf_captured_rows {
    size_t first, n;  /* in rec->extra: those of memory */
    size_t n_met;     /* of these, in the second reading */
    uint8_t *is_kept; /* by row */
};

/* After the first reading: its rows are those from first on. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_captured_rows_init(struct rf_captured_rows *rows, const rf_recording *rec, size_t first);
void rf_captured_rows_release(struct rf_captured_rows *rows);

/* The number of the next row of memory, in the order in which both readings come to them. */
uint32_t rf_captured_rows_next(struct rf_captured_rows *rows);

/* Takes a row that belongs to a capture: name is its number, or RF_NO_INDEX; track is the thread
 * that it is of, index in load->thread, likewise. Returns false if that one is not listed, or the
 * row was not there in the first reading: all has to be in memory. */
bool rf_captured_rows_take(struct rf_captured_rows *rows, struct rf_load *load,
                           const struct rf_held_work *row);

/* All were met: removes the rows that were not taken. */
void rf_captured_rows_finish(struct rf_captured_rows *rows, rf_recording *rec);

#endif
