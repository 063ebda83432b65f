/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of nvToolsExtCounters.h, which alone includes this, and their slots. */
#ifndef RF_NVTX_COUNTERS_H
#define RF_NVTX_COUNTERS_H

#include "rf_nvtx_ext_calls.h"

#define RF_NVTX_COUNTERS(V, R, EV)                                                                 \
    R(rf_nvtx_v1_counters, nvtxCounterRegister, uint64_t, 0,                                       \
      (nvtxDomainHandle_t domain, const nvtxCounterAttr_t *attr), (domain, attr))                  \
    EV(rf_nvtx_v1_counters, nvtxCounterSampleInt64,                                                \
       (nvtxDomainHandle_t domain, uint64_t counter, int64_t value), (domain, counter, value))     \
    EV(rf_nvtx_v1_counters, nvtxCounterSampleFloat64,                                              \
       (nvtxDomainHandle_t domain, uint64_t counter, double value), (domain, counter, value))      \
    EV(rf_nvtx_v1_counters, nvtxCounterSample,                                                     \
       (nvtxDomainHandle_t domain, uint64_t counter, const void *values, size_t size),             \
       (domain, counter, values, size))                                                            \
    EV(rf_nvtx_v1_counters, nvtxCounterSampleNoValue,                                              \
       (nvtxDomainHandle_t domain, uint64_t counter, uint8_t reason), (domain, counter, reason))   \
    EV(rf_nvtx_v1_counters, nvtxCounterBatchSubmit,                                                \
       (nvtxDomainHandle_t domain, const nvtxCounterBatch_t *batch), (domain, batch))

#ifdef __cplusplus
extern "C" {
#endif

RF_NVTX_COUNTERS(RF_NVTX_EXT_TYPE_V, RF_NVTX_EXT_TYPE_R, RF_NVTX_EXT_TYPE_V)

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifndef NVTX_NO_IMPL

#ifndef NVTX_DISABLE
#include "rf_nvtx_ext_loader.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NVTX_DISABLE
NVTX_LINKONCE_FWDDECL_GLOBAL struct rf_nvtx_ext_module rf_nvtx_v1_counters;
NVTX_LINKONCE_DEFINE_GLOBAL struct rf_nvtx_ext_module rf_nvtx_v1_counters = {
    {RF_NVTX_FRESH}, NVTX_EXT_COUNTERS_MODULEID, NVTX_EXT_COUNTERS_COMPATID, 0, NVTX_NULLPTR,
    NVTX_NULLPTR,    {0, NVTX_NULLPTR}};
#endif

RF_NVTX_COUNTERS(RF_NVTX_EXT_CALL_V, RF_NVTX_EXT_CALL_R, RF_NVTX_EXT_EVENT_V)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTX_NO_IMPL */

#endif /* RF_NVTX_COUNTERS_H */
