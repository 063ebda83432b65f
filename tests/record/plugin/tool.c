/* SPDX-License-Identifier: Apache-2.0 */
/* A tool that does what NVTX_TEST_TOOL says: "crash" or "exit" while it begins, "later" crashes at
 * a mark, "annotate" makes a mark of its own while it begins, by a copy of NVTX that finds its tool
 * in the variable as that of the program does. It writes a line for each begin of an acquisition of
 * a lock to NVTX_TEST_LOG. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

static void crash(const char *text)
{
    (void)text;
    __builtin_trap();
}

static nvtxDomainHandle_t on_domain(const char *name)
{
    (void)name;
    return (nvtxDomainHandle_t)(uintptr_t)1;
}

static nvtxSyncUser_t on_create(nvtxDomainHandle_t domain, const nvtxSyncUserAttributes_t *given)
{
    static uintptr_t n;
    (void)domain;
    (void)given;
    return (nvtxSyncUser_t)++n;
}

static void on_start(nvtxSyncUser_t lock)
{
    const char *path = getenv("NVTX_TEST_LOG");
    const int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    (void)lock;
    if (fd < 0 || write(fd, "acquires\n", strlen("acquires\n")) < 0)
        _exit(99);
    (void)close(fd);
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const char *what = getenv("NVTX_TEST_TOOL");
    const NvtxExportTableCallbacks *callbacks = get_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table;
    unsigned size;
    what = what != NULL ? what : "";
    if (strcmp(what, "crash") == 0)
        crash(NULL);
    if (strcmp(what, "exit") == 0)
        exit(3);
    if (strcmp(what, "annotate") == 0)
        nvtxMarkA("of the tool");
    if (strcmp(what, "later") == 0 &&
        callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 0)
        *table[NVTX_CBID_CORE_MarkA] = (NvtxFunctionPointer)crash;
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0)
        *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)on_domain;
    if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_SYNC, &table, &size) != 0) {
        *table[NVTX_CBID_SYNC_DomainSyncUserCreate] = (NvtxFunctionPointer)on_create;
        *table[NVTX_CBID_SYNC_DomainSyncUserAcquireStart] = (NvtxFunctionPointer)on_start;
    }
    return 1;
}
