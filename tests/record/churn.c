/* SPDX-License-Identifier: Apache-2.0 */
/* churn destroy|keep N: makes N locks in the default domain, which it destroys at once or keeps,
 * and acquires one more. mark: makes a mark alone. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>

#include <stdlib.h>
#include <string.h>

static nvtxSyncUser_t create(nvtxDomainHandle_t domain)
{
    const nvtxSyncUserAttributes_t attributes = {.version = NVTX_VERSION,
                                                 .size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE};
    return nvtxDomainSyncUserCreate(domain, &attributes);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "mark") == 0) {
        nvtxMarkA("mark");
        return 0;
    }
    if (argc != 3)
        return 2;
    const nvtxDomainHandle_t domain = nvtxDomainCreateA("locks");
    for (long i = atol(argv[2]); i > 0; i--) {
        const nvtxSyncUser_t lock = create(domain);
        if (strcmp(argv[1], "destroy") == 0)
            nvtxDomainSyncUserDestroy(lock);
    }
    const nvtxSyncUser_t last = create(domain);
    nvtxDomainSyncUserAcquireStart(last);
    nvtxDomainSyncUserAcquireSuccess(last);
    nvtxDomainSyncUserReleasing(last);
    return 0;
}
