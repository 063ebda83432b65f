/* SPDX-License-Identifier: Apache-2.0 */
/* N steps of ten ranges in one thread, every twentieth with a read that takes longer.
 *
 *     loop N */
#include <nvtx3/nvToolsExt.h>

#include <stdlib.h>

static volatile unsigned work_done;

static void work(const char *name, unsigned n)
{
    nvtxRangePushA(name);
    for (unsigned i = 0; i < n; i++)
        work_done += i;
    nvtxRangePop();
}

static void step(int is_slow)
{
    nvtxRangePushA("step");
    nvtxRangePushA("load");
    work("read", is_slow ? 600 : 60);
    work("decode", 40);
    nvtxRangePop();
    nvtxRangePushA("forward");
    for (int i = 0; i < 4; i++)
        work("layer", 50);
    nvtxRangePop();
    work("optimizer", 30);
    nvtxRangePop();
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 100000;
    for (long i = 0; i < n; i++)
        step(i % 20 == 19);
    return 0;
}
