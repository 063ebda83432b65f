/* SPDX-License-Identifier: Apache-2.0 */
/* What bench_armed measures, compiled twice: in the program, whose copy of NVTX finds the recorder,
 * and in armed_nothing.so, whose copy finds a library that does nothing. */
#ifndef RF_BENCH_ARMED_PAIRS_H
#define RF_BENCH_ARMED_PAIRS_H

#include <nvtx3/nvToolsExt.h>

#include <string.h>

struct armed_pairs {
    void (*text)(int n);
    void (*registered)(int n);
    void (*start_end)(int n);
    void (*mark)(int n);
};

static nvtxDomainHandle_t pairs_domain;
static nvtxEventAttributes_t pairs_event;

static void pairs_text(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxRangePushA("a message of 24 bytes ab");
        nvtxRangePop();
    }
}

static void pairs_registered(int n)
{
    for (int i = 0; i < n; i++) {
        nvtxDomainRangePushEx(pairs_domain, &pairs_event);
        nvtxDomainRangePop(pairs_domain);
    }
}

static void pairs_start_end(int n)
{
    for (int i = 0; i < n; i++)
        nvtxRangeEnd(nvtxRangeStartA("a message of 24 bytes ab"));
}

static void pairs_mark(int n)
{
    for (int i = 0; i < n; i++)
        nvtxMarkA("a message of 24 bytes ab");
}

/* The first annotation of this copy of NVTX, which then has its tool. */
static void pairs_begin(struct armed_pairs *pairs)
{
    pairs_domain = nvtxDomainCreateA("bench");
    memset(&pairs_event, 0, sizeof(pairs_event));
    pairs_event.version = NVTX_VERSION;
    pairs_event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    pairs_event.colorType = NVTX_COLOR_ARGB;
    pairs_event.color = 0xff00ff00;
    pairs_event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    pairs_event.payload.ullValue = 42;
    pairs_event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    pairs_event.message.registered = nvtxDomainRegisterStringA(pairs_domain, "registered");
    *pairs = (struct armed_pairs){pairs_text, pairs_registered, pairs_start_end, pairs_mark};
}

#endif
