/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX's writer interface, version 2, as a backend sees it: names, values and layouts are NVTX's
 * (nvtxw3.h). */
#ifndef RF_NVTXW_NVTXW_ABI_H
#define RF_NVTXW_NVTXW_ABI_H

#include "record/nvtx/nvtx.h"

#define NVTXW_VERSION 2

enum nvtxw_result {
    NVTXW_SUCCESS = 0,
    NVTXW_FAILED = 1,
    NVTXW_INVALID_ARGUMENT = 2,
    NVTXW_VERSION_NOT_SUPPORTED = 6,
};

enum { NVTXW_INTERLEAVING_NONE = 0, NVTXW_INTERLEAVING_SCOPE = 1 };
enum {
    NVTXW_ORDERING_UNKNOWN = 0,
    NVTXW_ORDERING_STRICT = 1,
    NVTXW_ORDERING_RANGE_START = 2,
    NVTXW_ORDERING_RANGE_END = 3,
};
enum { NVTXW_SKID_NONE = 0, NVTXW_SKID_TIME_NS = 1, NVTXW_SKID_EVENT_COUNT = 2 };

struct nvtxw_session_attributes {
    size_t struct_size;
    const char *name;
    const char *config; /* KEY=VALUE, separated by '|' or ends of lines */
};

struct nvtxw_domain_attributes {
    size_t struct_size;
    const char *name; /* NULL or "": the default domain */
};

struct nvtxw_stream_attributes {
    size_t struct_size;
    const char *name;
    nvtxDomainHandle_t domain; /* NULL: the default domain */
    uint64_t scope;
    uint64_t time_domain;
    int16_t interleaving;
    int16_t ordering;
    int32_t skid;
    int64_t skid_amount;
};

struct nvtxw_session;
struct nvtxw_stream;

struct nvtxw_interface {
    int (*session_begin)(const struct nvtxw_session_attributes *given, struct nvtxw_session **out);
    int (*session_end)(struct nvtxw_session *session);
    int (*domain_register)(struct nvtxw_session *session,
                           const struct nvtxw_domain_attributes *given, nvtxDomainHandle_t *out);
    int (*category_register)(nvtxDomainHandle_t domain, uint32_t category, const char *name);
    int (*string_register)(nvtxDomainHandle_t domain, const char *text, nvtxStringHandle_t *out);
    int (*resource_register)(nvtxDomainHandle_t domain, const nvtxResourceAttributes_t *given);
    int (*scope_register)(nvtxDomainHandle_t domain, const nvtxScopeAttr_t *given, uint64_t *out);
    int (*schema_register)(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t *given,
                           uint64_t *out);
    int (*enum_register)(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t *given,
                         uint64_t *out);
    int (*counter_register)(nvtxDomainHandle_t domain, const nvtxCounterAttr_t *given,
                            uint64_t *out);
    int (*time_domain_register)(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *given,
                                uint64_t *out);
    int (*stream_open)(struct nvtxw_session *session, const struct nvtxw_stream_attributes *given,
                       struct nvtxw_stream **out);
    int (*stream_close)(struct nvtxw_stream *stream);
    int (*event_write)(struct nvtxw_stream *stream, const nvtxPayloadData_t *payloads, size_t n);
    int (*event_batch_write)(struct nvtxw_stream *stream, const nvtxEventBatch_t *batch);
    int (*counter_write)(struct nvtxw_stream *stream, int64_t time, uint64_t counter,
                         const void *data, size_t size);
    int (*counter_no_value_write)(struct nvtxw_stream *stream, int64_t time, uint64_t counter,
                                  uint8_t reason);
    int (*counter_batch_write)(struct nvtxw_stream *stream, const nvtxCounterBatch_t *batch);
    int (*time_sync_point_write)(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                 int64_t from_time, int64_t to_time);
    int (*time_sync_point_table_write)(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                       const nvtxSyncPoint_t *points, size_t n);
    int (*timestamp_conversion_factor_write)(struct nvtxw_stream *stream, uint64_t from,
                                             uint64_t to, double slope, int64_t from_time,
                                             int64_t to_time);
    void (*reserved[43])(void);
};

#endif
