/* SPDX-License-Identifier: Apache-2.0 */
/* Start/end ranges of a recording that is summed up as it is read: they get their ends while the
 * streams are decoded, so that only those that are open are kept. Any thread of the process may end
 * a range. A second end has no effect, as in pair.c, unless it is earlier: where it is not sure
 * that it is later, all has to be read again, with its events. */
#ifndef RF_MODEL_LOAD_EARLY_ENDS_H
#define RF_MODEL_LOAD_EARLY_ENDS_H

#include "model/load/decode.h"

/* Notes that an end was added to those of its thread. */
void rf_note_end(struct rf_decoder *d, struct rf_load_thread *thread);

/* Gives ranges that this decoder reads the ends that were read, when these are many. Those of
 * ranges that it does not find stay. */
void rf_find_ended(struct rf_decoder *d);

/* Notes the number of a range that begins, before it is added to those of its stream. */
void rf_note_start(struct rf_decoder *d, struct rf_load_stream *stream, uint64_t counter);

/* Says that ranges and their ends are too far apart where several workers read them: one is to read
 * all. */
void rf_needs_one_worker(struct rf_load *load);

/* Whether some decoder found that what is decoded has to be read again. */
bool rf_must_read_again(const struct rf_load *load);

/* Notes that the event of a start/end range, whose link is that of its start, is taken out. Returns
 * RF_OK or RF_ERR_NO_MEMORY. */
static inline int rf_note_taken(struct rf_load_stream *stream, const struct rf_event *event)
{
    struct rf_load_start *start = &stream->start[event->link];
    start->event = RF_NO_INDEX;
    if (event->end_ns > stream->last_taken_ns)
        stream->last_taken_ns = event->end_ns;
    return event->payload_type == RF_PATH_ELSEWHERE
               ? rf_sparse_bits_add(&stream->elsewhere, start->counter)
               : RF_OK;
}

/* Whether it matters which thread ends a range. */
bool rf_tells_elsewhere(const struct rf_load *load);

/* The range belongs to no capture, in rf_load_stream.cut_in. */
#define RF_START_LEFT_OUT (UINT32_MAX - 1)

/* Notes of a start/end range that does not end by a record of its thread, by its number, that it
 * ends with a window, or belongs to none. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_note_cut(const struct rf_load *load, struct rf_load_stream *stream, uint64_t counter,
                const struct rf_event *event, enum rf_window_fit fit);

/* Forgets the starts of those. */
void rf_forget_taken(struct rf_load *load, struct rf_load_stream *stream);

/* Whether a process began a range of this id that was taken out. */
bool rf_range_was_taken(const struct rf_load *load, uint32_t process, uint64_t id);

/* Whether what was done early cannot stand: an end that is left may be the earlier one of a range
 * that had one, or a thread is to be decoded again. When all streams are decoded. */
bool rf_early_ends_are_wrong(const struct rf_load *load);

#endif
