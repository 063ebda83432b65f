/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library that offers the functions to other languages. */
#define NVTX_EXPORT_API
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
