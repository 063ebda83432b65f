/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the default domain, and what events have too rarely to be inlined into each callback. */
#include "record/nvtx/nvtx_attributes.h"

/* ---- What is too rare to be inlined into each callback ---- */

/* The kind of event as a constant again. */
RF_INLINE uint64_t rf_emit_rare(enum rf_run run, uint32_t type, struct rf_attributes *a,
                                const nvtxEventAttributes_t *e)
{
    return type == RF_REC_MARK   ? rf_emit_any(run, RF_REC_MARK, a, e)
           : type == RF_REC_PUSH ? rf_emit_any(run, RF_REC_PUSH, a, e)
                                 : rf_emit_any(run, RF_REC_START, a, e);
}

RF_COLD uint64_t rf_emit_wide(uint32_t type, uint64_t domain, const wchar_t *wide,
                              const nvtxEventAttributes_t *e)
{
    struct rf_narrow narrow;
    struct rf_attributes a = {0};
    rf_narrow_init(&narrow, wide);
    a.domain = domain;
    a.message = narrow.text != NULL ? RF_MESSAGE_TEXT : RF_MESSAGE_NULL;
    a.text = narrow.text;
    uint64_t id =
        rf_recorder.is_focused ? rf_emit_rare(true, type, &a, e) : rf_emit_rare(false, type, &a, e);
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
    return rf_recorder.is_focused ? rf_emit_whole(RF_RUN_KEEPING, type, domain, &whole)
                                  : rf_emit_whole(RF_RUN_WHOLE, type, domain, &whole);
}

/* ---- NVTX_CB_MODULE_CORE: names ---- */

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
    if (rf_recorder.domain_floor == 0 && rf_defs_ensure())
        define_text(RF_REC_CATEGORY, category, name);
}

static void name_category_w(uint32_t category, const wchar_t *name)
{
    if (rf_recorder.domain_floor == 0 && rf_defs_ensure())
        define_wide(RF_REC_CATEGORY, category, name);
}

static void name_thread_a(uint32_t tid, const char *name)
{
    if (rf_defs_ensure())
        define_text(RF_REC_THREAD_NAME, tid, name);
}

static void name_thread_w(uint32_t tid, const wchar_t *name)
{
    if (rf_defs_ensure())
        define_wide(RF_REC_THREAD_NAME, tid, name);
}

struct rf_callbacks rf_nvtx_core_callbacks(void)
{
    static const NvtxFunctionPointer entries[] = {
        [NVTX_CBID_CORE_NameCategoryA] = RF_CALLBACK(name_category_a),
        [NVTX_CBID_CORE_NameCategoryW] = RF_CALLBACK(name_category_w),
        [NVTX_CBID_CORE_NameOsThreadA] = RF_CALLBACK(name_thread_a),
        [NVTX_CBID_CORE_NameOsThreadW] = RF_CALLBACK(name_thread_w),
    };
    return (struct rf_callbacks){sizeof(entries) / sizeof(entries[0]), entries};
}
