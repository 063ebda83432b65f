/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads share a GPU, each with a stream of its own. Every thread has its ranges, and the
 * GPU work is counted for the range of the thread that asked for it, though the GPU does the work
 * of both at a time.
 *
 *     rangefinder profile -o two_threads.rf build/bin/example-cuda-two_threads
 *     rangefinder stats -r nvtx_kern_sum two_threads.rf
 */
#include "check.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 1 << 22, N_ROUNDS = 50 };

struct worker {
    const char *name;
    unsigned seed;
    unsigned sum; /* the result */
};

/* Numbers that look random, each made from its index. */
__global__ void fill(unsigned *out, unsigned seed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i * 2654435761u + seed;
    x ^= x >> 15;
    x *= 2246822519u;
    out[i] = x ^ x >> 13;
}

__global__ void add_up(const unsigned *in, unsigned *sum)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine = in[i];
    /* the 32 threads of a warp first, so that one in 32 goes to the shared sum */
    for (int distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

static void *work(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    cudaStream_t stream;
    unsigned *numbers, *sum;

    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), worker->name);
    nvtxRangePushA(worker->name);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&numbers, N * sizeof(*numbers)));
    CHECK(cudaMalloc((void **)&sum, sizeof(*sum)));
    CHECK(cudaMemsetAsync(sum, 0, sizeof(*sum), stream));
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        nvtxRangePushA("round");
        fill<<<N / 256, 256, 0, stream>>>(numbers, worker->seed + round);
        add_up<<<N / 256, 256, 0, stream>>>(numbers, sum);
        CHECK(cudaGetLastError());
        nvtxRangePop();
    }
    CHECK(cudaMemcpyAsync(&worker->sum, sum, sizeof(*sum), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(sum));
    CHECK(cudaStreamDestroy(stream));
    nvtxRangePop();
    return NULL;
}

int main(void)
{
    struct worker workers[2] = {{"left", 1, 0}, {"right", 2, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("left %08x, right %08x\n", workers[0].sum, workers[1].sum);
    return 0;
}
