/* SPDX-License-Identifier: Apache-2.0 */
/* volume THREADS THOUSANDS: that many thousand events in all, with a pattern that rf-verify knows:
 * each thread numbers its own, with its number above them in the payload. Of four, the first is a
 * mark, the second a push around the third, a push too, and the fourth a started range.
 * volume THREADS THOUSANDS marks: marks only, flat out. */
#include <nvtx3/nvToolsExt.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t n_events_each;
static int only_marks;

static nvtxEventAttributes_t attributes_of(uint64_t thread, uint64_t i)
{
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = i % 3 == 0 ? "volume" : "a volume of twenty-four b";
    a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    a.payload.ullValue = thread << 40 | i;
    return a;
}

static void *emit(void *number)
{
    uint64_t thread = (uint64_t)(uintptr_t)number;
    for (uint64_t i = 0; i < n_events_each; i++) {
        nvtxEventAttributes_t a = attributes_of(thread, i);
        if (only_marks || i % 4 == 0) {
            nvtxMarkEx(&a);
        } else if (i % 4 == 1) {
            nvtxRangePushEx(&a);
        } else if (i % 4 == 2) {
            nvtxRangePushEx(&a);
            nvtxRangePop();
        } else {
            nvtxRangePop();
            nvtxRangeEnd(nvtxRangeStartEx(&a));
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: volume THREADS THOUSANDS [marks]\n");
        return 2;
    }
    unsigned n_threads = (unsigned)strtoul(argv[1], NULL, 10);
    n_events_each = strtoull(argv[2], NULL, 10) * 1000 / n_threads / 4 * 4;
    only_marks = argc > 3;
    pthread_t *threads = calloc(n_threads, sizeof *threads);
    if (!threads)
        return 1;
    for (uintptr_t i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, emit, (void *)i))
            return 1;
    for (unsigned i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    printf("%llu\n", (unsigned long long)(n_events_each * n_threads));
    free(threads);
    return 0;
}
