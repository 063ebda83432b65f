/* SPDX-License-Identifier: Apache-2.0 */
// cases that may break the nsys importer
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
static nvtxEventAttributes_t A(void){ nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; return a; }
int main(int c,char**v){ nvtxEventAttributes_t a=A(); nvtxMarkA("before"); nvtxDomainHandle_t D; nvtxStringHandle_t r;
 switch(atoi(v[1])){
 case 0: D=nvtxDomainCreateA(""); a.messageType=1; a.message.ascii="in-empty-dom"; nvtxDomainMarkEx(D,&a); break;
 case 1: D=nvtxDomainCreateA("d"); r=nvtxDomainRegisterStringA(D,""); a.messageType=3; a.message.registered=r; nvtxDomainMarkEx(D,&a); break;
 case 2: D=nvtxDomainCreateA("d"); r=nvtxDomainRegisterStringA(D,"reg"); a.messageType=3; a.message.registered=r; nvtxMarkEx(&a); break;
 case 3: D=nvtxDomainCreateA("d"); nvtxDomainCreateA("d"); break;
 case 4: nvtxRangePushEx(&a); nvtxRangePop(); break;
 case 5: nvtxRangeEnd(nvtxRangeStartEx(&a)); break;
 case 6: nvtxNameCategoryA(5,""); break;
 case 7: nvtxNameCategoryA(5,"x"); nvtxNameCategoryA(5,"y"); a.category=5; a.messageType=1; a.message.ascii="m"; nvtxMarkEx(&a); break;
 case 8: nvtxNameCategoryA(0,"zero"); break;
 case 9: a.messageType=1; a.message.ascii="big"; a.category=0xffffffffu; nvtxMarkEx(&a); break;
 case 10: a.messageType=1; a.message.ascii="u64"; a.payloadType=1; a.payload.ullValue=~0ull; nvtxMarkEx(&a); break;
 case 11: r=nvtxDomainRegisterStringA(NULL,"regdef"); a.messageType=3; a.message.registered=r; nvtxMarkEx(&a); break;
 case 12: D=nvtxDomainCreateA("d"); nvtxDomainNameCategoryA(D,0,"c0"); break;
 case 13: nvtxRangePushA(""); nvtxRangePop(); break;
 case 14: nvtxMarkW(L""); break;
 case 15: nvtxNameOsThreadA(1,""); break;
 case 16: D=nvtxDomainCreateA("d"); r=nvtxDomainRegisterStringA(D,"reg"); nvtxDomainHandle_t E=nvtxDomainCreateA("e"); nvtxStringHandle_t q=nvtxDomainRegisterStringA(E,"reg-e"); a.messageType=3; a.message.registered=r; nvtxDomainMarkEx(E,&a); (void)q; break;
 }
 nvtxMarkA("after"); return 0; }
