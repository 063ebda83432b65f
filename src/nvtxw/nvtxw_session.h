/* SPDX-License-Identifier: Apache-2.0 */
/* The begin and the end of sessions: see nvtxw_state.h. */
#ifndef RF_NVTXW_NVTXW_SESSION_H
#define RF_NVTXW_NVTXW_SESSION_H

#include "nvtxw/nvtxw_state.h"

/* Begins and ends a session. Both return enum nvtxw_result. */
int nvtxw_session_begin(const struct nvtxw_session_attributes *given, struct nvtxw_session **out);
int nvtxw_session_end(struct nvtxw_session *session);

/* Frees what sessions have that have ended: handles are refused from then on too. Waits for those
 * that other threads end. */
void nvtxw_sessions_release(void);

#endif
