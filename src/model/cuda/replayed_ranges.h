/* SPDX-License-Identifier: Apache-2.0 */
/* How ranges of a thread that are read again (range_replay.h) begin and end: by records, with their
 * domain, their thread or their process. In a focused recording they are what capture_windows.h
 * leaves of them. One that ends outside of captures, or with one, ends when that was over, together
 * with all others of which that is so: which they are is known when the next one begins. */
#ifndef RF_MODEL_CUDA_REPLAYED_RANGES_H
#define RF_MODEL_CUDA_REPLAYED_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cuda/range_replay.h"
#include "model/cuda/replayed_open.h"

/* A thread, by its index in load->thread. */
struct rf_replayed_thread *rf_replayed_thread_of(struct rf_range_replay *r, uint32_t index);

/* Ranges have to be in memory. */
void rf_replayed_need_kept(struct rf_range_replay *r);

/* Whether a time lies in no capture, of a focused recording. */
bool rf_replayed_is_outside(const struct rf_range_replay *r, int64_t ns);

/* Whether the filter leaves out ranges that are cut. */
bool rf_replayed_leaves_out_cut(const struct rf_range_replay *r);

/* A range begins: its node is the last one that is open. place: of its thread in the recording.
 * Returns RF_OK or RF_ERR_NO_MEMORY, likewise below. */
int rf_replayed_begin(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t place,
                      const struct rf_event *range);

/* The same, or the range waits for a capture. *node: its own, or RF_REPLAY_WAITS. */
int rf_replayed_begin_or_wait(struct rf_range_replay *r, struct rf_replayed_thread *thread,
                              const struct rf_event *range, uint32_t *node);

/* When a range that begins ends without a record: where it is known to be cut, or when its domain
 * is destroyed; RF_NO_TIME: never. Before it begins. */
int64_t rf_replayed_note_ends(const struct rf_range_replay *r, struct rf_replayed_thread *thread,
                              const struct rf_event *range, int64_t cut_ns);

/* A range ends by a record. node: RF_NO_INDEX: it has ended. collective: its number. */
int rf_replayed_end(struct rf_range_replay *r, struct rf_replayed_thread *thread, uint32_t node,
                    int64_t end_ns, uint32_t collective);

/* What happens up to a time without a record of the thread. */
int rf_replayed_advance(struct rf_range_replay *r, struct rf_replayed_thread *thread, int64_t ns);

/* All of a thread's push/pop ranges end. index RF_NO_INDEX: of no thread, likewise below. */
int rf_replayed_cut(struct rf_range_replay *r, uint32_t index, int64_t ns, enum rf_cut why);

/* Its process ends, and with it all its ranges, from the last one on. */
int rf_replayed_cut_all(struct rf_range_replay *r, uint32_t index);

#endif
