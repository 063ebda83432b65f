/* SPDX-License-Identifier: Apache-2.0 */
/* What the library exports: a backend of NVTXW, by docs/nvtxw.md. Here pointers that have to be
 * there are tested; everything else is tested where it is used. */
#include <stddef.h>
#include <string.h>

#include "nvtxw/nvtxw_abi.h"
#include "nvtxw/nvtxw_defs.h"
#include "nvtxw/nvtxw_error.h"
#include "nvtxw/nvtxw_session.h"
#include "nvtxw/nvtxw_stream.h"
#include "nvtxw/nvtxw_write.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int nvtxwGetInterface(int32_t version, const void **out);
EXPORTED void nvtxwFinalize(void);
EXPORTED const char *rangefinder_nvtxw_error(void);

static int missing(const char *what)
{
    return nvtxw_fail(NVTXW_INVALID_ARGUMENT, "%s is missing", what);
}

/* ---- Sessions ---- */

static int session_begin(const struct nvtxw_session_attributes *given, struct nvtxw_session **out)
{
    if (given == NULL || out == NULL)
        return missing("what describes a session");
    *out = NULL;
    return nvtxw_session_begin(given, out);
}

static int session_end(struct nvtxw_session *session)
{
    return session != NULL ? nvtxw_session_end(session) : missing("a session");
}

static int domain_register(struct nvtxw_session *session,
                           const struct nvtxw_domain_attributes *given, nvtxDomainHandle_t *out)
{
    if (session == NULL || out == NULL)
        return missing("a session");
    *out = NULL;
    return nvtxw_is_ours(session) ? nvtxw_domain_register(session, given, out)
                                  : nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the session has ended");
}

static int stream_open(struct nvtxw_session *session, const struct nvtxw_stream_attributes *given,
                       struct nvtxw_stream **out)
{
    if (session == NULL || given == NULL || out == NULL)
        return missing("what describes a stream");
    *out = NULL;
    return nvtxw_is_ours(session) ? nvtxw_stream_open(session, given, out)
                                  : nvtxw_fail(NVTXW_INVALID_ARGUMENT, "the session has ended");
}

static int stream_close(struct nvtxw_stream *stream)
{
    return stream != NULL ? nvtxw_stream_close(stream) : missing("a stream");
}

/* ---- Registrations ---- */

static int category_register(nvtxDomainHandle_t domain, uint32_t category, const char *name)
{
    return name != NULL && category != 0 ? nvtxw_category_register(domain, category, name)
                                         : missing("a category or its name");
}

static int string_register(nvtxDomainHandle_t domain, const char *text, nvtxStringHandle_t *out)
{
    if (text == NULL || out == NULL)
        return missing("a string");
    *out = NULL;
    return nvtxw_string_register(domain, text, out);
}

static int resource_register(nvtxDomainHandle_t domain, const nvtxResourceAttributes_t *given)
{
    return given != NULL ? nvtxw_resource_register(domain, given)
                         : missing("what describes a resource");
}

static int scope_register(nvtxDomainHandle_t domain, const nvtxScopeAttr_t *given, uint64_t *out)
{
    return given != NULL ? nvtxw_scope_register(domain, given, out)
                         : missing("what describes a scope");
}

static int schema_register(nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t *given,
                           uint64_t *out)
{
    return given != NULL ? nvtxw_schema_register(domain, given, out)
                         : missing("what describes a schema");
}

static int enum_register(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t *given,
                         uint64_t *out)
{
    return given != NULL ? nvtxw_enum_register(domain, given, out)
                         : missing("what describes an enum");
}

static int counter_register(nvtxDomainHandle_t domain, const nvtxCounterAttr_t *given,
                            uint64_t *out)
{
    return given != NULL ? nvtxw_counter_register(domain, given, out)
                         : missing("what describes a counter");
}

static int time_domain_register(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *given,
                                uint64_t *out)
{
    return given != NULL ? nvtxw_time_domain_register(domain, given, out)
                         : missing("what describes a time domain");
}

/* ---- Streams ---- */

static int event_write(struct nvtxw_stream *stream, const nvtxPayloadData_t *payloads, size_t n)
{
    return stream != NULL && payloads != NULL && n > 0 ? nvtxw_event_write(stream, payloads, n)
                                                       : missing("a stream or a payload");
}

static int event_batch_write(struct nvtxw_stream *stream, const nvtxEventBatch_t *batch)
{
    return stream != NULL && batch != NULL ? nvtxw_event_batch_write(stream, batch)
                                           : missing("a stream or a batch");
}

static int counter_write(struct nvtxw_stream *stream, int64_t time, uint64_t counter,
                         const void *data, size_t size)
{
    return stream != NULL && data != NULL && size > 0
               ? nvtxw_counter_write(stream, time, counter, data, size)
               : missing("a stream or a sample");
}

static int counter_no_value_write(struct nvtxw_stream *stream, int64_t time, uint64_t counter,
                                  uint8_t reason)
{
    return stream != NULL ? nvtxw_counter_no_value_write(stream, time, counter, reason)
                          : missing("a stream");
}

static int counter_batch_write(struct nvtxw_stream *stream, const nvtxCounterBatch_t *batch)
{
    return stream != NULL && batch != NULL ? nvtxw_counter_batch_write(stream, batch)
                                           : missing("a stream or a batch");
}

static int time_sync_point_table_write(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                       const nvtxSyncPoint_t *points, size_t n)
{
    return stream != NULL && (points != NULL || n == 0)
               ? nvtxw_time_sync_point_table_write(stream, from, to, points, n)
               : missing("a stream or a point");
}

static int time_sync_point_write(struct nvtxw_stream *stream, uint64_t from, uint64_t to,
                                 int64_t from_time, int64_t to_time)
{
    const nvtxSyncPoint_t point = {from_time, to_time};
    return time_sync_point_table_write(stream, from, to, &point, 1);
}

static int timestamp_conversion_factor_write(struct nvtxw_stream *stream, uint64_t from,
                                             uint64_t to, double slope, int64_t from_time,
                                             int64_t to_time)
{
    return stream != NULL ? nvtxw_timestamp_conversion_factor_write(stream, from, to, slope,
                                                                    from_time, to_time)
                          : missing("a stream");
}

/* ---- The library ---- */

static const struct nvtxw_interface interface = {
    .session_begin = session_begin,
    .session_end = session_end,
    .domain_register = domain_register,
    .category_register = category_register,
    .string_register = string_register,
    .resource_register = resource_register,
    .scope_register = scope_register,
    .schema_register = schema_register,
    .enum_register = enum_register,
    .counter_register = counter_register,
    .time_domain_register = time_domain_register,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .event_write = event_write,
    .event_batch_write = event_batch_write,
    .counter_write = counter_write,
    .counter_no_value_write = counter_no_value_write,
    .counter_batch_write = counter_batch_write,
    .time_sync_point_write = time_sync_point_write,
    .time_sync_point_table_write = time_sync_point_table_write,
    .timestamp_conversion_factor_write = timestamp_conversion_factor_write,
};

int nvtxwGetInterface(int32_t version, const void **out)
{
    if (out == NULL)
        return missing("where the interface goes");
    *out = version == NVTXW_VERSION ? &interface : NULL;
    return *out != NULL ? NVTXW_SUCCESS
                        : nvtxw_fail(NVTXW_VERSION_NOT_SUPPORTED,
                                     "version %d of NVTXW is not known, version %d is",
                                     (int)version, NVTXW_VERSION);
}

void nvtxwFinalize(void)
{
    nvtxw_sessions_release();
}

const char *rangefinder_nvtxw_error(void)
{
    return nvtxw_error();
}
