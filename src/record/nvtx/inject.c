/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points that a program's copy of NVTX calls when it finds this library by
 * NVTX_INJECTION64_PATH. Everything that can fail is done first; the callback tables are filled
 * last. */
#include <errno.h>
#include <stdlib.h>

#include "record/focus/emit_focused.h"
#include "record/nvtx/nvtx_core.h"
#include "record/nvtx/nvtx_domain.h"
#include "record/nvtx/nvtx_dropping.h"
#include "record/nvtx/nvtx_keeping.h"
#include "record/nvtx/nvtx_objects.h"
#include "record/nvtx/nvtx_whole.h"
#include "record/process/session_page.h"
#include "record/process/start.h"
#include "record/standby/standby.h"

#define RF_EXPORT __attribute__((visibility("default")))

RF_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
RF_EXPORT int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table);
RF_EXPORT void rangefinder_profiler_start(void);
RF_EXPORT void rangefinder_profiler_stop(void);
RF_EXPORT const char *rangefinder_trigger_message(void);
RF_EXPORT void rangefinder_range_parent(uint64_t id, uint64_t parent);
RF_EXPORT void rangefinder_message(const char *text);

static void fill(const NvtxExportTableCallbacks *etbl, NvtxCallbackModule module,
                 struct rf_callbacks callbacks)
{
    NvtxFunctionTable table = NULL;
    unsigned int size = 0;
    if (etbl->GetModuleFunctionTable(module, &table, &size) == 0 || table == NULL)
        return; /* an older NVTX, or one without this module */
    for (uint32_t i = 0; i < callbacks.n && i < size; i++)
        if (table[i] != NULL && callbacks.entry[i] != NULL)
            /* release: pairs with the acquire load in the program's copy of NVTX, where other
             * threads may be calling already. NVIDIA's headers load without order: on x86-64 that
             * is the same */
            __atomic_store_n(table[i], callbacks.entry[i], __ATOMIC_RELEASE);
}

static void fill_events(const NvtxExportTableCallbacks *etbl)
{
    const struct rf_recorder *r = &rf_recorder;
    if (!r->is_focused) {
        fill(etbl, NVTX_CB_MODULE_CORE, rf_nvtx_whole_core());
        fill(etbl, NVTX_CB_MODULE_CORE2, rf_nvtx_whole_domain());
        fill(etbl, NVTX_CB_MODULE_SYNC, rf_nvtx_whole_sync());
    } else if (r->drops == 0) {
        fill(etbl, NVTX_CB_MODULE_CORE, rf_nvtx_keeping_core());
        fill(etbl, NVTX_CB_MODULE_CORE2, rf_nvtx_keeping_domain());
        fill(etbl, NVTX_CB_MODULE_SYNC, rf_nvtx_keeping_sync());
    } else {
        fill(etbl, NVTX_CB_MODULE_CORE, rf_nvtx_dropping_core());
        fill(etbl, NVTX_CB_MODULE_CORE2, rf_nvtx_dropping_domain());
        fill(etbl, NVTX_CB_MODULE_SYNC, rf_nvtx_dropping_sync());
    }
}

static int attach(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *etbl =
        get_table == NULL ? NULL : get_table(NVTX_ETID_CALLBACKS);
    if (etbl == NULL || etbl->struct_size < sizeof(*etbl) || etbl->GetModuleFunctionTable == NULL)
        return 0;
    if (!rf_recorder_start())
        return 0;
    fill_events(etbl);
    fill(etbl, NVTX_CB_MODULE_CORE, rf_nvtx_core_callbacks());
    fill(etbl, NVTX_CB_MODULE_CORE2, rf_nvtx_domain_callbacks());
    fill(etbl, NVTX_CB_MODULE_SYNC, rf_nvtx_sync_callbacks());
    fill(etbl, NVTX_CB_MODULE_CUDA, rf_nvtx_cuda_callbacks());
    fill(etbl, NVTX_CB_MODULE_CUDART, rf_nvtx_cudart_callbacks());
    fill(etbl, NVTX_CB_MODULE_OPENCL, rf_nvtx_opencl_callbacks());
    if (rf_recorder.is_standby)
        rf_standby_add_copy((const void *)(uintptr_t)get_table);
    return 1;
}

/* Signals stay blocked until the callbacks are filled in. A handler that annotated meanwhile
 * would find its own thread attaching: the program's copy of NVTX would drop the call, or wait
 * for ever. */
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    int saved_errno = errno;
    uint64_t signals = rf_sys_block_signals();
    int is_attached = attach(get_table);
    rf_sys_restore_signals(signals);
    errno = saved_errno;
    return is_attached;
}

/* ---- What the library in front of cudaProfilerStart and Stop calls ---- */

static void switch_profiler(bool is_on)
{
    int saved_errno = errno;
    const char *session = getenv("RANGEFINDER_SESSION");
    /* in a program that has not annotated yet its calls count all the same, but only for a
     * session that waits for them */
    if (rf_recorder.local != NULL || (session != NULL && session[0] != '\0' && rf_recorder_start()))
        rf_trigger_profiler(is_on);
    errno = saved_errno;
}

void rangefinder_profiler_start(void)
{
    switch_profiler(true);
}

void rangefinder_profiler_stop(void)
{
    switch_profiler(false);
}

/* The message whose ranges begin captures, for a front end that does not register every message; it
 * lives as long as the process. NULL: there is none. */
const char *rangefinder_trigger_message(void)
{
    return rf_recorder.watched != NULL ? rf_recorder.control->capture.message : NULL;
}

/* For who loads other tools beside this one: what `info` is to say. */
void rangefinder_message(const char *text)
{
    int saved_errno = errno;
    if (rf_recorder.local != NULL)
        rf_session_add_message(text);
    errno = saved_errno;
}

/* For a front end that knows tasks: the start/end range of an id, which was begun just before, is
 * part of another one; 0: of none. */
void rangefinder_range_parent(uint64_t id, uint64_t parent)
{
    if (id == 0 || rf_recorder.local == NULL)
        return;
    if (rf_recorder.is_focused)
        rf_emit_focused_words(RF_REC_PARENT, 3, id, parent);
    else
        rf_emit_words(RF_REC_PARENT, 3, id, parent);
}

/* The library form of NVTX before version 3 looks for this name too. */
int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table)
{
    return InitializeInjectionNvtx2(get_table);
}
