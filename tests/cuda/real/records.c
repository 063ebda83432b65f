/* SPDX-License-Identifier: Apache-2.0 */
/* cuptiActivityGetNextRecord() goes through any buffer: the size of a kind's records is how far it
 * goes. So the stand-in's records have the size of the real ones, version by version, and what the
 * recorder reads of a record lies inside it. */
#include <stdio.h>
#include <string.h>

#include "cupti.h"
#include "probe.h"

static uint32_t version_to_lay;

uint32_t cupti_version(void)
{
    return version_to_lay;
}

uint64_t cupti_time(uint64_t true_time)
{
    return true_time;
}

/* A buffer in which any multiple of 8 bytes may be the beginning of a record of the kind. */
static size_t real_size(const struct rf_cupti *cupti, uint32_t kind)
{
    static uint32_t buffer[1024] __attribute__((aligned(8)));
    uint8_t *bytes = (uint8_t *)buffer;
    struct rf_cupti_record *record = NULL;
    memset(buffer, 0, sizeof(buffer));
    for (size_t i = 0; i < sizeof(buffer) / 8; i++)
        buffer[2 * i] = kind;
    if (cupti->get_next_record(bytes, sizeof(buffer), &record) != 0 || (uint8_t *)record != bytes ||
        cupti->get_next_record(bytes, sizeof(buffer), &record) != 0)
        return 0;
    return (size_t)((uint8_t *)record - bytes);
}

/* One record, and the end behind it. */
static void check_end(const struct rf_cupti *cupti, uint32_t kind, size_t size)
{
    static uint32_t buffer[64] __attribute__((aligned(8)));
    uint8_t *bytes = (uint8_t *)buffer;
    struct rf_cupti_record *record = NULL;
    memset(buffer, 0, sizeof(buffer));
    buffer[0] = kind;
    int first = cupti->get_next_record(bytes, size, &record);
    int second = cupti->get_next_record(bytes, size, &record);
    if (first != 0 || second != RF_CUPTI_ERROR_MAX_LIMIT_REACHED)
        probe_fail("kind %u: one record, then the end: %d, %d", kind, first, second);
}

void probe_records(const struct rf_cupti *cupti, int major, uint32_t version)
{
    static const struct {
        uint32_t kind;
        size_t least; /* that the recorder reads, whatever the version */
    } kinds[] = {
        {RF_CUPTI_KIND_MEMCPY, RF_CUPTI_MEMCPY_SIZE_11_8},
        {RF_CUPTI_KIND_MEMSET, sizeof(struct rf_cupti_memset)},
        {RF_CUPTI_KIND_DRIVER, sizeof(struct rf_cupti_api_record)},
        {RF_CUPTI_KIND_RUNTIME, sizeof(struct rf_cupti_api_record)},
        {RF_CUPTI_KIND_DEVICE, sizeof(struct rf_cupti_device)},
        {RF_CUPTI_KIND_CONTEXT, sizeof(struct rf_cupti_context)},
        {RF_CUPTI_KIND_CONCURRENT_KERNEL, RF_CUPTI_KERNEL_SIZE_11_8},
        {RF_CUPTI_KIND_OVERHEAD, RF_CUPTI_OVERHEAD_SIZE_11_8},
        {RF_CUPTI_KIND_MEMCPY2, sizeof(struct rf_cupti_memcpy2)},
        {RF_CUPTI_KIND_CUDA_EVENT, RF_CUPTI_EVENT_SIZE_11_8},
        {RF_CUPTI_KIND_STREAM, sizeof(struct rf_cupti_stream)},
        {RF_CUPTI_KIND_SYNCHRONIZATION, RF_CUPTI_SYNCHRONIZATION_SIZE_11_8},
        {RF_CUPTI_KIND_MEMORY2, sizeof(struct rf_cupti_memory2)},
        {RF_CUPTI_KIND_GRAPH_TRACE, RF_CUPTI_GRAPH_TRACE_SIZE_11_8},
    };
    /* 12.0 and 12.1 say the version of 11.8; their records are those of 12. */
    version_to_lay = major == 12 && version == RF_CUPTI_11_8 ? RF_CUPTI_11_8 + 1 : version;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint32_t kind = kinds[i].kind;
        size_t size = real_size(cupti, kind);
        size_t ours = cupti_record_size(kind);
        if (size < kinds[i].least)
            probe_fail("kind %u: records of %zu bytes, %zu are read", kind, size, kinds[i].least);
        else if (size != ours)
            probe_fail("kind %u: records of %zu bytes, the stand-in's have %zu", kind, size, ours);
        else
            check_end(cupti, kind, size);
    }
}
