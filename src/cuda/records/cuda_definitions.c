/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of devices, contexts, streams and the libraries, whose text is lines NAME=VALUE. */
#include "cuda/records/cuda_definitions.h"

#include "cuda/cuda_driver.h"
#include "cuda/cuda_state.h"
#include "log/cuda.h"
#include "record/names/defs.h"
#include "record/text.h"

/* of cuDeviceGetAttribute() */
#define ATTRIBUTE_IS_INTEGRATED       18
#define ATTRIBUTE_SHARED_MEMORY_OPTIN 97

struct lines {
    size_t at;
    char text[2048];
};

static void add_text(struct lines *lines, const char *name, const char *value)
{
    lines->at = rf_put_text(lines->text, sizeof(lines->text), lines->at, name);
    lines->at = rf_put_text(lines->text, sizeof(lines->text), lines->at, "=");
    lines->at = rf_put_text(lines->text, sizeof(lines->text), lines->at, value);
    lines->at = rf_put_text(lines->text, sizeof(lines->text), lines->at, "\n");
}

static void add_number(struct lines *lines, const char *name, int64_t value)
{
    char text[24];
    size_t at = rf_put_text(text, sizeof(text), 0, value < 0 ? "-" : "");
    (void)rf_put_number(text, sizeof(text), at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
                        1);
    add_text(lines, name, text);
}

/* kind, index, value, detail: as in src/log/cuda.h. */
static void define(enum rf_cuda_def kind, uint32_t index, uint64_t value, uint32_t detail,
                   const struct lines *lines)
{
    (void)rf_defs_add(RF_REC_CUDA_DEF, index, (uint32_t)kind, value, detail, lines->text,
                      lines->at);
}

/* ---- Devices ---- */

/* What CUPTI reported of a device. The driver is asked later, on our thread. */
#define MAX_DEVICES 64u
struct device {
    uint32_t state; /* 0 free, 1 being filled, 2 reported by CUPTI, 3 complete; atomic */
    struct rf_cupti_device record;
    char name[128];
};
static struct device devices[MAX_DEVICES];

static void add_uuid(struct lines *lines, const uint8_t uuid[16])
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
    add_text(lines, "uuid", text);
}

static void add_capability(struct lines *lines, uint32_t major, uint32_t minor)
{
    char text[32];
    size_t at = rf_put_number(text, sizeof(text), 0, major, 1);
    at = rf_put_text(text, sizeof(text), at, ".");
    (void)rf_put_number(text, sizeof(text), at, minor, 1);
    add_text(lines, "capability", text);
}

/* With the names and units of nsys's databases. */
static void add_limits(struct lines *lines, const struct rf_cupti_device *from)
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
        add_number(lines, limits[i].name, (int64_t)limits[i].value);
}

static void add_by_driver(struct lines *lines, const struct rf_cuda_driver *driver, int device)
{
    char pci[64] = "";
    int value = 0;
    if (driver->get_pci_bus_id != NULL && driver->get_pci_bus_id(pci, sizeof(pci), device) == 0)
        add_text(lines, "pci", pci);
    if (driver->get_attribute == NULL)
        return;
    if (driver->get_attribute(&value, ATTRIBUTE_IS_INTEGRATED, device) == 0)
        add_number(lines, "isDiscrete", value == 0);
    if (driver->get_attribute(&value, ATTRIBUTE_SHARED_MEMORY_OPTIN, device) == 0)
        add_number(lines, "maxShmemPerBlockOptin", value);
}

static void define_device(const struct device *device, const struct rf_cuda_driver *driver)
{
    const struct rf_cupti_device *from = &device->record;
    struct lines lines = {.at = 0};
    if (device->name[0] != '\0')
        add_text(&lines, "name", device->name);
    add_uuid(&lines, from->uuid);
    add_number(&lines, "memory", (int64_t)from->memory_size);
    add_number(&lines, "multiprocessors", from->n_multiprocessors);
    add_capability(&lines, from->capability_major, from->capability_minor);
    add_limits(&lines, from);
    if (driver != NULL)
        add_by_driver(&lines, driver, (int)from->device);
    define(RF_CUDA_DEF_DEVICE, from->device, 0, 0, &lines);
}

void rf_cuda_define_device(const struct rf_cupti_device *record)
{
    struct device *device = &devices[record->device % MAX_DEVICES];
    uint32_t unseen = 0;
    if (!__atomic_compare_exchange_n(&device->state, &unseen, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return; /* CUPTI reports it again */
    device->record = *record;
    if (record->name != NULL)
        (void)rf_put_text(device->name, sizeof(device->name), 0, record->name);
    define_device(device, NULL); /* in case the program is killed before the driver was asked */
    __atomic_store_n(&device->state, 2, __ATOMIC_RELEASE);
}

void rf_cuda_complete_devices(void)
{
    struct rf_cuda_driver driver;
    bool is_found = false;
    for (uint32_t i = 0; i < MAX_DEVICES; i++) {
        if (__atomic_load_n(&devices[i].state, __ATOMIC_ACQUIRE) != 2)
            continue;
        if (!is_found)
            rf_cuda_driver_find(&driver);
        is_found = true;
        define_device(&devices[i], &driver);
        __atomic_store_n(&devices[i].state, 3, __ATOMIC_RELEASE);
    }
}

/* ---- Contexts and streams ---- */

void rf_cuda_define_context(const struct rf_cupti_context *record)
{
    struct lines lines = {.at = 0};
    __atomic_store_n(&rf_cuda.has_context, 1, __ATOMIC_RELAXED);
    add_number(&lines, "api", record->api);
    add_number(&lines, "process", rf_cuda.pid);
    define(RF_CUDA_DEF_CONTEXT, record->context, record->device, record->null_stream, &lines);
}

void rf_cuda_define_stream(const struct rf_cupti_stream *record)
{
    struct lines lines = {.at = 0};
    add_number(&lines, "priority", (int32_t)record->priority);
    add_number(&lines, "flag", record->flag);
    define(RF_CUDA_DEF_STREAM, record->stream, record->context, 0, &lines);
}

/* ---- The libraries ---- */

void rf_cuda_define_library(int driver)
{
    struct lines lines = {.at = 0};
    add_text(&lines, "path", rf_cuda.cupti_file.path);
    add_number(&lines, "version", rf_cuda.version);
    if (driver != 0)
        add_number(&lines, "driver", driver);
    define(RF_CUDA_DEF_LIBRARY, 0, 0, 0, &lines);
}
