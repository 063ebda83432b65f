/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a tool to the extensions: payload, counters, memory. Private to include/nvtx3.
 *
 * Each extension is attached by itself, at the first call of one of its functions, and once per
 * program or shared object, as the core is: rf_nvtx_loader.h has the rules for threads, signals,
 * forked children and tools that annotate. The core is attached first, then the entry point of the
 * extensions is looked for, once for all of them.
 *
 * Invariants:
 *   - A slot is RF_NVTX_FRESH only as long as the module's `once` is not done, unless the tool
 * makes it so later: it is silent then.
 *   - The slots are where the tool stores its functions; they stay where they are.
 */
#ifndef RF_NVTX_EXT_LOADER_H
#define RF_NVTX_EXT_LOADER_H

#ifdef __cplusplus
extern "C" {
#endif

/* NULL unless the program defines it. NVIDIA's header of an extension may have come first. */
#if NVTX_SUPPORT_STATIC_INJECTION_LIBRARY && !defined(NVTX_EXT_IMPL_H)
#ifdef NVTX_STATIC_INJECTION_IMPL
extern NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr;
#else
NVTX_LINKONCE_DEFINE_GLOBAL NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr;
/* NVIDIA's header of another extension, if it comes later, uses this one. */
#define NVTX_STATIC_INJECTION_IMPL
#endif
#endif

enum {
    RF_NVTX_EXT_SLOTS = 63 /* as many as NVIDIA's headers have, for functions to come */
};

/* One extension. */
struct rf_nvtx_ext_module {
    intptr_t slot[RF_NVTX_EXT_SLOTS];     /* [NVTX3EXT_CBID_...]; read by the inline functions */
    uint16_t id;                          /* NVTX_EXT_..._MODULEID */
    uint16_t compat_id;                   /* NVTX_EXT_..._COMPATID */
    int default_slot;                     /* what default_function stands for */
    NvtxFunctionPointer default_function; /* if a tool is there and leaves the slot; or NULL */
    const void *info;                     /* what the tool is told besides, or NULL */
    struct rf_nvtx_once once;             /* attaching */
};

/* The entry point of the extensions. */
struct rf_nvtx_ext_state {
    NvtxExtInitializeInjectionFunc_t entry; /* NULL without a tool */
    int result;                             /* why so */
    struct rf_nvtx_once once;               /* finding it */
};

NVTX_LINKONCE_FWDDECL_GLOBAL struct rf_nvtx_ext_state rf_nvtx_v1_ext;
NVTX_LINKONCE_DEFINE_GLOBAL struct rf_nvtx_ext_state rf_nvtx_v1_ext = {
    NVTX_NULLPTR, NVTX_SUCCESS, {0, NVTX_NULLPTR}};

NVTX_LINKONCE_FWDDECL_FUNCTION void rf_nvtx_v1_ext_find_entry(void *unused);
NVTX_LINKONCE_FWDDECL_FUNCTION int rf_nvtx_v1_ext_start(struct rf_nvtx_ext_module *module);
NVTX_LINKONCE_FWDDECL_FUNCTION void rf_nvtx_v1_ext_attach(void *what);
NVTX_LINKONCE_FWDDECL_FUNCTION intptr_t rf_nvtx_v1_ext_first(struct rf_nvtx_ext_module *module,
                                                             int id);

/* Finds the entry point. The tool's library stays loaded if it has one: another extension may
 * attach where this one did not. */
NVTX_LINKONCE_DEFINE_FUNCTION void rf_nvtx_v1_ext_find_entry(void *unused)
{
    const nvtxInitialize_impl_fntype initialize = NVTX_REINTERPRET_CAST(
        nvtxInitialize_impl_fntype,
        __atomic_load_n(&rf_nvtx_v1.slot[NVTX_CB_MODULE_CORE2][NVTX_CBID_CORE2_Initialize],
                        __ATOMIC_ACQUIRE));
    NvtxFunctionPointer linked = NVTX_NULLPTR;
    NvtxFunctionPointer entry;
    void *library;

    (void)unused;
    /* tools hear it from NVIDIA's headers, too, before the first extension */
    if (initialize)
        (*initialize)(NVTX_NULLPTR);
#if NVTX_SUPPORT_STATIC_INJECTION_LIBRARY
    linked = NVTX_REINTERPRET_CAST(NvtxFunctionPointer, InitializeInjectionNvtxExtension_fnptr);
#endif
    rf_nvtx_v1_ext.result =
        rf_nvtx_v1_find_entry(NVTX_INJECTION_INITIALIZER_EXTENSION, linked, &entry, &library);
    rf_nvtx_v1_ext.entry = NVTX_REINTERPRET_CAST(NvtxExtInitializeInjectionFunc_t, entry);
    if (rf_nvtx_v1_ext.result != NVTX_SUCCESS && library)
        (void)dlclose(library);
}

/* Runs the tool's entry point. Returns NVTX_SUCCESS, or why there is no tool for this extension. */
NVTX_LINKONCE_DEFINE_FUNCTION int rf_nvtx_v1_ext_start(struct rf_nvtx_ext_module *module)
{
    nvtxExtModuleSegment_t segment;
    nvtxExtModuleInfo_t info;

    if (!rf_nvtx_v1_do_once(&rf_nvtx_v1_ext.once, rf_nvtx_v1_ext_find_entry, NVTX_NULLPTR))
        return NVTX_FAIL;
    if (!rf_nvtx_v1_ext.entry)
        return rf_nvtx_v1_ext.result;
    segment.segmentId = module->id == 1; /* that of memory is 1 in NVIDIA's headers, too */
    segment.slotCount = RF_NVTX_EXT_SLOTS;
    segment.functionSlots = module->slot;
    info.nvtxVer = NVTX_VERSION;
    info.structSize = sizeof info;
    info.moduleId = module->id;
    info.compatId = module->compat_id;
    info.segmentsCount = 1;
    info.segments = &segment;
    info.getExportFunction = NVTX_NULLPTR;
    info.extInfo = module->info;
    if ((*rf_nvtx_v1_ext.entry)(&info))
        return NVTX_SUCCESS;
    RF_NVTX_SAY("the tool refused to start", "InitializeInjectionNvtxExtension");
    return NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT;
}

/* Attaches the tool to the extension, and silences what it did not take: all slots if it failed. */
NVTX_LINKONCE_DEFINE_FUNCTION void rf_nvtx_v1_ext_attach(void *what)
{
    struct rf_nvtx_ext_module *const module = NVTX_STATIC_CAST(struct rf_nvtx_ext_module *, what);
    const int result = rf_nvtx_v1_ext_start(module);
    const int has_tool =
        result == NVTX_SUCCESS || result == NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT;
    int i;

    for (i = 0; i < RF_NVTX_EXT_SLOTS; i++) {
        intptr_t slot = __atomic_load_n(&module->slot[i], __ATOMIC_RELAXED);

        if (result != NVTX_SUCCESS || slot == RF_NVTX_FRESH)
            slot = RF_NVTX_SILENT;
        if (slot == RF_NVTX_SILENT && has_tool && module->default_function &&
            i == module->default_slot)
            slot = NVTX_REINTERPRET_CAST(intptr_t, module->default_function);
        __atomic_store_n(&module->slot[i], slot, __ATOMIC_RELEASE);
    }
}

/* Returns what a call that found RF_NVTX_FRESH in its slot has to go to, or RF_NVTX_SILENT. */
NVTX_LINKONCE_DEFINE_FUNCTION intptr_t rf_nvtx_v1_ext_first(struct rf_nvtx_ext_module *module,
                                                            int id)
{
    intptr_t slot;

    if (!rf_nvtx_v1_be_attached() ||
        !rf_nvtx_v1_do_once(&module->once, rf_nvtx_v1_ext_attach, module))
        return RF_NVTX_SILENT;
    slot = __atomic_load_n(&module->slot[id], __ATOMIC_ACQUIRE);
    return slot == RF_NVTX_FRESH ? RF_NVTX_SILENT : slot;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* RF_NVTX_EXT_LOADER_H */
