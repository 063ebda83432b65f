/* SPDX-License-Identifier: Apache-2.0 */
/* A program of NVIDIA's headers alone: their loader, their helpers of events and counters.
 *
 *     nvidia BACKEND OUTPUT
 *
 * The loader's functions stand in a source file that the headers do not bring: nvtxwGetInterface is
 * taken from the library directly, as the headers allow. */
#include <nvtxw3/nvtxw3_counter_helpers.h>
#include <nvtxw3/nvtxw3_event_helpers.h>
#include <nvtxw3/nvtxw3_setup_helpers.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define RF_RECORD_NVTX_NVTX_H /* the headers above have its place */
#include "nvtxw/nvtxw_abi.h"

/* Our declarations lay everything out as theirs do. */
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs)
#define SAME_PLACE(ours, theirs)                                                                   \
    _Static_assert(offsetof(struct nvtxw_interface, ours) == offsetof(nvtxwInterface_t, theirs),   \
                   #theirs)
SAME_SIZE(nvtxw_session_attributes, nvtxwSessionAttributes_t);
SAME_SIZE(nvtxw_domain_attributes, nvtxwDomainAttributes_t);
SAME_SIZE(nvtxw_stream_attributes, nvtxwStreamAttributes_t);
SAME_SIZE(nvtxw_interface, nvtxwInterface_t);
SAME_PLACE(session_end, SessionEnd);
SAME_PLACE(resource_register, ResourceRegister);
SAME_PLACE(time_domain_register, TimeDomainRegister);
SAME_PLACE(stream_close, StreamClose);
SAME_PLACE(counter_batch_write, CounterBatchWrite);
SAME_PLACE(timestamp_conversion_factor_write, TimestampConversionFactorWrite);
_Static_assert(NVTXW_VERSION == NVTXW_INTERFACE_VERSION, "version");
_Static_assert(NVTXW_INVALID_ARGUMENT == NVTXW_RESULT_INVALID_ARGUMENT, "results");

static const char *default_library;

/* The loader that the setup helpers call. */
nvtxwResultCode_t nvtxwLoad(const char *library, nvtxwGetInterface_t *get,
                            nvtxwModuleHandle_t *module)
{
    *module = dlopen(library != NULL ? library : default_library, RTLD_NOW);
    *(void **)get = *module != NULL ? dlsym(*module, NVTXW_GET_INTERFACE_SYMBOL_NAME) : NULL;
    return *get != NULL ? NVTXW_RESULT_SUCCESS : NVTXW_RESULT_LIBRARY_LOAD_FAILED;
}

void nvtxwUnload(nvtxwModuleHandle_t module)
{
    void (*finalize)(void);
    *(void **)&finalize = dlsym(module, NVTXW_FINALIZE_SYMBOL_NAME);
    finalize();
    (void)dlclose(module);
}

static int failed(const char *what)
{
    (void)fprintf(stderr, "%s failed\n", what);
    return 1;
}

static int write_events(const nvtxwEventWriter_t *w, nvtxDomainHandle_t domain)
{
    nvtxwEventAttributes_t registered = {.color = 0xff00ff00, .category = 3};
    nvtxwEventAttributesUtf8_t text = {.message = "text that goes on", .messageLength = 4};
    int result = w->iface->StringRegister(domain, "string", &registered.message);
    result |= nvtxwCategoryRegister(w->iface, domain, 3, "third");
    result |= nvtxwMarkWrite(w, 1000, registered);
    result |= nvtxwMarkWriteUtf8(w, 1001, text);
    text.message = "whole";
    text.messageLength = 0;
    result |= nvtxwRangePushPopWrite(w, 2000, 3000, registered);
    result |= nvtxwRangePushPopWriteUtf8(w, 2100, 2900, text);
    result |= nvtxwRangeStartEndWriteUtf8(w, 2200, 5000, text);
    result |= nvtxwRangePushWriteUtf8(w, 6000, text);
    result |= nvtxwRangePopWrite(w, 6500);
    result |= nvtxwRangeStartWrite(w, 7000, 77, registered);
    result |= nvtxwRangeEndWrite(w, 7500, 77);
    text.message = NULL;
    result |= nvtxwMarkWriteUtf8(w, 8000, text);
    return result != 0 ? failed("an event") : 0;
}

static int write_counters(const nvtxwEventWriter_t *w, nvtxDomainHandle_t domain)
{
    const uint8_t value = 255;
    uint64_t whole, real, byte;
    int result = nvtxwCounterInt64Register(w->iface, domain, "whole", NULL, &whole);
    result |= nvtxwCounterFloat64Register(w->iface, domain, "real", NULL, &real);
    result |=
        nvtxwCounterRegister(w->iface, domain, "byte", NVTX_PAYLOAD_ENTRY_TYPE_UINT8, NULL, &byte);
    result |= w->iface->CounterWrite(w->stream, 1601, byte, &value, sizeof value);
    result |= nvtxwCounterInt64Write(w->iface, w->stream, 1500, whole, -5);
    result |= nvtxwCounterFloat64Write(w->iface, w->stream, 1600, real, 0.25);
    return result != 0 ? failed("a counter") : 0;
}

/* ---- The functions of the table, which helpers call in part ---- */

static uint64_t add_schema(const nvtxwInterface_t *iface, nvtxDomainHandle_t domain)
{
    static const nvtxPayloadEnum_t states[] = {{"idle", 0, 0}, {"busy", 1, 0}};
    const nvtxPayloadEnumAttr_t state = {.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                                                      NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                                                      NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
                                         .entries = states,
                                         .numEntries = 2,
                                         .sizeOfEnum = 8};
    uint64_t id = 0, schema = 0;
    if (iface->EnumRegister(domain, &state, &id) != NVTXW_RESULT_SUCCESS)
        return 0;
    const nvtxPayloadSchemaEntry_t entries[] = {
        {.flags = NVTX_PAYLOAD_ENTRY_FLAG_MARK | NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP,
         .type = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
         .name = "at"},
        {.type = id, .name = "state"}};
    const nvtxPayloadSchemaAttr_t given = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS |
                                                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
                                           .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                           .flags = NVTX_PAYLOAD_SCHEMA_FLAG_MARK,
                                           .entries = entries,
                                           .numEntries = 2,
                                           .payloadStaticSize = 16};
    return iface->SchemaRegister(domain, &given, &schema) == NVTXW_RESULT_SUCCESS ? schema : 0;
}

/* Three clocks: its times are those of the session's by 20 ms, by half and by 2, from 0 on. */
static int relate_clocks(const nvtxwInterface_t *iface, nvtxDomainHandle_t domain,
                         nvtxwStreamHandle_t stream, uint64_t clock[3])
{
    static const nvtxSyncPoint_t points[] = {{0, 0}, {1000, 500}};
    int result = 0;
    const nvtxTimeDomainAttr_t given = {.timerResolution = 1000000000};
    for (int i = 0; i < 2; i++)
        result |= nvtxwTimeDomainRegister(iface, domain, NVTX_TIMESTAMP_TYPE_NONE, &clock[i]);
    result |= iface->TimeDomainRegister(domain, &given, &clock[2]);
    result |= iface->TimeSyncPointWrite(stream, clock[0], NVTX_TIMESTAMP_TYPE_NONE, 0, 20000);
    result |= iface->TimeSyncPointTableWrite(stream, clock[1], clock[0], points, 2);
    result |= iface->TimestampConversionFactorWrite(stream, clock[2], clock[0], 2, 0, 0);
    return result;
}

static int write_on_clock(const nvtxwInterface_t *iface, nvtxwSessionHandle_t session,
                          nvtxDomainHandle_t domain, uint64_t schema, uint64_t clock)
{
    const int64_t marks[] = {10, 0, 20, 1, 30, 0};
    const nvtxPayloadData_t one = {schema, 16, marks};
    const nvtxEventBatch_t batch = {.eventSchemaId = schema, .size = 32, .events = marks + 2};
    nvtxwStreamHandle_t stream;
    int result = nvtxwStreamOpen(iface, session, "clock", domain, "disk[0]", clock, &stream);
    result |= iface->EventWrite(stream, &one, 1);
    result |= iface->EventBatchWrite(stream, &batch);
    result |= iface->StreamClose(stream);
    return result;
}

static int write_samples(const nvtxwInterface_t *iface, nvtxwStreamHandle_t stream,
                         nvtxDomainHandle_t domain)
{
    const nvtxCounterAttr_t given = {
        .structSize = sizeof given, .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_UINT16, .name = "few"};
    const uint16_t values[] = {7, 8, 9};
    const int64_t times[] = {1701, 1702};
    uint64_t few = 0;
    int result = iface->CounterRegister(domain, &given, &few);
    const nvtxCounterBatch_t batch = {.counterId = few,
                                      .counters = values + 1,
                                      .countersSize = 4,
                                      .timestamps = times,
                                      .timestampsSize = sizeof times};
    result |= iface->CounterWrite(stream, 1700, few, values, sizeof values[0]);
    result |= iface->CounterBatchWrite(stream, &batch);
    result |= iface->CounterNoValueWrite(stream, 1703, few, NVTX_COUNTER_SAMPLE_UNAVAILABLE);
    return result;
}

static int write_rest(const nvtxwInterface_t *iface, nvtxwSessionHandle_t session)
{
    nvtxResourceAttributes_t resource = {.version = NVTX_VERSION,
                                         .size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE,
                                         .identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message = {.ascii = "a resource"}};
    const nvtxScopeAttr_t scope = {sizeof scope, "GPU/engine", NVTX_SCOPE_ROOT, 0};
    nvtxwDomainAttributes_t d;
    nvtxwStreamAttributes_t s;
    nvtxwEventHelperSchemaIds_t ids;
    nvtxwEventWriter_t w;
    nvtxDomainHandle_t domain = NULL;
    nvtxwStreamHandle_t stream = NULL;
    uint64_t clock[3] = {0, 0, 0}, path = 0;
    int result = nvtxwDomainAttributesInit(&d) | nvtxwStreamAttributesInit(&s);
    d.name = "table";
    result |= iface->DomainRegister(session, &d, &domain);
    result |= iface->CategoryRegister(domain, 5, "fifth");
    result |= iface->ResourceRegister(domain, &resource);
    result |= iface->ScopeRegister(domain, &scope, &s.scopeId);
    result |= nvtxwScopeRegister(iface, domain, "path", &path);
    s.name = "rest";
    s.domain = domain;
    result |= iface->StreamOpen(session, &s, &stream);
    result |= nvtxwEventSchemasRegister(iface, domain, NVTXW_EVENT_HELPER_SCHEMA_ALL, &ids);
    result |= nvtxwEventWriterInit(&w, iface, stream, &ids);
    nvtxwEventAttributes_t named = {.category = 5};
    result |= iface->StringRegister(domain, "rest", &named.message);
    result |= nvtxwRangeStartEndWrite(&w, 9000, 9100, named);
    result |= nvtxwRangePushWrite(&w, 9200, named);
    result |= nvtxwRangePopWrite(&w, 9300);
    const nvtxwEventAttributesUtf8_t text = {.message = "begun"};
    result |= nvtxwRangeStartWriteUtf8(&w, 9400, 78, text);
    result |= nvtxwRangeEndWrite(&w, 9500, 78);
    result |= write_samples(iface, stream, domain);
    result |= relate_clocks(iface, domain, stream, clock);
    const uint64_t schema = add_schema(iface, domain);
    for (int i = 0; i < 3; i++)
        result |= write_on_clock(iface, session, domain, schema, clock[i]);
    result |= iface->StreamClose(stream);
    return result != 0 || path == 0 ? failed("the rest") : 0;
}

int main(int argc, char **argv)
{
    const nvtxwInterface_t *iface = NULL;
    nvtxwModuleHandle_t module = NULL;
    nvtxwSessionAttributes_t a;
    nvtxwSessionHandle_t session = NULL;
    nvtxDomainHandle_t domain = NULL;
    nvtxwEventWriter_t writer;
    char config[4096];
    if (argc != 3 || nvtxwLoadInterface(argv[1], &iface, &module) != NVTXW_RESULT_SUCCESS)
        return failed("loading");
    default_library = argv[1];
    nvtxwModuleHandle_t again = NULL;
    const nvtxwInterface_t *same = NULL;
    if (nvtxwLoadInterfaceDefault(&same, &again) != NVTXW_RESULT_SUCCESS || same != iface)
        return failed("loading again");
    (void)nvtxwSessionAttributesInit(&a);
    (void)snprintf(config, sizeof config, "output=%s", argv[2]);
    a.name = "nvidia";
    a.configString = config;
    if (iface->SessionBegin(&a, &session) != NVTXW_RESULT_SUCCESS ||
        nvtxwDomainRegister(iface, session, "helpers", &domain) != NVTXW_RESULT_SUCCESS ||
        nvtxwEventWriterOpen(iface, session, "main", domain, NULL, 0, &writer) !=
            NVTXW_RESULT_SUCCESS)
        return failed("beginning");
    if (write_events(&writer, domain) != 0 || write_counters(&writer, domain) != 0 ||
        write_rest(iface, session) != 0)
        return 1;
    if (iface->SessionEnd(session) != NVTXW_RESULT_SUCCESS)
        return failed("ending");
    nvtxwUnload(module);
    return 0;
}
