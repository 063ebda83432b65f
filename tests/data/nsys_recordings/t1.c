/* SPDX-License-Identifier: Apache-2.0 */
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>
int main(void){ nvtxMarkA("m1"); nvtxRangePushA("r1"); usleep(1000); nvtxRangePop(); return 7; }
