/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
int main(int c,char**v){
 if(c>2){ nvtxRangePushA("exec'd-child-range"); usleep(2000); nvtxRangePop(); nvtxMarkA("exec'd-child-mark"); return 0; }
 nvtxRangePushA("parent-outer"); nvtxRangeId_t s=nvtxRangeStartA("parent-se"); nvtxRangePushA("parent-inner-before-fork"); nvtxRangePop();
 fflush(stdout);
 pid_t p=fork();
 if(!p){ nvtxMarkA("child-mark-before-exec"); nvtxRangePushA("child-range"); usleep(1000); nvtxRangePop(); nvtxRangeEnd(s); nvtxRangePop(); usleep(1000); if(atoi(v[1])==1) exit(0); if(atoi(v[1])==2) _exit(0); execl(v[0],v[0],"0","x",NULL); _exit(1); }
 int st; waitpid(p,&st,0); nvtxMarkA("parent-after-wait"); nvtxRangeEnd(s); nvtxRangePop(); printf("parent %d child %d st %x\n",getpid(),p,st); return 3; }
