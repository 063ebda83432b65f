/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each kind of annotation, which makes N of them; instructions.sh counts the
 * instructions inside each.
 *
 *     instructions N
 *
 * Every function runs once before with a few annotations, so that what happens once per thread or
 * process is not in the count. */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>

#include <stdlib.h>
#include <string.h>

/* builds of before have none */
#if __has_include(<nvtx3/nvToolsExtCounters.h>)
#define HAS_EXTENSIONS 1
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#else
#define HAS_EXTENSIONS 0
#endif

#define MEASURED __attribute__((noinline, noclone)) void
static const char text[] = "a message of 24 bytes ab";
static nvtxDomainHandle_t domain, excluded;
static nvtxEventAttributes_t registered, full, payload;

MEASURED measured_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxRangePushA(text);
        nvtxRangePop();
    }
}

MEASURED measured_start_end(long n)
{
    for (long i = 0; i < n; i++)
        nvtxRangeEnd(nvtxRangeStartA(text));
}

MEASURED measured_mark(long n)
{
    for (long i = 0; i < n; i++)
        nvtxMarkA(text);
}

MEASURED measured_payload_mark(long n)
{
    for (long i = 0; i < n; i++)
        nvtxMarkEx(&payload);
}

MEASURED measured_registered_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &registered);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_full_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &full);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_domain_start_end(long n)
{
    for (long i = 0; i < n; i++)
        nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &full));
}

MEASURED measured_excluded_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(excluded, &registered);
        nvtxDomainRangePop(excluded);
    }
}

#if HAS_EXTENSIONS
static uint64_t values[4] = {1, 2, 3, 4}, counter;
static nvtxPayloadData_t structure;
static nvtxEventAttributes_t with_structure, with_both;

MEASURED measured_struct_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &with_structure);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_text_struct_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &with_both);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_push_payload_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxRangePushPayload(domain, &structure, 1);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_sample(long n)
{
    for (long i = 0; i < n; i++)
        nvtxCounterSampleInt64(domain, counter, i);
}

static void init_extensions(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {{NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
                                                        NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "values",
                                                        NULL, 4, 0, NULL, NULL}};
    const nvtxCounterAttr_t attributes = {
        sizeof attributes, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "used", NULL, 0, NULL, 0};
    nvtxPayloadSchemaAttr_t schema;
    memset(&schema, 0, sizeof(schema));
    schema.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 1;
    schema.payloadStaticSize = sizeof(values);
    structure.schemaId = nvtxPayloadSchemaRegister(domain, &schema);
    structure.size = sizeof(values);
    structure.payload = values;
    counter = nvtxCounterRegister(domain, &attributes);
    with_structure = registered;
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(with_structure, &structure, 1)
    with_both = full;
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(with_both, &structure, 1)
}

static void run_extensions(long n)
{
    measured_struct_push_pop(n);
    measured_text_struct_push_pop(n);
    measured_push_payload_pop(n);
    measured_sample(n);
}
#endif

static void run_all(long n)
{
    measured_push_pop(n);
    measured_start_end(n);
    measured_mark(n);
    measured_payload_mark(n);
    measured_registered_push_pop(n);
    measured_full_push_pop(n);
    measured_domain_start_end(n);
    measured_excluded_push_pop(n);
#if HAS_EXTENSIONS
    run_extensions(n);
#endif
}

static void init_attributes(nvtxEventAttributes_t *event)
{
    memset(event, 0, sizeof(*event));
    event->version = NVTX_VERSION;
    event->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 10000;
    (void)unsetenv("LD_PRELOAD"); /* the recorder takes another path where it sees valgrind's */
    domain = nvtxDomainCreateA("instructions");
    excluded = nvtxDomainCreateA("excluded");
    init_attributes(&registered);
    registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    registered.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    init_attributes(&full);
    full.messageType = NVTX_MESSAGE_TYPE_ASCII;
    full.message.ascii = text;
    full.colorType = NVTX_COLOR_ARGB;
    full.color = 0xff00ff00;
    full.category = 7;
    full.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    full.payload.ullValue = 42;
    init_attributes(&payload);
    payload.messageType = NVTX_MESSAGE_TYPE_ASCII;
    payload.message.ascii = text;
    payload.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    payload.payload.dValue = 0.5;
#if HAS_EXTENSIONS
    init_extensions();
#endif
    run_all(10);
    run_all(n);
    return 0;
}
