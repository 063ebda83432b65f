/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs share. Each prints one line of JSON: what it asked of the GPU, and what it
 * measured itself; the checks compare that with the recording.
 *
 * They also build without nvcc, as C++ against libraries that stand in for CUDA's
 * (RF_GPU_STANDIN): then there are no kernels, only their launches. */
#ifndef WORK_CUH
#define WORK_CUH

#ifdef RF_GPU_STANDIN
#include "standin.h"
#else
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#define LAUNCH(kernel, grid, block, stream, ...)                                                   \
    do {                                                                                           \
        kernel<<<grid, block, 0, stream>>>(__VA_ARGS__);                                           \
        CHECK(cudaGetLastError());                                                                 \
    } while (0)
#endif

#include <algorithm>
#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

static inline void check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(1);
}

static inline int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline long argument(int argc, char **argv, int i, long otherwise)
{
    return i < argc ? atol(argv[i]) : otherwise;
}

/* Which libcupti this process has, as the last lines of standard output. */
static inline void print_libraries(void)
{
    char line[4096], last[4096] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        char *path = strchr(line, '/');
        if (path == NULL || strstr(path, "libcupti") == NULL || strcmp(path, last) == 0)
            continue;
        snprintf(last, sizeof(last), "%s", path);
        printf("library %s", path);
    }
    if (maps != NULL)
        fclose(maps);
}

#ifndef RF_GPU_STANDIN
__global__ void empty(void)
{
}

/* Takes the GPU so many of its clock's cycles. */
__global__ void spin(long long n_cycles)
{
    long long start = clock64();
    while (clock64() - start < n_cycles)
        ;
}
#endif

#endif
