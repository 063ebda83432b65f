/* SPDX-License-Identifier: Apache-2.0 */
/* What a session's configuration says: output=FILE, force=true. Other keys are ignored, as NVTX
 * asks. */
#ifndef RF_NVTXW_NVTXW_CONFIG_H
#define RF_NVTXW_NVTXW_CONFIG_H

#include "nvtxw/nvtxw_state.h"

/* Sets the output of a session. config may be NULL. Returns enum nvtxw_result. */
int nvtxw_config_read(struct nvtxw_session *session, const char *name, const char *config);

/* Another name for an output that was named after the session: NAME-2.rf, NAME-3.rf, ... */
int nvtxw_config_next_name(struct nvtxw_session *session);

#endif
