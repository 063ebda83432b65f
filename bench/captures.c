/* SPDX-License-Identifier: Apache-2.0 */
/* captures N OUTSIDE INSIDE: N times OUTSIDE push/pop ranges, then a range "step" with INSIDE
 * ranges in it, which is to be a capture. */
#include <nvtx3/nvToolsExt.h>

#include <stdlib.h>

static void ranges(long n, const char *name)
{
    for (long i = 0; i < n; i++) {
        nvtxRangePushA(name);
        nvtxRangePop();
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    for (long i = 0; i < atol(argv[1]); i++) {
        ranges(atol(argv[2]), "outside");
        nvtxRangePushA("step");
        ranges(atol(argv[3]), "inside");
        nvtxRangePop();
    }
    return 0;
}
