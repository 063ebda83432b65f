/* SPDX-License-Identifier: Apache-2.0 */
/* The times in which a thread waits for a GPU: its calls that return when work is done. */
#ifndef RF_SUMMARY_CALL_WAITS_H
#define RF_SUMMARY_CALL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_call_wait {
    int64_t start_ns, end_ns;
    uint64_t before_ns; /* in the waits before this one */
};

/* Waits that do not overlap, by start. */
struct rf_call_waits {
    struct rf_call_wait *wait;
    size_t n, room;
};

/* Whether functions of this name, which may be NULL, wait for a GPU: they synchronize, or they are
 * copies that block. */
bool rf_is_waiting_call(const char *text, size_t size);

/* The functions of a recording that do, found when they are asked for. */
struct rf_waiting_functions {
    const rf_recording *rec;
    uint8_t *of_string; /* 1: no such function, 2: one; 0: not looked at */
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_waiting_functions_init(struct rf_waiting_functions *functions, const rf_recording *rec);
void rf_waiting_functions_release(struct rf_waiting_functions *functions);

/* Whether a call is one of such a function. */
bool rf_waiting_functions_have(struct rf_waiting_functions *functions, const struct rf_call *call);

/* Lists the waits of a thread instead of what was there before. A zeroed list has none. Returns
 * RF_OK or RF_ERR_NO_MEMORY. */
int rf_call_waits_list(struct rf_call_waits *waits, const rf_recording *rec, uint32_t thread);
void rf_call_waits_release(struct rf_call_waits *waits);

/* How much of a time was waited. */
uint64_t rf_call_waits_between(const struct rf_call_waits *waits, int64_t start_ns, int64_t end_ns);

#endif
