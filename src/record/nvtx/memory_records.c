/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nvtx/memory_records.h"

#include "record/nvtx/read_sized.h"
#include "record/nvtx/wide_text.h"

#define MOST_WORDS (RF_WORD_MAX_WORDS - 1) /* of a short record, from word 1 on */
/* Bytes of a batch: more is no number of elements, but a mistake. */
#define MOST_BYTES (1ULL << 32)

/* Where a batch has its elements. */
struct elements {
    const uint8_t *first;
    size_t n, stride;
};

/* What of each kind of batch is looked at alike. */
struct batch_head {
    uint16_t compat_id, size;
};

void rf_memory_emit_slow(const uint64_t *words, size_t n)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return;
    uint64_t *record = (uint64_t *)(void *)writer->cursor;
    memcpy(record + 1, words, n * sizeof(*words));
    rf_publish(writer, end, rf_head(rf_now(), RF_REC_EXT, 1 + n), 1 + n);
}

void rf_memory_call(uint64_t domain, uint32_t function, enum rf_memory_call what, uint64_t n)
{
    const uint64_t words[] = {rf_ext_word1(RF_EXT_MEMORY_CALL, domain), function, what, n};
    rf_memory_emit_slow(words, 4);
}

/* ---- What the program passed ---- */

/* Copies a batch, as much of it as the program has. */
static enum rf_memory_call read_batch(void *to, size_t whole_size, const void *given)
{
    struct batch_head head;
    if (given == NULL)
        return RF_MEMORY_NULL;
    memcpy(&head, given, sizeof(head));
    if ((head.compat_id != 0 && head.compat_id >> 8 != NVTX_EXT_COMPATID_MEM >> 8) ||
        (head.size != 0 && head.size < sizeof(head)))
        return RF_MEMORY_VERSION;
    rf_read_sized(to, whole_size, given, head.size);
    /* every version has at least the fields of today's */
    return head.size != 0 && head.size < whole_size ? RF_MEMORY_VERSION : RF_MEMORY_TAKEN;
}

/* Sets where the elements are. stride 0: the program forgot it. */
static enum rf_memory_call find_elements(struct elements *to, const void *first, size_t n,
                                         size_t stride, size_t least)
{
    *to = (struct elements){first, n, stride != 0 ? stride : least};
    if (to->stride < least)
        return RF_MEMORY_ELEMENT;
    if (n > MOST_BYTES / to->stride)
        return RF_MEMORY_COUNT;
    return n > 0 && first == NULL ? RF_MEMORY_NULL : RF_MEMORY_TAKEN;
}

/* As nvtxMemCudaArrayRangeDesc_t and nvtxMemCuArrayRangeDesc_t, which need CUDA's headers. */
struct array_range {
    uint16_t compat_id, size;
    uint32_t reserved;
    uint64_t array;
    uint64_t offset[3], extent[3];
};

enum { TYPE_CUDA_ARRAY = 0x11, TYPE_CU_ARRAY = 0x12 };

/* The least size of a region's description; 0: a type that is not known. */
static size_t size_of_type(uint32_t type)
{
    if (type == NVTX_MEM_TYPE_VIRTUAL_ADDRESS)
        return sizeof(nvtxMemVirtualRangeDesc_t);
    return type == TYPE_CUDA_ARRAY || type == TYPE_CU_ARRAY ? sizeof(struct array_range) : 0;
}

/* The address and the size of a region; of an array the array itself, whose bytes are not known. */
static void read_region(uint64_t to[2], uint32_t type, const uint8_t *from)
{
    nvtxMemVirtualRangeDesc_t range;
    struct array_range array;
    if (type == NVTX_MEM_TYPE_VIRTUAL_ADDRESS) {
        memcpy(&range, from, sizeof(range));
        to[0] = (uint64_t)(uintptr_t)range.ptr;
        to[1] = range.size;
    } else {
        memcpy(&array, from, sizeof(array));
        to[0] = array.array;
        to[1] = 0;
    }
}

/* ---- Batches as records ---- */

/* Records of as many regions as one holds. words: what stands before them, from word 1 on; handle:
 * the place of the first one's handle in it, or 0. */
static void emit_regions(const struct elements *e, uint32_t type, const uint64_t *words,
                         size_t n_words, size_t handle)
{
    uint64_t record[MOST_WORDS];
    memcpy(record, words, n_words * sizeof(*words));
    for (size_t i = 0; i < e->n;) {
        size_t n = n_words;
        const size_t first = i;
        for (; i < e->n && n + 2 <= MOST_WORDS; i++, n += 2)
            read_region(record + n, type, e->first + i * e->stride);
        rf_memory_emit_slow(record, n);
        if (handle != 0 && record[handle] != 0)
            record[handle] += i - first;
    }
}

static uint64_t give_handles(nvtxMemRegionHandle_t *out, size_t n)
{
    if (out == NULL || n == 0)
        return 0;
    const uint64_t first = rf_memory_handles(n);
    for (size_t i = 0; i < n; i++)
        out[i] = (nvtxMemRegionHandle_t)(uintptr_t)(first + i);
    return first;
}

void rf_memory_register(uint64_t domain, const nvtxMemRegionsRegisterBatch_t *given,
                        bool is_recorded)
{
    nvtxMemRegionsRegisterBatch_t batch = {.regionCount = 0};
    struct elements e;
    enum rf_memory_call what = read_batch(&batch, sizeof(batch), given);
    const size_t least = size_of_type(batch.regionType);
    if (what == RF_MEMORY_TAKEN)
        what = least == 0 ? RF_MEMORY_TYPE
                          : find_elements(&e, batch.regionDescElements, batch.regionCount,
                                          batch.regionDescElementSize, least);
    if (what == RF_MEMORY_TAKEN) {
        const uint64_t words[] = {
            rf_ext_word1(RF_EXT_REGIONS, domain), (uint64_t)(uintptr_t)batch.heap,
            give_handles(batch.regionHandleElementsOut, e.n), batch.regionType};
        if (is_recorded)
            emit_regions(&e, batch.regionType, words, 4, 2);
    } else if (is_recorded) {
        rf_memory_call(domain, NVTX3EXT_CBID_nvtxMemRegionsRegister, what, batch.regionCount);
    }
}

void rf_memory_resize(uint64_t domain, const nvtxMemRegionsResizeBatch_t *given)
{
    nvtxMemRegionsResizeBatch_t batch = {.regionDescCount = 0};
    struct elements e;
    enum rf_memory_call what = read_batch(&batch, sizeof(batch), given);
    const size_t least = size_of_type(batch.regionType);
    if (what == RF_MEMORY_TAKEN)
        what = least == 0 ? RF_MEMORY_TYPE
                          : find_elements(&e, batch.regionDescElements, batch.regionDescCount,
                                          batch.regionDescElementSize, least);
    const uint64_t words[] = {rf_ext_word1(RF_EXT_RESIZE, domain), batch.regionType};
    if (what == RF_MEMORY_TAKEN)
        emit_regions(&e, batch.regionType, words, 2, 0);
    else
        rf_memory_call(domain, NVTX3EXT_CBID_nvtxMemRegionsResize, what, batch.regionDescCount);
}

static bool is_ref_type(uint32_t type)
{
    return type == NVTX_MEM_REGION_REF_TYPE_POINTER || type == NVTX_MEM_REGION_REF_TYPE_HANDLE;
}

static void emit_refs(uint64_t domain, uint32_t type, const struct elements *e)
{
    uint64_t record[MOST_WORDS] = {rf_ext_word1(RF_EXT_UNREGISTER, domain), type};
    for (size_t i = 0; i < e->n;) {
        size_t n = 2;
        for (; i < e->n && n < MOST_WORDS; i++, n++)
            memcpy(&record[n], e->first + i * e->stride, sizeof(record[n]));
        rf_memory_emit_slow(record, n);
    }
}

void rf_memory_unregister(uint64_t domain, const nvtxMemRegionsUnregisterBatch_t *given)
{
    nvtxMemRegionsUnregisterBatch_t batch = {.refCount = 0};
    struct elements e;
    enum rf_memory_call what = read_batch(&batch, sizeof(batch), given);
    if (what == RF_MEMORY_TAKEN)
        what = !is_ref_type(batch.refType)
                   ? RF_MEMORY_TYPE
                   : find_elements(&e, batch.refElements, batch.refCount, batch.refElementSize,
                                   sizeof(nvtxMemRegionRef_t));
    if (what == RF_MEMORY_TAKEN)
        emit_refs(domain, batch.refType, &e);
    else
        rf_memory_call(domain, NVTX3EXT_CBID_nvtxMemRegionsUnregister, what, batch.refCount);
}

/* ---- Names ---- */

static void emit_name(uint64_t domain, const nvtxMemRegionNameDesc_t *name)
{
    struct rf_utf8_text utf8 = {.mapped = 0};
    const bool is_registered = name->nameType == NVTX_MESSAGE_TYPE_REGISTERED;
    const uint64_t words[] = {name->regionRefType | (uint64_t)name->category << 32,
                              (uint64_t)(uintptr_t)name->region.pointer,
                              is_registered ? (uint64_t)(uintptr_t)name->name.registered : 0};
    const char *text = name->nameType == NVTX_MESSAGE_TYPE_ASCII ? name->name.ascii : NULL;
    if (name->nameType == NVTX_MESSAGE_TYPE_UNICODE) {
        rf_utf8_text_init(&utf8, name->name.unicode);
        text = utf8.text;
    }
    const struct rf_array array = {text, text != NULL ? strlen(text) : 0};
    rf_emit_ext_arrays(RF_EXT_REGION_NAME, domain, words, 3, &array, text != NULL ? 1 : 0);
    rf_utf8_text_release(&utf8);
}

void rf_memory_name(uint64_t domain, const nvtxMemRegionsNameBatch_t *given)
{
    const uint32_t function = NVTX3EXT_CBID_nvtxMemRegionsName;
    nvtxMemRegionsNameBatch_t batch = {.regionCount = 0};
    struct elements e;
    enum rf_memory_call what = read_batch(&batch, sizeof(batch), given);
    if (what == RF_MEMORY_TAKEN)
        what = find_elements(&e, batch.regionElements, batch.regionCount, batch.regionElementSize,
                             sizeof(nvtxMemRegionNameDesc_t));
    if (what != RF_MEMORY_TAKEN) {
        rf_memory_call(domain, function, what, batch.regionCount);
        return;
    }
    for (size_t i = 0; i < e.n; i++) {
        nvtxMemRegionNameDesc_t name;
        memcpy(&name, e.first + i * e.stride, sizeof(name));
        if (is_ref_type(name.regionRefType))
            emit_name(domain, &name);
        else
            rf_memory_call(domain, function, RF_MEMORY_TYPE, 1);
    }
}
