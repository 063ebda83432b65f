/* SPDX-License-Identifier: Apache-2.0 */
/* usage: batches [BATCHES [KERNELS]]
 *
 * Ranges "batch N", each around some kernels and the two CUDA events around them, from which the
 * GPU's own clock says how long they took. Before each range a kernel keeps the GPU busy until all
 * of this is queued, so that nothing is measured of how fast the processor is. */
#include "work.cuh"

int main(int argc, char **argv)
{
    long n_batches = argument(argc, argv, 1, 50);
    long n_kernels = argument(argc, argv, 2, 5);
    cudaStream_t stream;
    cudaEvent_t first, last;
    std::vector<float> elapsed_ms;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&first, cudaEventDefault));
    CHECK(cudaEventCreateWithFlags(&last, cudaEventDefault));
    LAUNCH(spin, 1, 1, stream, 1000); /* loads the code */
    CHECK(cudaStreamSynchronize(stream));
    for (long i = 0; i < n_batches; i++) {
        char name[32];
        float ms = 0;
        snprintf(name, sizeof(name), "batch %ld", i);
        LAUNCH(spin, 1, 1, stream, 1000000);
        nvtxRangePushA(name);
        CHECK(cudaEventRecord(first, stream));
        for (long k = 0; k < n_kernels; k++)
            LAUNCH(spin, 1, 32, stream, 100000 * (1 + i % 4));
        CHECK(cudaEventRecord(last, stream));
        nvtxRangePop();
        CHECK(cudaEventSynchronize(last));
        CHECK(cudaEventElapsedTime(&ms, first, last));
        elapsed_ms.push_back(ms);
    }
    printf("{\"kernels\": %ld, \"elapsed_us\": [", 1 + n_batches * (n_kernels + 1));
    for (size_t i = 0; i < elapsed_ms.size(); i++)
        printf("%s%.3f", i > 0 ? ", " : "", 1000 * elapsed_ms[i]);
    printf("]}\n");
    return 0;
}
