/* SPDX-License-Identifier: Apache-2.0 */
/* usage: windows [STEPS [FIRST-LAST]...]
 *
 * Steps of ten kernels, each kernel with step + 1 blocks, in ranges "step N". Around the steps of a
 * window stand cudaProfilerStart and Stop and a range "window". At the end of a window its last
 * kernels still run: a capture has them nevertheless. */
#include "work.cuh"

enum { KERNELS = 10 };

static bool is_edge(int argc, char **argv, long step, bool is_last)
{
    for (int i = 2; i < argc; i++) {
        long first = 0, last = 0;
        if (sscanf(argv[i], "%ld-%ld", &first, &last) == 2 && (is_last ? last : first) == step)
            return true;
    }
    return false;
}

static void step_once(long step)
{
    char name[32];
    snprintf(name, sizeof(name), "step %ld", step);
    nvtxRangePushA(name);
    for (int i = 0; i < KERNELS; i++)
        LAUNCH(spin, (int)step + 1, 32, 0, 200000);
    nvtxRangePop();
}

int main(int argc, char **argv)
{
    long n_steps = argument(argc, argv, 1, 12);
    for (long step = 0; step < n_steps; step++) {
        if (is_edge(argc, argv, step, false)) {
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaProfilerStart());
            nvtxRangePushA("window");
        }
        step_once(step);
        if (is_edge(argc, argv, step, true)) {
            nvtxRangePop();
            CHECK(cudaProfilerStop());
        }
        CHECK(cudaDeviceSynchronize());
        usleep(20000);
    }
    printf("{\"kernels\": %ld, \"per_step\": %d}\n", KERNELS * n_steps, KERNELS);
    return 0;
}
