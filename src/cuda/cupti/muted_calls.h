/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that programs make all the time, that take almost no time, and that launch nothing, by
 * CUPTI's numbers. CUPTI rejects the numbers of calls that its version lacks. */
#ifndef RF_CUDA_CUPTI_MUTED_CALLS_H
#define RF_CUDA_CUPTI_MUTED_CALLS_H

#include <stdint.h>

static const uint16_t rf_muted_runtime_calls[] = {
    10,  /* cudaGetLastError */
    11,  /* cudaPeekAtLastError */
    12,  /* cudaGetErrorString */
    17,  /* cudaGetDevice */
    209, /* cudaGetErrorName */
    317, /* cudaStreamIsCapturing */
    318, /* cudaStreamIsCapturing of the thread's default stream */
    327, /* cudaThreadExchangeStreamCaptureMode */

    /* since CUDA 13, what nvcc puts before main() and around each launch: __cuda... */
    494, /* RegisterFatBinary */
    495, /* RegisterFatBinaryEnd */
    496, /* UnregisterFatBinary */
    497, /* RegisterVar */
    498, /* RegisterHostVar */
    499, /* RegisterFunction */
    500, /* RegisterManagedVar */
    501, /* InitModule */
    502, /* PushCallConfiguration */
    503, /* PopCallConfiguration */
    504, /* GetKernel */
    507, /* RegisterUnifiedTable */
    508, /* GetProcAddress */
};

static const uint16_t rf_muted_driver_calls[] = {
    3,   /* cuDeviceGet */
    9,   /* cuDeviceGetAttribute */
    137, /* cuCtxGetLimit */
    304, /* cuCtxGetCurrent */
    310, /* cuPointerGetAttribute */
    372, /* cuGetErrorString */
    373, /* cuGetErrorName */
    392, /* cuDevicePrimaryCtxGetState */
    450, /* cuPointerGetAttributes */
    499, /* cuStreamIsCapturing */
    500, /* cuStreamIsCapturing of the thread's default stream */
    541, /* cuThreadExchangeStreamCaptureMode */
    626, /* cuGetProcAddress */
    677, /* cuGetProcAddress */
    686, /* cuKernelGetAttribute */
    719, /* cuKernelGetName, of each launch by the runtime of CUDA 13 */
};

#define RF_N_MUTED_RUNTIME_CALLS                                                                   \
    (sizeof(rf_muted_runtime_calls) / sizeof(rf_muted_runtime_calls[0]))
#define RF_N_MUTED_DRIVER_CALLS (sizeof(rf_muted_driver_calls) / sizeof(rf_muted_driver_calls[0]))
#endif
