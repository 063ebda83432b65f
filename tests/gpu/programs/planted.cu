/* SPDX-License-Identifier: Apache-2.0 */
/* usage: planted CAUSE [STEPS]
 *
 * Steps of 2 ms, of which every nineteenth is slow, for a cause that is planted: nothing, launch (10 ms
 * before the kernels are launched, in no range: the GPU is idle), copy (it has 40 times the bytes) or
 * kernel (a layer's takes 10 ms in place of 0.3). tests/answers/planted_gpu.c is the same for machines
 * without a GPU. */
#include "work.cuh"

enum { LAYERS = 4, COPIED = 4 << 20, MORE = 40 };

__global__ void layer_kernel(long long ns)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while ((long long)(now - start) < ns);
}

static void work_for(int64_t ns)
{
    for (const int64_t end = now_ns() + ns; now_ns() < end;)
        ;
}

int main(int argc, char **argv)
{
    const char *cause = argc > 1 ? argv[1] : "nothing";
    const long n = argument(argc, argv, 2, 250);
    cudaStream_t copies, kernels;
    char *host, *device;
    CHECK(cudaStreamCreate(&copies));
    CHECK(cudaStreamCreate(&kernels));
    CHECK(cudaMallocHost((void **)&host, (size_t)COPIED * MORE));
    CHECK(cudaMalloc((void **)&device, (size_t)COPIED * MORE));
    LAUNCH(layer_kernel, 1, 1, kernels, 1000LL);
    CHECK(cudaDeviceSynchronize());
    for (long i = 0; i < n; i++) {
        const bool is_slow = i % 19 == 18;
        nvtxRangePushA("step");
        nvtxRangePushA("load");
        work_for(60000);
        CHECK(cudaMemcpyAsync(device, host, (size_t)COPIED * (is_slow && !strcmp(cause, "copy") ? MORE : 1),
                              cudaMemcpyHostToDevice, copies));
        CHECK(cudaStreamSynchronize(copies));
        nvtxRangePop();
        work_for(is_slow && !strcmp(cause, "launch") ? 10000000 : 5000);
        nvtxRangePushA("forward");
        for (int layer = 0; layer < LAYERS; layer++) {
            nvtxRangePushA("layer");
            LAUNCH(layer_kernel, 1, 1, kernels,
                   is_slow && layer == 2 && !strcmp(cause, "kernel") ? 10000000LL : 300000LL);
            work_for(20000);
            nvtxRangePop();
        }
        nvtxRangePop();
        nvtxRangePushA("loss");
        CHECK(cudaStreamSynchronize(kernels));
        nvtxRangePop();
        nvtxRangePushA("optimizer");
        work_for(30000);
        nvtxRangePop();
        nvtxRangePop();
    }
    printf("{\"steps\": %ld}\n", n);
    return 0;
}
