/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

unsigned nvtx_attached;
bool nvtx_disabled;

static const char *(*trigger_message)(void);
static void (*range_parent)(uint64_t id, uint64_t parent);

bool nvtx_has_tool(void)
{
    for (int i = 1; i < NVTX_CBID_CORE2_SIZE; i++)
        if (__atomic_load_n(&rf_nvtx_v1.slot[NVTX_CB_MODULE_CORE2][i], __ATOMIC_RELAXED) != NULL)
            return true;
    return false;
}

void nvtx_find_recorder(const char *path)
{
    void *library = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *message = library != NULL ? dlsym(library, "rangefinder_trigger_message") : NULL;
    void *parent = library != NULL ? dlsym(library, "rangefinder_range_parent") : NULL;
    memcpy(&trigger_message, &message, sizeof(message));
    memcpy(&range_parent, &parent, sizeof(parent));
    (void)dlerror();
}

void nvtx_set_parent(nvtxRangeId_t id, nvtxRangeId_t parent)
{
    if (range_parent != NULL)
        range_parent(id, parent);
}

bool nvtx_is_trigger(const char *message)
{
    const char *trigger = trigger_message != NULL ? trigger_message() : NULL;
    return trigger != NULL && strcmp(message, trigger) == 0;
}

static struct rf_nvtx_ext_module *const extensions[] = {&rf_nvtx_v1_payload, &rf_nvtx_v1_counters};

#define N_EXTENSIONS (sizeof(extensions) / sizeof(extensions[0]))

/* Fills the slots of an extension: those that nothing stores stay silent. */
static void set_slots(struct rf_nvtx_ext_module *extension, intptr_t value)
{
    for (int i = 0; i < RF_NVTX_EXT_SLOTS; i++)
        __atomic_store_n(&extension->slot[i], value, __ATOMIC_RELEASE);
    __atomic_store_n(&extension->once.owner, RF_NVTX_ATTACHED, __ATOMIC_RELEASE);
}

void nvtx_silence(void)
{
    for (int module = 0; module < NVTX_CB_MODULE_SIZE; module++)
        for (int i = 0; i < RF_NVTX_MAX_ID; i++)
            __atomic_store_n(&rf_nvtx_v1.slot[module][i], NULL, __ATOMIC_RELAXED);
    for (size_t i = 0; i < N_EXTENSIONS; i++)
        set_slots(extensions[i], RF_NVTX_SILENT);
    __atomic_store_n(&rf_nvtx_v1.once.owner, RF_NVTX_ATTACHED, __ATOMIC_RELEASE);
}

void nvtx_attach_extensions(const char *path)
{
    void *library = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *entry = library != NULL ? dlsym(library, "InitializeInjectionNvtxExtension") : NULL;
    (void)dlerror();
    if (entry == NULL)
        return;
    memcpy(&rf_nvtx_v1_ext.entry, &entry, sizeof(entry));
    rf_nvtx_v1_ext.once.owner = RF_NVTX_ATTACHED;
    for (size_t i = 0; i < N_EXTENSIONS; i++) {
        set_slots(extensions[i], RF_NVTX_FRESH);
        rf_nvtx_v1_ext_attach(extensions[i]);
    }
}
