/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: what is written to one stands in parts of a slot of its own. */
#ifndef RF_NVTXW_NVTXW_STREAM_H
#define RF_NVTXW_NVTXW_STREAM_H

#include "nvtxw/nvtxw_state.h"

#define NVTXW_CACHED 16u /* a power of two */

struct nvtxw_stream {
    pthread_mutex_t lock;
    struct nvtxw_session *session;
    struct nvtxw_domain *domain;
    bool is_open; /* atomic; changed under the lock */
    char *name;
    uint64_t time_domain;
    uint32_t number, slot; /* number: from 1 */
    uint32_t tid;
    uint8_t *part;               /* in the pool */
    struct rf_pool_slot *header; /* likewise */
    uint8_t *at, *end;           /* of the part: where the next record goes */
    struct nvtxw_extents extents;
    struct nvtxw_extent *extent; /* found last */
    const struct nvtxw_schema *schema[NVTXW_CACHED];
    const struct nvtxw_counter *counter[NVTXW_CACHED];
    struct nvtxw_order {
        int64_t skid;  /* ns that an event may be earlier than one before it */
        uint64_t role; /* which time counts: of a range */
        bool is_promised;
        uint64_t n_broken;
    } order;
};

static inline bool nvtxw_stream_is_open(const struct nvtxw_stream *stream)
{
    return __atomic_load_n(&stream->is_open, __ATOMIC_ACQUIRE);
}

int nvtxw_stream_open(struct nvtxw_session *session, const struct nvtxw_stream_attributes *given,
                      struct nvtxw_stream **out);
int nvtxw_stream_close(struct nvtxw_stream *stream);

/* Closes a stream of a session that ends; harmless where it is closed. Returns enum nvtxw_result.
 */
int nvtxw_stream_finish(struct nvtxw_stream *stream);

/* Frees what a closed stream has but for itself. */
void nvtxw_stream_release(struct nvtxw_stream *stream);

/* Appends the part to the log and begins the next one. Returns enum nvtxw_result. */
int nvtxw_stream_next_part(struct nvtxw_stream *stream);

#endif
