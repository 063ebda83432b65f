/* SPDX-License-Identifier: Apache-2.0 */
/* A call of the CUDA runtime that fails ends the example, and says where. */
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

static inline void check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
    exit(1);
}

#endif
