/* SPDX-License-Identifier: Apache-2.0 */
/* usage: ends return|exit|reset|_exit|SIGNAL [KERNELS [SLEEP_MS]]
 *
 * Kernels, then the end, by one of its ways; reset is cudaDeviceReset() before the return, SIGNAL a
 * number. The line of JSON comes before. */
#include "work.cuh"

#include <signal.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
    long n_kernels = argument(argc, argv, 2, 1000);
    long sleep_ms = argument(argc, argv, 3, 0);
    nvtxRangePushA("work");
    for (long i = 0; i < n_kernels; i++)
        LAUNCH(empty, 1, 1, 0);
    CHECK(cudaDeviceSynchronize());
    nvtxRangePop();
    printf("{\"kernels\": %ld}\n", n_kernels);
    fflush(stdout);
    usleep((useconds_t)sleep_ms * 1000);
    if (strcmp(how, "reset") == 0)
        CHECK(cudaDeviceReset());
    if (strcmp(how, "exit") == 0)
        exit(3);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (atoi(how) > 0)
        raise(atoi(how));
    return 0;
}
