/* SPDX-License-Identifier: Apache-2.0 */
/* N push/pop pairs with random gaps between all events, in one thread.
 *
 *     gaps N GAP_NS names    50 names of 24 bytes that are used again and again
 *     gaps N GAP_NS torch    a text of 24 bytes that is new each time, like those of PyTorch's
 *                            autograd: an operator and its sequence number
 *     gaps N GAP_NS nested   names of a domain, registered, in each other, of random depth
 *
 * Gaps are of 0 to GAP_NS, each as likely as any other; 0: there are none. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define N_NAMES 50u

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t n)
{
    uint64_t state = random_state;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    random_state = state;
    return n == 0 ? 0 : (uint32_t)((state >> 32) % n);
}

static uint32_t gap_ticks;

static void pause_for_a_while(void)
{
    if (gap_ticks == 0)
        return;
    const uint64_t until = measure_ticks() + random_below(gap_ticks);
    while (measure_ticks() < until)
        ;
}

static void names(long n)
{
    char name[N_NAMES][25];
    for (uint32_t i = 0; i < N_NAMES; i++)
        (void)snprintf(name[i], sizeof(name[i]), "name of 24 bytes, no. %02u", i % 100u);
    for (long i = 0; i < n; i++) {
        nvtxRangePushA(name[random_below(N_NAMES)]);
        pause_for_a_while();
        nvtxRangePop();
        pause_for_a_while();
    }
}

static void torch(long n)
{
    static const char *const operators[] = {"aten::addmm", "aten::relu", "aten::conv2",
                                            "aten::copy_", "aten::sum",  "aten::view"};
    char text[64];
    for (long i = 0; i < n; i++) {
        const char *name = operators[random_below(6)];
        int size = snprintf(text, sizeof(text), "%s, seq = %ld", name, i);
        for (; size < 24; size++)
            text[size] = ' ';
        text[24] = '\0';
        nvtxRangePushA(text);
        pause_for_a_while();
        nvtxRangePop();
        pause_for_a_while();
    }
}

static void nested(long n)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("nested");
    nvtxEventAttributes_t attributes[N_NAMES];
    long depth = 0, begun = 0;
    memset(attributes, 0, sizeof(attributes));
    for (uint32_t i = 0; i < N_NAMES; i++) {
        char name[25];
        (void)snprintf(name, sizeof(name), "name of 24 bytes, no. %02u", i % 100u);
        attributes[i].version = NVTX_VERSION;
        attributes[i].size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        attributes[i].messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        attributes[i].message.registered = nvtxDomainRegisterStringA(domain, name);
    }
    while (begun < n || depth > 0) {
        if (begun < n && (depth == 0 || (depth < 8 && random_below(2) == 0))) {
            nvtxDomainRangePushEx(domain, &attributes[random_below(N_NAMES)]);
            depth++;
            begun++;
        } else {
            nvtxDomainRangePop(domain);
            depth--;
        }
        pause_for_a_while();
    }
}

int main(int argc, char **argv)
{
    const long n = argc > 1 ? atol(argv[1]) : 1000000;
    const long gap_ns = argc > 2 ? atol(argv[2]) : 0;
    const char *kind = argc > 3 ? argv[3] : "names";
    if (n < 0 || gap_ns < 0 || gap_ns > 1000000)
        return 2;
    gap_ticks = gap_ns > 0 ? (uint32_t)((double)gap_ns / measure_ns_per_tick()) : 0;
    if (strcmp(kind, "names") == 0)
        names(n);
    else if (strcmp(kind, "torch") == 0)
        torch(n);
    else if (strcmp(kind, "nested") == 0)
        nested(n);
    else
        return 2;
    return 0;
}
