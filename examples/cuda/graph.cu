/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA graph: what a stream would do is captured once and launched as one many times. Heat
 * spreads along a rod, a hundred small steps per launch.
 *
 *     rangefinder profile -o graph.rf build/bin/example-cuda-graph
 *     rangefinder profile --cuda-graph-trace=node -o nodes.rf build/bin/example-cuda-graph
 *     rangefinder stats -r cuda_gpu_trace nodes.rf
 *
 * The first records each launch as one piece of work, at little cost; the second every kernel in
 * it.
 */
#include "check.h"

#include <nvtx3/nvToolsExt.h>

enum { N_POINTS = 4096, N_STEPS = 100, N_LAUNCHES = 200 };

/* One step of time: every point moves towards the mean of its neighbours; the ends keep theirs. */
__global__ void spread(const float *from, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N_POINTS)
        return;
    if (i == 0 || i == N_POINTS - 1)
        to[i] = from[i];
    else
        to[i] = from[i] + 0.25f * (from[i - 1] - 2 * from[i] + from[i + 1]);
}

/* Nothing runs here: the stream notes what it is told. */
static cudaGraphExec_t make_graph(cudaStream_t stream, float *rod, float *other)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    nvtxRangePushA("capture the graph");
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int step = 0; step < N_STEPS; step += 2) {
        spread<<<N_POINTS / 256, 256, 0, stream>>>(rod, other);
        spread<<<N_POINTS / 256, 256, 0, stream>>>(other, rod);
    }
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    nvtxRangePop();
    return exec;
}

int main(void)
{
    static float points[N_POINTS];
    float *rod, *other;
    cudaStream_t stream;
    points[0] = 100; /* one end is hot */

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&rod, sizeof(points)));
    CHECK(cudaMalloc((void **)&other, sizeof(points)));
    CHECK(cudaMemcpy(rod, points, sizeof(points), cudaMemcpyHostToDevice));

    cudaGraphExec_t exec = make_graph(stream, rod, other);
    for (int launch = 0; launch < N_LAUNCHES; launch++) {
        nvtxRangePushA("launch");
        CHECK(cudaGraphLaunch(exec, stream));
        nvtxRangePop();
    }
    nvtxRangePushA("wait");
    CHECK(cudaStreamSynchronize(stream));
    nvtxRangePop();

    CHECK(cudaMemcpy(points, rod, sizeof(points), cudaMemcpyDeviceToHost));
    int reached = 0;
    while (reached < N_POINTS - 1 && points[reached + 1] > 1)
        reached++;
    printf("after %d steps it is over 1 degree up to point %d\n", N_LAUNCHES * N_STEPS, reached);

    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaFree(rod));
    CHECK(cudaFree(other));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
