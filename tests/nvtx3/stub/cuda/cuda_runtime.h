/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the CUDA runtime's header as nvToolsExtMemCudaRt.h needs, for machines without it. */
#ifndef STUB_CUDA_RUNTIME_H
#define STUB_CUDA_RUNTIME_H

#include "driver_types.h"

#endif /* STUB_CUDA_RUNTIME_H */
