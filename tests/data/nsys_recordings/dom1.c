/* SPDX-License-Identifier: Apache-2.0 */
// domains for include/exclude
#include <nvtx3/nvToolsExt.h>
#include <string.h>
static void mk(nvtxDomainHandle_t D,const char*m,int cat){ nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; a.messageType=1; a.message.ascii=m; a.category=cat; nvtxDomainMarkEx(D,&a); nvtxDomainRangePushEx(D,&a); nvtxDomainRangePop(D); nvtxDomainRangeEnd(D,nvtxDomainRangeStartEx(D,&a)); }
int main(void){ mk(NULL,"def",1); nvtxNameCategoryA(1,"c1"); nvtxDomainHandle_t a=nvtxDomainCreateA("A"),b=nvtxDomainCreateA("B,comma"),d=nvtxDomainCreateA("default"),e=nvtxDomainCreateA("AB"); nvtxDomainNameCategoryA(a,1,"cA"); nvtxDomainNameCategoryA(e,1,"cAB"); mk(a,"in-A",1); mk(b,"in-B,comma",1); mk(d,"in-domain-named-default",1); mk(e,"in-AB",1); nvtxDomainDestroy(e); return 0; }
