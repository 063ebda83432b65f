/* SPDX-License-Identifier: Apache-2.0 */
/* The writers of a process, in pages that a fork leaves as zeros in the child (MADV_WIPEONFORK).
 * Zero is the state "fresh". */
#ifndef RF_RECORD_LOCAL_H
#define RF_RECORD_LOCAL_H

#include "record/focus/kept.h"
#include "record/recorder.h"
#include "record/stream/writer.h"

/* Start/end triggers that are open in a process. */
#define RF_MAX_START_TRIGGERS 256u

/* In BUSY the upper bits hold the id of the thread that is initialising: one store tells both. */
enum rf_local_status { RF_LOCAL_FRESH = 0, RF_LOCAL_BUSY, RF_LOCAL_READY, RF_LOCAL_OFF };
#define RF_LOCAL_STATUS_BITS 2

struct rf_local {
    uint32_t status;  /* enum rf_local_status; atomic */
    uint32_t is_made; /* 1; 0 in a forked child, whose own set is yet to be made */
    uint32_t n_slots; /* streams ever used; atomic */
    uint32_t n_serials;
    uint32_t is_exhausted; /* no further slot could be made; atomic */
    uint32_t is_stuck;     /* parts were dropped: do not wait again until one could be written */
    uint32_t late_beat;    /* the drainer's beat when it was waited for in vain; atomic */

    /* in a focused run */
    uint32_t n_start_triggers; /* entries of start_trigger[] in use; atomic */
    uint32_t is_profiler_on;   /* cudaProfilerStart was called, and not yet Stop; atomic */
    uint32_t n_unrecorded_ids; /* given to triggers that are not recorded; atomic */

    /* in standby: standby_gate.c */
    uint32_t n_inside;   /* threads that use the session's files without a busy writer; atomic */
    uint16_t n_naming;   /* threads that add a definition; atomic */
    uint16_t is_renamed; /* definitions are being moved: nobody may add any; atomic */

    uint64_t free_slots[(RF_MAX_SLOTS + 63) / 64]; /* bit set: has pages, and no thread */
    uint64_t start_trigger[RF_MAX_START_TRIGGERS]; /* ids; 0: free; atomic */

    struct rf_writer writers[RF_MAX_SLOTS];
    struct rf_writer_focus focus[RF_MAX_SLOTS]; /* mapped only in a focused run */
};
_Static_assert(sizeof(struct rf_writer) == 128, "writers share no cache line");
_Static_assert(offsetof(struct rf_local, writers) == 4096, "writers start on a page");
_Static_assert(offsetof(struct rf_local, focus) % 4096 == 0, "what is not mapped is whole pages");

/* Slots that may have a writer. */
RF_INLINE uint32_t rf_local_n_slots(const struct rf_local *local)
{
    uint32_t n = __atomic_load_n(&local->n_slots, __ATOMIC_ACQUIRE);
    return n < RF_MAX_SLOTS ? n : RF_MAX_SLOTS;
}

#endif
