/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that are not on the stack of the default domain. */
#include "app_ranges.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nvtx3/nvToolsExt.h"
#include "nvtx3/nvToolsExtPayload.h"

#define N_SLOTS 64

static _Thread_local nvtxRangeId_t started[N_SLOTS];

static nvtxRangeId_t *slot(const char *value, const char **rest)
{
    char *end;
    nvtxRangeId_t *id = &started[strtoul(value, &end, 10) % N_SLOTS];
    *rest = *end ? end + 1 : end;
    return id;
}

void app_start_range(const char *value)
{
    const char *name;
    nvtxRangeId_t *id = slot(value, &name);
    *id = nvtxRangeStartA(name);
}

void app_end_range(const char *value)
{
    const char *rest;
    nvtxRangeEnd(*slot(value, &rest));
}

static void *end_range(void *id)
{
    nvtxRangeEnd(*(nvtxRangeId_t *)id);
    return NULL;
}

void app_end_range_elsewhere(const char *value)
{
    const char *rest;
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_range, slot(value, &rest)) != 0)
        abort();
    pthread_join(thread, NULL);
}

static nvtxDomainHandle_t domain_of(const char *name, nvtxDomainHandle_t *domain)
{
    if (!*domain)
        *domain = nvtxDomainCreateA(name);
    return *domain;
}

static nvtxEventAttributes_t named(const char *name)
{
    nvtxEventAttributes_t event;
    memset(&event, 0, sizeof(event));
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = name;
    return event;
}

static nvtxDomainHandle_t other, nccl;

void app_push_in(const char *value)
{
    const nvtxEventAttributes_t event = named(value);
    nvtxDomainRangePushEx(domain_of("other", &other), &event);
}

void app_push_value(const char *value)
{
    char *name;
    const uint64_t payload = strtoull(value, &name, 10);
    nvtxEventAttributes_t event = named(*name ? name + 1 : name);
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = payload;
    nvtxRangePushEx(&event);
}

void app_pop_in(const char *value)
{
    (void)value;
    nvtxDomainRangePop(domain_of("other", &other));
}

struct all_reduce {
    uint64_t communicator, bytes;
};

static uint64_t schema_of(nvtxDomainHandle_t domain)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", NULL, 0,
         offsetof(struct all_reduce, communicator), NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", NULL, 0,
         offsetof(struct all_reduce, bytes), NULL, NULL},
    };
    nvtxPayloadSchemaAttr_t schema;
    memset(&schema, 0, sizeof(schema));
    schema.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = sizeof(entries) / sizeof(entries[0]);
    schema.payloadStaticSize = sizeof(struct all_reduce);
    return nvtxPayloadSchemaRegister(domain, &schema);
}

void app_push_nccl(const char *value)
{
    static uint64_t schema;
    const nvtxDomainHandle_t domain = domain_of("NCCL", &nccl);
    const struct all_reduce reduce = {42, 1 << 20};
    if (!schema)
        schema = schema_of(domain);
    const nvtxPayloadData_t data = {schema, sizeof(reduce), &reduce};
    nvtxEventAttributes_t event = named(value);
    event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event.reserved0 = 1;
    event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
    nvtxDomainRangePushEx(domain, &event);
}

void app_pop_nccl(const char *value)
{
    (void)value;
    nvtxDomainRangePop(domain_of("NCCL", &nccl));
}
