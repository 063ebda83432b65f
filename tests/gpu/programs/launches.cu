/* SPDX-License-Identifier: Apache-2.0 */
/* usage: launches [BURSTS [LAUNCHES [capture]]]
 *
 * What a launch of a kernel that does nothing costs the processor. A burst is short enough that the
 * queue to the GPU never fills (it holds about a thousand); waiting for it is measured apart.
 * capture: then there is one, between cudaProfilerStart and Stop, and it is measured again. */
#include "work.cuh"

static int64_t burst(long n_launches)
{
    int64_t start = now_ns();
    for (long i = 0; i < n_launches; i++)
        LAUNCH(empty, 1, 1, 0);
    return now_ns() - start;
}

static void measure_again(long n_bursts, long n_launches)
{
    std::vector<int64_t> times;
    CHECK(cudaProfilerStart());
    burst(n_launches);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaProfilerStop());
    usleep(500000); /* recording is switched off */
    for (long i = 0; i < n_bursts; i++) {
        times.push_back(burst(n_launches));
        CHECK(cudaDeviceSynchronize());
    }
    std::sort(times.begin(), times.end());
    printf(", \"after_min_ns\": %.1f, \"after_median_ns\": %.1f",
           (double)times[0] / (double)n_launches,
           (double)times[times.size() / 2] / (double)n_launches);
}

int main(int argc, char **argv)
{
    long n_bursts = std::max(argument(argc, argv, 1, 2000), 1L);
    long n_launches = std::max(argument(argc, argv, 2, 500), 1L);
    std::vector<int64_t> times;
    for (int i = 0; i < 20; i++) /* the first launches load code and make the context */
        burst(1);
    CHECK(cudaDeviceSynchronize());
    int64_t start = now_ns();
    for (long i = 0; i < n_bursts; i++) {
        times.push_back(burst(n_launches));
        CHECK(cudaDeviceSynchronize());
    }
    double whole = (double)(now_ns() - start);
    std::sort(times.begin(), times.end());
    double n = (double)n_launches;
    printf("{\"kernels\": %ld, \"min_ns\": %.1f, \"median_ns\": %.1f, \"whole_ns\": %.1f",
           20 + n_bursts * n_launches, (double)times[0] / n, (double)times[times.size() / 2] / n,
           whole / (n * (double)n_bursts));
    if (argc > 3)
        measure_again(n_bursts, n_launches);
    printf("}\n");
    return 0;
}
