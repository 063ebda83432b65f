/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each kind of annotation, which makes N of them; instructions.sh counts the
 * instructions inside each.
 *
 *     instructions N
 *
 * Every function runs once before with a few annotations, so that what happens once per thread or
 * process is not in the count. */
#include <nvtx3/nvToolsExt.h>

#include <stdlib.h>
#include <string.h>

#define MEASURED __attribute__((noinline, noclone)) void
static const char text[] = "a message of 24 bytes ab";
static nvtxDomainHandle_t domain;
static nvtxEventAttributes_t registered, full, payload;

MEASURED measured_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxRangePushA(text);
        nvtxRangePop();
    }
}

MEASURED measured_start_end(long n)
{
    for (long i = 0; i < n; i++)
        nvtxRangeEnd(nvtxRangeStartA(text));
}

MEASURED measured_mark(long n)
{
    for (long i = 0; i < n; i++)
        nvtxMarkA(text);
}

MEASURED measured_payload_mark(long n)
{
    for (long i = 0; i < n; i++)
        nvtxMarkEx(&payload);
}

MEASURED measured_registered_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &registered);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_full_push_pop(long n)
{
    for (long i = 0; i < n; i++) {
        nvtxDomainRangePushEx(domain, &full);
        nvtxDomainRangePop(domain);
    }
}

MEASURED measured_domain_start_end(long n)
{
    for (long i = 0; i < n; i++)
        nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &full));
}

static void run_all(long n)
{
    measured_push_pop(n);
    measured_start_end(n);
    measured_mark(n);
    measured_payload_mark(n);
    measured_registered_push_pop(n);
    measured_full_push_pop(n);
    measured_domain_start_end(n);
}

static void init_attributes(nvtxEventAttributes_t *event)
{
    memset(event, 0, sizeof(*event));
    event->version = NVTX_VERSION;
    event->size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 10000;
    domain = nvtxDomainCreateA("instructions");
    init_attributes(&registered);
    registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    registered.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    init_attributes(&full);
    full.messageType = NVTX_MESSAGE_TYPE_ASCII;
    full.message.ascii = text;
    full.colorType = NVTX_COLOR_ARGB;
    full.color = 0xff00ff00;
    full.category = 7;
    full.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    full.payload.ullValue = 42;
    init_attributes(&payload);
    payload.messageType = NVTX_MESSAGE_TYPE_ASCII;
    payload.message.ascii = text;
    payload.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    payload.payload.dValue = 0.5;
    run_all(10);
    run_all(n);
    return 0;
}
