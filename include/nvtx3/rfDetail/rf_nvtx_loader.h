/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the tool at the first annotation, and holds the slots that it fills. Private to
 * include/nvtx3.
 *
 * One rf_nvtx_v1 exists per program or shared object (weak and hidden). At first every slot
 * holds a function that attaches the tool and then repeats the call: the first-call functions.
 * Afterwards a slot holds the tool's function or NULL, for ever unless the tool changes it.
 *
 * Invariants:
 *   - The `owner` of a rf_nvtx_once goes from 0 to the process id of the thread that attaches, then
 * to RF_NVTX_ATTACHED; never back. Whoever made the first step makes the second.
 *   - No slot holds a first-call function once `owner` is RF_NVTX_ATTACHED.
 *   - A call on the attaching thread while it attaches (the tool annotates) and a call in a child
 *     that was forked meanwhile do nothing. All others wait.
 *   - No signal handler comes in between (on x86-64 and aarch64, Linux): signals are blocked while
 *     a thread attaches, all but those of faults and those that libc uses.
 *   - errno and the cancellation state are the caller's, before and after; no message of ours
 *     waits in dlerror().
 *
 * All names begin with rf_nvtx or RF_NVTX, so that another implementation of NVTX can be linked
 * into the same program; InitializeInjectionNvtx2_fnptr alone is common to all, by agreement.
 *
 * The extensions have a loader of their own, rf_nvtx_ext_loader.h: they attach by another entry
 * point and at another time, but find it and wait for each other by the functions of this file.
 */
#ifndef RF_NVTX_LOADER_H
#define RF_NVTX_LOADER_H

/* More than this file needs: programs have come to rely on nvToolsExt.h for these. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#ifndef NVTX_DISABLE

/* ---- Where a tool is looked for ---- */

/* The order of the search, as described in nvToolsExt.h; NVIDIA's number for it. */
#define NVTX_LOAD_SEQUENCE_VERSION 3

/* The environment may name a library. */
#ifndef NVTX_SUPPORT_ENV_VARS
#define NVTX_SUPPORT_ENV_VARS 1
#endif

/* Libraries may be loaded at all. */
#ifndef NVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY
#define NVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY 1
#endif

/* Not supported: Android's package folder. */
#ifndef NVTX_SUPPORT_ANDROID_INJECTION_LIBRARY_IN_PACKAGE
#define NVTX_SUPPORT_ANDROID_INJECTION_LIBRARY_IN_PACKAGE 0
#endif

/* A library that is already in the process may export InitializeInjectionNvtx2Preinject. */
#ifndef NVTX_SUPPORT_ALREADY_INJECTED_LIBRARY
#define NVTX_SUPPORT_ALREADY_INJECTED_LIBRARY 0
#endif

/* The program may define InitializeInjectionNvtx2_fnptr. */
#ifndef NVTX_SUPPORT_STATIC_INJECTION_LIBRARY
#define NVTX_SUPPORT_STATIC_INJECTION_LIBRARY 1
#endif

/* The CUDA driver may know a tool. */
#ifndef NVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY
#if defined(__linux__) && NVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY
#define NVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY 1
#else
#define NVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY 0
#endif
#endif

/* Where the system keeps files of the time between two boots. Another folder is for tests. */
#ifndef RF_NVTX_RUN_DIR
#define RF_NVTX_RUN_DIR "/run"
#endif

/* What NVIDIA's headers of NVTX's extensions take from the loader of the core, whichever it is.
 * Nothing here needs these names. */
#define NVTX_PATHCHAR                       char
#define NVTX_STR(text)                      text
#define NVTX_BUFSIZE                        16384
#define NVTX_GETENV                         getenv
#define NVTX_DLLHANDLE                      void *
#define NVTX_DLLDEFAULT                     NVTX_NULLPTR
#define NVTX_DLLOPEN(path)                  dlopen(path, RTLD_LAZY)
#define NVTX_DLLOPEN_CUDA_DRIVER()          dlopen("libcuda.so.1", RTLD_LAZY)
#define nvtxShouldUseCudaDriverInjection_v3 rf_nvtx_v1_is_driver_wanted
#define NVTX_DLLFUNC(library, function)     dlsym(library, function)
#define NVTX_DLLCLOSE                       dlclose
#define NVTX_YIELD()                        sched_yield()
#define NVTX_MEMBAR()                       __atomic_thread_fence(__ATOMIC_SEQ_CST)

#define RF_NVTX_PATH_VARIABLE                                                                      \
    (sizeof(void *) == 4 ? "NVTX_INJECTION32_PATH" : "NVTX_INJECTION64_PATH")

#ifdef NVTX_DEBUG_PRINT
#define RF_NVTX_SAY(what, detail) ((void)fprintf(stderr, "nvtx: %s: '%s'\n", what, detail))
#else
#define RF_NVTX_SAY(what, detail) ((void)(what), (void)(detail))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NULL unless the program defines it. */
#if NVTX_SUPPORT_STATIC_INJECTION_LIBRARY
#ifdef NVTX_STATIC_INJECTION_IMPL
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
#else
NVTX_LINKONCE_DEFINE_GLOBAL NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
#endif
#endif

/* ---- The slots ---- */

enum {
    RF_NVTX_ATTACHED = -1,
    RF_NVTX_MAX_ID = 16 /* the largest NVTX_CBID_..._SIZE */
};

/* Something that one thread does while all others wait. */
struct rf_nvtx_once {
    pid_t owner;  /* 0, the process that does it, or RF_NVTX_ATTACHED */
    int *starter; /* the thread that does it, known by the address of its errno */
};
typedef void (*rf_nvtx_once_function)(void *what);

/* What the CUDA driver knows. Belongs to the thread that looks for a tool. */
struct rf_nvtx_driver {
    int is_known; /* the driver has been looked for */
    NvtxGetInjectionInitializerFunc_t get_initializer;
};

struct rf_nvtx_state {
    /* [module][callback id]: what a call goes to; read by the inline functions */
    NvtxFunctionPointer slot[NVTX_CB_MODULE_SIZE][RF_NVTX_MAX_ID];

    /* [module]: the slots as the tool sees them, with NULL at both ends, and their number */
    NvtxFunctionPointer *table[NVTX_CB_MODULE_SIZE][RF_NVTX_MAX_ID + 1];
    unsigned int n_slots[NVTX_CB_MODULE_SIZE];

    NvtxExportTableCallbacks callbacks;
    NvtxExportTableVersionInfo version;

    struct rf_nvtx_once once; /* attaching */
};

NVTX_LINKONCE_FWDDECL_GLOBAL struct rf_nvtx_state rf_nvtx_v1;
NVTX_LINKONCE_FWDDECL_GLOBAL struct rf_nvtx_driver rf_nvtx_v1_driver;

NVTX_LINKONCE_FWDDECL_FUNCTION int NVTX_API rf_nvtx_v1_get_table(NvtxCallbackModule module,
                                                                 NvtxFunctionTable *table,
                                                                 unsigned int *size);
NVTX_LINKONCE_FWDDECL_FUNCTION void NVTX_API rf_nvtx_v1_set_version(uint32_t version);
NVTX_LINKONCE_FWDDECL_FUNCTION const void *NVTX_API rf_nvtx_v1_export_table(uint32_t table_id);
NVTX_LINKONCE_FWDDECL_FUNCTION const char *rf_nvtx_v1_getenv(const char *name);
NVTX_LINKONCE_FWDDECL_FUNCTION int
rf_nvtx_v1_find_named_tool(const char *symbol, NvtxFunctionPointer *entry, void **library);
NVTX_LINKONCE_FWDDECL_FUNCTION int rf_nvtx_v1_is_driver_wanted(void);
NVTX_LINKONCE_FWDDECL_FUNCTION void rf_nvtx_v1_find_driver(void);
NVTX_LINKONCE_FWDDECL_FUNCTION NvtxFunctionPointer
rf_nvtx_v1_ask_driver(NvtxInjectionInitializerKind kind);
NVTX_LINKONCE_FWDDECL_FUNCTION NvtxFunctionPointer rf_nvtx_v1_find_injected(const char *symbol);
NVTX_LINKONCE_FWDDECL_FUNCTION int rf_nvtx_v1_find_entry(NvtxInjectionInitializerKind kind,
                                                         NvtxFunctionPointer linked,
                                                         NvtxFunctionPointer *entry,
                                                         void **library);
NVTX_LINKONCE_FWDDECL_FUNCTION int rf_nvtx_v1_find_tool(NvtxInitializeInjectionNvtxFunc_t *entry,
                                                        void **library);
NVTX_LINKONCE_FWDDECL_FUNCTION void rf_nvtx_v1_attach(void);
NVTX_LINKONCE_FWDDECL_FUNCTION void rf_nvtx_v1_attach_once(void *unused);
NVTX_LINKONCE_FWDDECL_FUNCTION void rf_nvtx_v1_mask_signals(int how, const unsigned long *set,
                                                            unsigned long *before);
NVTX_LINKONCE_FWDDECL_FUNCTION pid_t rf_nvtx_v1_try_once(struct rf_nvtx_once *once, pid_t self,
                                                         rf_nvtx_once_function run, void *what);
NVTX_LINKONCE_FWDDECL_FUNCTION int rf_nvtx_v1_do_once(struct rf_nvtx_once *once,
                                                      rf_nvtx_once_function run, void *what);
NVTX_LINKONCE_FWDDECL_FUNCTION int rf_nvtx_v1_be_attached(void);
NVTX_LINKONCE_FWDDECL_FUNCTION NvtxFunctionPointer
rf_nvtx_v1_after_attach(NvtxCallbackModule module, int id, NvtxFunctionPointer first_call);

#define RF_NVTX_DECLARE_FIRST_V(module, id, name, params, args)                                    \
    NVTX_LINKONCE_FWDDECL_FUNCTION void NVTX_API rf_nvtx_v1_first_##name params;
#define RF_NVTX_DECLARE_FIRST_R(module, id, name, type, none, params, args)                        \
    NVTX_LINKONCE_FWDDECL_FUNCTION type NVTX_API rf_nvtx_v1_first_##name params;
RF_NVTX_ALL_PLAIN(RF_NVTX_DECLARE_FIRST_V, RF_NVTX_DECLARE_FIRST_R)
#undef RF_NVTX_DECLARE_FIRST_V
#undef RF_NVTX_DECLARE_FIRST_R

#define RF_NVTX_FIRST(name) NVTX_REINTERPRET_CAST(NvtxFunctionPointer, rf_nvtx_v1_first_##name)

#define RF_NVTX_FIRST_V(module, id, name, params, args)             , RF_NVTX_FIRST(name)
#define RF_NVTX_FIRST_R(module, id, name, type, none, params, args) , RF_NVTX_FIRST(name)
#define RF_NVTX_ENTRY_V(module, id, name, params, args)             , &rf_nvtx_v1.slot[module][id]
#define RF_NVTX_ENTRY_R(module, id, name, type, none, params, args) , &rf_nvtx_v1.slot[module][id]

NVTX_LINKONCE_DEFINE_GLOBAL struct rf_nvtx_state rf_nvtx_v1 = {
    /* in the order of NvtxCallbackModule; callback id 0 is in no list */
    {{NVTX_NULLPTR},
     {NVTX_NULLPTR RF_NVTX_CORE(RF_NVTX_FIRST_V, RF_NVTX_FIRST_R)},
     {NVTX_NULLPTR RF_NVTX_CUDA_PLAIN(RF_NVTX_FIRST_V)},
     {NVTX_NULLPTR RF_NVTX_OPENCL_PLAIN(RF_NVTX_FIRST_V)},
     {NVTX_NULLPTR RF_NVTX_CUDART_PLAIN(RF_NVTX_FIRST_V)},
     {NVTX_NULLPTR RF_NVTX_CORE2(RF_NVTX_FIRST_V, RF_NVTX_FIRST_R, RF_NVTX_FIRST_V,
                                 RF_NVTX_FIRST_R)},
     {NVTX_NULLPTR RF_NVTX_SYNC_PLAIN(RF_NVTX_FIRST_V, RF_NVTX_FIRST_R)}},
    {{NVTX_NULLPTR},
     {NVTX_NULLPTR RF_NVTX_CORE(RF_NVTX_ENTRY_V, RF_NVTX_ENTRY_R)},
     {NVTX_NULLPTR RF_NVTX_CUDA_PLAIN(RF_NVTX_ENTRY_V)},
     {NVTX_NULLPTR RF_NVTX_OPENCL_PLAIN(RF_NVTX_ENTRY_V)},
     {NVTX_NULLPTR RF_NVTX_CUDART_PLAIN(RF_NVTX_ENTRY_V)},
     {NVTX_NULLPTR RF_NVTX_CORE2(RF_NVTX_ENTRY_V, RF_NVTX_ENTRY_R, RF_NVTX_ENTRY_V,
                                 RF_NVTX_ENTRY_R)},
     {NVTX_NULLPTR RF_NVTX_SYNC_PLAIN(RF_NVTX_ENTRY_V, RF_NVTX_ENTRY_R)}},
    {0, NVTX_CBID_CORE_SIZE, NVTX_CBID_CUDA_SIZE, NVTX_CBID_OPENCL_SIZE, NVTX_CBID_CUDART_SIZE,
     NVTX_CBID_CORE2_SIZE, NVTX_CBID_SYNC_SIZE},
    {sizeof(NvtxExportTableCallbacks), rf_nvtx_v1_get_table},
    {sizeof(NvtxExportTableVersionInfo), NVTX_VERSION, 0, rf_nvtx_v1_set_version},
    {0, NVTX_NULLPTR}};
NVTX_LINKONCE_DEFINE_GLOBAL struct rf_nvtx_driver rf_nvtx_v1_driver = {0, NVTX_NULLPTR};

#undef RF_NVTX_FIRST_V
#undef RF_NVTX_FIRST_R
#undef RF_NVTX_ENTRY_V
#undef RF_NVTX_ENTRY_R

/* ---- What the tool is given: see nvtxTypes.h ---- */

NVTX_LINKONCE_DEFINE_FUNCTION int NVTX_API rf_nvtx_v1_get_table(NvtxCallbackModule module,
                                                                NvtxFunctionTable *table,
                                                                unsigned int *size)
{
    const unsigned int m = NVTX_STATIC_CAST(unsigned int, module);

    if (m == NVTX_CB_MODULE_INVALID || m >= NVTX_CB_MODULE_SIZE)
        return 0;
    if (table)
        *table = rf_nvtx_v1.table[m];
    if (size)
        *size = rf_nvtx_v1.n_slots[m];
    return 1;
}

NVTX_LINKONCE_DEFINE_FUNCTION void NVTX_API rf_nvtx_v1_set_version(uint32_t version)
{
    (void)version;
}

NVTX_LINKONCE_DEFINE_FUNCTION const void *NVTX_API rf_nvtx_v1_export_table(uint32_t table_id)
{
    if (table_id == NVTX_ETID_CALLBACKS)
        return &rf_nvtx_v1.callbacks;
    if (table_id == NVTX_ETID_VERSIONINFO)
        return &rf_nvtx_v1.version;
    return NVTX_NULLPTR;
}

/* ---- Finding and attaching the tool ---- */

/* The environment variable; NULL if it is not set, or not to be trusted. */
NVTX_LINKONCE_DEFINE_FUNCTION const char *rf_nvtx_v1_getenv(const char *name)
{
#if NVTX_SUPPORT_ENV_VARS
#if defined(__linux__)
    if (getauxval(AT_SECURE))
        return NVTX_NULLPTR;
#endif
    return getenv(name);
#else
    (void)name;
    return NVTX_NULLPTR;
#endif
}

/* Finds the tool that the environment names. Returns NVTX_SUCCESS; the reason why the search ends;
 * or NVTX_FAIL if none is named. */
NVTX_LINKONCE_DEFINE_FUNCTION int
rf_nvtx_v1_find_named_tool(const char *symbol, NvtxFunctionPointer *entry, void **library)
{
#if NVTX_SUPPORT_DYNAMIC_INJECTION_LIBRARY
    const char *path = rf_nvtx_v1_getenv(RF_NVTX_PATH_VARIABLE);
    void *address;

    if (!path || !*path)
        return NVTX_FAIL;
    if (strcmp(path, "./.") == 0) /* by agreement: no tool */
        return NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE;
    *library = dlopen(path, RTLD_LAZY);
    if (!*library) {
        RF_NVTX_SAY("cannot load the tool", dlerror());
        return NVTX_ERR_INIT_LOAD_LIBRARY;
    }
    address = dlsym(*library, symbol);
    if (!address) {
        RF_NVTX_SAY("the tool has no entry point", dlerror());
        return NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT;
    }
    /* ISO C has no cast from an object pointer to a function pointer */
    memcpy(entry, &address, sizeof address);
    return NVTX_SUCCESS;
#else
    (void)symbol;
    (void)entry;
    (void)library;
    return NVTX_FAIL;
#endif
}

#if NVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY
/* Tells whether a tool has left a note that it is to be found through the driver: for all, for
 * root, or for this user. */
NVTX_LINKONCE_DEFINE_FUNCTION int rf_nvtx_v1_is_driver_wanted(void)
{
    static const char file[] = "/nvidia/nvtx/nvtx-cuda.yaml";
    char path[4096];
    const char *folder;
    size_t length;

    if (access(RF_NVTX_RUN_DIR "/nvidia/nvtx/nvtx-cuda.yaml", F_OK) == 0)
        return 1;
    if (geteuid() == 0)
        return access(RF_NVTX_RUN_DIR "/nvidia/nvtx/user.0/nvtx-cuda.yaml", F_OK) == 0;
    folder = rf_nvtx_v1_getenv("XDG_RUNTIME_DIR");
    if (!folder || !*folder)
        return 0;
    length = strlen(folder);
    if (length + sizeof file > sizeof path)
        return 0;
    memcpy(path, folder, length);
    memcpy(path + length, file, sizeof file);
    return access(path, F_OK) == 0;
}

/* Looks for the driver, once, and where a tool asks for it. It is not closed again if it knows no
 * tool for the core: it may know one for the extensions. */
NVTX_LINKONCE_DEFINE_FUNCTION void rf_nvtx_v1_find_driver(void)
{
    void *library;
    void *address;

    if (rf_nvtx_v1_driver.is_known)
        return;
    rf_nvtx_v1_driver.is_known = 1;
    if (!rf_nvtx_v1_is_driver_wanted())
        return;
    library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (!library) {
        RF_NVTX_SAY("cannot load the driver", dlerror());
        return;
    }
    address = dlsym(library, "cuNvtxGetInjectionInitializer");
    if (address) {
        memcpy(&rf_nvtx_v1_driver.get_initializer, &address, sizeof address);
    } else {
        RF_NVTX_SAY("the driver knows nothing of tools", dlerror());
        (void)dlclose(library);
    }
}

/* Returns the entry point that the driver knows, or NULL. */
NVTX_LINKONCE_DEFINE_FUNCTION NvtxFunctionPointer
rf_nvtx_v1_ask_driver(NvtxInjectionInitializerKind kind)
{
    NvtxInjectionGenericFunc_t entry = NVTX_NULLPTR;

    rf_nvtx_v1_find_driver();
    if (!rf_nvtx_v1_driver.get_initializer || rf_nvtx_v1_driver.get_initializer(kind, &entry) != 0)
        return NVTX_NULLPTR;
    return entry;
}
#endif

/* Returns the function of that name of a library that is in the process already, or NULL; NULL too
 * where that is not looked for. */
NVTX_LINKONCE_DEFINE_FUNCTION NvtxFunctionPointer rf_nvtx_v1_find_injected(const char *symbol)
{
    NvtxFunctionPointer entry = NVTX_NULLPTR;
#if NVTX_SUPPORT_ALREADY_INJECTED_LIBRARY
    void *address = dlsym(NVTX_NULLPTR, symbol);

    memcpy(&entry, &address, sizeof address);
    if (!address)
        (void)dlerror();
#else
    (void)symbol;
#endif
    return entry;
}

/* Finds the entry point of that kind; `linked` is that of a tool in the program, or NULL. *library
 * is what has to be closed if the tool does not attach, or NULL. Returns NVTX_SUCCESS or the reason
 * why there is none. */
NVTX_LINKONCE_DEFINE_FUNCTION int rf_nvtx_v1_find_entry(NvtxInjectionInitializerKind kind,
                                                        NvtxFunctionPointer linked,
                                                        NvtxFunctionPointer *entry, void **library)
{
    const int is_core = kind == NVTX_INJECTION_INITIALIZER_CORE;
    int result;

    *entry = NVTX_NULLPTR;
    *library = NVTX_NULLPTR;
    result = rf_nvtx_v1_find_named_tool(
        is_core ? "InitializeInjectionNvtx2" : "InitializeInjectionNvtxExtension", entry, library);
    if (result != NVTX_FAIL)
        return result;
    *entry = rf_nvtx_v1_find_injected(is_core ? "InitializeInjectionNvtx2Preinject"
                                              : "InitializeInjectionNvtxExtensionPreinject");
    if (!*entry)
        *entry = linked;
#if NVTX_SUPPORT_CUDA_DRIVER_INJECTION_LIBRARY
    /* a variable that is empty names no tool; the driver is not asked all the same */
    if (!*entry && !rf_nvtx_v1_getenv(RF_NVTX_PATH_VARIABLE))
        *entry = rf_nvtx_v1_ask_driver(kind);
#endif
    return *entry ? NVTX_SUCCESS : NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE;
}

/* The same for the core. */
NVTX_LINKONCE_DEFINE_FUNCTION int rf_nvtx_v1_find_tool(NvtxInitializeInjectionNvtxFunc_t *entry,
                                                       void **library)
{
    NvtxFunctionPointer linked = NVTX_NULLPTR;
    NvtxFunctionPointer found;
    int result;

#if NVTX_SUPPORT_STATIC_INJECTION_LIBRARY
    linked = NVTX_REINTERPRET_CAST(NvtxFunctionPointer, InitializeInjectionNvtx2_fnptr);
#endif
    result = rf_nvtx_v1_find_entry(NVTX_INJECTION_INITIALIZER_CORE, linked, &found, library);
    *entry = NVTX_REINTERPRET_CAST(NvtxInitializeInjectionNvtxFunc_t, found);
    return result;
}

/* Runs the tool's entry point and silences what the tool did not take: every slot that is as it
 * was before, or all if the tool failed. The library is closed last, when no slot leads there. */
NVTX_LINKONCE_DEFINE_FUNCTION void rf_nvtx_v1_attach(void)
{
    /* one thread comes here, perhaps on a small stack */
    static NvtxFunctionPointer before[NVTX_CB_MODULE_SIZE][RF_NVTX_MAX_ID];
    NvtxInitializeInjectionNvtxFunc_t entry;
    void *library;
    int result;
    int module;
    int id;

    memcpy(before, rf_nvtx_v1.slot, sizeof before);
    result = rf_nvtx_v1_find_tool(&entry, &library);
    if (result == NVTX_SUCCESS && !(*entry)(rf_nvtx_v1_export_table)) {
        RF_NVTX_SAY("the tool refused to start", "InitializeInjectionNvtx2");
        result = NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT;
    }
    for (module = 0; module < NVTX_CB_MODULE_SIZE; module++)
        for (id = 0; id < RF_NVTX_MAX_ID; id++)
            if (result != NVTX_SUCCESS || rf_nvtx_v1.slot[module][id] == before[module][id])
                __atomic_store_n(&rf_nvtx_v1.slot[module][id],
                                 NVTX_STATIC_CAST(NvtxFunctionPointer, NVTX_NULLPTR),
                                 __ATOMIC_RELAXED);
    if (result != NVTX_SUCCESS && library)
        (void)dlclose(library);
}

NVTX_LINKONCE_DEFINE_FUNCTION void rf_nvtx_v1_attach_once(void *unused)
{
    (void)unused;
    rf_nvtx_v1_attach();
}

/* rt_sigprocmask() of the kernel: <signal.h> declares nothing of the kind in ISO C. */
NVTX_LINKONCE_DEFINE_FUNCTION void rf_nvtx_v1_mask_signals(int how, const unsigned long *set,
                                                           unsigned long *before)
{
#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__)
    long number = 14;
    register long size __asm__("r10") = 8;

    __asm__ __volatile__("syscall"
                         : "+a"(number)
                         : "D"(how), "S"(set), "d"(before), "r"(size)
                         : "rcx", "r11", "memory");
#elif defined(__linux__) && defined(__aarch64__) && defined(__LP64__)
    register long x0 __asm__("x0") = how;
    register const unsigned long *x1 __asm__("x1") = set;
    register unsigned long *x2 __asm__("x2") = before;
    register long x3 __asm__("x3") = 8;
    register long x8 __asm__("x8") = 135;

    __asm__ __volatile__("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x8) : "memory");
#else
    (void)how;
    (void)set;
    (void)before;
#endif
}

/* Makes the first step of `owner` and, if it was this thread's, runs the function and makes the
 * second. Returns what `owner` was before: 0 if it was. */
NVTX_LINKONCE_DEFINE_FUNCTION pid_t rf_nvtx_v1_try_once(struct rf_nvtx_once *once, pid_t self,
                                                        rf_nvtx_once_function run, void *what)
{
    /* bit n - 1: signal n. Open stay 4, 5, 7, 8, 11 and 31: faults and refused system calls; 32
     * and 33: cancellation, which is disabled, and setuid() in all threads. */
    const unsigned long blocked = ~(0x4d8UL | 7UL << 30);
    unsigned long signals = 0;
    pid_t owner = 0;
    int cancel_state;

    rf_nvtx_v1_mask_signals(0, &blocked, &signals);
    /* acquire: pairs with the release below, so that the settled slots are seen */
    if (__atomic_compare_exchange_n(&once->owner, &owner, self, 0, __ATOMIC_ACQUIRE,
                                    __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&once->starter, &errno, __ATOMIC_RELAXED);
        /* a thread cancelled in dlopen would leave all others waiting */
        (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
        (*run)(what);
        (void)pthread_setcancelstate(cancel_state, NVTX_NULLPTR);
        __atomic_store_n(&once->owner, RF_NVTX_ATTACHED, __ATOMIC_RELEASE);
    }
    rf_nvtx_v1_mask_signals(2, &signals, NVTX_NULLPTR);
    return owner;
}

/* Returns 1 when the function has been run; runs it, or waits for the thread that does. Returns 0
 * where the call must do nothing (see the invariants). */
NVTX_LINKONCE_DEFINE_FUNCTION int rf_nvtx_v1_do_once(struct rf_nvtx_once *once,
                                                     rf_nvtx_once_function run, void *what)
{
    const int saved_errno = errno;
    const pid_t self = getpid();
    pid_t owner = rf_nvtx_v1_try_once(once, self, run, what);

    if (owner == 0) {
        errno = saved_errno;
        return 1;
    }
    while (owner != RF_NVTX_ATTACHED) {
        if (owner != self || __atomic_load_n(&once->starter, __ATOMIC_RELAXED) == &errno)
            return 0;
        (void)sched_yield();
        owner = __atomic_load_n(&once->owner, __ATOMIC_ACQUIRE);
    }
    return 1;
}

/* Returns 1 when the tool is attached, or known to be absent; 0 where the call must do nothing. */
NVTX_LINKONCE_DEFINE_FUNCTION int rf_nvtx_v1_be_attached(void)
{
    return rf_nvtx_v1_do_once(&rf_nvtx_v1.once, rf_nvtx_v1_attach_once, NVTX_NULLPTR);
}

/* Returns what a call that found `first_call` in its slot has to go to, or NULL. A tool that
 * put the first-call function back is treated as one that left. */
NVTX_LINKONCE_DEFINE_FUNCTION NvtxFunctionPointer
rf_nvtx_v1_after_attach(NvtxCallbackModule module, int id, NvtxFunctionPointer first_call)
{
    NvtxFunctionPointer callback;

    if (!rf_nvtx_v1_be_attached())
        return NVTX_NULLPTR;
    callback = __atomic_load_n(&rf_nvtx_v1.slot[module][id], __ATOMIC_RELAXED);
    return callback == first_call ? NVTX_NULLPTR : callback;
}

#define RF_NVTX_FIRST_CALLBACK(module, id, name, type)                                             \
    NVTX_REINTERPRET_CAST(type, rf_nvtx_v1_after_attach(module, id, RF_NVTX_FIRST(name)))

#define RF_NVTX_DEFINE_FIRST_V(module, id, name, params, args)                                     \
    NVTX_LINKONCE_DEFINE_FUNCTION void NVTX_API rf_nvtx_v1_first_##name params                     \
    {                                                                                              \
        typedef void(NVTX_API * fn) params;                                                        \
        const fn callback = RF_NVTX_FIRST_CALLBACK(module, id, name, fn);                          \
        if (callback)                                                                              \
            (*callback) args;                                                                      \
    }
#define RF_NVTX_DEFINE_FIRST_R(module, id, name, type, none, params, args)                         \
    NVTX_LINKONCE_DEFINE_FUNCTION type NVTX_API rf_nvtx_v1_first_##name params                     \
    {                                                                                              \
        typedef type(NVTX_API *fn) params;                                                         \
        const fn callback = RF_NVTX_FIRST_CALLBACK(module, id, name, fn);                          \
        return callback ? (*callback)args : none;                                                  \
    }
RF_NVTX_ALL_PLAIN(RF_NVTX_DEFINE_FIRST_V, RF_NVTX_DEFINE_FIRST_R)
#undef RF_NVTX_DEFINE_FIRST_V
#undef RF_NVTX_DEFINE_FIRST_R
#undef RF_NVTX_FIRST_CALLBACK
#undef RF_NVTX_FIRST

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NVTX_DISABLE */

#endif /* RF_NVTX_LOADER_H */
