/* SPDX-License-Identifier: Apache-2.0 */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static long long now(int c){ struct timespec t; clock_gettime(c,&t); return t.tv_sec*1000000000LL+t.tv_nsec; }
int main(void){ nvtxMarkA("warm"); for(int i=0;i<3;i++){ long long r=now(CLOCK_REALTIME),m=now(CLOCK_MONOTONIC),b=now(CLOCK_MONOTONIC_RAW); nvtxMarkA("clk"); long long r2=now(CLOCK_REALTIME); printf("clk rt=%lld mono=%lld raw=%lld d=%lld\n",r,m,b,r2-r); fflush(stdout); usleep(300000);} return 0; }
