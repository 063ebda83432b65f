/* SPDX-License-Identifier: Apache-2.0 */
/* N start/end ranges with a text of 24 bytes in pairs of threads, each with a few open.
 *
 *     starts N [THREADS [own|other|twice|inside|payload]]
 *
 * own: the thread that began a range ends it; other: its partner does; twice: it is ended once
 * more; inside: it is a push/pop range in a start/end range that is open all the time; payload: it
 * is a push/pop range, and has a payload of two integers. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 100
#define N_OPEN      8

static long n_ranges;
static int ends_other, ends_twice, is_inside, has_payload;
static uint64_t schema;
static nvtxDomainHandle_t domain;

/* Ranges that are handed to a thread: 0: none. */
static struct {
    _Atomic nvtxRangeId_t id[N_OPEN];
} handed[MAX_THREADS];

static void end_handed(int from, int slot)
{
    nvtxRangeId_t id = atomic_exchange(&handed[from].id[slot], 0);
    if (id == 0)
        return;
    nvtxRangeEnd(id);
    if (ends_twice)
        nvtxRangeEnd(id);
}

static void add_payload(long i)
{
    const uint64_t values[] = {(uint64_t)i, 7};
    const nvtxPayloadData_t data = {schema, sizeof(values), values};
    nvtxEventAttributes_t event;
    memset(&event, 0, sizeof(event));
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = "a message of 24 bytes ab";
    event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    event.reserved0 = 1;
    event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
    (void)nvtxDomainRangePushEx(domain, &event);
    (void)nvtxDomainRangePop(domain);
}

static void *annotate(void *own)
{
    const int thread = (int)(intptr_t)own, other = ends_other ? thread ^ 1 : thread;
    const nvtxRangeId_t around = is_inside ? nvtxRangeStartA("all") : 0;
    for (long i = 0; i < n_ranges; i++) {
        const int slot = (int)(i % N_OPEN);
        if (has_payload) {
            add_payload(i);
            continue;
        }
        if (is_inside) {
            (void)nvtxRangePushA("a message of 24 bytes ab");
            (void)nvtxRangePop();
            continue;
        }
        end_handed(other, slot);
        nvtxRangeId_t before =
            atomic_exchange(&handed[thread].id[slot], nvtxRangeStartA("a message of 24 bytes ab"));
        if (before != 0) /* the partner is behind */
            nvtxRangeEnd(before);
    }
    for (int slot = 0; slot < N_OPEN; slot++)
        end_handed(thread, slot);
    if (is_inside)
        nvtxRangeEnd(around);
    return NULL;
}

static void register_schema(void)
{
    const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "i", NULL, 0, 0, NULL, NULL},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "size", NULL, 0, 8, NULL, NULL}};
    const nvtxPayloadSchemaAttr_t attr = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
                                          .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                          .entries = entries,
                                          .numEntries = 2,
                                          .payloadStaticSize = 16};
    domain = nvtxDomainCreateA("bench");
    schema = nvtxPayloadSchemaRegister(domain, &attr);
}

int main(int argc, char **argv)
{
    static pthread_t threads[MAX_THREADS];
    const long n = argc > 1 ? atol(argv[1]) : 1000000;
    const int n_threads = argc > 2 ? atoi(argv[2]) : 2;
    const char *how = argc > 3 ? argv[3] : "own";
    if (n < 0 || n_threads < 2 || n_threads % 2 != 0 || n_threads > MAX_THREADS)
        return 2;
    ends_other = strcmp(how, "other") == 0;
    ends_twice = strcmp(how, "twice") == 0;
    is_inside = strcmp(how, "inside") == 0;
    has_payload = strcmp(how, "payload") == 0;
    if (has_payload)
        register_schema();
    n_ranges = n / n_threads;
    for (int i = 1; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, annotate, (void *)(intptr_t)i) != 0)
            return 1;
    (void)annotate(NULL);
    for (int i = 1; i < n_threads; i++)
        (void)pthread_join(threads[i], NULL);
    return 0;
}
