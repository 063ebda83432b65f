/* SPDX-License-Identifier: Apache-2.0 */
// NVTX -> SQLite mapping probe: everything except errors
#define _GNU_SOURCE
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <string.h>
#include <pthread.h>
#include <stdio.h>
static nvtxEventAttributes_t A(void){ nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; return a; }
static void msg(nvtxEventAttributes_t*a,const char*m){ a->messageType=NVTX_MESSAGE_TYPE_ASCII; a->message.ascii=m; }
static nvtxRangeId_t gid; static nvtxDomainHandle_t D;
static void* thr(void*p){ (void)p; nvtxNameOsThreadA(syscall(SYS_gettid),"worker-named"); nvtxRangePushA("in-thread"); usleep(500); nvtxRangePop(); nvtxRangeEnd(gid); return 0; }
int main(void){
  nvtxMarkA("mark-default");
  nvtxMarkW(L"mark-wide-\u00e9\u65e5\U0001F600");
  nvtxMarkA("mark-utf8-é日😀");
  nvtxMarkA("");
  nvtxMarkA("bad-utf8-\xff\xfe\xc3");
  nvtxRangePushA("push-outer"); nvtxRangePushW(L"push-wide"); usleep(100); nvtxRangePop(); nvtxRangePushA(""); nvtxRangePop(); nvtxRangePop();
  nvtxRangeId_t s=nvtxRangeStartA("se-default"); nvtxRangeId_t s2=nvtxRangeStartW(L"se-wide"); usleep(100); nvtxRangeEnd(s); nvtxRangeEnd(s2);
  fprintf(stderr,"ids %llu %llu\n",(unsigned long long)s,(unsigned long long)s2);
  gid=nvtxRangeStartA("se-other-thread");
  pthread_t t; pthread_create(&t,0,thr,0); pthread_join(t,0);
  nvtxNameOsThreadA(syscall(SYS_gettid),"main-named");
  nvtxNameOsThreadW(12345,L"bogus-tid-named");
  nvtxNameCategoryA(5,"cat-default-5"); nvtxNameCategoryW(6,L"cat-default-6w");
  nvtxNameCategoryA(5,"cat-default-5-renamed");
  D=nvtxDomainCreateA("dom.one");
  nvtxDomainHandle_t D2=nvtxDomainCreateW(L"dom.two.\u00e9");
  nvtxDomainHandle_t D3=nvtxDomainCreateA("dom.one"); // same name again
  nvtxDomainHandle_t D4=D; nvtxDomainHandle_t D5=NULL;
  fprintf(stderr,"dom %p %p %p %p %p\n",(void*)D,(void*)D2,(void*)D3,(void*)D4,(void*)D5);
  nvtxDomainNameCategoryA(D,5,"cat-dom1-5"); nvtxDomainNameCategoryA(D,0,"cat-dom1-0");
  nvtxStringHandle_t r1=nvtxDomainRegisterStringA(D,"reg-one"), r2=nvtxDomainRegisterStringW(D,L"reg-wide"), r3=nvtxDomainRegisterStringA(D,"reg-one"), r4=nvtxDomainRegisterStringA(D,""), r5=nvtxDomainRegisterStringA(NULL,"reg-defdomain"), r6=nvtxDomainRegisterStringA(D2,"reg-one");
  fprintf(stderr,"reg %p %p %p %p %p %p\n",(void*)r1,(void*)r2,(void*)r3,(void*)r4,(void*)r5,(void*)r6);
  nvtxStringHandle_t rs[]={r1,r2,r3,r4}; nvtxEventAttributes_t a;
  for(int i=0;i<4;i++){ a=A(); a.messageType=NVTX_MESSAGE_TYPE_REGISTERED; a.message.registered=rs[i]; nvtxDomainMarkEx(D,&a);}    
  a=A(); a.messageType=NVTX_MESSAGE_TYPE_REGISTERED; a.message.registered=r5; nvtxMarkEx(&a);
  a=A(); a.messageType=NVTX_MESSAGE_TYPE_REGISTERED; a.message.registered=r6; nvtxDomainMarkEx(D2,&a);
  a=A(); a.messageType=NVTX_MESSAGE_TYPE_REGISTERED; a.message.registered=r6; nvtxDomainMarkEx(D,&a); // wrong domain
  a=A(); msg(&a,"dom3-mark"); nvtxDomainMarkEx(D3,&a);
  a=A(); msg(&a,"dom4-mark(empty name)"); nvtxDomainMarkEx(D4,&a);
  a=A(); msg(&a,"dom5-mark(null name)"); nvtxDomainMarkEx(D5,&a);
  // colours
  a=A(); msg(&a,"color-ff0000ff"); a.colorType=NVTX_COLOR_ARGB; a.color=0xff0000ff; nvtxMarkEx(&a);
  a=A(); msg(&a,"color-7f123456"); a.colorType=NVTX_COLOR_ARGB; a.color=0x7f123456; nvtxMarkEx(&a);
  a=A(); msg(&a,"color-00abcdef"); a.colorType=NVTX_COLOR_ARGB; a.color=0x00abcdef; nvtxMarkEx(&a);
  a=A(); msg(&a,"color-0"); a.colorType=NVTX_COLOR_ARGB; a.color=0; nvtxMarkEx(&a);
  a=A(); msg(&a,"color-unknown-type-but-set"); a.color=0xff00ff00; nvtxMarkEx(&a);
  // category
  a=A(); msg(&a,"cat5"); a.category=5; nvtxMarkEx(&a);
  a=A(); msg(&a,"cat77-unnamed"); a.category=77; nvtxMarkEx(&a);
  a=A(); msg(&a,"cat4294967295"); a.category=0xffffffffu; nvtxMarkEx(&a);
  a=A(); msg(&a,"dom-cat5"); a.category=5; nvtxDomainMarkEx(D,&a);
  // payloads
  a=A(); msg(&a,"pl-u64"); a.payloadType=NVTX_PAYLOAD_TYPE_UNSIGNED_INT64; a.payload.ullValue=18446744073709551615ull; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-i64"); a.payloadType=NVTX_PAYLOAD_TYPE_INT64; a.payload.llValue=-5; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-dbl"); a.payloadType=NVTX_PAYLOAD_TYPE_DOUBLE; a.payload.dValue=3.25; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-u32"); a.payloadType=NVTX_PAYLOAD_TYPE_UNSIGNED_INT32; a.payload.uiValue=4294967295u; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-i32"); a.payloadType=NVTX_PAYLOAD_TYPE_INT32; a.payload.iValue=-7; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-flt"); a.payloadType=NVTX_PAYLOAD_TYPE_FLOAT; a.payload.fValue=1.1f; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-u64-0"); a.payloadType=NVTX_PAYLOAD_TYPE_UNSIGNED_INT64; a.payload.ullValue=0; nvtxMarkEx(&a);
  a=A(); msg(&a,"pl-push-u64"); a.payloadType=NVTX_PAYLOAD_TYPE_UNSIGNED_INT64; a.payload.ullValue=42; a.category=5; a.colorType=1; a.color=0xffaabbcc; nvtxRangePushEx(&a); nvtxRangePop();
  a=A(); msg(&a,"pl-se-u64"); a.payloadType=NVTX_PAYLOAD_TYPE_UNSIGNED_INT64; a.payload.ullValue=43; a.category=5; a.colorType=1; a.color=0xffaabbcc; s=nvtxRangeStartEx(&a); nvtxRangeEnd(s);
  a=A(); nvtxMarkEx(&a); // no message at all

  a=A(); msg(&a,"dom-push"); printf("lvl %d\n",nvtxDomainRangePushEx(D,&a)); printf("lvl %d\n",nvtxRangePushA("def-inside")); printf("pop %d\n",nvtxDomainRangePop(D)); printf("pop %d\n",nvtxRangePop());
  a=A(); msg(&a,"dom-se"); s=nvtxDomainRangeStartEx(D,&a); printf("id %llu\n",(unsigned long long)s); nvtxDomainRangeEnd(D,s);
  // resources
  nvtxResourceAttributes_t ra; memset(&ra,0,sizeof ra); ra.version=NVTX_VERSION; ra.size=NVTX_RESOURCE_ATTRIB_STRUCT_SIZE; ra.identifierType=NVTX_RESOURCE_TYPE_GENERIC_POINTER; ra.identifier.pValue=&ra; ra.messageType=NVTX_MESSAGE_TYPE_ASCII; ra.message.ascii="res-one";
  nvtxResourceHandle_t rh=nvtxDomainResourceCreate(D,&ra); printf("res %p\n",(void*)rh); nvtxDomainResourceDestroy(rh);
  // sync
  nvtxSyncUserAttributes_t sa; memset(&sa,0,sizeof sa); sa.version=NVTX_VERSION; sa.size=NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE; sa.messageType=NVTX_MESSAGE_TYPE_ASCII; sa.message.ascii="sync-one";
  nvtxSyncUser_t su=nvtxDomainSyncUserCreate(D,&sa); printf("sync %p\n",(void*)su); nvtxDomainSyncUserAcquireStart(su); nvtxDomainSyncUserAcquireSuccess(su); nvtxDomainSyncUserReleasing(su); nvtxDomainSyncUserDestroy(su);
  nvtxDomainDestroy(D2);
  a=A(); msg(&a,"after-destroy"); nvtxDomainMarkEx(D2,&a);
  return 0; }
