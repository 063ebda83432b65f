/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the default domain. */
#include "record/nvtx/nvtx_core.h"

#include <string.h>

#include "record/names/defs.h"
#include "record/names/domain_handles.h"
#include "record/nvtx/wide_text.h"
#include "record/process/process.h"

static void define_text(uint32_t type, uint32_t index, const char *text)
{
    (void)rf_defs_add(type, index, 0, 0, 0, text, text != NULL ? strlen(text) : 0);
}

static void define_wide(uint32_t type, uint32_t index, const wchar_t *text)
{
    struct rf_utf8_text utf8;
    rf_utf8_text_init(&utf8, text);
    define_text(type, index, utf8.text);
    rf_utf8_text_release(&utf8);
}

static void name_category_a(uint32_t category, const char *name)
{
    if (!rf_domain_is_excluded(0) && rf_process_can_define())
        define_text(RF_REC_CATEGORY, category, name);
}

static void name_category_w(uint32_t category, const wchar_t *name)
{
    if (!rf_domain_is_excluded(0) && rf_process_can_define())
        define_wide(RF_REC_CATEGORY, category, name);
}

static void name_thread_a(uint32_t tid, const char *name)
{
    if (rf_process_can_define())
        define_text(RF_REC_THREAD_NAME, tid, name);
}

static void name_thread_w(uint32_t tid, const wchar_t *name)
{
    if (rf_process_can_define())
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
