/* SPDX-License-Identifier: Apache-2.0 */
/* An injection library whose callbacks do nothing, and a copy of NVTX that finds it: the least that
 * any tool costs. bench_armed loads this with NVTX_INJECTION64_PATH set to it. */
#include "armed_pairs.h"

#define NVTX_NO_IMPL
#include "nvtx3/nvtxDetail/nvtxTypes.h"

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);
__attribute__((visibility("default"))) void armed_nothing(struct armed_pairs *pairs);

static int push_text(const char *text)
{
    (void)text;
    return NVTX_NO_PUSH_POP_TRACKING;
}

static int pop(void)
{
    return NVTX_NO_PUSH_POP_TRACKING;
}

static void mark_text(const char *text)
{
    (void)text;
}

static nvtxRangeId_t start_text(const char *text)
{
    (void)text;
    return 0;
}

static void end(nvtxRangeId_t id)
{
    (void)id;
}

static int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *e)
{
    (void)domain;
    (void)e;
    return NVTX_NO_PUSH_POP_TRACKING;
}

static int domain_pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    return NVTX_NO_PUSH_POP_TRACKING;
}

#define ENTRY(function) ((NvtxFunctionPointer)(void (*)(void))(function))

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable core, core2;
    unsigned size = 0;
    if (callbacks == NULL ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, &size) ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core2, &size))
        return 0;
    *core[NVTX_CBID_CORE_RangePushA] = ENTRY(push_text);
    *core[NVTX_CBID_CORE_RangePop] = ENTRY(pop);
    *core[NVTX_CBID_CORE_MarkA] = ENTRY(mark_text);
    *core[NVTX_CBID_CORE_RangeStartA] = ENTRY(start_text);
    *core[NVTX_CBID_CORE_RangeEnd] = ENTRY(end);
    *core2[NVTX_CBID_CORE2_DomainRangePushEx] = ENTRY(domain_push);
    *core2[NVTX_CBID_CORE2_DomainRangePop] = ENTRY(domain_pop);
    return 1;
}

void armed_nothing(struct armed_pairs *pairs)
{
    pairs_begin(pairs);
}
