/* SPDX-License-Identifier: Apache-2.0 */
/* Which GPU work a call waits for, as far as the recording says. */
#ifndef RF_STATS_WAIT_SCOPES_H
#define RF_STATS_WAIT_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Work of these streams that was asked for before a time. */
struct rf_wait_scope {
    uint32_t process;
    uint32_t context, stream; /* RF_NO_INDEX: any */
    int64_t before_ns;        /* calls begin before it */
    bool is_recorded;         /* context, stream or event were recorded */
};

struct rf_wait_link {
    uint32_t thread, call, op; /* op: index of a SYNC into rf_gpu_ops() */
};

/* An event was recorded in a stream. */
struct rf_event_record {
    uint32_t process;
    int64_t event; /* id */
    int64_t start_ns;
    uint32_t context, stream;
};

struct rf_wait_scopes {
    const rf_recording *rec;
    struct rf_wait_link *link; /* by thread, call */
    size_t n_links, links_room;
    struct rf_event_record *record; /* by process, event, start */
    size_t n_records, records_room;
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. */
int rf_wait_scopes_init(struct rf_wait_scopes *scopes, const rf_recording *rec);
void rf_wait_scopes_release(struct rf_wait_scopes *scopes);

/* The scope of a call that waits: index into rf_thread_calls(). What is recorded of a call inside
 * it counts too. */
struct rf_wait_scope rf_wait_scope_of(const struct rf_wait_scopes *scopes, uint32_t thread,
                                      uint32_t call);

#endif
