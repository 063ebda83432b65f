/* SPDX-License-Identifier: Apache-2.0 */
/* usage: memory [ALLOCATIONS]
 *
 * Memory is taken and given back: of the device, pinned, and of a stream's pool. No two sizes are
 * the same, so that every allocation can be told from every other. */
#include "work.cuh"

static size_t size_of(long i, int kind)
{
    return (size_t)(1 << 20) * (size_t)(1 + kind) + (size_t)(4096 * (i + 1));
}

int main(int argc, char **argv)
{
    long n = argument(argc, argv, 1, 20);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (long i = 0; i < n; i++) {
        void *device, *pinned, *pooled;
        CHECK(cudaMalloc(&device, size_of(i, 0)));
        CHECK(cudaMallocHost(&pinned, size_of(i, 1)));
        CHECK(cudaMallocAsync(&pooled, size_of(i, 2), stream));
        CHECK(cudaMemsetAsync(pooled, 0, 1024, stream));
        CHECK(cudaFreeAsync(pooled, stream));
        CHECK(cudaFreeHost(pinned));
        CHECK(cudaFree(device));
    }
    CHECK(cudaStreamSynchronize(stream));
    printf("{\"allocations\": %ld, \"sizes\": [", 3 * n);
    for (long i = 0; i < n; i++)
        printf("%s%zu, %zu, %zu", i > 0 ? ", " : "", size_of(i, 0), size_of(i, 1), size_of(i, 2));
    printf("]}\n");
    return 0;
}
