/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps and regions of NVTX's memory extension. Regions are addresses that nobody looks at.
 *
 *     memory lies           batches whose sizes are wrong, references to nothing
 *     memory twice          what is registered twice, freed twice, lies at the same address
 *     memory peak           more bytes and fewer at one time
 *     memory threads N      N threads with a heap of their own, all of whose regions are freed
 *     memory many N         one batch of N regions, with handles, unregistered by these
 *     memory fork           a child goes on with its parent's heap
 *     memory capture        regions before, in and after a range "work" */
#include <nvtx3/nvToolsExtMem.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static nvtxDomainHandle_t domain;

static const void *at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static nvtxMemHeapHandle_t add_heap(const char *name, uint64_t address, size_t size)
{
    const nvtxMemVirtualRangeDesc_t range = {size, at(address)};
    const nvtxMemHeapDesc_t heap = {.extCompatID = NVTX_EXT_COMPATID_MEM,
                                    .structSize = sizeof(heap),
                                    .usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                                    .type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                    .typeSpecificDescSize = sizeof(range),
                                    .typeSpecificDesc = &range,
                                    .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                    .message.ascii = name};
    return nvtxMemHeapRegister(domain, &heap);
}

static nvtxMemRegionsRegisterBatch_t batch_of(nvtxMemHeapHandle_t heap,
                                              const nvtxMemVirtualRangeDesc_t *ranges, size_t n)
{
    return (nvtxMemRegionsRegisterBatch_t){.extCompatID = NVTX_EXT_COMPATID_MEM,
                                           .structSize = sizeof(nvtxMemRegionsRegisterBatch_t),
                                           .regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                                           .heap = heap,
                                           .regionCount = n,
                                           .regionDescElementSize = sizeof(*ranges),
                                           .regionDescElements = ranges};
}

static void add(nvtxMemHeapHandle_t heap, uint64_t address, size_t size)
{
    const nvtxMemVirtualRangeDesc_t range = {size, at(address)};
    const nvtxMemRegionsRegisterBatch_t batch = batch_of(heap, &range, 1);
    nvtxMemRegionsRegister(domain, &batch);
}

static nvtxMemRegionsUnregisterBatch_t refs_of(uint32_t type, const nvtxMemRegionRef_t *refs,
                                               size_t n)
{
    return (nvtxMemRegionsUnregisterBatch_t){NVTX_EXT_COMPATID_MEM,
                                             sizeof(nvtxMemRegionsUnregisterBatch_t),
                                             type,
                                             n,
                                             sizeof(*refs),
                                             refs};
}

static void drop(uint64_t address)
{
    const nvtxMemRegionRef_t ref = {.pointer = at(address)};
    const nvtxMemRegionsUnregisterBatch_t batch =
        refs_of(NVTX_MEM_REGION_REF_TYPE_POINTER, &ref, 1);
    nvtxMemRegionsUnregister(domain, &batch);
}

/* ---- What is not so ---- */

static void lie_in_registrations(void)
{
    /* ends where nothing is mapped behind it: what is read beyond it is seen */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || munmap(pages + page, page) != 0)
        exit(1);
    nvtxMemVirtualRangeDesc_t *last = (void *)(pages + page - sizeof(*last));
    *last = (nvtxMemVirtualRangeDesc_t){10, at(0x1000)};
    nvtxMemRegionsRegisterBatch_t batch = batch_of(NULL, last, 1);
    nvtxMemRegionsRegister(domain, &batch); /* the only one that is right */
    batch.regionCount = SIZE_MAX;           /* COUNT */
    nvtxMemRegionsRegister(domain, &batch);
    batch.regionCount = SIZE_MAX / sizeof(*last) + 2; /* COUNT: its bytes overflow */
    nvtxMemRegionsRegister(domain, &batch);
    batch = batch_of(NULL, last, 1);
    batch.regionDescElementSize = 8; /* ELEMENT */
    nvtxMemRegionsRegister(domain, &batch);
    batch = batch_of(NULL, NULL, 1); /* NULL */
    nvtxMemRegionsRegister(domain, &batch);
    batch = batch_of(NULL, last, 1);
    batch.regionType = 77; /* TYPE */
    nvtxMemRegionsRegister(domain, &batch);
    batch = batch_of(NULL, last, 1);
    batch.extCompatID = 0x0202; /* VERSION */
    nvtxMemRegionsRegister(domain, &batch);
    nvtxMemRegionsRegister(domain, NULL); /* NULL */
    /* VERSION: a structure of which there are 8 bytes */
    nvtxMemRegionsRegisterBatch_t *short_one = (void *)(pages + page - 8);
    memcpy(short_one, &(uint16_t[4]){NVTX_EXT_COMPATID_MEM, 8, NVTX_MEM_TYPE_VIRTUAL_ADDRESS}, 8);
    nvtxMemRegionsRegister(domain, short_one);
    munmap(pages, page);
}

static void lie_elsewhere(void)
{
    nvtxMemRegionRef_t ref = {.pointer = at(0xbad)};
    nvtxMemRegionsUnregisterBatch_t refs = refs_of(NVTX_MEM_REGION_REF_TYPE_POINTER, &ref, 1);
    nvtxMemRegionsUnregister(domain, &refs); /* no such region */
    refs.refType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
    nvtxMemRegionsUnregister(domain, &refs); /* likewise */
    refs.refType = 3;                        /* TYPE */
    nvtxMemRegionsUnregister(domain, &refs);
    refs = refs_of(NVTX_MEM_REGION_REF_TYPE_POINTER, &ref, SIZE_MAX / 8); /* COUNT */
    nvtxMemRegionsUnregister(domain, &refs);
    nvtxMemRegionsUnregister(domain, NULL); /* NULL */
    nvtxMemRegionsResize(domain, NULL);     /* NULL */
    nvtxMemRegionsName(domain, NULL);       /* NULL */
    nvtxMemRegionsNameBatch_t names = {.extCompatID = NVTX_EXT_COMPATID_MEM,
                                       .structSize = sizeof(names),
                                       .regionCount = 1,
                                       .regionElementSize = 8, /* ELEMENT */
                                       .regionElements = (const void *)&ref};
    nvtxMemRegionsName(domain, &names);
    if (nvtxMemHeapRegister(domain, NULL) != NVTX_MEM_HEAP_HANDLE_NO_TOOL) /* NULL */
        exit(1);
    add((nvtxMemHeapHandle_t)(uintptr_t)0x1234, 0x5000, 50); /* no such heap */
    nvtxMemHeapReset(domain, NVTX_MEM_HEAP_HANDLE_NO_TOOL);  /* likewise: its regions are gone */
}

/* ---- What is there more than once ---- */

static void run_twice(void)
{
    const nvtxMemHeapHandle_t outer = add_heap("outer", 0x10000, 65536);
    const nvtxMemHeapHandle_t inner = add_heap("inner", 0x10000, 4096);
    add(outer, 0x10000, 4096);
    add(inner, 0x10000, 100);                                 /* in the one of the other heap */
    add(inner, 0x10000, 300);                                 /* instead of the one before */
    drop(0x10000);                                            /* of inner */
    drop(0x10000);                                            /* of outer */
    drop(0x10000);                                            /* of nobody */
    add((nvtxMemHeapHandle_t)(uintptr_t)0x10000, 0x11000, 7); /* by the address of the last heap */
    nvtxMemHeapUnregister(domain, inner);
    nvtxMemHeapUnregister(domain, inner);
    add(inner, 0x12000, 9);
}

/* All elements of a batch are of one time. */
static void run_peak(void)
{
    const nvtxMemVirtualRangeDesc_t ranges[] = {
        {100, at(0x1000)}, {50, at(0x2000)}, {10, at(0x1000)}};
    const nvtxMemHeapHandle_t heap = add_heap("peak", 0x1000, 65536);
    const nvtxMemRegionsRegisterBatch_t batch = batch_of(heap, ranges, 3);
    add(heap, 0x3000, 7);
    nvtxMemRegionsRegister(domain, &batch);
    nvtxMemHeapUnregister(domain, heap);
}

/* ---- Threads, batches, processes, captures ---- */

static void *run_thread(void *number)
{
    char name[32];
    const uint64_t base = ((uint64_t)(uintptr_t)number + 1) << 32;
    (void)snprintf(name, sizeof(name), "of thread %u", (unsigned)(uintptr_t)number);
    const nvtxMemHeapHandle_t heap = add_heap(name, base, 1 << 30);
    for (uint64_t i = 0; i < 1000; i++)
        add(heap, base + 4096 * i, 1 + i % 7);
    for (uint64_t i = 0; i < 1000; i += 2)
        drop(base + 4096 * i);
    nvtxMemHeapUnregister(domain, heap);
    return NULL;
}

static void run_threads(unsigned n)
{
    pthread_t thread[64];
    for (unsigned i = 0; i < n && i < 64; i++)
        if (pthread_create(&thread[i], NULL, run_thread, (void *)(uintptr_t)i) != 0)
            exit(1);
    for (unsigned i = 0; i < n && i < 64; i++)
        pthread_join(thread[i], NULL);
}

static void run_many(size_t n)
{
    const nvtxMemHeapHandle_t heap = add_heap("many", 0x100000, n * 16);
    nvtxMemVirtualRangeDesc_t *ranges = calloc(n, sizeof(*ranges));
    nvtxMemRegionHandle_t *handles = calloc(n, sizeof(*handles));
    for (size_t i = 0; ranges != NULL && i < n; i++)
        ranges[i] = (nvtxMemVirtualRangeDesc_t){16, at(0x100000 + 16 * i)};
    nvtxMemRegionsRegisterBatch_t batch = batch_of(heap, ranges, n);
    batch.regionHandleElementsOut = handles;
    nvtxMemRegionsRegister(domain, &batch);
    const nvtxMemRegionsUnregisterBatch_t refs =
        refs_of(NVTX_MEM_REGION_REF_TYPE_HANDLE, (const void *)handles, n);
    nvtxMemRegionsUnregister(domain, &refs);
    free(ranges);
    free(handles);
}

static void run_fork(void)
{
    const nvtxMemHeapHandle_t heap = add_heap("shared", 0x10000, 4096);
    int status = 1;
    add(heap, 0x10000, 100);
    const pid_t child = fork();
    if (child == 0) {
        add(heap, 0x10800, 200);
        drop(0x10000); /* its parent's, of which its own recording has nothing */
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(1);
    drop(0x10000);
}

static void run_capture(void)
{
    const nvtxEventAttributes_t work = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = "work"};
    const nvtxMemHeapHandle_t heap = add_heap("pool", 0x10000, 4096);
    add(heap, 0x10000, 100);
    nvtxDomainRangePushEx(domain, &work);
    add(heap, 0x10100, 200);
    drop(0x10000);
    nvtxDomainRangePop(domain);
    drop(0x10100);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    domain = nvtxDomainCreateA("allocator");
    if (strcmp(mode, "lies") == 0) {
        lie_in_registrations();
        lie_elsewhere();
    } else if (strcmp(mode, "twice") == 0) {
        run_twice();
    } else if (strcmp(mode, "peak") == 0) {
        run_peak();
    } else if (strcmp(mode, "threads") == 0) {
        run_threads(n);
    } else if (strcmp(mode, "many") == 0) {
        run_many(n);
    } else if (strcmp(mode, "fork") == 0) {
        run_fork();
    } else if (strcmp(mode, "capture") == 0) {
        run_capture();
    } else {
        return 2;
    }
    return 0;
}
