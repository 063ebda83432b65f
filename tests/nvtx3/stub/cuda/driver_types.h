/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the CUDA runtime's header as nvToolsExtCudaRt.h needs, for machines without it. */
#ifndef STUB_DRIVER_TYPES_H
#define STUB_DRIVER_TYPES_H

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaArray *cudaArray_t;

#endif /* STUB_DRIVER_TYPES_H */
