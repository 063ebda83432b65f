/* SPDX-License-Identifier: Apache-2.0 */
/* A file with annotations of the extensions; run.sh builds a program of several, with either set of
 * headers. */
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#ifdef __cplusplus
extern "C" {
#endif
int sample_ours(void);
int sample_theirs(void);
#ifdef __cplusplus
}
#endif

#ifdef MAIN
int main(void)
{
    return sample_ours() == 24 && sample_theirs() == 24 ? 0 : 1;
}
#else
int JOIN(sample_, UNIT)(void)
{
    nvtxCounterSampleInt64(NVTX_NULLPTR, NUMBER, NUMBER);
    return nvtxDomainIsEnabled(NVTX_NULLPTR);
}
#endif
