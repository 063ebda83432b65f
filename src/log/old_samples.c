/* SPDX-License-Identifier: Apache-2.0 */
#include "log/old_samples.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/holes.h"
#include "log/metrics.h"

int rf_old_samples_init(struct rf_old_samples *old, const struct rf_log *log)
{
    old->n_samplers = 0;
    old->sampler = calloc(log->n_metrics + 1, sizeof(*old->sampler));
    if (old->sampler == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < log->n_metrics; i++)
        if (i == 0 || log->metrics[i].slot != log->metrics[i - 1].slot)
            old->sampler[old->n_samplers++].slot = log->metrics[i].slot;
    return RF_OK;
}

void rf_old_samples_release(struct rf_old_samples *old)
{
    free(old->sampler);
    old->sampler = NULL;
    old->n_samplers = 0;
}

bool rf_old_samples_may_go(const struct rf_log *log, size_t i)
{
    const struct rf_log_metrics *m = &log->metrics[i];
    struct rf_metrics_head head;
    memcpy(&head, m->data + sizeof(struct rf_chunk_header), sizeof(head));
    return head.kind != RF_METRICS_DESCRIPTION && i + 1 < log->n_metrics && m[1].slot == m->slot;
}

void rf_old_samples_add(struct rf_old_samples *old, const struct rf_log *log, size_t i)
{
    for (uint32_t k = 0; k < old->n_samplers; k++)
        if (old->sampler[k].slot == log->metrics[i].slot &&
            old->sampler[k].last_seq < log->metrics[i].seq)
            old->sampler[k].last_seq = log->metrics[i].seq;
}

/* The first chunk of a sampler, which describes it, has the number 1. */
static bool is_gone(void *context, const struct rf_chunk *chunk, const uint8_t *bytes)
{
    const struct rf_old_samples *old = context;
    const struct rf_chunk_header *header = &chunk->header;
    (void)bytes;
    for (uint32_t k = 0; header->type == RF_CHUNK_METRICS && k < old->n_samplers; k++)
        if (old->sampler[k].slot == header->slot)
            return header->seq > 1 && header->seq <= old->sampler[k].last_seq;
    return false;
}

void rf_old_samples_make_holes(const struct rf_old_samples *old, const char *session_dir)
{
    char path[PATH_MAX + 16];
    struct stat st;
    bool has_old = false;
    for (uint32_t k = 0; k < old->n_samplers; k++)
        has_old |= old->sampler[k].last_seq > 0;
    (void)snprintf(path, sizeof(path), "%s/" RF_METRICS_FILE, session_dir);
    int fd = has_old ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *data = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size > 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (data != MAP_FAILED) {
        rf_make_holes(fd, data, (uint64_t)st.st_size, is_gone, (void *)(uintptr_t)old);
        (void)munmap(data, (size_t)st.st_size);
    }
    (void)close(fd);
}
