/* SPDX-License-Identifier: Apache-2.0 */
/* Two vectors are added in pieces. Each piece goes to the GPU, is added there and comes back, in
 * one of a few streams, so that copies in one stream go on beside the additions of another.
 *
 *     rangefinder profile -o vector_add.rf build/bin/example-cuda-vector_add
 *     rangefinder stats -r nvtx_gpu_proj_sum,cuda_gpu_kern_sum vector_add.rf
 *
 * A range says what the processor does: hand work to the GPU. When that work is done, later and
 * elsewhere, is what its projection shows.
 */
#include "check.h"

#include <nvtx3/nvToolsExtCudaRt.h>

enum {
    N_STREAMS = 4,
    N_PIECES = 32,
    PIECE = 1 << 20, /* elements */
    PIECE_BYTES = PIECE * (int)sizeof(float),
};

/* A stream and what belongs to the piece that is under way in it. */
struct lane {
    cudaStream_t stream;
    cudaEvent_t is_added;
    float *a, *b, *sum; /* in the GPU's memory */
};

__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

static void lane_init(struct lane *lane, int number)
{
    char name[16];
    CHECK(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&lane->is_added, cudaEventDisableTiming));
    CHECK(cudaMalloc((void **)&lane->a, PIECE_BYTES));
    CHECK(cudaMalloc((void **)&lane->b, PIECE_BYTES));
    CHECK(cudaMalloc((void **)&lane->sum, PIECE_BYTES));
    snprintf(name, sizeof(name), "lane %d", number);
    nvtxNameCudaStreamA(lane->stream, name); /* the name of its row in a viewer */
}

static void lane_release(struct lane *lane)
{
    CHECK(cudaFree(lane->a));
    CHECK(cudaFree(lane->b));
    CHECK(cudaFree(lane->sum));
    CHECK(cudaEventDestroy(lane->is_added));
    CHECK(cudaStreamDestroy(lane->stream));
}

/* Returns before anything is done: every call only queues. The processor's memory must be pinned
 * for that; a copy from other memory would wait. */
static void lane_add(struct lane *lane, const float *a, const float *b, float *sum)
{
    nvtxRangePushA("add a piece");
    CHECK(cudaMemcpyAsync(lane->a, a, PIECE_BYTES, cudaMemcpyHostToDevice, lane->stream));
    CHECK(cudaMemcpyAsync(lane->b, b, PIECE_BYTES, cudaMemcpyHostToDevice, lane->stream));
    add<<<(PIECE + 255) / 256, 256, 0, lane->stream>>>(lane->a, lane->b, lane->sum, PIECE);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(lane->is_added, lane->stream));
    CHECK(cudaMemcpyAsync(sum, lane->sum, PIECE_BYTES, cudaMemcpyDeviceToHost, lane->stream));
    nvtxRangePop();
}

static float *pinned(size_t n)
{
    float *memory = NULL;
    CHECK(cudaMallocHost((void **)&memory, n * sizeof(float)));
    return memory;
}

static long count_wrong(const float *sum, size_t n)
{
    long n_wrong = 0;
    nvtxRangePushA("verify"); /* no GPU work: it has no projection */
    for (size_t i = 0; i < n; i++)
        n_wrong += sum[i] != 3 * (float)(i % 1000);
    nvtxRangePop();
    return n_wrong;
}

int main(void)
{
    struct lane lanes[N_STREAMS];
    size_t n = (size_t)N_PIECES * PIECE;

    nvtxRangePushA("prepare");
    float *a = pinned(n), *b = pinned(n), *sum = pinned(n);
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)(i % 1000);
        b[i] = 2 * a[i];
    }
    for (int i = 0; i < N_STREAMS; i++)
        lane_init(&lanes[i], i);
    nvtxRangePop();

    nvtxRangePushA("add");
    for (int piece = 0; piece < N_PIECES; piece++) {
        size_t first = (size_t)piece * PIECE;
        lane_add(&lanes[piece % N_STREAMS], a + first, b + first, sum + first);
    }
    nvtxRangePushA("wait for the last addition");
    CHECK(cudaEventSynchronize(lanes[(N_PIECES - 1) % N_STREAMS].is_added));
    nvtxRangePop();
    CHECK(cudaDeviceSynchronize());
    nvtxRangePop();

    long n_wrong = count_wrong(sum, n);
    printf("%zu sums, %ld wrong\n", n, n_wrong);
    for (int i = 0; i < N_STREAMS; i++)
        lane_release(&lanes[i]);
    CHECK(cudaFreeHost(a));
    CHECK(cudaFreeHost(b));
    CHECK(cudaFreeHost(sum));
    return n_wrong != 0;
}
