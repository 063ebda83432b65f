/* SPDX-License-Identifier: Apache-2.0 */
/* usage: calls [THREADS [ROUNDS]]
 *
 * Threads that copy, set, launch and wait, each in streams of its own. Every launch and every wait
 * stands in a range of its own, "launch" or "wait". */
#include "work.cuh"

#include <pthread.h>

enum { BYTES = 1 << 16, LAUNCHES = 3 };

struct worker {
    int number;
    long n_rounds;
    pthread_t thread;
};

/* What one thread works with. */
struct lane {
    cudaStream_t stream, back;
    cudaEvent_t is_done;
    char *host, *device;
};

static void lane_init(struct lane *lane)
{
    CHECK(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&lane->back, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&lane->is_done, cudaEventDisableTiming));
    CHECK(cudaMallocHost((void **)&lane->host, BYTES));
    CHECK(cudaMalloc((void **)&lane->device, BYTES));
}

static void lane_release(struct lane *lane)
{
    CHECK(cudaFree(lane->device));
    CHECK(cudaFreeHost(lane->host));
    CHECK(cudaEventDestroy(lane->is_done));
    CHECK(cudaStreamDestroy(lane->back));
    CHECK(cudaStreamDestroy(lane->stream));
}

static void round_once(struct lane *lane, int number)
{
    CHECK(cudaMemcpyAsync(lane->device, lane->host, BYTES, cudaMemcpyHostToDevice, lane->stream));
    CHECK(cudaMemsetAsync(lane->device, 0, BYTES, lane->stream));
    for (int i = 0; i < LAUNCHES; i++) {
        nvtxRangePushA("launch");
        LAUNCH(spin, 1 + number, 32, lane->stream, 20000);
        nvtxRangePop();
    }
    CHECK(cudaEventRecord(lane->is_done, lane->stream));
    CHECK(cudaStreamWaitEvent(lane->back, lane->is_done, 0));
    CHECK(cudaMemcpyAsync(lane->host, lane->device, BYTES, cudaMemcpyDeviceToHost, lane->back));
    nvtxRangePushA("wait");
    CHECK(cudaStreamSynchronize(lane->stream));
    nvtxRangePop();
    CHECK(cudaStreamSynchronize(lane->back));
}

static void *work(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    struct lane lane;
    lane_init(&lane);
    for (long round = 0; round < worker->n_rounds; round++)
        round_once(&lane, worker->number);
    lane_release(&lane);
    return NULL;
}

int main(int argc, char **argv)
{
    long n_threads = std::min(argument(argc, argv, 1, 2), 16L);
    long n_rounds = argument(argc, argv, 2, 200);
    struct worker workers[16];
    for (int i = 0; i < n_threads; i++) {
        workers[i].number = i;
        workers[i].n_rounds = n_rounds;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < n_threads; i++)
        pthread_join(workers[i].thread, NULL);
    CHECK(cudaDeviceSynchronize());
    long n = n_threads * n_rounds;
    printf("{\"kernels\": %ld, \"copies\": %ld, \"sets\": %ld, \"stream_waits\": %ld}\n",
           LAUNCHES * n, 2 * n, n, 2 * n);
    print_libraries();
    return 0;
}
