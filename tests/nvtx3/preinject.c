/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points of a tool that is in the process before the program looks for one. */
#define NVTX_NO_IMPL
#include <nvtx3/nvtxDetail/nvtxExtTypes.h>

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t *module);
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtx2Preinject(NvtxGetExportTableFunc_t get_table);
NVTX_DYNAMIC_EXPORT int InitializeInjectionNvtxExtensionPreinject(nvtxExtModuleInfo_t *module);

int InitializeInjectionNvtx2Preinject(NvtxGetExportTableFunc_t get_table)
{
    return InitializeInjectionNvtx2(get_table);
}

int InitializeInjectionNvtxExtensionPreinject(nvtxExtModuleInfo_t *module)
{
    return InitializeInjectionNvtxExtension(module);
}
