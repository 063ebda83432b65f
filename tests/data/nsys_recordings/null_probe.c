/* SPDX-License-Identifier: Apache-2.0 */
// one NULL-ish case per argv[1]; shows which crash the app under nsys
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
static nvtxEventAttributes_t A(void){ nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; return a; }
int main(int c,char**v){ nvtxEventAttributes_t a=A(); nvtxMarkA("before"); nvtxDomainHandle_t D;
 switch(atoi(v[1])){
 case 0: nvtxMarkA(NULL); break;
 case 1: nvtxRangePushA(NULL); nvtxRangePop(); break;
 case 2: nvtxMarkEx(NULL); break;
 case 3: nvtxMarkEx(&a); break;
 case 4: D=nvtxDomainCreateA(NULL); a.messageType=1; a.message.ascii="x"; nvtxDomainMarkEx(D,&a); break;
 case 5: nvtxMarkA("bad-utf8-\xff\xfe\xc3"); break;
 case 6: a.messageType=1; a.message.ascii=NULL; nvtxMarkEx(&a); break;
 case 7: a.messageType=3; a.message.registered=NULL; nvtxMarkEx(&a); break;
 case 8: nvtxRangeEnd(nvtxRangeStartA(NULL)); break;
 case 9: nvtxMarkW(NULL); break;
 case 10: nvtxDomainRegisterStringA(NULL,NULL); break;
 case 11: nvtxNameCategoryA(1,NULL); break;
 case 12: nvtxDomainDestroy(NULL); break;
 case 13: nvtxDomainRangePop((nvtxDomainHandle_t)NULL); break;
 case 14: D=nvtxDomainCreateA("d"); nvtxDomainDestroy(D); a.messageType=1; a.message.ascii="after-destroy"; nvtxDomainMarkEx(D,&a); break;
 case 15: D=nvtxDomainCreateA("d"); nvtxDomainDestroy(D); nvtxDomainDestroy(D); break;
 case 16: a.version=99; a.messageType=1; a.message.ascii="ver99"; nvtxMarkEx(&a); break;
 case 17: a.size=8; a.messageType=1; a.message.ascii="size8"; a.category=3; nvtxMarkEx(&a); break;
 case 18: a.messageType=99; a.message.ascii="mt99"; nvtxMarkEx(&a); break;
 case 19: { nvtxDomainHandle_t bogus=(nvtxDomainHandle_t)0x1234; a.messageType=1; a.message.ascii="bogusdom"; nvtxDomainMarkEx(bogus,&a);} break;
 case 20: a.messageType=3; a.message.registered=(nvtxStringHandle_t)0x1234; nvtxMarkEx(&a); break;
 case 21: a.payloadType=77; a.messageType=1; a.message.ascii="pt77"; a.payload.ullValue=9; nvtxMarkEx(&a); break;
 case 22: nvtxNameOsThreadA(1,NULL); break;
 case 23: a.colorType=9; a.color=5; a.messageType=1; a.message.ascii="ct9"; nvtxMarkEx(&a); break;
 }
 nvtxMarkA("after"); return 0; }
