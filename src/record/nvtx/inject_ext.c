/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point that a program's copy of an extension of NVTX calls, once for each extension and
 * shared object. Extensions that are not known, and slots of functions that are not, stay as they
 * are: the program's copy makes them do nothing. */
#include <errno.h>

#include "record/nvtx/ext_defs.h"
#include "record/nvtx/memory_heaps.h"
#include "record/nvtx/nvtx_dropping.h"
#include "record/nvtx/nvtx_keeping.h"
#include "record/nvtx/nvtx_whole.h"
#include "record/process/start.h"
#include "record/recorder.h"

__attribute__((visibility("default"))) int
InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

static void fill(const nvtxExtModuleInfo_t *module, struct rf_callbacks callbacks)
{
    for (size_t s = 0; s < module->segmentsCount; s++) {
        const nvtxExtModuleSegment_t *segment = &module->segments[s];
        /* NVIDIA's header of memory numbers its one segment 1, and the others theirs 0 */
        if (segment->segmentId != 0 &&
            (segment->segmentId != 1 || module->moduleId != NVTX_EXT_MODULEID_MEM))
            continue;
        if (segment->functionSlots == NULL)
            continue;
        for (uint32_t i = 0; i < callbacks.n && i < segment->slotCount; i++)
            if (callbacks.entry[i] != NULL)
                /* as in inject.c */
                __atomic_store_n(&segment->functionSlots[i], (intptr_t)callbacks.entry[i],
                                 __ATOMIC_RELEASE);
    }
}

static void fill_payload(const nvtxExtModuleInfo_t *module)
{
    const struct rf_recorder *r = &rf_recorder;
    fill(module, !r->is_focused  ? rf_nvtx_whole_payload()
                 : r->drops == 0 ? rf_nvtx_keeping_payload()
                                 : rf_nvtx_dropping_payload());
    fill(module, rf_ext_payload_callbacks());
    rf_ext_define_type_sizes(module->extInfo);
}

static void fill_counters(const nvtxExtModuleInfo_t *module)
{
    const struct rf_recorder *r = &rf_recorder;
    fill(module, !r->is_focused  ? rf_nvtx_whole_counters()
                 : r->drops == 0 ? rf_nvtx_keeping_counters()
                                 : rf_nvtx_dropping_counters());
    fill(module, rf_ext_counters_callbacks());
}

static void fill_memory(const nvtxExtModuleInfo_t *module)
{
    const struct rf_recorder *r = &rf_recorder;
    fill(module, !r->is_focused  ? rf_nvtx_whole_memory()
                 : r->drops == 0 ? rf_nvtx_keeping_memory()
                                 : rf_nvtx_dropping_memory());
    fill(module, rf_memory_heap_callbacks());
}

static int attach(const nvtxExtModuleInfo_t *module)
{
    if (module == NULL || module->structSize < sizeof(*module) || module->segments == NULL ||
        module->compatId >> 8 != 1 || !rf_recorder_start())
        return 0;
    if (module->moduleId == NVTX_EXT_PAYLOAD_MODULEID)
        fill_payload(module);
    else if (module->moduleId == NVTX_EXT_COUNTERS_MODULEID)
        fill_counters(module);
    else if (module->moduleId == NVTX_EXT_MODULEID_MEM)
        fill_memory(module);
    return 1;
}

/* Signals stay blocked until the callbacks are filled in, as in InitializeInjectionNvtx2(). The
 * standby's list of copies has this copy already: an extension attaches the core first. */
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
    int saved_errno = errno;
    uint64_t signals = rf_sys_block_signals();
    int is_attached = attach(module);
    rf_sys_restore_signals(signals);
    errno = saved_errno;
    return is_attached;
}
