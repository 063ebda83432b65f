/* SPDX-License-Identifier: Apache-2.0 */
/* A writer is the cursor of one stream. A thread finds its writer in one thread-local pointer.
 *
 * A record is written between rf_writer_begin() and rf_writer_end(). In between the writer is busy:
 * its end is NULL, and a signal handler on the same thread finds no room here and takes the nested
 * writer. parked_end keeps the end meanwhile. */
#ifndef RF_RECORD_STREAM_WRITER_H
#define RF_RECORD_STREAM_WRITER_H

#include "log/layout.h"
#include "record/recorder.h"

struct rf_writer_focus;

struct rf_writer {
    uint8_t *cursor;
    uint8_t *end; /* of the part, less RF_RESERVE; NULL: busy, or without a thread */
    uint64_t n_starts;
    uint64_t id_base;              /* rf_range_id() of counter 0 */
    uint8_t *parked_end;           /* what end was, and becomes again */
    struct rf_writer_focus *focus; /* in a focused run, otherwise NULL */
    uint8_t *part;                 /* the active part; NULL: wiped by a fork, or no session */
    uint32_t slot;
    uint32_t n_triggers; /* entries of focus->trigger[] in use */
    struct rf_writer *nested;
    uint32_t part_index;
    uint32_t tid;
    uint32_t serial;
    uint32_t unused0;
    uint64_t seq;
    uint64_t lost_records; /* since the active part began */
    uint64_t lost_bytes;
    uint64_t pthread;  /* pthread_self() of the thread that has this stream, or 0; atomic */
    uint8_t unused[8]; /* two cache lines: a prefetch for one thread does not take another's */
};

extern RF_HIDDEN __thread struct rf_writer *rf_tls_writer;
extern RF_HIDDEN struct rf_writer rf_no_writer; /* what a thread has before its first event */

/* Room that every part keeps after the last place where a short record may begin: the record, a
 * 16-byte store that begins before its end, and the zero word that ends the records; and three more
 * records of signal handlers, each of which came in after the interrupted one had seen that there
 * is room and before it was marked busy. */
#define RF_RESERVE       (4 * (RF_WORD_MAX_WORDS + RF_COUNTER_WORDS) * 8 + 16 + 8)
#define RF_COUNTER_WORDS 2 /* before a START of a focused run */

/* ---- The one protocol between a thread and its signal handlers ---- */

/* Marks a writer busy and returns its end. A handler that came in since the caller looked at end
 * may have begun another part, or used up room (RF_RESERVE): only the end returned here holds. */
RF_INLINE uint8_t *rf_writer_begin(struct rf_writer *writer)
{
    writer->end = NULL;
    rf_signal_fence();
    return writer->parked_end;
}

/* The writer is no longer busy. */
RF_INLINE void rf_writer_end(struct rf_writer *writer, uint8_t *end)
{
    rf_signal_fence();
    writer->end = end;
}

RF_INLINE bool rf_writer_has_room(const struct rf_writer *writer)
{
    return writer->cursor < writer->end;
}

/* Parks a writer that is not busy, and that its thread gives up: whoever acquires it ends this with
 * rf_writer_end(writer, writer->parked_end). */
RF_INLINE void rf_writer_park(struct rf_writer *writer)
{
    writer->parked_end = writer->end;
    writer->end = NULL;
}

/* Did the calling signal handler interrupt a record of this writer? */
RF_INLINE bool rf_writer_is_busy(const struct rf_writer *writer)
{
    return writer->end == NULL;
}

/* Is the thread of this writer, which another thread looks at, in the middle of a record? */
RF_INLINE bool rf_writer_is_in_record(const struct rf_writer *writer)
{
    return __atomic_load_n(&writer->end, __ATOMIC_ACQUIRE) == NULL &&
           __atomic_load_n(&writer->part, __ATOMIC_RELAXED) != NULL;
}

/* ---- Records ---- */

RF_INLINE uint64_t rf_head(uint64_t ticks, uint32_t type, uint64_t n_words)
{
    return ticks << RF_WORD_TICK_SHIFT | n_words << RF_WORD_TYPE_BITS | type;
}

RF_INLINE uint32_t rf_head_type(uint64_t head)
{
    return (uint32_t)(head & ((1 << RF_WORD_TYPE_BITS) - 1));
}

/* Makes a record of n_words visible and moves the cursor behind it. Word 0 is stored last, with
 * release order: whoever sees it (a reader of the mapping, also after this process was killed) sees
 * the rest of the record and the zero behind it. */
RF_INLINE void rf_store_record(struct rf_writer *writer, uint64_t head, size_t n_words)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    record[n_words] = 0;
    __atomic_store_n(record, head, __ATOMIC_RELEASE);
    writer->cursor = (uint8_t *)(record + n_words);
}

/* The last record between rf_writer_begin() and rf_writer_end(). */
RF_INLINE void rf_publish(struct rf_writer *writer, uint8_t *end, uint64_t head, size_t n_words)
{
    rf_store_record(writer, head, n_words);
    rf_writer_end(writer, end);
}

#endif
