/* SPDX-License-Identifier: Apache-2.0 */
/* usage: graphs [LAUNCHES [KERNELS [late]]]
 *
 * A graph of a copy, a memset and some kernels, launched many times; a range "graph" around each.
 * late: cudaProfilerStart and Stop stand around the launches; the graph was made before. */
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

int main(int argc, char **argv)
{
    long n_launches = argument(argc, argv, 1, 100);
    long n_kernels = argument(argc, argv, 2, 20);
    cudaStream_t stream;
    char *host, *device;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost((void **)&host, BYTES));
    CHECK(cudaMalloc((void **)&device, BYTES));
    cudaGraphExec_t exec = make_graph(stream, device, host, n_kernels);
    bool is_late = argc > 3 && strcmp(argv[3], "late") == 0;
    if (is_late)
        CHECK(cudaProfilerStart());
    for (long i = 0; i < n_launches; i++) {
        nvtxRangePushA("graph");
        CHECK(cudaGraphLaunch(exec, stream));
        nvtxRangePop();
    }
    if (is_late)
        CHECK(cudaProfilerStop());
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(exec));
    printf("{\"graphs\": %ld, \"kernels_per_graph\": %ld}\n", n_launches, n_kernels);
    return 0;
}
