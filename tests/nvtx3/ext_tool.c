/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side of the extensions of the tool count_tool.c, with which it is linked: one line per call,
 * with its arguments and all that they lead to, in the file named by NVTX_TEST_LOG. More modes of
 * NVTX_TEST_MODE:
 *
 *   refuse-payload   return 0 for the payload extension, after its slots are filled
 *   take-nothing     leave all slots as they are
 *   annotate-ext     call the program's annotate_from_tool() while attaching an extension
 *   slow-ext         wait before an extension's slots are filled
 *   fork-ext         as slow-ext, after telling the program's tool_has_started() so
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCorrelation.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsScope.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The line that is put together; written in one piece. */
static __thread char text[8192];
static __thread size_t n_text;

static void say(const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text + n_text, sizeof text - n_text, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof text - n_text)
        _exit(98);
    n_text += (size_t)n;
}

static void end_line(void)
{
    const char *path = getenv("NVTX_TEST_LOG");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

    text[n_text++] = '\n';
    if (fd < 0 || write(fd, text, n_text) != (ssize_t)n_text)
        _exit(99);
    close(fd);
    n_text = 0;
}

static void say_text(const char *name, const char *value)
{
    if (value)
        say(" %s='%s'", name, value);
}

static void say_bytes(const void *data, size_t size)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; i++)
        say("%02x", bytes[i]);
}

static void say_payloads(const nvtxPayloadData_t *payloads, size_t count)
{
    say(" count=%zu", count);
    for (size_t i = 0; i < count; i++) {
        say(" [schema=%" PRIx64 " size=%zd ", payloads[i].schemaId, (ssize_t)payloads[i].size);
        if (payloads[i].size == SIZE_MAX)
            say("'%s'", (const char *)payloads[i].payload);
        else
            say_bytes(payloads[i].payload, payloads[i].size);
        say("]");
    }
}

static void say_counter_semantics(const nvtxSemanticsCounter_t *c)
{
    say(" counter flags=%" PRIx64 " scale=%" PRIu64 "/%" PRIu64 " limits=%" PRId64 ":%" PRIx64
        ":%" PRIx64,
        c->flags, c->unitScaleNumerator, c->unitScaleDenominator, c->limitType, c->min.u64,
        c->max.u64);
    say_text("unit", c->unit);
}

static void say_semantics(const nvtxSemanticsHeader_t *header)
{
    for (; header; header = header->next) {
        say(" <%u id=%u version=%u", header->structSize, header->semanticId, header->version);
        if (header->semanticId == NVTX_SEMANTIC_ID_COUNTERS_V1)
            say_counter_semantics((const nvtxSemanticsCounter_t *)header);
        else if (header->semanticId == NVTX_SEMANTIC_ID_SCOPE_V1)
            say(" scope=%" PRIx64, ((const nvtxSemanticsScope_t *)header)->scopeId);
        else if (header->semanticId == NVTX_SEMANTIC_ID_TIME_V1)
            say(" time=%" PRIx64, ((const nvtxSemanticsTime_t *)header)->timeDomainId);
        else if (header->semanticId == NVTX_SEMANTIC_ID_CORRELATION_V1) {
            const nvtxSemanticsCorrelation_t *c = (const nvtxSemanticsCorrelation_t *)header;
            say(" correlation role=%" PRIx64 " ", c->role);
            say_bytes(c->correlationDomainUuid, sizeof c->correlationDomainUuid);
            say_text("name", c->displayName);
        }
        say(">");
    }
}

static void say_entry(const nvtxPayloadSchemaEntry_t *e)
{
    say(" {flags=%" PRIx64 " type=%" PRIx64 " detail=%" PRIx64 " offset=%" PRIu64, e->flags,
        e->type, e->arrayOrUnionDetail, e->offset);
    say_text("name", e->name);
    say_text("description", e->description);
    say_semantics(e->semantics);
    say("%s}", e->reserved ? " BAD reserved" : "");
}

/* ---- payload ---- */

#define HAS(FIELD) (a->fieldMask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_##FIELD)

static uint64_t on_nvtxPayloadSchemaRegister(nvtxDomainHandle_t domain,
                                             const nvtxPayloadSchemaAttr_t *a)
{
    say("PayloadSchemaRegister %p mask=%" PRIx64, (void *)domain, a->fieldMask);
    if (HAS(NAME))
        say_text("name", a->name);
    say(" type=%" PRIu64, HAS(TYPE) ? a->type : 0);
    say(" flags=%" PRIx64, HAS(FLAGS) ? a->flags : 0);
    say(" size=%zu", HAS(STATIC_SIZE) ? a->payloadStaticSize : 0);
    say(" align=%zu", HAS(ALIGNMENT) ? a->packAlign : 0);
    say(" id=%" PRIx64, HAS(SCHEMA_ID) ? a->schemaId : 0);
    for (size_t i = 0; HAS(ENTRIES) && HAS(NUM_ENTRIES) && i < a->numEntries; i++)
        say_entry(&a->entries[i]);
    end_line();
    return HAS(SCHEMA_ID) && a->schemaId ? a->schemaId : NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + 1;
}

static uint64_t on_nvtxPayloadEnumRegister(nvtxDomainHandle_t domain,
                                           const nvtxPayloadEnumAttr_t *a)
{
    say("PayloadEnumRegister %p mask=%" PRIx64 " size=%zu", (void *)domain, a->fieldMask,
        a->sizeOfEnum);
    say_text("name", a->name);
    for (size_t i = 0; i < a->numEntries; i++)
        say(" {'%s' %" PRIx64 " %d}", a->entries[i].name, a->entries[i].value,
            a->entries[i].isFlag);
    end_line();
    return NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + 2;
}

static void on_nvtxMarkPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *p, size_t count)
{
    say("MarkPayload %p", (void *)domain);
    say_payloads(p, count);
    end_line();
}

static int on_nvtxRangePushPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *p,
                                   size_t count)
{
    say("RangePushPayload %p", (void *)domain);
    say_payloads(p, count);
    end_line();
    return 21;
}

static int on_nvtxRangePopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *p,
                                  size_t count)
{
    say("RangePopPayload %p", (void *)domain);
    say_payloads(p, count);
    end_line();
    return 22;
}

static nvtxRangeId_t on_nvtxRangeStartPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t *p,
                                              size_t count)
{
    say("RangeStartPayload %p", (void *)domain);
    say_payloads(p, count);
    end_line();
    return getenv("NVTX_TEST_MODE") && strcmp(getenv("NVTX_TEST_MODE"), "zero") == 0
               ? 0
               : 0x1234567800000023;
}

static void on_nvtxRangeEndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id,
                                   const nvtxPayloadData_t *p, size_t count)
{
    say("RangeEndPayload %p id=%" PRIx64, (void *)domain, id);
    say_payloads(p, count);
    end_line();
}

static uint8_t on_nvtxDomainIsEnabled(nvtxDomainHandle_t domain)
{
    say("DomainIsEnabled %p", (void *)domain);
    end_line();
    return 24;
}

static int64_t on_nvtxTimestampGet(void)
{
    say("TimestampGet");
    end_line();
    return INT64_MIN + 25;
}

static uint64_t on_nvtxTimeDomainRegister(nvtxDomainHandle_t domain, const nvtxTimeDomainAttr_t *a)
{
    say("TimeDomainRegister %p scope=%" PRIx64 " type=%" PRIu64 " id=%" PRIx64 " flags=%" PRIx64
        " resolution=%" PRId64 " start=%" PRIu64,
        (void *)domain, a->scopeId, a->timestampTypeId, a->timeDomainId, a->timerFlags,
        a->timerResolution, a->timerStart);
    end_line();
    return NVTX_TIME_DOMAIN_ID_DYNAMIC_START + 3;
}

static void on_nvtxTimerSource(nvtxDomainHandle_t domain, uint64_t id, uint64_t flags,
                               int64_t (*read)(void))
{
    say("TimerSource %p id=%" PRIx64 " flags=%" PRIx64 " reads %" PRId64, (void *)domain, id, flags,
        read());
    end_line();
}

static void on_nvtxTimerSourceWithData(nvtxDomainHandle_t domain, uint64_t id, uint64_t flags,
                                       int64_t (*read)(void *data), void *data)
{
    say("TimerSourceWithData %p id=%" PRIx64 " flags=%" PRIx64 " reads %" PRId64, (void *)domain,
        id, flags, read(data));
    end_line();
}

static uint64_t on_nvtxScopeRegister(nvtxDomainHandle_t domain, const nvtxScopeAttr_t *a)
{
    say("ScopeRegister %p size=%zu parent=%" PRIx64 " id=%" PRIx64, (void *)domain, a->structSize,
        a->parentScope, a->scopeId);
    say_text("path", a->path);
    end_line();
    return NVTX_SCOPE_ID_DYNAMIC_START + 4;
}

static void on_nvtxTimeSyncPoint(nvtxDomainHandle_t domain, uint64_t id1, uint64_t id2,
                                 int64_t time1, int64_t time2)
{
    say("TimeSyncPoint %p %" PRIx64 " %" PRIx64 " %" PRId64 " %" PRId64, (void *)domain, id1, id2,
        time1, time2);
    end_line();
}

static void on_nvtxTimeSyncPointTable(nvtxDomainHandle_t domain, uint64_t from, uint64_t to,
                                      const nvtxSyncPoint_t *points, size_t count)
{
    say("TimeSyncPointTable %p %" PRIx64 " %" PRIx64, (void *)domain, from, to);
    for (size_t i = 0; i < count; i++)
        say(" %" PRId64 ":%" PRId64, points[i].src, points[i].dst);
    end_line();
}

static void on_nvtxTimestampConversionFactor(nvtxDomainHandle_t domain, uint64_t from, uint64_t to,
                                             double slope, int64_t from_time, int64_t to_time)
{
    say("TimestampConversionFactor %p %" PRIx64 " %" PRIx64 " %a %" PRId64 " %" PRId64,
        (void *)domain, from, to, slope, from_time, to_time);
    end_line();
}

static void on_nvtxEventSubmit(nvtxDomainHandle_t domain, const nvtxPayloadData_t *p, size_t count)
{
    say("EventSubmit %p", (void *)domain);
    say_payloads(p, count);
    end_line();
}

static void on_nvtxEventBatchSubmit(nvtxDomainHandle_t domain, const nvtxEventBatch_t *b)
{
    say("EventBatchSubmit %p schema=%" PRIx64 " scope=%" PRIx64 " flags=%" PRIx64 " ",
        (void *)domain, b->eventSchemaId, b->scope, b->flags);
    say_bytes(b->events, b->size);
    say(" flex=%zu+%zu ", b->flexDataOffset, b->flexDataSize);
    say_bytes((const char *)b->flexData + b->flexDataOffset, b->flexDataSize);
    end_line();
}

/* ---- counters ---- */

static uint64_t on_nvtxCounterRegister(nvtxDomainHandle_t domain, const nvtxCounterAttr_t *a)
{
    say("CounterRegister %p size=%zu schema=%" PRIx64 " scope=%" PRIx64 " id=%" PRIx64,
        (void *)domain, a->structSize, a->schemaId, a->scopeId, a->counterId);
    say_text("name", a->name);
    say_text("description", a->description);
    say_semantics(a->semantics);
    end_line();
    return a->counterId ? a->counterId : NVTX_COUNTER_ID_DYNAMIC_START + 5;
}

static void on_nvtxCounterSampleInt64(nvtxDomainHandle_t domain, uint64_t id, int64_t value)
{
    say("CounterSampleInt64 %p id=%" PRIx64 " %" PRId64, (void *)domain, id, value);
    end_line();
}

static void on_nvtxCounterSampleFloat64(nvtxDomainHandle_t domain, uint64_t id, double value)
{
    say("CounterSampleFloat64 %p id=%" PRIx64 " %a", (void *)domain, id, value);
    end_line();
}

static void on_nvtxCounterSample(nvtxDomainHandle_t domain, uint64_t id, const void *values,
                                 size_t size)
{
    say("CounterSample %p id=%" PRIx64 " ", (void *)domain, id);
    say_bytes(values, size);
    end_line();
}

static void on_nvtxCounterSampleNoValue(nvtxDomainHandle_t domain, uint64_t id, uint8_t reason)
{
    say("CounterSampleNoValue %p id=%" PRIx64 " %u", (void *)domain, id, reason);
    end_line();
}

static void on_nvtxCounterBatchSubmit(nvtxDomainHandle_t domain, const nvtxCounterBatch_t *b)
{
    say("CounterBatchSubmit %p id=%" PRIx64 " flags=%" PRIx64 " ", (void *)domain, b->counterId,
        b->flags);
    say_bytes(b->counters, b->countersSize);
    say(" at ");
    say_bytes(b->timestamps, b->timestampsSize);
    end_line();
}

/* ---- attaching ---- */

static const char *mode(void)
{
    const char *text_of_mode = getenv("NVTX_TEST_MODE");

    return text_of_mode ? text_of_mode : "";
}

static void call_program(const char *name)
{
    void *address = dlsym(NULL, name);
    void (*function)(void);

    if (!address)
        _exit(97);
    memcpy(&function, &address, sizeof address);
    function();
}

/* The type of each function is checked here: it is that of the slot. */
#define TAKE(name)                                                                                 \
    do {                                                                                           \
        const name##_impl_fntype typed = on_##name;                                                \
        module->segments[0].functionSlots[NVTX3EXT_CBID_##name] = (intptr_t)typed;                 \
    } while (0)

#include "memory_tool.h"

static void take_payload(nvtxExtModuleInfo_t *module)
{
    TAKE(nvtxPayloadSchemaRegister);
    TAKE(nvtxPayloadEnumRegister);
    TAKE(nvtxMarkPayload);
    TAKE(nvtxRangePushPayload);
    TAKE(nvtxRangePopPayload);
    TAKE(nvtxRangeStartPayload);
    TAKE(nvtxRangeEndPayload);
    TAKE(nvtxDomainIsEnabled);
    TAKE(nvtxTimestampGet);
    TAKE(nvtxTimeDomainRegister);
    TAKE(nvtxTimerSource);
    TAKE(nvtxTimerSourceWithData);
    TAKE(nvtxScopeRegister);
    TAKE(nvtxTimeSyncPoint);
    TAKE(nvtxTimeSyncPointTable);
    TAKE(nvtxTimestampConversionFactor);
    TAKE(nvtxEventSubmit);
    TAKE(nvtxEventBatchSubmit);
}

static void take_counters(nvtxExtModuleInfo_t *module)
{
    TAKE(nvtxCounterRegister);
    TAKE(nvtxCounterSampleInt64);
    TAKE(nvtxCounterSampleFloat64);
    TAKE(nvtxCounterSample);
    TAKE(nvtxCounterSampleNoValue);
    TAKE(nvtxCounterBatchSubmit);
}

/* What the tool is told of the program. */
static void say_module(const nvtxExtModuleInfo_t *module)
{
    const nvtxPayloadEntryTypeInfo_t *types = module->extInfo;
    size_t n_used = 0;

    for (size_t i = 0; i < module->segments[0].slotCount; i++)
        n_used += module->segments[0].functionSlots[i] != 0;
    say("extension %u version %x of NVTX %u: %u bytes, %zu segment %zu with %zu slots, %zu in use",
        module->moduleId, module->compatId, module->nvtxVer, module->structSize,
        module->segmentsCount, module->segments[0].segmentId, module->segments[0].slotCount,
        n_used);
    if (module->getExportFunction)
        say(" BAD export function");
    for (int i = 0; types && i < types[0].size; i++)
        say(" %u/%u", types[i].size, types[i].align);
    end_line();
}

static int attach(nvtxExtModuleInfo_t *module)
{
    say_module(module);
    if (strcmp(mode(), "annotate-ext") == 0)
        call_program("annotate_from_tool");
    if (strcmp(mode(), "fork-ext") == 0)
        call_program("tool_has_started");
    if (strcmp(mode(), "slow-ext") == 0 || strcmp(mode(), "fork-ext") == 0)
        usleep(100000); /* gives the other threads time to come; if they do not, all is well too */
    if (strcmp(mode(), "take-nothing") == 0)
        return 1;
    if (module->moduleId == NVTX_EXT_PAYLOAD_MODULEID)
        take_payload(module);
    else if (module->moduleId == NVTX_EXT_COUNTERS_MODULEID)
        take_counters(module);
    else if (module->moduleId == NVTX_EXT_MODULEID_MEM)
        take_memory(module);
    return module->moduleId != NVTX_EXT_PAYLOAD_MODULEID || strcmp(mode(), "refuse-payload") != 0;
}

#ifdef COUNT_TOOL_STATIC
static int attach_linked(nvtxExtModuleInfo_t *module)
{
    say("static");
    end_line();
    return attach(module);
}

NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr = attach_linked;
#else
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
    return attach(module);
}
#endif
