/* SPDX-License-Identifier: Apache-2.0 */
#include "base/zstd_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Another file to load. */
#define FILE_VARIABLE "RANGEFINDER_ZSTD"

static bool find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof(symbol)); /* no cast leads from one to the other */
    return symbol != NULL;
}

bool rf_zstd_load(struct rf_zstd *zstd)
{
    const char *file = secure_getenv(FILE_VARIABLE);
    if (zstd->handle != NULL)
        return true;
    void *handle = dlopen(file != NULL ? file : RF_ZSTD_FILE, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    if (!find(handle, "ZSTD_createCCtx", &zstd->new_compressor) ||
        !find(handle, "ZSTD_freeCCtx", &zstd->free_compressor) ||
        !find(handle, "ZSTD_compressCCtx", &zstd->compress) ||
        !find(handle, "ZSTD_createDCtx", &zstd->new_expander) ||
        !find(handle, "ZSTD_freeDCtx", &zstd->free_expander) ||
        !find(handle, "ZSTD_decompressDCtx", &zstd->expand) ||
        !find(handle, "ZSTD_isError", &zstd->is_error) ||
        !find(handle, "ZSTD_versionString", &zstd->version)) {
        (void)dlclose(handle);
        return false;
    }
    zstd->handle = handle;
    return true;
}

void rf_zstd_unload(struct rf_zstd *zstd)
{
    if (zstd->handle != NULL)
        (void)dlclose(zstd->handle);
    zstd->handle = NULL;
}
