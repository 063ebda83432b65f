/* SPDX-License-Identifier: Apache-2.0 */
/* From when to when the written times reach, and what that makes the clock of a recording. */
#ifndef RF_NVTXW_NVTXW_EXTENTS_H
#define RF_NVTXW_NVTXW_EXTENTS_H

#include "nvtxw/nvtxw_state.h"

struct nvtxw_stream;

/* Notes a time that is written to a stream, which is locked. */
void nvtxw_extents_note(struct nvtxw_stream *stream, uint64_t time_domain, int64_t time);

/* Adds those of a stream to those of its session. False: out of memory. */
bool nvtxw_extents_join(struct nvtxw_extents *to, const struct nvtxw_domain *domain,
                        const struct nvtxw_extents *from);

/* Empties them, and frees their memory. */
void nvtxw_extents_release(struct nvtxw_extents *extents);

/* Sets the clock pairs of a session whose streams are closed: its time 0 is the first time that was
 * written. Where none of its clocks is known, the first of them is its own. Returns enum
 * nvtxw_result. */
int nvtxw_extents_set_clock(struct nvtxw_session *session);

#endif
