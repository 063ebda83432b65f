/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses the stand-ins for CUDA (tests/cuda/double), of which one step in 20 is slow,
 * for a cause that is planted.
 *
 *     planted_gpu CAUSE SEED [STEPS]
 *
 * CAUSE: nothing, launch (20 ms before the kernels are launched, in no range: the GPU is idle),
 * copy (the copy to the GPU takes 20 ms in place of 0.4) or kernel (a layer's takes 20 ms in place
 * of 0.3). Other steps take 2 ms. With RF_DOUBLE_SPIN calls wait as CUDA does, without sleeping:
 * what takes the core away then falls on all parts of a step. It prints the share of the time in
 * which it had a core. */
#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cuda/double/cudart.h"
#include "planted_noise.h"

#define LAYERS 4

static cudaStream_t copies, kernels;

static void launch(uint64_t ns)
{
    static struct double_kernel kernel = {.name = "layer_kernel", .registers = 32};
    const struct dim3 grid = {64, 1, 1}, block = {128, 1, 1};
    kernel.duration_ns = ns;
    (void)cudaLaunchKernel(&kernel, grid, block, NULL, 0, kernels);
}

static void load(bool is_slow)
{
    nvtxRangePushA("load");
    planted_spin(planted_some(60000));
    (void)cudaMemcpyAsync(NULL, NULL, (size_t)planted_some(is_slow ? 200000000 : 4000000),
                          cudaMemcpyHostToDevice, copies);
    (void)cudaStreamSynchronize(copies);
    nvtxRangePop();
}

static void forward(bool is_slow)
{
    nvtxRangePushA("forward");
    for (int i = 0; i < LAYERS; i++) {
        nvtxRangePushA("layer");
        launch((uint64_t)planted_some(is_slow && i == 2 ? 20000000 : 300000));
        planted_spin(planted_some(20000));
        nvtxRangePop();
    }
    nvtxRangePop();
    nvtxRangePushA("loss");
    (void)cudaStreamSynchronize(kernels);
    nvtxRangePop();
}

static void step(const char *cause, bool is_slow)
{
    nvtxRangePushA("step");
    load(is_slow && strcmp(cause, "copy") == 0);
    planted_spin(is_slow && strcmp(cause, "launch") == 0 ? 20000000 : 5000);
    forward(is_slow && strcmp(cause, "kernel") == 0);
    nvtxRangePushA("optimizer");
    planted_spin(planted_some(30000));
    nvtxRangePop();
    nvtxRangePop();
}

int main(int argc, char **argv)
{
    const char *cause = argc > 1 ? argv[1] : "nothing";
    const int n = argc > 3 ? atoi(argv[3]) : 250;
    planted_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (cudaFree(NULL) != 0 || cudaStreamCreate(&copies) != 0 || cudaStreamCreate(&kernels) != 0)
        return 1;
    const int64_t begin = planted_ns(CLOCK_MONOTONIC), used = planted_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < n; i++)
        step(cause, planted_uniform() < 0.05);
    printf("%.2f\n", (double)(planted_ns(CLOCK_THREAD_CPUTIME_ID) - used) /
                         (double)(planted_ns(CLOCK_MONOTONIC) - begin));
    return 0;
}
