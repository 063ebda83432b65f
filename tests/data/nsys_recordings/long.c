/* SPDX-License-Identifier: Apache-2.0 */
#include <nvtx3/nvToolsExt.h>
#include <string.h>
#include <stdlib.h>
int main(void){ int n[]={255,1023,4095,8191,65535,1<<20}; for(int i=0;i<6;i++){ char*s=malloc(n[i]+1); memset(s,'a'+i,n[i]); s[n[i]]=0; nvtxMarkA(s); nvtxStringHandle_t h=nvtxDomainRegisterStringA(NULL,s); nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; a.messageType=3; a.message.registered=h; nvtxMarkEx(&a);} nvtxMarkA("tab\tnl\nquote\"'back\\"); return 0; }
