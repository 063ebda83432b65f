/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/metrics_chunks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/gpu_metrics/metrics_collector.h"
#include "cli/gpu_metrics/metrics_file.h"
#include "cli/gpu_metrics/metrics_writer.h"
#include "log/metrics.h"
#include "log/ticks.h"

/* ---- Chunks ---- */

/* A chunk in memory: its two headers, then `size` bytes. NULL: out of memory. */
static uint8_t *new_chunk(const struct rf_metrics_head *head, size_t size, uint8_t **rest)
{
    size_t before = sizeof(struct rf_chunk_header) + sizeof(*head);
    uint8_t *chunk = calloc(1, before + size);
    if (chunk == NULL)
        return NULL;
    memcpy(chunk + sizeof(struct rf_chunk_header), head, sizeof(*head));
    *rest = chunk + before;
    return chunk;
}

/* size: as in new_chunk(), a multiple of 8. */
static int append_chunk(struct metrics_writer *w, uint8_t *chunk, size_t size)
{
    struct rf_clock_pair now = rf_clock_pair_take(w->file->clock_kind);
    const struct rf_chunk_header header = {.magic = RF_CHUNK_MAGIC,
                                           .type = RF_CHUNK_METRICS,
                                           .header_size = sizeof(header),
                                           .size = sizeof(struct rf_metrics_head) + size,
                                           .slot = w->slot,
                                           .seq = ++w->seq,
                                           .ticks = now.ticks,
                                           .mono_ns = now.mono_ns};
    memcpy(chunk, &header, sizeof(header));
    return metrics_file_append(w->file, chunk, sizeof(header) + header.size);
}

/* ---- The description ---- */

/* Appends a text with its zero byte where there is room, and counts it in any case. */
static void add_text(uint8_t *texts, size_t *size, const char *text)
{
    size_t n = strlen(text) + 1;
    if (texts != NULL)
        memcpy(texts + *size, text, n);
    *size += n;
}

/* texts may be NULL: then only the size is computed. */
static size_t put_texts(const struct metrics_collector *gpu, uint8_t *texts)
{
    size_t size = 0;
    add_text(texts, &size, gpu->chip);
    add_text(texts, &size, gpu->device.name);
    add_text(texts, &size, gpu->device.pci);
    add_text(texts, &size, gpu->set->title);
    for (size_t i = 0; i < gpu->choice->n_chosen; i++) {
        add_text(texts, &size, gpu->choice->chosen[i]->metric);
        add_text(texts, &size, gpu->choice->chosen[i]->label);
    }
    return size;
}

void metrics_chunks_describe(struct metrics_collector *gpu)
{
    size_t size = put_texts(gpu, NULL), whole = (size + 7) & ~(size_t)7;
    struct rf_metrics_head head = {.kind = RF_METRICS_DESCRIPTION,
                                   .n_metrics = (uint32_t)gpu->choice->n_chosen,
                                   .n = size,
                                   .interval = gpu->interval,
                                   .trigger = (uint32_t)gpu->trigger,
                                   .device = (uint32_t)gpu->index};
    uint8_t *texts;
    memcpy(head.uuid, gpu->device.uuid, sizeof(head.uuid));
    uint8_t *chunk = new_chunk(&head, whole, &texts);
    if (chunk == NULL)
        return;
    (void)put_texts(gpu, texts);
    (void)append_chunk(&gpu->writer, chunk, whole);
    free(chunk);
}

/* ---- Samples ---- */

int metrics_chunks_write_rows(struct metrics_writer *w, const struct rf_pm_data_info *info,
                              size_t first, size_t n, const double *values)
{
    size_t of_values = info->n_metrics * sizeof(*values);
    size_t size = n * (sizeof(struct rf_metrics_sample) + of_values);
    const struct rf_metrics_head head = {.kind = RF_METRICS_SAMPLES,
                                         .n_metrics = (uint32_t)info->n_metrics,
                                         .n = n,
                                         .start_ns = (int64_t)info->start_ns[first],
                                         .end_ns = (int64_t)info->end_ns[first + n - 1]};
    uint8_t *at, *chunk = new_chunk(&head, size, &at);
    if (chunk == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct rf_metrics_sample sample = {(int64_t)info->start_ns[first + i],
                                                 (int64_t)info->end_ns[first + i]};
        memcpy(at, &sample, sizeof(sample));
        memcpy(at + sizeof(sample), values + i * info->n_metrics, of_values);
        at += sizeof(sample) + of_values;
    }
    int status = append_chunk(w, chunk, size);
    free(chunk);
    return status;
}

void metrics_chunks_write_loss(struct metrics_writer *w, int64_t end_ns, uint64_t n)
{
    const struct rf_metrics_head head = {
        .kind = RF_METRICS_LOST, .n = n, .start_ns = w->last_end_ns, .end_ns = end_ns};
    uint8_t *rest, *chunk = new_chunk(&head, 0, &rest);
    if (chunk != NULL)
        (void)append_chunk(w, chunk, 0);
    free(chunk);
}
