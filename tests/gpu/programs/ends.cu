/* SPDX-License-Identifier: Apache-2.0 */
/* usage: ends return|exit|reset|_exit|middle|SIGNAL [KERNELS [SLEEP_MS]]
 *
 * Kernels, then the end, by one of its ways; reset is cudaDeviceReset() before the return, SIGNAL a
 * number. The line of JSON comes before. middle: it launches for ever, each kernel waited for, until
 * another thread kills it SLEEP_MS after the line. */
#include "work.cuh"

#include <pthread.h>
#include <signal.h>

static void *kill_later(void *sleep_ms)
{
    usleep((useconds_t)(*(long *)sleep_ms) * 1000);
    kill(getpid(), SIGKILL);
    return NULL;
}

static void launch_until_killed(long sleep_ms)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, kill_later, &sleep_ms) != 0)
        exit(1);
    for (;;) {
        nvtxRangePushA("launch");
        LAUNCH(empty, 1, 1, 0);
        CHECK(cudaDeviceSynchronize());
        nvtxRangePop();
    }
}

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
    if (strcmp(how, "middle") == 0)
        launch_until_killed(sleep_ms);
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
