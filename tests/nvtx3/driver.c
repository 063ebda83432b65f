/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for the CUDA driver: knows the tool that is linked with it, for the kinds whose numbers
 * NVTX_TEST_DRIVER has; with KNOWS_NO_TOOLS, an older driver. Says what it is asked for.
 */
#define NVTX_NO_IMPL
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>
#include <nvtx3/nvtxDetail/nvtxTypes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);

static void say(const char *what, int number)
{
    FILE *file = fopen(getenv("NVTX_TEST_LOG"), "a");

    if (!file)
        abort();
    fprintf(file, what, number);
    fclose(file);
}

static __attribute__((constructor)) void load(void)
{
    say("driver loaded\n", 0);
}

#ifdef KNOWS_NO_TOOLS
#define cuNvtxGetInjectionInitializer another_name
#endif
NVTX_DYNAMIC_EXPORT int cuNvtxGetInjectionInitializer(NvtxInjectionInitializerKind kind,
                                                      NvtxInjectionGenericFunc_t *entry);
int cuNvtxGetInjectionInitializer(NvtxInjectionInitializerKind kind,
                                  NvtxInjectionGenericFunc_t *entry)
{
    say("driver asked for %d\n", (int)kind);
    if (!strchr(getenv("NVTX_TEST_DRIVER"), '0' + (int)kind))
        return 1;
    *entry = kind == NVTX_INJECTION_INITIALIZER_CORE
                 ? (NvtxInjectionGenericFunc_t)InitializeInjectionNvtx2
                 : (NvtxInjectionGenericFunc_t)InitializeInjectionNvtxExtension;
    return 0;
}
