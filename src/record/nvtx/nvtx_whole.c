/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a whole run: all of them are recorded. */
#define RF_THIS_RUN  RF_RUN_WHOLE
#define RF_RUN(name) rf_nvtx_whole_##name

#include "record/nvtx/nvtx_events.h"
