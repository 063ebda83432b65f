/* SPDX-License-Identifier: Apache-2.0 */
/* Following a session while its programs run: each record is handed on once, soon after it was
 * written, and the cost does not grow with what the session holds.
 *
 * The logs are read from where the last round stopped; of the parts that threads still write, the
 * records that came since. The records of a stream come in their order; streams come one after
 * another, so that between them times may run backwards by what was written since the last round.
 * Parts may be recycled meanwhile (recycle.h): what was not read before is counted as unseen. */
#ifndef RF_LOG_FOLLOW_H
#define RF_LOG_FOLLOW_H

#include "log/records.h"

/* A stream, as those see it who are told of its records. */
struct rf_followed {
    uint32_t process, slot;
    uint32_t tid, serial; /* of the thread whose records come */
    uint64_t n_starts;    /* START records so far, the one that is handed on included */
    void *state;          /* of theirs; NULL at first */
};

struct rf_follow_calls {
    void *context;
    /* What follows is another thread's, or records are missing before it. */
    void (*on_break)(void *context, struct rf_followed *stream);
    void (*on_record)(void *context, struct rf_followed *stream, const struct rf_record *record);
    /* A stream of a process that was given up with rf_follow_forget(): its state is to be freed. */
    void (*on_end)(void *context, struct rf_followed *stream);
};

struct rf_follow;

#define RF_FOLLOW_PROCESSES 1000000u /* a higher count was overwritten by a program */

/* from_now_on: what there is already may be incomplete, since it was recycled. NULL: out of memory.
 * What it is given outlives it. */
struct rf_follow *rf_follow_new(const char *session_dir, const struct rf_control *control,
                                const struct rf_follow_calls *calls, bool from_now_on);

#define RF_FOLLOW_BYTES ((uint64_t)4 << 20) /* of each log in a round */

/* Hands on what came since the last round. Returns whether there is more of it, for another round.
 */
bool rf_follow_round(struct rf_follow *follow);

/* Processes that have come so far are numbered 0 to n - 1. */
uint32_t rf_follow_n_processes(const struct rf_follow *follow);

/* What a process's pool says of it; NULL: it has none yet, or was forgotten. */
const struct rf_pool_header *rf_follow_pool(const struct rf_follow *follow, uint32_t process);

/* A process's stream, or NULL. */
struct rf_followed *rf_follow_stream(const struct rf_follow *follow, uint32_t process,
                                     uint32_t slot);

/* A process that has ended: nothing of it is read any more. */
void rf_follow_forget(struct rf_follow *follow, uint32_t process);

/* Parts whose records were not handed on, since they were lost or recycled before. */
uint64_t rf_follow_n_unseen(const struct rf_follow *follow);

/* NULL is accepted. */
void rf_follow_free(struct rf_follow *follow);

#endif
