/* SPDX-License-Identifier: Apache-2.0 */
/* sized short|long: structures of programs of another version, which end where their page does.
 * short: without their last fields. long: with fields that nobody knows yet. */
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MORE 64u /* bytes that are not known */

static size_t size_of(const char *mode, size_t whole, size_t less)
{
    return strcmp(mode, "long") == 0 ? whole + MORE : less;
}

/* The first n bytes, of which `whole` are given, before a page that cannot be read. */
static void *at_edge(const void *bytes, size_t whole, size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        abort();
    char *to = pages + page - n;
    memset(to, 0x5a, n);
    memcpy(to, bytes, n < whole ? n : whole);
    return to;
}

static void define(const char *mode)
{
    const nvtxPayloadSchemaEntry_t entry = {.type = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "value"};
    const nvtxPayloadEnum_t value = {.name = "one", .value = 1};
    nvtxScopeAttr_t scope = {.path = "edge", .parentScope = NVTX_SCOPE_ROOT};
    nvtxCounterAttr_t counter = {.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "at the edge"};
    nvtxPayloadSchemaAttr_t schema = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
                                      .name = "edge",
                                      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                      .entries = &entry,
                                      .numEntries = 1};
    nvtxPayloadEnumAttr_t list = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME | NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .name = "edge",
        .entries = &value,
        .numEntries = 1,
        .sizeOfEnum = 4};
    scope.structSize = size_of(mode, sizeof(scope), offsetof(nvtxScopeAttr_t, scopeId));
    counter.structSize = size_of(mode, sizeof(counter), offsetof(nvtxCounterAttr_t, counterId));
    (void)nvtxScopeRegister(NULL, at_edge(&scope, sizeof(scope), scope.structSize));
    const uint64_t id =
        nvtxCounterRegister(NULL, at_edge(&counter, sizeof(counter), counter.structSize));
    nvtxCounterSampleInt64(NULL, id, 4);
    (void)nvtxPayloadSchemaRegister(
        NULL, at_edge(&schema, sizeof(schema),
                      size_of(mode, sizeof(schema),
                              offsetof(nvtxPayloadSchemaAttr_t, payloadStaticSize))));
    (void)nvtxPayloadEnumRegister(
        NULL, at_edge(&list, sizeof(list),
                      size_of(mode, sizeof(list), offsetof(nvtxPayloadEnumAttr_t, schemaId))));
}

/* A size that no version of the structure has may end within a pointer. */
static void end_anywhere(void)
{
    nvtxScopeAttr_t scope = {.path = "edge", .parentScope = NVTX_SCOPE_ROOT};
    nvtxCounterAttr_t counter = {.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64, .name = "at the edge"};
    for (size_t n = sizeof(size_t); n < sizeof(scope); n++) {
        scope.structSize = n;
        (void)nvtxScopeRegister(NULL, at_edge(&scope, sizeof(scope), n));
    }
    for (size_t n = sizeof(size_t); n < sizeof(counter); n++) {
        counter.structSize = n;
        (void)nvtxCounterRegister(NULL, at_edge(&counter, sizeof(counter), n));
    }
}

/* Its name is registered, so that the others get copies. */
static void make_heap(void)
{
    static char memory[64];
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("edge");
    const nvtxMemVirtualRangeDesc_t range = {sizeof(memory), memory};
    nvtxMemHeapDesc_t heap = {.extCompatID = NVTX_EXT_COMPATID_MEM,
                              .structSize = sizeof(heap) + MORE,
                              .usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                              .type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
                              .typeSpecificDescSize = sizeof(range),
                              .typeSpecificDesc = &range,
                              .messageType = NVTX_MESSAGE_TYPE_REGISTERED};
    heap.message.registered = nvtxDomainRegisterStringA(domain, "pool");
    (void)nvtxMemHeapRegister(domain, at_edge(&heap, sizeof(heap), heap.structSize));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    define(argv[1]);
    if (strcmp(argv[1], "long") == 0)
        make_heap();
    else
        end_anywhere();
    return 0;
}
