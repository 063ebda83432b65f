/* SPDX-License-Identifier: Apache-2.0 */
// extended payload schema + counters under nsys 2022.4
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <string.h>
#include <stdio.h>
#include <stddef.h>
typedef struct { int32_t a; double b; uint64_t c; const char* s; } P;
int main(void){
 nvtxDomainHandle_t D=nvtxDomainCreateA("PD");
 nvtxPayloadSchemaEntry_t e[]={ {0,NVTX_PAYLOAD_ENTRY_TYPE_INT32,"a",NULL,0,offsetof(P,a),NULL,NULL},{0,NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE,"b",NULL,0,offsetof(P,b),NULL,NULL},{0,NVTX_PAYLOAD_ENTRY_TYPE_UINT64,"c",NULL,0,offsetof(P,c),NULL,NULL}};
 nvtxPayloadSchemaAttr_t sa; memset(&sa,0,sizeof sa); sa.fieldMask=NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE|NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES|NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES|NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE|NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME; sa.name="MySchema"; sa.type=NVTX_PAYLOAD_SCHEMA_TYPE_STATIC; sa.entries=e; sa.numEntries=3; sa.payloadStaticSize=sizeof(P);
 uint64_t id=nvtxPayloadSchemaRegister(D,&sa); printf("schema id %llu\n",(unsigned long long)id);
 P p={-3,2.5,77,"x"}; nvtxPayloadData_t pd={id,sizeof p,&p};
 nvtxEventAttributes_t a; memset(&a,0,sizeof a); a.version=NVTX_VERSION; a.size=NVTX_EVENT_ATTRIB_STRUCT_SIZE; a.messageType=1; a.message.ascii="ext-mark"; a.payloadType=NVTX_PAYLOAD_TYPE_EXT; a.reserved0=1; a.payload.ullValue=(uint64_t)(uintptr_t)&pd; nvtxDomainMarkEx(D,&a); a.message.ascii="ext-push"; nvtxDomainRangePushEx(D,&a); nvtxDomainRangePop(D);
 return 0; }
