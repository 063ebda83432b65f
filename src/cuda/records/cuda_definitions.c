/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of devices, contexts, streams and the libraries, as definitions whose text is lines
 * NAME=VALUE. */
#include "cuda/cuda_library.h"
#include "cuda/cuda_state.h"

/* ---- Lines ---- */

struct facts {
    size_t at;
    char text[2048];
};

static void add_text(struct facts *facts, const char *name, const char *value)
{
    facts->at = rf_put_text(facts->text, sizeof(facts->text), facts->at, name);
    facts->at = rf_put_text(facts->text, sizeof(facts->text), facts->at, "=");
    facts->at = rf_put_text(facts->text, sizeof(facts->text), facts->at, value);
    facts->at = rf_put_text(facts->text, sizeof(facts->text), facts->at, "\n");
}

static void add_number(struct facts *facts, const char *name, int64_t value)
{
    char text[24];
    size_t at = rf_put_text(text, sizeof(text), 0, value < 0 ? "-" : "");
    (void)rf_put_number(text, sizeof(text), at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
                        1);
    add_text(facts, name, text);
}

/* kind, index, value, detail: as in src/log/cuda.h. */
static void say(enum rf_cuda_def kind, uint32_t index, uint64_t value, uint32_t detail,
                const struct facts *facts)
{
    (void)rf_defs_add(RF_REC_CUDA_DEF, index, (uint32_t)kind, value, detail, facts->text,
                      facts->at);
}

/* ---- The driver ---- */

#define ATTRIBUTE_IS_INTEGRATED       18
#define ATTRIBUTE_SHARED_MEMORY_OPTIN 97

struct driver {
    int (*version)(int *version);
    int (*pci)(char *text, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
};

/* The functions of the libcuda that the program has; those that are not there stay NULL. */
static void find_driver(struct driver *driver)
{
    *driver = (struct driver){NULL, NULL, NULL};
    void *library = rf_library_open_mapped("libcuda.so.1");
    if (library == NULL)
        return;
    *(void **)&driver->version = rf_library_symbol(library, "cuDriverGetVersion");
    *(void **)&driver->pci = rf_library_symbol(library, "cuDeviceGetPCIBusId");
    *(void **)&driver->attribute = rf_library_symbol(library, "cuDeviceGetAttribute");
}

bool rf_cuda_is_driver_ready(void)
{
    int (*get_current)(void **context) = NULL;
    void *context;
    void *library = rf_library_open_mapped("libcuda.so.1");
    if (library != NULL)
        *(void **)&get_current = rf_library_symbol(library, "cuCtxGetCurrent");
    return get_current != NULL && get_current(&context) == 0; /* else 3: not initialised */
}

int rf_cuda_driver_version(void)
{
    struct driver driver;
    int version = 0;
    find_driver(&driver);
    return driver.version != NULL && driver.version(&version) == 0 ? version : 0;
}

/* ---- Devices ---- */

/* What CUPTI told of a device: the driver is asked later, on our thread. */
#define MAX_DEVICES 64u
struct device {
    uint32_t state; /* 0 free, 1 being filled, 2 told by CUPTI, 3 all is said; atomic */
    struct rf_cupti_device record;
    char name[128];
};
static struct device devices[MAX_DEVICES];

static void add_uuid(struct facts *facts, const uint8_t uuid[16])
{
    static const char hex[] = "0123456789abcdef";
    char text[40];
    size_t at = 0;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        text[at++] = hex[uuid[i] >> 4];
        text[at++] = hex[uuid[i] & 15];
    }
    text[at] = '\0';
    add_text(facts, "uuid", text);
}

static void add_capability(struct facts *facts, uint32_t major, uint32_t minor)
{
    char text[32];
    size_t at = rf_put_number(text, sizeof(text), 0, major, 1);
    at = rf_put_text(text, sizeof(text), at, ".");
    (void)rf_put_number(text, sizeof(text), at, minor, 1);
    add_text(facts, "capability", text);
}

/* By the names and in the units of nsys's databases. */
static void add_limits(struct facts *facts, const struct rf_cupti_device *from)
{
    const struct {
        const char *name;
        uint64_t value;
    } limits[] = {
        {"memoryBandwidth", from->memory_bandwidth * 1000},
        {"clockRate", (uint64_t)from->clock_rate * 1000},
        {"constantMemory", from->constant_memory},
        {"l2CacheSize", from->l2_cache},
        {"threadsPerWarp", from->warp_size},
        {"asyncEngines", from->n_memcpy_engines},
        {"maxIPC", from->max_ipc},
        {"maxWarpsPerSm", from->max_warps},
        {"maxBlocksPerSm", from->max_blocks},
        {"maxShmemPerSm", from->max_shared_multiprocessor},
        {"maxRegistersPerSm", from->max_registers_multiprocessor},
        {"maxRegistersPerBlock", from->max_registers},
        {"maxShmemPerBlock", from->max_shared},
        {"maxThreadsPerBlock", from->max_threads},
        {"maxBlockDimX", from->max_block[0]},
        {"maxBlockDimY", from->max_block[1]},
        {"maxBlockDimZ", from->max_block[2]},
        {"maxGridDimX", from->max_grid[0]},
        {"maxGridDimY", from->max_grid[1]},
        {"maxGridDimZ", from->max_grid[2]},
    };
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        add_number(facts, limits[i].name, (int64_t)limits[i].value);
}

static void add_by_driver(struct facts *facts, const struct driver *driver, int device)
{
    char pci[64] = "";
    int value = 0;
    if (driver->pci != NULL && driver->pci(pci, sizeof(pci), device) == 0)
        add_text(facts, "pci", pci);
    if (driver->attribute == NULL)
        return;
    if (driver->attribute(&value, ATTRIBUTE_IS_INTEGRATED, device) == 0)
        add_number(facts, "isDiscrete", value == 0);
    if (driver->attribute(&value, ATTRIBUTE_SHARED_MEMORY_OPTIN, device) == 0)
        add_number(facts, "maxShmemPerBlockOptin", value);
}

static void say_device(const struct device *device, const struct driver *driver)
{
    const struct rf_cupti_device *from = &device->record;
    struct facts facts = {.at = 0};
    if (device->name[0] != '\0')
        add_text(&facts, "name", device->name);
    add_uuid(&facts, from->uuid);
    add_number(&facts, "memory", (int64_t)from->memory_size);
    add_number(&facts, "multiprocessors", from->n_multiprocessors);
    add_capability(&facts, from->capability_major, from->capability_minor);
    add_limits(&facts, from);
    if (driver != NULL)
        add_by_driver(&facts, driver, (int)from->device);
    say(RF_CUDA_DEF_DEVICE, from->device, 0, 0, &facts);
}

void rf_cuda_see_device(const struct rf_cupti_device *record)
{
    struct device *device = &devices[record->device % MAX_DEVICES];
    uint32_t unseen = 0;
    if (!__atomic_compare_exchange_n(&device->state, &unseen, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return; /* CUPTI tells it again */
    device->record = *record;
    if (record->name != NULL)
        (void)rf_put_text(device->name, sizeof(device->name), 0, record->name);
    say_device(device, NULL); /* for a program that is killed now */
    __atomic_store_n(&device->state, 2, __ATOMIC_RELEASE);
}

void rf_cuda_ask_driver(void)
{
    struct driver driver = {NULL, NULL, NULL};
    bool is_found = false;
    for (uint32_t i = 0; i < MAX_DEVICES; i++) {
        if (__atomic_load_n(&devices[i].state, __ATOMIC_ACQUIRE) != 2)
            continue;
        if (!is_found)
            find_driver(&driver);
        is_found = true;
        say_device(&devices[i], &driver);
        __atomic_store_n(&devices[i].state, 3, __ATOMIC_RELEASE);
    }
}

/* ---- Contexts and streams ---- */

void rf_cuda_see_context(const struct rf_cupti_context *record)
{
    struct facts facts = {.at = 0};
    __atomic_store_n(&rf_cuda.has_context, 1, __ATOMIC_RELAXED);
    add_number(&facts, "api", record->api);
    add_number(&facts, "process", rf_cuda.pid);
    say(RF_CUDA_DEF_CONTEXT, record->context, record->device, record->null_stream, &facts);
}

void rf_cuda_see_stream(const struct rf_cupti_stream *record)
{
    struct facts facts = {.at = 0};
    add_number(&facts, "priority", (int32_t)record->priority);
    add_number(&facts, "flag", record->flag);
    say(RF_CUDA_DEF_STREAM, record->stream, record->context, 0, &facts);
}

/* ---- The libraries ---- */

void rf_cuda_say_library(int driver)
{
    struct facts facts = {.at = 0};
    add_text(&facts, "path", rf_cuda.cupti_file.path);
    add_number(&facts, "version", rf_cuda.version);
    if (driver != 0)
        add_number(&facts, "driver", driver);
    say(RF_CUDA_DEF_LIBRARY, 0, 0, 0, &facts);
}
