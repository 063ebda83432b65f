/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "rf_writer.h"

size_t rfw_metrics(struct rfw *w, uint32_t slot, int64_t ns, const struct rf_metrics_head *head,
                   const void *rest, size_t size)
{
    const size_t whole = (size + 7) & ~(size_t)7, at = w->metrics.size;
    const struct rf_chunk_header chunk = {.magic = RF_CHUNK_MAGIC,
                                          .type = RF_CHUNK_METRICS,
                                          .header_size = sizeof(chunk),
                                          .size = sizeof(*head) + whole,
                                          .slot = slot,
                                          .seq = ++w->metrics_seq[slot % RFW_SLOTS],
                                          .ticks = RFW_TICKS_0 + (uint64_t)ns,
                                          .mono_ns = (int64_t)RFW_TICKS_0 + ns};
    rfw_add(&w->metrics, &chunk, sizeof(chunk));
    rfw_add(&w->metrics, head, sizeof(*head));
    rfw_add(&w->metrics, rest, size);
    rfw_add(&w->metrics, &(uint64_t){0}, whole - size);
    return at;
}

void rfw_metrics_source(struct rfw *w, uint32_t slot, uint32_t device, const char *const *texts,
                        uint32_t n)
{
    struct rfw_bytes bytes = {0};
    for (uint32_t i = 0; i < 4 + 2 * n; i++)
        rfw_add(&bytes, texts[i], strlen(texts[i]) + 1);
    const struct rf_metrics_head head = {.kind = RF_METRICS_DESCRIPTION,
                                         .n_metrics = n,
                                         .n = bytes.size,
                                         .interval = 100,
                                         .trigger = 1,
                                         .device = device};
    (void)rfw_metrics(w, slot, 0, &head, bytes.data, bytes.size);
    free(bytes.data);
}

void rfw_metrics_samples(struct rfw *w, uint32_t slot, uint32_t n, const double *rows,
                         size_t n_rows)
{
    struct rfw_bytes bytes = {0};
    const double *last = rows + (n_rows - 1) * (n + 2);
    const struct rf_metrics_head head = {.kind = RF_METRICS_SAMPLES,
                                         .n_metrics = n,
                                         .n = n_rows,
                                         .start_ns = RFW_REAL_NS_0 + (int64_t)rows[0],
                                         .end_ns = RFW_REAL_NS_0 + (int64_t)last[1]};
    for (size_t i = 0; i < n_rows; i++, rows += n + 2) {
        const struct rf_metrics_sample sample = {RFW_REAL_NS_0 + (int64_t)rows[0],
                                                 RFW_REAL_NS_0 + (int64_t)rows[1]};
        rfw_add(&bytes, &sample, sizeof(sample));
        rfw_add(&bytes, rows + 2, n * sizeof(*rows));
    }
    (void)rfw_metrics(w, slot, (int64_t)last[1], &head, bytes.data, bytes.size);
    free(bytes.data);
}
