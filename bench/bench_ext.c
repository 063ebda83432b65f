/* SPDX-License-Identifier: Apache-2.0 */
/* What payloads, counters and regions of memory of NVTX's extensions cost the program, against the
 * same floor and in the same bursts as bench_record.c. Of ranges: begin and end; of a batch: one
 * sample or region.
 *
 *     bench_ext [ROUNDS]
 *
 * Run with --nvtx-domain-exclude=bench-excluded: the last rows are of that domain. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "measure.h"

#define BURST    500
#define N_BURSTS 40
#define BATCH    100

struct transfer {
    uint64_t bytes, from, to;
    int32_t peer, flags;
};

static nvtxDomainHandle_t domain, excluded;
static nvtxEventAttributes_t plain, with_payload;
static nvtxPayloadData_t payload;
static struct transfer transfer = {1, 2, 3, 4, 5};
static uint64_t counter;
static nvtxMemHeapHandle_t heap;
static int64_t values[BATCH], times[BATCH];

static void run_plain(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &plain);
        nvtxDomainRangePop(domain);
    }
}

static void run_payload(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &with_payload);
        nvtxDomainRangePop(domain);
    }
}

static void run_push_payload(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxRangePushPayload(domain, &payload, 1);
        nvtxDomainRangePop(domain);
    }
}

static void run_sample(int n)
{
    for (int i = 0; i < n; i++)
        nvtxCounterSampleInt64(domain, counter, i);
}

static void run_batch(int n)
{
    const nvtxCounterBatch_t batch = {counter, values, sizeof values, 0, times, sizeof times};
    for (int i = 0; i < n; i += BATCH)
        nvtxCounterBatchSubmit(domain, &batch);
}

/* A region of a heap, as an allocator registers and unregisters it. */
static void run_register(int n)
{
    nvtxMemVirtualRangeDesc_t range = {64, values};
    const nvtxMemRegionsRegisterBatch_t batch = {NVTX_EXT_COMPATID_MEM,
                                                 sizeof batch,
                                                 NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                                 heap,
                                                 1,
                                                 sizeof range,
                                                 &range,
                                                 NULL};
    for (int i = 0; i < n; i++) {
        range.size = (size_t)i;
        nvtxMemRegionsRegister(domain, &batch);
    }
}

static void run_register_handle(int n)
{
    nvtxMemVirtualRangeDesc_t range = {64, values};
    nvtxMemRegionHandle_t handle;
    const nvtxMemRegionsRegisterBatch_t batch = {NVTX_EXT_COMPATID_MEM,
                                                 sizeof batch,
                                                 NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                                 heap,
                                                 1,
                                                 sizeof range,
                                                 &range,
                                                 &handle};
    for (int i = 0; i < n; i++) {
        range.size = (size_t)i;
        nvtxMemRegionsRegister(domain, &batch);
    }
}

static void run_unregister(int n)
{
    nvtxMemRegionRef_t ref = {values};
    const nvtxMemRegionsUnregisterBatch_t batch = {
        NVTX_EXT_COMPATID_MEM, sizeof batch, NVTX_MEM_REGION_REF_TYPE_POINTER, 1, sizeof ref, &ref};
    for (int i = 0; i < n; i++)
        nvtxMemRegionsUnregister(domain, &batch);
}

static void run_regions(int n)
{
    static nvtxMemVirtualRangeDesc_t ranges[BATCH];
    const nvtxMemRegionsRegisterBatch_t batch = {NVTX_EXT_COMPATID_MEM,
                                                 sizeof batch,
                                                 NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                                 heap,
                                                 BATCH,
                                                 sizeof ranges[0],
                                                 ranges,
                                                 NULL};
    for (int i = 0; i < n; i += BATCH)
        nvtxMemRegionsRegister(domain, &batch);
}

static void run_excluded(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxDomainRangePushEx(excluded, &with_payload);
        nvtxDomainRangePop(excluded);
    }
}

static void run_is_enabled(int n)
{
    for (int i = 0; i < n; i++)
        if (nvtxDomainIsEnabled(excluded))
            nvtxDomainMarkEx(excluded, &plain);
}

struct bench_case {
    const char *name;
    void (*run)(int n);
    double target; /* ratio to the floor; of the second and third: of what the payload adds */
};

enum {
    FLOOR,
    PLAIN,
    PAYLOAD,
    PUSH_PAYLOAD,
    SAMPLE,
    BATCHED,
    REGISTER,
    REGISTER_HANDLE,
    UNREGISTER,
    REGIONS,
    EXCLUDED,
    IS_ENABLED,
    N_CASES
};

static const struct bench_case cases[N_CASES] = {
    [FLOOR] = {"floor: 2 clock reads + 2 x 32 B", measure_floor, 0},
    [PLAIN] = {"push/pop, registered", run_plain, 0},
    [PAYLOAD] = {"  and a payload of 32 B: more", run_payload, 0.4},
    [PUSH_PAYLOAD] = {"  nvtxRangePushPayload, 32 B: more", run_push_payload, 0.4},
    [SAMPLE] = {"a sample, int64", run_sample, 0.8},
    [BATCHED] = {"a sample of a batch of 100, with its time", run_batch, 0.5},
    [REGISTER] = {"a region registered", run_register, 2},
    [REGISTER_HANDLE] = {"the same, with a handle", run_register_handle, 2},
    [UNREGISTER] = {"a region unregistered", run_unregister, 2},
    [REGIONS] = {"a region of a batch of 100", run_regions, 0.5},
    [EXCLUDED] = {"push/pop with a payload in an excluded domain", run_excluded, 0.2},
    [IS_ENABLED] = {"nvtxDomainIsEnabled, of an excluded domain", run_is_enabled, 0.2},
};

static double results[N_CASES][MEASURE_MAX_ROUNDS];

static double burst(const struct bench_case *c)
{
    int64_t total = 0;
    c->run(BURST);
    for (int i = 0; i < N_BURSTS; i++) {
        struct timespec pause = {0, 200000};
        (void)nanosleep(&pause, NULL);
        int64_t before = measure_now_ns();
        c->run(BURST);
        total += measure_now_ns() - before;
    }
    return (double)total / (BURST * N_BURSTS);
}

static void report(int rounds)
{
    double floor_min = measure_quantile(results[FLOOR], rounds, 0);
    double plain_min = measure_quantile(results[PLAIN], rounds, 0);
    double plain_median = measure_quantile(results[PLAIN], rounds, 0.5);
    measure_title("extensions, bursts", "ns each; ratio to the floor");
    for (int i = 0; i < N_CASES; i++) {
        int is_more = i == PAYLOAD || i == PUSH_PAYLOAD;
        double min = measure_quantile(results[i], rounds, 0) - (is_more ? plain_min : 0);
        double median = measure_quantile(results[i], rounds, 0.5) - (is_more ? plain_median : 0);
        measure_row(cases[i].name, min, median, min / floor_min, cases[i].target);
    }
}

static void prepare(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "from", NULL, 0, 8, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "to", NULL, 0, 16, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "peer", NULL, 0, 24, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "flags", NULL, 0, 28, NULL, NULL},
    };
    nvtxPayloadSchemaAttr_t schema;
    const nvtxCounterAttr_t attributes = {
        sizeof attributes, NVTX_PAYLOAD_ENTRY_TYPE_INT64, "used", NULL, 0, NULL, 0};
    memset(&schema, 0, sizeof schema);
    schema.fieldMask =
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
        NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    schema.entries = entries;
    schema.numEntries = 5;
    schema.payloadStaticSize = sizeof transfer;
    domain = nvtxDomainCreateA("bench");
    excluded = nvtxDomainCreateA("bench-excluded");
    payload.schemaId = nvtxPayloadSchemaRegister(domain, &schema);
    payload.size = sizeof transfer;
    payload.payload = &transfer;
    const nvtxMemHeapDesc_t pool = {.extCompatID = NVTX_EXT_COMPATID_MEM,
                                    .structSize = sizeof pool,
                                    .usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                                    .type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS};
    heap = nvtxMemHeapRegister(domain, &pool);
    counter = nvtxCounterRegister(domain, &attributes);
    plain.version = NVTX_VERSION;
    plain.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    plain.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    plain.message.registered = nvtxDomainRegisterStringA(domain, "a range");
    with_payload = plain;
    NVTX_PAYLOAD_EVTATTR_SET_MULTIPLE_N(with_payload, &payload, 1)
}

int main(int argc, char **argv)
{
    int rounds = measure_rounds(argc > 1 ? argv[1] : NULL);
    measure_pin(measure_n_cores() - 1);
    prepare();
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < N_CASES; i++)
            results[i][round] = burst(&cases[i]);
    report(rounds);
    return 0;
}
