/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of the default domain. */
#include "record/nvtx_attributes.h"

/* ---- What is too rare to be inlined into each callback ---- */

RF_COLD uint64_t rf_emit_wide(uint32_t type, struct rf_attributes *a, const wchar_t *wide)
{
    struct rf_narrow narrow;
    rf_narrow_init(&narrow, wide);
    a->message = narrow.text != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
    a->text = narrow.text;
    uint64_t id = type == RF_REC_MARK   ? rf_emit(RF_REC_MARK, a)
                  : type == RF_REC_PUSH ? rf_emit(RF_REC_PUSH, a)
                                        : rf_emit(RF_REC_START, a);
    rf_narrow_release(&narrow);
    return id;
}

RF_COLD uint64_t rf_emit_old_size(uint32_t type, uint64_t domain, const nvtxEventAttributes_t *e)
{
    nvtxEventAttributes_t whole;
    size_t size = e != NULL ? e->size : 0;
    memset(&whole, 0, sizeof(whole));
    if (e != NULL)
        memcpy(&whole, e, size);
    /* a field that is not there whole is not there: half a pointer must not be followed */
    whole.messageType = NVTX_MESSAGE_UNKNOWN; /* the message is the last field */
    if (size < offsetof(nvtxEventAttributes_t, payload) + sizeof(whole.payload))
        whole.payloadType = NVTX_PAYLOAD_UNKNOWN;
    if (size < offsetof(nvtxEventAttributes_t, color) + sizeof(whole.color))
        whole.colorType = NVTX_COLOR_UNKNOWN;
    if (size < offsetof(nvtxEventAttributes_t, category) + sizeof(whole.category))
        whole.category = 0;
    return rf_emit_whole(type, domain, &whole);
}

/* ---- NVTX_CB_MODULE_CORE ---- */

static void mark_ex(const nvtxEventAttributes_t *e)
{
    (void)rf_emit_ex(RF_REC_MARK, 0, e);
}

static void mark_a(const char *message)
{
    (void)rf_emit_text(RF_REC_MARK, message);
}

static void mark_w(const wchar_t *message)
{
    struct rf_attributes a = {0};
    (void)rf_emit_wide(RF_REC_MARK, &a, message);
}

static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *e)
{
    return rf_emit_ex(RF_REC_START, 0, e);
}

static nvtxRangeId_t start_a(const char *message)
{
    return rf_emit_text(RF_REC_START, message);
}

static nvtxRangeId_t start_w(const wchar_t *message)
{
    struct rf_attributes a = {0};
    return rf_emit_wide(RF_REC_START, &a, message);
}

static void range_end(nvtxRangeId_t id)
{
    rf_emit_end(id);
}

static int push_ex(const nvtxEventAttributes_t *e)
{
    (void)rf_emit_ex(RF_REC_PUSH, 0, e);
    return RF_NO_LEVEL;
}

static int push_a(const char *message)
{
    (void)rf_emit_text(RF_REC_PUSH, message);
    return RF_NO_LEVEL;
}

static int push_w(const wchar_t *message)
{
    struct rf_attributes a = {0};
    (void)rf_emit_wide(RF_REC_PUSH, &a, message);
    return RF_NO_LEVEL;
}

static int pop(void)
{
    if (RF_LIKELY(rf_recorder.domain_floor == 0))
        rf_emit_words(RF_REC_POP, 1, 0, 0);
    return RF_NO_LEVEL;
}

static void define_text(uint32_t type, uint32_t index, const char *text)
{
    (void)rf_defs_add(type, index, 0, 0, 0, text, text != NULL ? strlen(text) : 0);
}

static void define_wide(uint32_t type, uint32_t index, const wchar_t *text)
{
    struct rf_narrow narrow;
    rf_narrow_init(&narrow, text);
    define_text(type, index, narrow.text);
    rf_narrow_release(&narrow);
}

static void name_category_a(uint32_t category, const char *name)
{
    if (rf_recorder.domain_floor == 0 && rf_process_ensure())
        define_text(RF_REC_CATEGORY, category, name);
}

static void name_category_w(uint32_t category, const wchar_t *name)
{
    if (rf_recorder.domain_floor == 0 && rf_process_ensure())
        define_wide(RF_REC_CATEGORY, category, name);
}

static void name_thread_a(uint32_t tid, const char *name)
{
    if (rf_process_ensure())
        define_text(RF_REC_THREAD_NAME, tid, name);
}

static void name_thread_w(uint32_t tid, const wchar_t *name)
{
    if (rf_process_ensure())
        define_wide(RF_REC_THREAD_NAME, tid, name);
}

struct rf_callbacks rf_nvtx_core_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_CORE_MarkEx] = RF_CALLBACK(mark_ex),
        [NVTX_CBID_CORE_MarkA] = RF_CALLBACK(mark_a),
        [NVTX_CBID_CORE_MarkW] = RF_CALLBACK(mark_w),
        [NVTX_CBID_CORE_RangeStartEx] = RF_CALLBACK(start_ex),
        [NVTX_CBID_CORE_RangeStartA] = RF_CALLBACK(start_a),
        [NVTX_CBID_CORE_RangeStartW] = RF_CALLBACK(start_w),
        [NVTX_CBID_CORE_RangeEnd] = RF_CALLBACK(range_end),
        [NVTX_CBID_CORE_RangePushEx] = RF_CALLBACK(push_ex),
        [NVTX_CBID_CORE_RangePushA] = RF_CALLBACK(push_a),
        [NVTX_CBID_CORE_RangePushW] = RF_CALLBACK(push_w),
        [NVTX_CBID_CORE_RangePop] = RF_CALLBACK(pop),
        [NVTX_CBID_CORE_NameCategoryA] = RF_CALLBACK(name_category_a),
        [NVTX_CBID_CORE_NameCategoryW] = RF_CALLBACK(name_category_w),
        [NVTX_CBID_CORE_NameOsThreadA] = RF_CALLBACK(name_thread_a),
        [NVTX_CBID_CORE_NameOsThreadW] = RF_CALLBACK(name_thread_w),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
