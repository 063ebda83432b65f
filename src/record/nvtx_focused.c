/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a focused run: captures decide what is recorded. */
#define RF_RUN_FOCUSED 1
#define RF_RUN(name)   rf_nvtx_focused_##name

#include "record/nvtx_events.h"
