/* SPDX-License-Identifier: Apache-2.0 */
/* counters: samples counters of the domain "app" as its arguments say, one after another:
 *
 *     i:NAME=VALUE u:NAME=VALUE r:NAME=VALUE    a signed or unsigned integer, a real number
 *     none:NAME                                 a sample without a value, of a counter from above
 *     push:NAME pop:                            a range of the default domain
 *     repeat:N                                  goes back to the beginning, N times in all */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

#define MAX_COUNTERS 16

static nvtxDomainHandle_t domain;

/* The id of a counter, which is registered when it comes first. */
static uint64_t counter_of(const char *name, uint64_t type)
{
    static struct {
        char name[64];
        uint64_t id;
    } counter[MAX_COUNTERS];
    int i = 0;
    while (i + 1 < MAX_COUNTERS && counter[i].id != 0 && strcmp(counter[i].name, name) != 0)
        i++;
    if (counter[i].id == 0) {
        nvtxCounterAttr_t attr = {.structSize = sizeof(attr), .schemaId = type, .name = name};
        (void)snprintf(counter[i].name, sizeof(counter[i].name), "%s", name);
        counter[i].id = nvtxCounterRegister(domain, &attr);
    }
    return counter[i].id;
}

static void sample(const char *verb, const char *name, const char *value)
{
    const double real = strtod(value, NULL);
    const uint64_t whole = strtoull(value, NULL, 10);
    if (verb[0] == 'i')
        nvtxCounterSampleInt64(domain, counter_of(name, NVTX_PAYLOAD_ENTRY_TYPE_INT64),
                               (int64_t)whole);
    else if (verb[0] == 'u')
        nvtxCounterSample(domain, counter_of(name, NVTX_PAYLOAD_ENTRY_TYPE_UINT64), &whole,
                          sizeof(whole));
    else if (verb[0] == 'r')
        nvtxCounterSampleFloat64(domain, counter_of(name, NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE), real);
    else if (strcmp(verb, "none") == 0)
        nvtxCounterSampleNoValue(domain, counter_of(name, 0), NVTX_COUNTER_SAMPLE_UNAVAILABLE);
    else if (strcmp(verb, "push") == 0)
        (void)nvtxRangePushA(name);
    else if (strcmp(verb, "pop") == 0)
        (void)nvtxRangePop();
}

int main(int argc, char **argv)
{
    int n_rounds = 1;
    domain = nvtxDomainCreateA("app");
    for (int i = 1; i < argc; i++) {
        char verb[16], name[64];
        const size_t length = strcspn(argv[i], ":"), left = strlen(argv[i] + length);
        const char *rest = argv[i] + length + (left > 0), *value = strchr(rest, '=');
        (void)snprintf(verb, sizeof(verb), "%.*s", (int)length, argv[i]);
        (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "="), rest);
        if (strcmp(verb, "repeat") == 0)
            i = n_rounds++ < atoi(rest) ? 0 : i;
        else
            sample(verb, name, value != NULL ? value + 1 : "");
    }
    return 0;
}
