/* SPDX-License-Identifier: Apache-2.0 */
/* What a stream has in a focused run: its open triggers, and the records that it keeps between
 * captures.
 *
 * Between captures the starts of open ranges are kept, and removed when the range ends. kept[]
 * lists the records between kept[0].at and the cursor, one after another without a gap. Records
 * before kept[0].at are never changed. */
#ifndef RF_RECORD_FOCUS_KEPT_H
#define RF_RECORD_FOCUS_KEPT_H

#include "log/capture.h"
#include "record/stream/writer.h"

#define RF_MAX_KEPT 64u

struct rf_kept {
    uint8_t *at;  /* where it begins; a START with its COUNTER */
    uint64_t key; /* RF_KEPT_ */
};

/* Keys: an open push has its domain's handle, an open start RF_KEPT_START and its counter. */
#define RF_KEPT_START (1ULL << 63)
#define RF_KEPT_VOID  (1ULL << 62)       /* it ended, but was not the newest */
#define RF_KEPT_FIRM  (1ULL << 61)       /* a record that stays */
#define RF_KEPT_NONE  (RF_KEPT_FIRM + 1) /* in no list */

/* Trigger pushes that are open on this stream's thread: its depth in a domain, << 24, and the
 * domain's number; 0: free. Set by the thread; cleared, by a compare-and-swap, by the thread or by
 * exit(). */
#define RF_MAX_THREAD_TRIGGERS 14u
#define RF_TRIGGER_DEPTH_SHIFT 24

struct rf_writer_focus {
    uint32_t phase; /* of the captures, for which kept[] holds; RF_NO_PHASE: for none */
    uint32_t n_kept;
    uint32_t needs_counter; /* the reader may have counted other starts than the writer */
    uint32_t unused;
    uint64_t trigger[RF_MAX_THREAD_TRIGGERS];
    struct rf_kept kept[RF_MAX_KEPT];
};
_Static_assert(sizeof(struct rf_writer_focus) == 1152, "threads share no cache line");
#define RF_NO_PHASE UINT32_MAX

/* Empties the list: what it lists stays in the stream. The writer must be busy. */
RF_INLINE void rf_kept_reset(struct rf_writer *writer)
{
    writer->focus->phase = RF_NO_PHASE;
    writer->focus->n_kept = 0;
    writer->focus->needs_counter = 1;
}

/* Ends the records at the cursor, before anything else is written there: a reader that sees what is
 * written later sees the end first. */
RF_INLINE void rf_kept_end_records(struct rf_writer *writer)
{
    __atomic_store_n((uint64_t *)(void *)writer->cursor, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Writes the number of STARTs: each START of a focused run counts as in the writer, and the reader
 * cannot see those that were removed. The writer is busy. */
RF_INLINE void rf_write_counter(struct rf_writer *writer, uint64_t ticks)
{
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    record[1] = writer->n_starts;
    rf_store_record(writer, rf_head(ticks, RF_REC_COUNTER, RF_COUNTER_WORDS), RF_COUNTER_WORDS);
}

/* Lists the begin of a range that is about to be recorded between captures. */
RF_INLINE void rf_kept_add(struct rf_writer *writer, uint32_t type, uint64_t domain, uint64_t ticks)
{
    struct rf_writer_focus *focus = writer->focus;
    struct rf_kept *kept = &focus->kept[focus->n_kept++];
    kept->at = writer->cursor;
    if (type == RF_REC_START) {
        kept->key = RF_KEPT_START | (writer->n_starts + 1);
        rf_write_counter(writer, ticks);
        focus->needs_counter = 1;
    } else {
        kept->key = domain < RF_KEPT_FIRM ? domain : RF_KEPT_FIRM; /* no domain has such a handle */
    }
}

/* The key under which a pop of this domain, or the end of this id, finds its begin. */
RF_INLINE uint64_t rf_kept_key(const struct rf_writer *writer, uint32_t type, uint64_t value)
{
    if (type == RF_REC_END)
        return RF_KEPT_START | (value - writer->id_base);
    return value < RF_KEPT_FIRM ? value : RF_KEPT_NONE;
}

/* Removes the newest record if it has this key: the cursor goes back to where it stood before.
 * False: it is not the newest, or something is in the way. word: of the captures. */
RF_INLINE bool rf_kept_remove_newest(struct rf_writer *writer, uint64_t key, uint64_t word)
{
    struct rf_writer_focus *focus = writer->focus;
    uint32_t n = focus->n_kept;
    if (RF_UNLIKELY(focus->phase != rf_capture_phase(word) || n == 0 ||
                    focus->kept[n - 1].key != key ||
                    (n > 1 && focus->kept[n - 2].key == RF_KEPT_VOID)))
        return false;
    focus->n_kept = n - 1;
    writer->cursor = focus->kept[n - 1].at;
    rf_kept_end_records(writer);
    return true;
}

/* Removes the record with this key, or makes it VOID. False: it is not in the list. */
bool rf_kept_remove(struct rf_writer *writer, uint64_t key);

/* Makes the list, which is full or holds for another phase, ready as below. */
bool rf_kept_make_ready_slow(struct rf_writer *writer, uint32_t phase, uint64_t ticks);

/* Makes the list ready for a record of this phase with this time. False: the record still belongs
 * to the capture that ended before. */
RF_INLINE bool rf_kept_make_ready(struct rf_writer *writer, uint32_t phase, uint64_t ticks)
{
    const struct rf_writer_focus *focus = writer->focus;
    return (focus->phase == phase && focus->n_kept < RF_MAX_KEPT) ||
           rf_kept_make_ready_slow(writer, phase, ticks);
}

/* A part is full: moves the open records to kept[0].at, if that makes enough room. The writer must
 * be busy. */
bool rf_kept_compact(struct rf_writer *writer);

#endif
