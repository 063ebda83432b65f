/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of nvToolsExtPayload.h, which alone includes this, their slots, and the sizes of
 * C's types that the tool is given.
 */
#ifndef RF_NVTX_PAYLOAD_H
#define RF_NVTX_PAYLOAD_H

#include "rf_nvtx_ext_calls.h"

#define RF_NVTX_PAYLOAD(V, R, EV, ER)                                                              \
    R(rf_nvtx_v1_payload, nvtxPayloadSchemaRegister, uint64_t, 0,                                  \
      (nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t *attr), (domain, attr))            \
    R(rf_nvtx_v1_payload, nvtxPayloadEnumRegister, uint64_t, 0,                                    \
      (nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t *attr), (domain, attr))              \
    EV(rf_nvtx_v1_payload, nvtxMarkPayload,                                                        \
       (nvtxDomainHandle_t domain, const nvtxPayloadData_t *payloads, size_t count),               \
       (domain, payloads, count))                                                                  \
    ER(rf_nvtx_v1_payload, nvtxRangePushPayload, int, NVTX_NO_PUSH_POP_TRACKING,                   \
       (nvtxDomainHandle_t domain, const nvtxPayloadData_t *payloads, size_t count),               \
       (domain, payloads, count))                                                                  \
    ER(rf_nvtx_v1_payload, nvtxRangePopPayload, int, NVTX_NO_PUSH_POP_TRACKING,                    \
       (nvtxDomainHandle_t domain, const nvtxPayloadData_t *payloads, size_t count),               \
       (domain, payloads, count))                                                                  \
    ER(rf_nvtx_v1_payload, nvtxRangeStartPayload, nvtxRangeId_t, 0,                                \
       (nvtxDomainHandle_t domain, const nvtxPayloadData_t *payloads, size_t count),               \
       (domain, payloads, count))                                                                  \
    V(rf_nvtx_v1_payload, nvtxRangeEndPayload,                                                     \
      (nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t *payloads,             \
       size_t count),                                                                              \
      (domain, id, payloads, count))                                                               \
    ER(rf_nvtx_v1_payload, nvtxDomainIsEnabled, uint8_t, 0, (nvtxDomainHandle_t domain), (domain)) \
    R(rf_nvtx_v1_payload, nvtxTimestampGet, int64_t, 0, (void), ())                                \
    R(rf_nvtx_v1_payload, nvtxTimeDomainRegister, uint64_t, 0,                                     \
      (nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *attr), (domain, attr))               \
    V(rf_nvtx_v1_payload, nvtxTimerSource,                                                         \
      (nvtxDomainHandle_t domain, uint64_t time_domain, uint64_t flags, int64_t(*read)(void)),     \
      (domain, time_domain, flags, read))                                                          \
    V(rf_nvtx_v1_payload, nvtxTimerSourceWithData,                                                 \
      (nvtxDomainHandle_t domain, uint64_t time_domain, uint64_t flags,                            \
       int64_t(*read)(void *data), void *data),                                                    \
      (domain, time_domain, flags, read, data))                                                    \
    R(rf_nvtx_v1_payload, nvtxScopeRegister, uint64_t, 0,                                          \
      (nvtxDomainHandle_t domain, const nvtxScopeAttr_t *attr), (domain, attr))                    \
    V(rf_nvtx_v1_payload, nvtxTimeSyncPoint,                                                       \
      (nvtxDomainHandle_t domain, uint64_t time_domain1, uint64_t time_domain2, int64_t time1,     \
       int64_t time2),                                                                             \
      (domain, time_domain1, time_domain2, time1, time2))                                          \
    V(rf_nvtx_v1_payload, nvtxTimeSyncPointTable,                                                  \
      (nvtxDomainHandle_t domain, uint64_t from, uint64_t to, const nvtxSyncPoint_t *points,       \
       size_t count),                                                                              \
      (domain, from, to, points, count))                                                           \
    V(rf_nvtx_v1_payload, nvtxTimestampConversionFactor,                                           \
      (nvtxDomainHandle_t domain, uint64_t from, uint64_t to, double slope, int64_t from_time,     \
       int64_t to_time),                                                                           \
      (domain, from, to, slope, from_time, to_time))                                               \
    EV(rf_nvtx_v1_payload, nvtxEventSubmit,                                                        \
       (nvtxDomainHandle_t domain, const nvtxPayloadData_t *payloads, size_t count),               \
       (domain, payloads, count))                                                                  \
    EV(rf_nvtx_v1_payload, nvtxEventBatchSubmit,                                                   \
       (nvtxDomainHandle_t domain, const nvtxEventBatch_t *batch), (domain, batch))

#ifdef __cplusplus
extern "C" {
#endif

RF_NVTX_PAYLOAD(RF_NVTX_EXT_TYPE_V, RF_NVTX_EXT_TYPE_R, RF_NVTX_EXT_TYPE_V, RF_NVTX_EXT_TYPE_R)

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifndef NVTX_NO_IMPL

#ifndef NVTX_DISABLE
#include "rf_nvtx_ext_loader.h"
#include "rf_nvtx_type_sizes.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NVTX_DISABLE
/* nvtxDomainIsEnabled where a tool is attached that does not answer it. */
NVTX_LINKONCE_FWDDECL_FUNCTION uint8_t NVTX_API rf_nvtx_v1_is_enabled(nvtxDomainHandle_t domain);
NVTX_LINKONCE_DEFINE_FUNCTION uint8_t NVTX_API rf_nvtx_v1_is_enabled(nvtxDomainHandle_t domain)
{
    (void)domain;
    return 1;
}

NVTX_LINKONCE_FWDDECL_GLOBAL struct rf_nvtx_ext_module rf_nvtx_v1_payload;
NVTX_LINKONCE_DEFINE_GLOBAL struct rf_nvtx_ext_module rf_nvtx_v1_payload = {
    {RF_NVTX_FRESH},
    NVTX_EXT_PAYLOAD_MODULEID,
    NVTX_EXT_PAYLOAD_COMPATID,
    NVTX3EXT_CBID_nvtxDomainIsEnabled,
    NVTX_REINTERPRET_CAST(NvtxFunctionPointer, rf_nvtx_v1_is_enabled),
    rf_nvtx_v1_type_sizes,
    {0, NVTX_NULLPTR}};
#endif

RF_NVTX_PAYLOAD(RF_NVTX_EXT_CALL_V, RF_NVTX_EXT_CALL_R, RF_NVTX_EXT_EVENT_V, RF_NVTX_EXT_EVENT_R)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTX_NO_IMPL */

#endif /* RF_NVTX_PAYLOAD_H */
