/* SPDX-License-Identifier: Apache-2.0 */
/* When and where an event was, as its payloads say. Of several times for one purpose the last one
 * is valid, and one whose entry names its purpose goes before one whose does not. */
#ifndef RF_MODEL_NVTX_NVTX_DATES_H
#define RF_MODEL_NVTX_NVTX_DATES_H

#include "model/nvtx/nvtx_time.h"
#include "model/payload/payload_sets.h"

enum rf_nvtx_date { RF_NVTX_POINT, RF_NVTX_BEGIN, RF_NVTX_END, RF_NVTX_DATES };

/* NVTX_PAYLOAD_SCHEMA_FLAG_, as the field that it is. */
enum rf_nvtx_event_kind {
    RF_NVTX_COUNTERS = 1,
    RF_NVTX_PUSH_POP = 2,
    RF_NVTX_START_END = 3,
    RF_NVTX_MARK = 4,
    RF_NVTX_PUSH = 5,
    RF_NVTX_POP = 6,
    RF_NVTX_START = 7,
    RF_NVTX_STOP = 8, /* RANGE_END */
};

struct rf_nvtx_dates {
    int64_t ns[RF_NVTX_DATES]; /* RF_NO_TIME: not said, far, or of a clock that cannot be read */
    bool is_named[RF_NVTX_DATES];
    uint64_t scope; /* 0: none */
    uint8_t scope_rank;
    bool has_tid, has_id;
    bool is_far; /* it says a time that is not used: see rf_nvtx_is_near() */
    uint32_t tid;
    uint64_t id;          /* NVTX_PAYLOAD_ENTRY_TYPE_RANGE_ID */
    uint8_t kind;         /* enum rf_nvtx_event_kind; 0: the schemas do not say */
    uint32_t domain;      /* index: of the event */
    uint64_t time_domain; /* of times that name none */
};

/* The rank of the scope of a batch: what schemas say of an event in general is below. */
#define RF_NVTX_BATCH_RANK 2

/* Whether the payloads of a call, whose schemas are known, may say any of this. */
bool rf_nvtx_has_dates(const rf_recording *rec, const struct rf_payload_group *group);

/* Reads them into *dates, which is zero but for the domain, and what is valid where payloads say
 * nothing: the scope of the batch or stream, its time domain. Returns RF_OK or
 * RF_ERR_NO_MEMORY. */
int rf_nvtx_read_dates(struct rf_nvtx_clocks *clocks, uint32_t process,
                       const struct rf_payload_group *group, struct rf_nvtx_dates *dates);

#endif
