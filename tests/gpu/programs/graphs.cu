/* SPDX-License-Identifier: Apache-2.0 */
/* usage: graphs [LAUNCHES [KERNELS [late|empty [CAPTURES]]]]
 *
 * A graph of a copy, a memset and some kernels, launched many times; a range "graph" around each.
 * late: cudaProfilerStart and Stop stand around the launches, as often as CAPTURES says, which are
 * as many each time; the graph was made before. empty: besides, around nothing, before it was
 * made. */
#include "work.cuh"

enum { BYTES = 4096 };

static cudaGraphExec_t make_graph(cudaStream_t stream, char *device, char *host, long n_kernels)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemsetAsync(device, 1, BYTES, stream));
    for (long i = 0; i < n_kernels; i++)
        LAUNCH(spin, 1, 32, stream, 2000);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
}

static void launch(cudaGraphExec_t exec, cudaStream_t stream, long n_launches)
{
    for (long i = 0; i < n_launches; i++) {
        nvtxRangePushA("graph");
        CHECK(cudaGraphLaunch(exec, stream));
        nvtxRangePop();
    }
}

int main(int argc, char **argv)
{
    long n_launches = argument(argc, argv, 1, 100);
    long n_kernels = argument(argc, argv, 2, 20);
    cudaStream_t stream;
    char *host, *device;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&host, BYTES));
    CHECK(cudaMalloc((void **)&device, BYTES));
    long n_captures = argument(argc, argv, 4, 1);
    if (argc > 3 && strcmp(argv[3], "empty") == 0) {
        CHECK(cudaProfilerStart());
        CHECK(cudaProfilerStop());
        usleep(300000);
    }
    cudaGraphExec_t exec = make_graph(stream, device, host, n_kernels);
    for (long i = 0; i < n_captures; i++) {
        if (argc > 3)
            CHECK(cudaProfilerStart());
        launch(exec, stream, n_launches);
        if (argc > 3)
            CHECK(cudaProfilerStop());
        CHECK(cudaStreamSynchronize(stream));
        usleep(i + 1 < n_captures ? 300000 : 0); /* recording is switched off */
    }
    CHECK(cudaGraphExecDestroy(exec));
    printf("{\"graphs\": %ld, \"kernels_per_graph\": %ld}\n", n_launches, n_kernels);
    return 0;
}
