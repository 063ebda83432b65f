/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a whole run: all of them are recorded. */
#define RF_RUN_FOCUSED 0
#define RF_RUN(name)   rf_nvtx_whole_##name

#include "record/nvtx_events.h"
