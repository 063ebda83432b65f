/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/nvtx_dropping.h"

#define RF_THIS_RUN  RF_RUN_DROPPING
#define RF_RUN(name) rf_nvtx_dropping_##name

#include "record/nvtx/nvtx_events.h"
#include "record/nvtx/nvtx_ext_events.h"
#include "record/nvtx/nvtx_memory_events.h"
