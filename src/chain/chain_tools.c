/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the tools, and has each of them fill tables of its own: once for the process, whichever of
 * its copies of NVTX comes first. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain/chain.h"

/* By the versions that every glibc has. */
#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif
__asm__(".symver dlopen,dlopen@" OLDEST);
__asm__(".symver dlsym,dlsym@" OLDEST);
__asm__(".symver dlerror,dlerror@" OLDEST);
__asm__(".symver dladdr,dladdr@" OLDEST);
__asm__(".symver pthread_sigmask,pthread_sigmask@" OLDEST);

#define EXPORT   __attribute__((visibility("default")))
#define VARIABLE "RANGEFINDER_CHAIN"
#define NVTX     "NVTX_INJECTION64_PATH"
#define RECORDER "librangefinder-inject.so"
/* before the number of a process: RF_BEGINNING_PREFIX of src/log/ask.h */
#define BEGINNING "chain-"

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
EXPORT int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table);
EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);
EXPORT void rangefinder_profiler_start(void);
EXPORT void rangefinder_profiler_stop(void);
EXPORT const char *rangefinder_trigger_message(void);
EXPORT void rangefinder_range_parent(uint64_t id, uint64_t parent);

static void *library[CHAIN_TOOLS];
static NvtxInitializeInjectionNvtxFunc_t initializer[CHAIN_TOOLS];
static chain_function *place[CHAIN_TOOLS][NVTX_CB_MODULE_SIZE][CHAIN_SLOTS];
static bool has_extension[CHAIN_MODULES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of attaching */
static pthread_t owner; /* atomic: the thread that has the lock; 0: none */
static bool is_loaded;

/* While somebody attaches signals are blocked: a handler that annotates would wait for itself.
 * False: this thread attaches already, and is in a tool, which annotates or loads us again. */
static bool enter(sigset_t *before)
{
    sigset_t all;
    if (__atomic_load_n(&owner, __ATOMIC_RELAXED) == pthread_self())
        return false;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, before);
    (void)pthread_mutex_lock(&lock);
    __atomic_store_n(&owner, pthread_self(), __ATOMIC_RELAXED);
    return true;
}

static void leave(const sigset_t *before)
{
    __atomic_store_n(&owner, 0, __ATOMIC_RELAXED);
    (void)pthread_mutex_unlock(&lock);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Whoever attached while another thread forked is not there in the child. */
static void forget_others(void)
{
    if (__atomic_load_n(&owner, __ATOMIC_RELAXED) == pthread_self())
        return;
    __atomic_store_n(&owner, 0, __ATOMIC_RELAXED);
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* ---- What a tool is given ---- */

static const unsigned sizes[NVTX_CB_MODULE_SIZE] = {[NVTX_CB_MODULE_CORE] = NVTX_CBID_CORE_SIZE,
                                                    [NVTX_CB_MODULE_CUDA] = NVTX_CBID_CUDA_SIZE,
                                                    [NVTX_CB_MODULE_OPENCL] = NVTX_CBID_OPENCL_SIZE,
                                                    [NVTX_CB_MODULE_CUDART] = NVTX_CBID_CUDART_SIZE,
                                                    [NVTX_CB_MODULE_CORE2] = NVTX_CBID_CORE2_SIZE,
                                                    [NVTX_CB_MODULE_SYNC] = NVTX_CBID_SYNC_SIZE};

static int give_table(unsigned t, NvtxCallbackModule module, NvtxFunctionTable *table,
                      unsigned *size)
{
    if ((unsigned)module >= NVTX_CB_MODULE_SIZE || sizes[module] == 0)
        return 0;
    for (unsigned id = 1; id < sizes[module]; id++)
        place[t][module][id] = &chain_slot[t][module][id];
    if (table != NULL)
        *table = place[t][module];
    if (size != NULL)
        *size = sizes[module];
    return 1;
}

static void ignore_version(uint32_t version)
{
    (void)version;
}

/* A tool asks without saying who it is: each has functions of its own. */
#define TOOL(t)                                                                                    \
    static int give_table_##t(NvtxCallbackModule module, NvtxFunctionTable *table, unsigned *size) \
    {                                                                                              \
        return give_table(t, module, table, size);                                                 \
    }                                                                                              \
    static const void *get_table_##t(uint32_t id)                                                  \
    {                                                                                              \
        static const NvtxExportTableCallbacks callbacks = {sizeof(callbacks), give_table_##t};     \
        static const NvtxExportTableVersionInfo version = {sizeof(version), NVTX_VERSION, 0,       \
                                                           ignore_version};                        \
        return id == NVTX_ETID_CALLBACKS     ? (const void *)&callbacks                            \
               : id == NVTX_ETID_VERSIONINFO ? (const void *)&version                              \
                                             : NULL;                                               \
    }

TOOL(0)
TOOL(1)
TOOL(2)
TOOL(3)

static const NvtxGetExportTableFunc_t get_tables[CHAIN_TOOLS] = {get_table_0, get_table_1,
                                                                 get_table_2, get_table_3};

/* ---- Loading ---- */

static void report(const char *path, const char *what)
{
    static char text[PATH_MAX + 256]; /* the stack may be small; one thread at a time is here */
    (void)snprintf(text, sizeof(text), "the tool '%s' is not in the chain: %s", path, what);
    chain_say(text);
}

/* A file of the session names the tool that is beginning: if it ends the program the command line
 * says which one it was. Returns its path. */
static const char *note_beginning(const char *tool)
{
    static char path[PATH_MAX];
    const char *session = getenv("RANGEFINDER_SESSION"), *name = strrchr(tool, '/');
    const int n = snprintf(path, sizeof(path), "%s/" BEGINNING "%ld",
                           session != NULL ? session : "", (long)getpid());
    if (session == NULL || session[0] == '\0' || n >= (int)sizeof(path))
        return NULL;
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return NULL;
    name = name != NULL ? name + 1 : tool;
    const bool is_noted = write(fd, name, strlen(name)) > 0;
    (void)close(fd);
    return is_noted ? path : NULL;
}

static int begin(NvtxInitializeInjectionNvtxFunc_t initialize, unsigned t, const char *tool)
{
    const char *noted = note_beginning(tool);
    const int has_begun = initialize(get_tables[t]);
    if (noted != NULL)
        (void)unlink(noted);
    return has_begun;
}

/* Why a library cannot be tool t; NULL: it can. One of ours would call us while we wait for it, or
 * record everything twice. */
static const char *why_not(unsigned t, NvtxInitializeInjectionNvtxFunc_t initialize)
{
    if (initialize == NULL)
        return "it has no InitializeInjectionNvtx2";
    if (t > 0 && dlsym(library[t], "rangefinder_range_parent") != NULL)
        return "it is a library of Rangefinder";
    for (unsigned other = 0; other < t; other++)
        if (initializer[other] == initialize)
            return "it is there already";
    return NULL;
}

static bool add_tool(const char *path)
{
    const unsigned t = chain_n_tools;
    NvtxInitializeInjectionNvtxFunc_t initialize = NULL;
    const char *why;
    library[t] = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library[t] == NULL) { /* what dlerror() gives lives until the next call */
        why = dlerror();
        report(path, why != NULL ? why : "it cannot be loaded");
        return false;
    }
    *(void **)&initialize = dlsym(library[t], "InitializeInjectionNvtx2");
    if (t == 0)
        *(void **)&chain_message = dlsym(library[t], "rangefinder_message");
    why = why_not(t, initialize);
    initializer[t] = initialize;
    if (why == NULL && (t > 0 ? begin(initialize, t, path) : initialize(get_tables[t])) != 0) {
        chain_n_tools++;
        return true;
    }
    report(path, why != NULL ? why : "it refused");
    memset(chain_slot[t], 0, sizeof(chain_slot[t]));
    library[t] = t == 0 ? library[t] : NULL; /* it stays loaded: it may have begun threads */
    return false;
}

static const char *own_path(void)
{
    Dl_info info;
    return dladdr((const void *)(uintptr_t)own_path, &info) != 0 ? info.dli_fname : "";
}

/* A tool that is preloaded may name itself in every program that it is loaded into, as nsys does.
 * Then this library is preloaded before it, and so comes after it here. */
__attribute__((constructor)) static void name_again(void)
{
    const char *named = getenv(NVTX), *mine = own_path();
    if (getenv(VARIABLE) != NULL && getenv("RANGEFINDER_SESSION") != NULL && named != NULL &&
        strcmp(named, mine) != 0)
        (void)setenv(NVTX, mine, 1);
}

/* The recorder lies beside this library. */
static void recorder_path(char *path, size_t size)
{
    const char *mine = own_path();
    const char *slash = strrchr(mine, '/');
    (void)snprintf(path, size, "%.*s" RECORDER, slash != NULL ? (int)(slash + 1 - mine) : 0, mine);
}

static void add_others(void)
{
    const char *names = getenv(VARIABLE);
    for (const char *at = names; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ":");
        static char path[PATH_MAX];
        (void)snprintf(path, sizeof(path), "%.*s", (int)n, at);
        if (n > 0 && chain_n_tools == CHAIN_TOOLS)
            report(path, "there are too many");
        else if (n > 0)
            (void)add_tool(path);
        at += n + (at[n] == ':');
    }
}

/* Without the recorder there is no chain: the others have nothing whose handles the program gets.
 */
static void load(void)
{
    static char path[PATH_MAX + sizeof(RECORDER)];
    if (is_loaded)
        return;
    is_loaded = true;
    (void)pthread_atfork(NULL, NULL, forget_others);
    chain_prepare();
    recorder_path(path, sizeof(path));
    if (add_tool(path))
        add_others();
}

/* ---- Attaching ---- */

static bool has_taken(NvtxCallbackModule module, unsigned id)
{
    bool has = false;
    for (unsigned t = 0; t < chain_n_tools; t++)
        has |= chain_slot[t][module][id] != NULL;
    return has;
}

static int attach(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *etbl = get_table(NVTX_ETID_CALLBACKS);
    if (etbl == NULL || etbl->struct_size < sizeof(*etbl))
        return 0;
    load();
    for (int m = 1; chain_n_tools > 0 && m < NVTX_CB_MODULE_SIZE; m++) {
        NvtxFunctionTable table = NULL;
        unsigned size = 0;
        if (etbl->GetModuleFunctionTable((NvtxCallbackModule)m, &table, &size) == 0 ||
            table == NULL)
            continue;
        for (unsigned id = 1; id < size && id < CHAIN_SLOTS; id++)
            if (table[id] != NULL && has_taken((NvtxCallbackModule)m, id))
                __atomic_store_n(table[id], chain_entry((NvtxCallbackModule)m, id),
                                 __ATOMIC_RELEASE);
    }
    return chain_n_tools > 0;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const int saved_errno = errno;
    sigset_t signals;
    if (!enter(&signals))
        return 0;
    const int is_attached = get_table != NULL ? attach(get_table) : 0;
    leave(&signals);
    errno = saved_errno;
    return is_attached;
}

int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table)
{
    return InitializeInjectionNvtx2(get_table);
}

/* ---- Extensions ---- */

/* Has each tool fill its slots of an extension. */
static void load_extension(const nvtxExtModuleInfo_t *module)
{
    for (unsigned t = 0; t < chain_n_tools; t++) {
        nvtxExtModuleSegment_t segment = {.segmentId = module->segments[0].segmentId,
                                          .slotCount = CHAIN_SLOTS,
                                          .functionSlots = chain_ext_slot[t][module->moduleId]};
        nvtxExtModuleInfo_t its = *module;
        NvtxExtInitializeInjectionFunc_t initialize;
        *(void **)&initialize = dlsym(library[t], "InitializeInjectionNvtxExtension");
        its.structSize = sizeof(its); /* a newer program's is larger */
        its.segmentsCount = 1;
        its.segments = &segment;
        segment.slotCount = module->segments[0].slotCount < CHAIN_SLOTS
                                ? module->segments[0].slotCount
                                : CHAIN_SLOTS;
        if (initialize == NULL || initialize(&its) == 0)
            memset(chain_ext_slot[t][module->moduleId], 0, sizeof(chain_ext_slot[t][0]));
    }
}

static int attach_extension(const nvtxExtModuleInfo_t *module)
{
    const unsigned m = module->moduleId;
    if (module->structSize < sizeof(*module) || m >= CHAIN_MODULES || chain_n_tools == 0 ||
        module->segmentsCount == 0 || module->segments == NULL ||
        module->segments[0].functionSlots == NULL)
        return 0;
    if (!has_extension[m])
        load_extension(module);
    has_extension[m] = true;
    for (unsigned id = 0; id < module->segments[0].slotCount && id < CHAIN_SLOTS; id++) {
        bool has = false;
        for (unsigned t = 0; t < chain_n_tools; t++)
            has |= chain_ext_slot[t][m][id] != 0;
        if (has)
            __atomic_store_n(&module->segments[0].functionSlots[id], chain_ext_entry(m, id),
                             __ATOMIC_RELEASE);
    }
    return 1;
}

int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
    const int saved_errno = errno;
    sigset_t signals;
    if (!enter(&signals))
        return 0;
    const int is_attached = module != NULL ? attach_extension(module) : 0;
    leave(&signals);
    errno = saved_errno;
    return is_attached;
}

/* ---- What others look for in the recorder ---- */

static void *of_recorder(const char *name)
{
    const int saved_errno = errno;
    sigset_t signals;
    const bool is_first = enter(&signals);
    load();
    void *found = library[0] != NULL ? dlsym(library[0], name) : NULL;
    if (is_first)
        leave(&signals);
    errno = saved_errno;
    return found;
}

static void call_recorder(const char *name)
{
    void (*function)(void);
    *(void **)&function = of_recorder(name);
    if (function != NULL)
        function();
}

void rangefinder_profiler_start(void)
{
    call_recorder("rangefinder_profiler_start");
}

void rangefinder_profiler_stop(void)
{
    call_recorder("rangefinder_profiler_stop");
}

const char *rangefinder_trigger_message(void)
{
    const char *(*function)(void);
    *(void **)&function = of_recorder("rangefinder_trigger_message");
    return function != NULL ? function() : NULL;
}

void rangefinder_range_parent(uint64_t id, uint64_t parent)
{
    static void (*function)(uint64_t, uint64_t); /* atomic */
    void (*its)(uint64_t, uint64_t) = __atomic_load_n(&function, __ATOMIC_ACQUIRE);
    if (its == NULL) {
        *(void **)&its = of_recorder("rangefinder_range_parent");
        __atomic_store_n(&function, its, __ATOMIC_RELEASE);
    }
    if (its != NULL)
        its(chain_recorders_range(id), chain_recorders_range(parent));
}
