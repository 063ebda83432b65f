/* SPDX-License-Identifier: Apache-2.0 */
/* A library that annotates, for programs that load it with ctypes. */
#include <nvtx3/nvToolsExt.h>

__attribute__((visibility("default"))) void annotate_by_library(const char *message);

void annotate_by_library(const char *message)
{
    nvtxMarkA(message);
}
