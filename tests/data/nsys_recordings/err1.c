/* SPDX-License-Identifier: Apache-2.0 */
// unbalanced / misuse probe
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <unistd.h>
#include <string.h>
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
static nvtxEventAttributes_t A(const char*m){ nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; a.messageType=1; a.message.ascii=m; return a; }
static void* thr(void*p){ (void)p; nvtxRangePushA("thread-open-at-thread-exit"); usleep(300); return 0; }
static void* poper(void*p){ (void)p; nvtxRangePop(); return 0; }
int main(void){ nvtxEventAttributes_t a; nvtxRangeId_t s; pthread_t t;
 nvtxRangePop(); nvtxMarkA("after-pop-without-push");
 nvtxRangeEnd(999999); nvtxMarkA("after-bogus-end"); nvtxRangeEnd(0);
 s=nvtxRangeStartA("end-twice"); usleep(100); nvtxRangeEnd(s); usleep(100); nvtxRangeEnd(s);
 s=nvtxRangeStartA("ended-via-other-domain"); nvtxDomainHandle_t D=nvtxDomainCreateA("D"); nvtxDomainRangeEnd(D,s);
 a=A("dom-started-ended-in-default"); s=nvtxDomainRangeStartEx(D,&a); nvtxRangeEnd(s);
 nvtxRangeStartA("start-never-ended");
 nvtxRangePushA("popped-by-other-thread?"); pthread_create(&t,0,poper,0); pthread_join(t,0); usleep(100); nvtxRangePop();
 pthread_create(&t,0,thr,0); pthread_join(t,0);
 a=A("dom-open-at-destroy-push"); nvtxDomainRangePushEx(D,&a);
 a=A("dom-open-at-destroy-se"); s=nvtxDomainRangeStartEx(D,&a);
 nvtxDomainDestroy(D); usleep(100);
 nvtxDomainRangePop(D); nvtxDomainRangeEnd(D,s);
 nvtxDomainHandle_t E=nvtxDomainCreateA("E"); a=A("E-open-push"); nvtxDomainRangePushEx(E,&a); a=A("E-open-se"); nvtxDomainRangeStartEx(E,&a); nvtxDomainDestroy(E);
 nvtxDomainHandle_t F=nvtxDomainCreateA("D"); printf("recreated D %p\n",(void*)F); a=A("in-recreated-D"); nvtxDomainMarkEx(F,&a);
 // interleaved push/pop across domains: push default, push D, pop default, pop D
 nvtxRangePushA("x-def"); a=A("x-D"); nvtxDomainRangePushEx(F,&a); nvtxRangePop(); nvtxDomainRangePop(F);
 nvtxRangePushA("never-popped-outer"); nvtxRangePushA("never-popped-inner");
 nvtxMarkA("last"); usleep(1000); return 0; }
