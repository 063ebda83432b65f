/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a focused run that keeps the starts of open ranges between its captures. */
#define RF_THIS_RUN  RF_RUN_KEEPING
#define RF_RUN(name) rf_nvtx_keeping_##name

#include "record/nvtx/nvtx_events.h"
