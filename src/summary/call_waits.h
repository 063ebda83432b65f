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

/* Whether calls of this name (string) wait for a GPU: they synchronize, or they are copies that
 * block. */
bool rf_is_waiting_function(const rf_recording *rec, uint32_t name);

/* The same of the name itself, which may be NULL. */
bool rf_is_waiting_call(const char *text, size_t size);

/* Lists the waits of a thread instead of what was there before. A zeroed list has none. Returns
 * RF_OK or RF_ERR_NO_MEMORY. */
int rf_call_waits_list(struct rf_call_waits *waits, const rf_recording *rec, uint32_t thread);
void rf_call_waits_release(struct rf_call_waits *waits);

/* How much of a time was waited. */
uint64_t rf_call_waits_between(const struct rf_call_waits *waits, int64_t start_ns, int64_t end_ns);

#endif
