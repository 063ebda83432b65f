/* SPDX-License-Identifier: Apache-2.0 */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static void* f(void*p){ nvtxDomainHandle_t D=nvtxDomainCreateA("MyLib"); nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; a.messageType=1; a.message.ascii="work"; nvtxDomainRangePushEx(D,&a); usleep(500); nvtxDomainRangePop(D); return p; }
int main(void){ pthread_t t[3]; for(int i=0;i<3;i++){ pthread_create(&t[i],0,f,0); pthread_join(t[i],0);} return 0; }
