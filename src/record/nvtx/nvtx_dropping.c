/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a focused run that does nothing between its captures. */
#define RF_THIS_RUN  RF_RUN_DROPPING
#define RF_RUN(name) rf_nvtx_dropping_##name

#include "record/nvtx/nvtx_events.h"
