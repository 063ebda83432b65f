/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded as nsys's library is: in every program it names a tool of NVTX, whatever was named
 * before. */
#include <stdlib.h>

__attribute__((constructor)) static void name_tool(void)
{
    const char *tool = getenv("NVTX_TEST_NAMED");
    if (tool != NULL)
        (void)setenv("NVTX_INJECTION64_PATH", tool, 1);
}
