/* SPDX-License-Identifier: Apache-2.0 */
// argv[1]: 0 abort, 1 SIGKILL self, 2 _exit(5), 3 quick_exit, 4 SIGTERM self, 5 SEGV, 6 SIGKILL after 2 s, 7 SIGKILL after 200k events, 8 SIGINT self, 9 exit(9) from thread, 10 pthread_exit main, 11 execve self-replace /bin/true
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>
#include <stdlib.h>
#include <signal.h>
#include <stdio.h>
#include <pthread.h>
static void*thr(void*p){ nvtxMarkA("thr"); exit(9); return p; }
int main(int c,char**v){ int m=atoi(v[1]); nvtxRangePushA("open-outer"); nvtxRangePushA("closed"); usleep(1000); nvtxRangePop(); nvtxMarkA("m");
 if(m==6){ for(int i=0;i<20;i++){ nvtxRangePushA("tick"); usleep(100000); nvtxRangePop(); } }
 if(m==7){ for(int i=0;i<200000;i++){ nvtxRangePushA("burst"); nvtxRangePop(); } }
 pthread_t t;
 switch(m){ case 0: abort(); case 1: case 6: case 7: kill(getpid(),SIGKILL); case 2: _exit(5); case 3: quick_exit(6); case 4: raise(SIGTERM); case 5: *(volatile int*)0=1; case 8: raise(SIGINT); case 9: pthread_create(&t,0,thr,0); pause(); case 10: pthread_exit(0); case 11: execl("/bin/true","true",NULL);}
 return 0; }
