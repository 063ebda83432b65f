/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/memory_heaps.h"

#include "log/capture.h"
#include "record/names/defs.h"
#include "record/names/domain_handles.h"
#include "record/nvtx/def_text.h"
#include "record/nvtx/memory_records.h"
#include "record/nvtx/read_sized.h"
#include "record/nvtx/wide_text.h"
#include "record/process/process.h"

/* A heap on its way into the text of its definition. */
struct heap {
    struct rf_heap_def def;
    const char *name;
};

static void put_heap(struct rf_def_text *text, const struct heap *heap)
{
    struct rf_heap_def def = heap->def;
    const uint32_t at = rf_def_text_reserve(text, sizeof(def));
    def.name = rf_def_text_name(text, heap->name);
    rf_def_text_set(text, at, &def, sizeof(def));
}

static uint64_t define(uint64_t domain, const struct heap *heap)
{
    struct rf_def_text text;
    uint64_t handle = 0;
    rf_def_text_measure(&text);
    put_heap(&text, heap);
    if (!rf_def_text_fill(&text))
        return 0;
    put_heap(&text, heap);
    if (rf_def_text_is_whole(&text)) {
        handle = rf_memory_handles(1);
        (void)rf_defs_add(RF_REC_NVTX_DEF, RF_NVTX_DEF_HEAP,
                          domain > UINT32_MAX ? UINT32_MAX : (uint32_t)domain, handle, 0,
                          (const char *)text.data, text.size);
    }
    rf_def_text_release(&text);
    return handle;
}

/* What the description says of the memory, if it is of a type that has addresses. */
static void read_range(struct rf_heap_def *def, const nvtxMemHeapDesc_t *d)
{
    nvtxMemVirtualRangeDesc_t range;
    if (d->type != NVTX_MEM_TYPE_VIRTUAL_ADDRESS || d->typeSpecificDesc == NULL ||
        d->typeSpecificDescSize < sizeof(range))
        return;
    memcpy(&range, d->typeSpecificDesc, sizeof(range));
    def->address = (uint64_t)(uintptr_t)range.ptr;
    def->size = range.size;
}

static uint64_t register_known(uint64_t domain, const nvtxMemHeapDesc_t *d)
{
    struct rf_utf8_text utf8 = {.mapped = 0};
    struct heap heap = {.def = {.usage = d->usage, .type = d->type, .category = d->category}};
    read_range(&heap.def, d);
    if (d->messageType == NVTX_MESSAGE_TYPE_ASCII)
        heap.name = d->message.ascii;
    if (d->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
        heap.def.string = (uint64_t)(uintptr_t)d->message.registered;
    if (d->messageType == NVTX_MESSAGE_TYPE_UNICODE) {
        rf_utf8_text_init(&utf8, d->message.unicode);
        heap.name = utf8.text;
    }
    const uint64_t handle = define(domain, &heap);
    rf_utf8_text_release(&utf8);
    return handle;
}

/* Structures of which the program has less than today's fields are refused: no version has less. */
static enum rf_memory_call check(const nvtxMemHeapDesc_t *given)
{
    if (given == NULL)
        return RF_MEMORY_NULL;
    return (given->extCompatID != 0 && given->extCompatID >> 8 != NVTX_EXT_COMPATID_MEM >> 8) ||
                   (given->structSize != 0 && given->structSize < sizeof(*given))
               ? RF_MEMORY_VERSION
               : RF_MEMORY_TAKEN;
}

static nvtxMemHeapHandle_t heap_register(nvtxDomainHandle_t domain, const nvtxMemHeapDesc_t *given)
{
    const uint64_t number = (uint64_t)(uintptr_t)domain;
    const enum rf_memory_call what = check(given);
    uint64_t handle = 0;
    if (rf_domain_is_excluded(number) || !rf_process_can_define())
        return NVTX_MEM_HEAP_HANDLE_NO_TOOL;
    if (what == RF_MEMORY_TAKEN)
        handle = register_known(number, given);
    else if (rf_recorder.is_focused && !rf_capture_is_on(rf_capture_word(rf_recorder.control)))
        rf_count_memory_call();
    else
        rf_memory_call(number, NVTX3EXT_CBID_nvtxMemHeapRegister, what, 1);
    return handle != 0 ? (nvtxMemHeapHandle_t)(uintptr_t)handle : NVTX_MEM_HEAP_HANDLE_NO_TOOL;
}

struct rf_callbacks rf_memory_heap_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX3EXT_CBID_nvtxMemHeapRegister] = RF_CALLBACK(heap_register),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
