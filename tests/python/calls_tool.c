/* SPDX-License-Identifier: Apache-2.0 */
/* An NVTX tool that writes the calls that it gets to the file that NVTX_CALLS names, a line each:
 * what two implementations of NVTX for Python tell a tool is the same if their lines are. Handles
 * are not written, but the names that they stand for. */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;
static uint64_t n_schemas, n_counters, n_scopes;
static int64_t n_times;
static nvtxRangeId_t n_ranges;

static const char *name_of(const void *handle)
{
    return handle != NULL ? (const char *)handle : "-";
}

static void put_bytes(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    fprintf(out, " %zu:", size);
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%02x", bytes[i]);
}

static const char *text(const char *string)
{
    return string != NULL ? string : "-";
}

static void put_limit(const char *name, int64_t type, nvtxCounterLimit_t limit)
{
    if (type == NVTX_COUNTER_LIMIT_F64)
        fprintf(out, " %s %g", name, limit.f64);
    else
        fprintf(out, " %s %llx", name, (unsigned long long)limit.u64);
}

static void put_counter_semantics(const nvtxSemanticsCounter_t *of)
{
    fprintf(out, " counter(%u flags %llx unit %s scale %llu/%llu type %lld", of->header.version,
            (unsigned long long)of->flags, text(of->unit),
            (unsigned long long)of->unitScaleNumerator,
            (unsigned long long)of->unitScaleDenominator, (long long)of->limitType);
    if (of->flags & NVTX_COUNTER_FLAG_LIMIT_MIN)
        put_limit("min", of->limitType, of->min);
    if (of->flags & NVTX_COUNTER_FLAG_LIMIT_MAX)
        put_limit("max", of->limitType, of->max);
    fputc(')', out);
}

static void put_semantics(const nvtxSemanticsHeader_t *of)
{
    for (; of != NULL; of = of->next) {
        if (of->semanticId == NVTX_SEMANTIC_ID_TIME_V1)
            fprintf(out, " time(%u %llu)", of->version,
                    (unsigned long long)((const nvtxSemanticsTime_t *)of)->timeDomainId);
        else if (of->semanticId == NVTX_SEMANTIC_ID_COUNTERS_V1)
            put_counter_semantics((const nvtxSemanticsCounter_t *)of);
        else
            fprintf(out, " semantics(%u)", of->semanticId);
    }
}

/* ---- The payload extension ---- */

static void put_entry(const nvtxPayloadSchemaEntry_t *entry)
{
    fprintf(out, " [%s flags %llx type %llx detail %llu at %llu %s", text(entry->name),
            (unsigned long long)entry->flags, (unsigned long long)entry->type,
            (unsigned long long)entry->arrayOrUnionDetail, (unsigned long long)entry->offset,
            text(entry->description));
    put_semantics(entry->semantics);
    fputc(']', out);
}

static uint64_t NVTX_API schema_register(nvtxDomainHandle_t domain,
                                         const nvtxPayloadSchemaAttr_t *attr)
{
    uint64_t id = ((uint64_t)1 << 32) + n_schemas++;
    uint64_t mask = attr->fieldMask;
    fprintf(out, "schema %llx of %s type %llu fields %llx", (unsigned long long)id, name_of(domain),
            (unsigned long long)attr->type, (unsigned long long)mask);
    if (mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME)
        fprintf(out, " name %s", text(attr->name));
    if (mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS)
        fprintf(out, " flags %llx", (unsigned long long)attr->flags);
    if (mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE)
        fprintf(out, " size %zu", attr->payloadStaticSize);
    for (size_t i = 0; i < attr->numEntries; i++)
        put_entry(&attr->entries[i]);
    fputc('\n', out);
    return id;
}

static uint64_t NVTX_API scope_register(nvtxDomainHandle_t domain, const nvtxScopeAttr_t *attr)
{
    uint64_t id = ((uint64_t)1 << 32) + n_scopes++;
    fprintf(out, "scope %llx of %s path %s parent %llu\n", (unsigned long long)id, name_of(domain),
            text(attr->path), (unsigned long long)attr->parentScope);
    return id;
}

static int64_t NVTX_API timestamp_get(void)
{
    fprintf(out, "timestamp\n");
    return 1000 + n_times++;
}

/* ---- The counters extension ---- */

static uint64_t NVTX_API counter_register(nvtxDomainHandle_t domain, const nvtxCounterAttr_t *attr)
{
    uint64_t id = ((uint64_t)1 << 32) + n_counters++;
    fprintf(out, "counter %llx of %s schema %llx scope %llx name %s description %s",
            (unsigned long long)id, name_of(domain), (unsigned long long)attr->schemaId,
            (unsigned long long)attr->scopeId, text(attr->name), text(attr->description));
    put_semantics(attr->semantics);
    fputc('\n', out);
    return id;
}

static void NVTX_API sample_int64(nvtxDomainHandle_t domain, uint64_t id, int64_t value)
{
    fprintf(out, "int64 %llx of %s: %lld\n", (unsigned long long)id, name_of(domain),
            (long long)value);
}

static void NVTX_API sample_float64(nvtxDomainHandle_t domain, uint64_t id, double value)
{
    fprintf(out, "float64 %llx of %s: %.17g\n", (unsigned long long)id, name_of(domain), value);
}

static void NVTX_API sample(nvtxDomainHandle_t domain, uint64_t id, const void *values, size_t size)
{
    fprintf(out, "sample %llx of %s", (unsigned long long)id, name_of(domain));
    put_bytes(values, size);
    fputc('\n', out);
}

static void NVTX_API sample_no_value(nvtxDomainHandle_t domain, uint64_t id, uint8_t reason)
{
    fprintf(out, "no value %llx of %s: %u\n", (unsigned long long)id, name_of(domain), reason);
}

static void NVTX_API batch_submit(nvtxDomainHandle_t domain, const nvtxCounterBatch_t *batch)
{
    fprintf(out, "batch %llx of %s flags %llx", (unsigned long long)batch->counterId,
            name_of(domain), (unsigned long long)batch->flags);
    put_bytes(batch->counters, batch->countersSize);
    put_bytes(batch->timestamps, batch->timestampsSize);
    fputc('\n', out);
}

/* ---- The core ---- */

static void put_payload(const nvtxEventAttributes_t *event)
{
    const nvtxPayloadData_t *data = (const nvtxPayloadData_t *)(uintptr_t)event->payload.ullValue;
    if (event->payloadType != NVTX_PAYLOAD_TYPE_EXT) {
        fprintf(out, " payload %d", event->payloadType);
        if (event->payloadType != NVTX_PAYLOAD_UNKNOWN)
            put_bytes(&event->payload, sizeof(event->payload));
        return;
    }
    for (int32_t i = 0; i < event->reserved0; i++) {
        fprintf(out, " schema %llx", (unsigned long long)data[i].schemaId);
        put_bytes(data[i].payload, data[i].size);
    }
}

static void put_event(const char *what, const void *domain, const nvtxEventAttributes_t *event)
{
    fprintf(out, "%s of %s %s category %u color %d %x", what, name_of(domain),
            event->messageType == NVTX_MESSAGE_TYPE_REGISTERED ? name_of(event->message.registered)
                                                               : "?",
            event->category, event->colorType, event->color);
    put_payload(event);
    fputc('\n', out);
}

static nvtxDomainHandle_t NVTX_API domain_create(const char *name)
{
    fprintf(out, "domain %s\n", name);
    return (nvtxDomainHandle_t)strdup(name);
}

static nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t domain, const char *string)
{
    fprintf(out, "string %s of %s\n", string, name_of(domain));
    return (nvtxStringHandle_t)strdup(string);
}

static void NVTX_API name_category(nvtxDomainHandle_t domain, uint32_t id, const char *name)
{
    fprintf(out, "category %u %s of %s\n", id, name, name_of(domain));
}

static void NVTX_API mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    put_event("mark", domain, event);
}

static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    put_event("push", domain, event);
    return 0;
}

static int NVTX_API pop(nvtxDomainHandle_t domain)
{
    fprintf(out, "pop of %s\n", name_of(domain));
    return 0;
}

static nvtxRangeId_t NVTX_API start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    put_event("start", domain, event);
    return ++n_ranges;
}

static void NVTX_API end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    fprintf(out, "end of %s %llu\n", name_of(domain), (unsigned long long)id);
}

/* ---- Attaching ---- */

__attribute__((visibility("default"))) int NVTX_API
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
__attribute__((visibility("default"))) int NVTX_API
InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned int size;
    const char *path = getenv("NVTX_CALLS");
    if (out == NULL && path != NULL)
        out = fopen(path, "we");
    if (out == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
        return 0;
    *table[NVTX_CBID_CORE2_DomainMarkEx] = (NvtxFunctionPointer)mark;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    *table[NVTX_CBID_CORE2_DomainRangeStartEx] = (NvtxFunctionPointer)start;
    *table[NVTX_CBID_CORE2_DomainRangeEnd] = (NvtxFunctionPointer)end;
    *table[NVTX_CBID_CORE2_DomainNameCategoryA] = (NvtxFunctionPointer)name_category;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)domain_create;
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)register_string;
    return 1;
}

int NVTX_API InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
    intptr_t *slots = module->segments[0].functionSlots;
    if (module->moduleId == NVTX_EXT_PAYLOAD_MODULEID) {
        slots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister] = (intptr_t)schema_register;
        slots[NVTX3EXT_CBID_nvtxScopeRegister] = (intptr_t)scope_register;
        slots[NVTX3EXT_CBID_nvtxTimestampGet] = (intptr_t)timestamp_get;
        return 1;
    }
    if (module->moduleId != NVTX_EXT_COUNTERS_MODULEID)
        return 0;
    slots[NVTX3EXT_CBID_nvtxCounterRegister] = (intptr_t)counter_register;
    slots[NVTX3EXT_CBID_nvtxCounterSampleInt64] = (intptr_t)sample_int64;
    slots[NVTX3EXT_CBID_nvtxCounterSampleFloat64] = (intptr_t)sample_float64;
    slots[NVTX3EXT_CBID_nvtxCounterSample] = (intptr_t)sample;
    slots[NVTX3EXT_CBID_nvtxCounterSampleNoValue] = (intptr_t)sample_no_value;
    slots[NVTX3EXT_CBID_nvtxCounterBatchSubmit] = (intptr_t)batch_submit;
    return 1;
}
