/* SPDX-License-Identifier: Apache-2.0 */
/* A library that annotates, for programs that load it with ctypes. */
#include <nvtx3/nvToolsExt.h>

__attribute__((visibility("default"))) void library_mark(const char *message);

void library_mark(const char *message)
{
    nvtxMarkA(message);
}
