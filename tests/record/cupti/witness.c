/* SPDX-License-Identifier: Apache-2.0 */
/* A tool of NVTX that hands its functions over to NVIDIA's libcupti, which NVTX_TEST_CUPTI names,
 * and counts how often each function that CUPTI has taken is called. It subscribes to CUPTI too,
 * and counts what CUPTI tells of NVTX; without a GPU CUPTI refuses that. NVTX_TEST_LIBCUDA names
 * the driver's library. When the process ends NVTX_TEST_LOG gets a line for each of these, -1 where
 * it was not called:
 *
 *   FUNCTION RESULT       what a function of CUPTI's returned
 *   module M slot S N     calls of a function that CUPTI has taken; from 100 on M is an extension
 *   callback S N          calls that CUPTI has told of
 */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>
#include <nvtx3/nvtxDetail/nvtxTypes.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N_MODULES = 128, N_SLOTS = 64, N_COUNTED = 1024, EXTENSIONS = 100, DOMAIN_NVTX = 5 };

typedef void callback(void *data, int domain, uint32_t cbid, const void *what);

static void *library;
static uint64_t called[N_MODULES][N_SLOTS], told[N_SLOTS];
static char is_taken[N_MODULES][N_SLOTS];
static int initialized = -1, subscribed = -1, enabled = -1, attached = -1, extended = -1;
static NvtxGetExportTableFunc_t export_table;

/* CUPTI 13.5 attaches after cuInit() alone, which fails where there is no GPU. */
static void initialize_cuda(void)
{
    const char *path = getenv("NVTX_TEST_LIBCUDA");
    void *cuda = path != NULL ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    int (*init)(unsigned) = NULL;
    if (cuda != NULL)
        *(void **)&init = dlsym(cuda, "cuInit");
    if (init != NULL)
        initialized = init(0);
}

static void *find(const char *name)
{
    const char *path = getenv("NVTX_TEST_CUPTI");
    if (library == NULL && path != NULL) {
        initialize_cuda();
        library = dlopen(path, RTLD_NOW);
    }
    return library != NULL ? dlsym(library, name) : NULL;
}

/* ---- Functions that count ---- */

/* mov counter(%rip), %r11; lock incq (%r11); jmp *target(%rip): whatever the arguments are. */
/* clang-format off */
static const uint8_t counting_code[24] = {
    0x4c, 0x8b, 0x1d, 17, 0, 0, 0,
    0xf0, 0x49, 0xff, 0x03,
    0xff, 0x25, 15, 0, 0, 0};
/* clang-format on */

struct counted {
    uint8_t code[24];
    uint64_t *counter;
    intptr_t target;
};

static struct counted *counted;
static size_t n_counted;

static intptr_t count_calls(unsigned module, size_t slot, intptr_t target)
{
    if (counted == NULL)
        counted = mmap(NULL, N_COUNTED * sizeof *counted, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (counted == MAP_FAILED || n_counted == N_COUNTED)
        exit(98);
    struct counted *c = &counted[n_counted++];
    memcpy(c->code, counting_code, sizeof c->code);
    c->counter = &called[module][slot];
    c->target = target;
    is_taken[module][slot] = 1;
    return (intptr_t)c->code;
}

/* ---- What CUPTI is given: slots of our own ---- */

static NvtxFunctionPointer slots[N_MODULES][N_SLOTS];
static NvtxFunctionPointer *tables[N_MODULES][N_SLOTS];

static int get_table(NvtxCallbackModule module, NvtxFunctionTable *out, unsigned *out_size)
{
    const NvtxExportTableCallbacks *given = export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned size;
    if (!given->GetModuleFunctionTable(module, &table, &size) || size > N_SLOTS ||
        (unsigned)module >= EXTENSIONS)
        return 0;
    for (unsigned i = 0; i < size; i++)
        tables[module][i] = &slots[module][i];
    if (out != NULL)
        *out = tables[module];
    if (out_size != NULL)
        *out_size = size;
    return 1;
}

static const void *export_to_cupti(uint32_t id)
{
    static const NvtxExportTableCallbacks callbacks = {sizeof callbacks, get_table};
    return id == NVTX_ETID_CALLBACKS ? &callbacks : export_table(id);
}

static void take_core(void)
{
    const NvtxExportTableCallbacks *given = export_table(NVTX_ETID_CALLBACKS);
    for (unsigned m = NVTX_CB_MODULE_CORE; m < NVTX_CB_MODULE_SIZE; m++) {
        NvtxFunctionTable table;
        unsigned size;
        if (!given->GetModuleFunctionTable((NvtxCallbackModule)m, &table, &size))
            continue;
        for (unsigned i = 1; i < size && i < N_SLOTS; i++)
            if (slots[m][i] != NULL)
                *table[i] = (NvtxFunctionPointer)count_calls(m, i, (intptr_t)slots[m][i]);
    }
}

/* ---- What it tells ---- */

static void hear(void *data, int domain, uint32_t cbid, const void *what)
{
    (void)data, (void)what;
    if (domain == DOMAIN_NVTX && cbid < N_SLOTS)
        (void)__atomic_fetch_add(&told[cbid], 1, __ATOMIC_RELAXED);
}

static void subscribe(void)
{
    int (*cupti_subscribe)(void **, callback *, void *) = NULL;
    int (*cupti_enable)(uint32_t, void *, int) = NULL;
    void *subscriber = NULL;
    *(void **)&cupti_subscribe = find("cuptiSubscribe");
    *(void **)&cupti_enable = find("cuptiEnableDomain");
    if (cupti_subscribe == NULL || cupti_enable == NULL)
        return;
    subscribed = cupti_subscribe(&subscriber, hear, NULL);
    if (subscribed == 0)
        enabled = cupti_enable(1, subscriber, DOMAIN_NVTX);
}

static __attribute__((destructor)) void write_log(void)
{
    FILE *log = attached >= 0 ? fopen(getenv("NVTX_TEST_LOG"), "a") : NULL;
    if (log == NULL)
        return;
    fprintf(log, "cuInit %d\ncuptiSubscribe %d\n", initialized, subscribed);
    fprintf(log, "cuptiEnableDomain %d\n", enabled);
    fprintf(log, "cuptiNvtxInitialize2 %d\ncuptiNvtxExtensionInitialize %d\n", attached, extended);
    for (unsigned m = 0; m < N_MODULES; m++)
        for (unsigned i = 0; i < N_SLOTS; i++)
            if (is_taken[m][i])
                fprintf(log, "module %u slot %u %llu\n", m, i, (unsigned long long)called[m][i]);
    for (unsigned i = 0; i < N_SLOTS; i++)
        if (told[i] != 0)
            fprintf(log, "callback %u %llu\n", i, (unsigned long long)told[i]);
    (void)fclose(log);
}

/* ---- Entry points ---- */

NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    int (*initialize)(NvtxGetExportTableFunc_t) = NULL;
    *(void **)&initialize = find("cuptiNvtxInitialize2");
    if (initialize == NULL || getenv("NVTX_TEST_LOG") == NULL)
        return 0;
    export_table = get;
    if (subscribed < 0)
        subscribe();
    attached = initialize(export_to_cupti);
    take_core();
    return 1;
}

NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module)
{
    static intptr_t ext_slots[N_SLOTS];
    const unsigned m = EXTENSIONS + module->moduleId;
    nvtxExtModuleSegment_t segment = module->segments[0];
    nvtxExtModuleInfo_t given = *module;
    int (*initialize)(nvtxExtModuleInfo_t *) = NULL;
    *(void **)&initialize = find("cuptiNvtxExtensionInitialize");
    if (initialize == NULL || m >= N_MODULES || segment.slotCount > N_SLOTS)
        return 0;
    memset(ext_slots, 0, sizeof ext_slots);
    segment.functionSlots = ext_slots;
    given.segments = &segment;
    given.segmentsCount = 1;
    extended = initialize(&given);
    for (size_t i = 0; i < segment.slotCount; i++)
        if (ext_slots[i] != 0)
            module->segments[0].functionSlots[i] = count_calls(m, i, ext_slots[i]);
    return 1;
}
