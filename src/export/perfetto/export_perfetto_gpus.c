/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the machine's GPUs. */
#include "export/perfetto/export_perfetto_gpus.h"

#include <stdio.h>
#include <string.h>

#include "export/perfetto/export_perfetto_packets.h"

enum gpu_field {
    GPU_INFO_GPUS = 1,
    GPU_NAME = 1,
    GPU_VENDOR = 2,
    GPU_MODEL = 3,
    GPU_ARCHITECTURE = 4,
    GPU_UUID = 5,
    GPU_EXTRA = 6,
};

/* Perfetto tells GPUs by their place in the list. */
#define MAX_LISTED_GPUS 1024

static void put_gpu_text(struct pf_writer *to, uint32_t field, uint32_t string)
{
    size_t size;
    const char *text = rf_string(to->rec, string, &size);
    if (text != NULL)
        rf_proto_text(&to->packet, field, text, size);
}

static void put_extra_text(struct pf_writer *to, const char *key, const char *text, size_t size)
{
    if (key == NULL || text == NULL)
        return;
    size_t begin = rf_proto_begin(&to->packet, GPU_EXTRA);
    rf_proto_words(&to->packet, 1, key);
    rf_proto_text(&to->packet, 2, text, size);
    rf_proto_end(&to->packet, begin);
}

static void put_gpu_extra(struct pf_writer *to, const char *key, uint64_t value)
{
    char text[24];
    if (value != 0)
        put_extra_text(to, key, text, rf_format_u64(text, value));
}

/* What else is known, by the names of nsys's columns. */
static void put_facts(struct pf_writer *to, const struct rf_gpu *gpu)
{
    size_t size = 0;
    const char *bus = rf_string(to->rec, gpu->bus, &size);
    put_extra_text(to, "busLocation", bus, size);
    for (uint32_t i = 0; i < gpu->n_facts; i++) {
        const struct rf_gpu_fact *fact = rf_gpu_fact_at(to->rec, gpu->first_fact + i);
        const char *name = rf_string(to->rec, fact->name, NULL);
        const char *text = rf_string(to->rec, fact->text, &size);
        if (text != NULL)
            put_extra_text(to, name, text, size);
        else if (fact->number > 0)
            put_gpu_extra(to, name, (uint64_t)fact->number);
    }
}

/* The 16 bytes of "GPU-00112233-4455-...". */
static void put_gpu_uuid(struct pf_writer *to, uint32_t string)
{
    uint8_t bytes[16];
    size_t n = 0;
    const char *text = rf_string(to->rec, string, NULL);
    if (text != NULL && strncmp(text, "GPU-", 4) == 0)
        text += 4;
    for (; text != NULL && *text != '\0' && n < 32; text++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, *text | 0x20);
        if (*text == '-')
            continue;
        if (digit == NULL)
            return;
        bytes[n / 2] =
            (uint8_t)(n % 2 == 0 ? (digit - digits) << 4 : bytes[n / 2] | (digit - digits));
        n++;
    }
    if (n == 32)
        rf_proto_bytes(&to->packet, GPU_UUID, bytes, sizeof(bytes));
}

static void put_gpu(struct pf_writer *to, const struct rf_gpu *gpu)
{
    char capability[32];
    put_gpu_text(to, GPU_NAME, gpu->name);
    rf_proto_words(&to->packet, GPU_VENDOR, "NVIDIA");
    put_gpu_text(to, GPU_MODEL, gpu->name);
    put_gpu_text(to, GPU_ARCHITECTURE, gpu->chip);
    put_gpu_uuid(to, gpu->uuid);
    put_gpu_extra(to, "memory_bytes", gpu->memory_bytes);
    put_gpu_extra(to, "multiprocessors", gpu->n_multiprocessors);
    put_facts(to, gpu);
    if (gpu->capability_major == 0)
        return;
    (void)snprintf(capability, sizeof(capability), "%u.%u", gpu->capability_major,
                   gpu->capability_minor);
    size_t begin = rf_proto_begin(&to->packet, GPU_EXTRA);
    rf_proto_words(&to->packet, 1, "compute_capability");
    rf_proto_words(&to->packet, 2, capability);
    rf_proto_end(&to->packet, begin);
}

/* Where all GPUs are of one kind, kernels are said to be compiled for it. */
static void find_arch(struct pf_writer *to)
{
    const struct rf_gpu *first = rf_gpu_at(to->rec, 0);
    if (first == NULL || first->capability_major == 0)
        return;
    for (uint32_t i = 1; i < rf_n_gpus(to->rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(to->rec, i);
        if (gpu->capability_major != first->capability_major ||
            gpu->capability_minor != first->capability_minor)
            return;
    }
    (void)snprintf(to->arch_text, sizeof(to->arch_text), "sm_%u%u", first->capability_major % 1000,
                   first->capability_minor % 1000);
    to->arch = to->arch_text;
}

int pf_write_gpu_info(struct pf_writer *to)
{
    const struct rf_gpu *by_id[MAX_LISTED_GPUS] = {0};
    uint32_t n_listed = 0;
    find_arch(to);
    for (uint32_t i = 0; i < rf_n_gpus(to->rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(to->rec, i);
        if (gpu->id >= MAX_LISTED_GPUS)
            continue;
        by_id[gpu->id] = gpu;
        if (gpu->id >= n_listed)
            n_listed = gpu->id + 1;
    }
    if (n_listed == 0)
        return to->status;
    pf_begin_packet_at(to, to->begin_ns);
    size_t begin = rf_proto_begin(&to->packet, PF_PACKET_GPU_INFO);
    for (uint32_t i = 0; i < n_listed; i++) {
        size_t gpu = rf_proto_begin(&to->packet, GPU_INFO_GPUS);
        if (by_id[i] != NULL)
            put_gpu(to, by_id[i]);
        rf_proto_end(&to->packet, gpu);
    }
    rf_proto_end(&to->packet, begin);
    return pf_end_packet(to);
}
