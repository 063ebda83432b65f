/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the CUDA driver's header as nvToolsExtCuda.h and nvToolsExtMemCudaRt.h need, for
 * machines without it. */
#ifndef STUB_CUDA_H
#define STUB_CUDA_H

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;

#endif /* STUB_CUDA_H */
