/* SPDX-License-Identifier: Apache-2.0 */
/* usage: sampled copy [KERNELS] | tensor [KERNELS] | edges [KERNELS]
 *
 * Loads whose counters are known. copy: each kernel reads and writes 2 GiB four times. All its blocks
 * run at once, so that 4 GiB lie between two uses of a byte, and caches do not matter. tensor: matrix
 * products whose operands stay in registers. edges: all SMs are busy for half a millisecond, then none
 * for as long. */
#include "work.cuh"

#include <mma.h>

enum { ROUNDS = 4, THREADS = 512, TILES = 4, PRODUCTS = 200000 };

__global__ void copy_kernel(uint4 *to, const uint4 *from, size_t n)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
            to[i] = from[i];
}

/* Some products at a time that do not wait for each other. */
__global__ void tensor_kernel(float *out, long n_products)
{
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[TILES];
    wmma::fill_fragment(a, __float2half(0.5f));
    wmma::fill_fragment(b, __float2half(0.25f));
#pragma unroll
    for (int i = 0; i < TILES; i++)
        wmma::fill_fragment(sum[i], 0.0f);
    for (long k = 0; k < n_products; k += TILES) {
#pragma unroll
        for (int i = 0; i < TILES; i++)
            wmma::mma_sync(sum[i], a, b, sum[i]);
    }
#pragma unroll
    for (int i = 0; i < TILES; i++) /* never true, but not known before */
        if (sum[i].x[0] < 0)
            out[threadIdx.x] = sum[i].x[0];
}

static int attribute(cudaDeviceAttr which)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

/* Of so many launches, one after the other, by CUDA's events. */
template <typename Launch> static double median_ms(long n, Launch launch)
{
    std::vector<float> times;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (long i = 0; i < n; i++) {
        float ms = 0;
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static void copy(long n_kernels)
{
    const size_t size = (size_t)2 << 30;
    int per_sm = 0; /* blocks that run at once */
    void *from, *to;
    CHECK(cudaMalloc(&from, size));
    CHECK(cudaMalloc(&to, size));
    CHECK(cudaMemset(from, 1, size));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, copy_kernel, THREADS, 0));
    double ms = median_ms(n_kernels, [&] {
        LAUNCH(copy_kernel, per_sm * attribute(cudaDevAttrMultiProcessorCount), THREADS, 0,
               (uint4 *)to, (const uint4 *)from, size / sizeof(uint4));
    });
    double bytes = 2.0 * ROUNDS * (double)size;
    double peak = 2e3 * attribute(cudaDevAttrMemoryClockRate) *
                  attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
    printf("{\"ms\": %.4f, \"bytes\": %.0f, \"bytes_per_s\": %.0f, \"peak\": %.0f}\n", ms, bytes,
           bytes / ms * 1e3, peak);
}

static void tensor(long n_kernels)
{
    float *out;
    CHECK(cudaMalloc(&out, 1 << 20));
    double ms = median_ms(n_kernels, [&] {
        LAUNCH(tensor_kernel, 2 * attribute(cudaDevAttrMultiProcessorCount), THREADS, 0, out,
               (long)PRODUCTS);
    });
    printf("{\"ms\": %.4f}\n", ms);
}

static void edges(long n_kernels)
{
    long cycles = attribute(cudaDevAttrClockRate) / 2; /* kHz: half a millisecond */
    for (long i = 0; i < n_kernels; i++) {
        LAUNCH(spin, 2 * attribute(cudaDevAttrMultiProcessorCount), 1024, 0, cycles);
        CHECK(cudaDeviceSynchronize());
        usleep(500);
    }
    printf("{\"kernels\": %ld}\n", n_kernels);
}

int main(int argc, char **argv)
{
    const char *load = argc > 1 ? argv[1] : "copy";
    CHECK(cudaFree(NULL));
    usleep(200000); /* the first samples are of a GPU at rest */
    if (strcmp(load, "copy") == 0)
        copy(argument(argc, argv, 2, 40));
    else if (strcmp(load, "tensor") == 0)
        tensor(argument(argc, argv, 2, 10));
    else
        edges(argument(argc, argv, 2, 200));
    usleep(100000);
    print_libraries();
    return 0;
}
