/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of a process that is recorded: each is handed on once. */
#ifndef RF_LOG_FOLLOW_DEFS_H
#define RF_LOG_FOLLOW_DEFS_H

#include <stdbool.h>

#include "log/layout.h"

#define RF_FOLLOW_UNFINISHED 16u

/* How far they were read. All zero: not at all. */
struct rf_follow_defs {
    uint64_t at;                               /* offset in the definitions stream */
    uint64_t unfinished[RF_FOLLOW_UNFINISHED]; /* those that were being written then */
    uint32_t n_unfinished;
};

/* Hands on the definitions that came since. text: n_text bytes, NULL where there is none; valid
 * during the call. Where a record was read before the call, what it refers to is among them. */
void rf_follow_defs(struct rf_follow_defs *defs, const char *session_dir, uint32_t process,
                    void (*on_def)(void *context, const struct rf_def *def, const char *text,
                                   uint32_t n_text),
                    void *context);

#endif
