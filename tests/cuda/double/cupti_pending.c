/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the GPU until it has ended, and has its record (not with RF_DOUBLE_AT_LAUNCH=1). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"

struct pending {
    pthread_mutex_t draining; /* one at a time; taken before lock */
    pthread_mutex_t lock;
    struct double_op *op;
    size_t n, size;
};

static struct pending pending = {.draining = PTHREAD_MUTEX_INITIALIZER,
                                 .lock = PTHREAD_MUTEX_INITIALIZER};

bool cupti_grow(void *array, size_t *size, size_t item)
{
    void *memory = *(void **)array;
    size_t larger = *size ? 2 * *size : 1024;
    memory = realloc(memory, larger * item);
    if (!memory)
        return false;
    *(void **)array = memory;
    *size = larger;
    return true;
}

void cupti_lay_op_now(uint8_t *record, const struct double_op *op, const char *name, uint64_t now)
{
    struct double_op seen = *op;
    seen.start = op->start ? cupti_time(op->start) : 0;
    seen.end = op->end && op->end <= now ? cupti_time(op->end) : 0;
    cupti_lay_op(record, &seen, name);
}

void cupti_add_pending(const struct double_op *op)
{
    if (double_setting("RF_DOUBLE_AT_LAUNCH", 0)) {
        cupti_add_launched(op);
        return;
    }
    pthread_mutex_lock(&pending.lock);
    if (pending.n < pending.size || cupti_grow(&pending.op, &pending.size, sizeof *pending.op))
        pending.op[pending.n++] = *op;
    else
        cupti_drop_record();
    pthread_mutex_unlock(&pending.lock);
}

static void add_op(const struct double_op *op, uint64_t now)
{
    uint8_t record[CUPTI_MAX_RECORD];
    char *name = op->name ? strdup(op->name) : NULL;
    if (op->name && !name) {
        cupti_drop_record();
        return;
    }
    cupti_lay_op_now(record, op, name, now);
    cupti_add(record, cupti_record_size(cupti_kind_of(op)), name, true);
}

void cupti_drain_pending(bool is_forced)
{
    pthread_mutex_lock(&pending.draining);
    pthread_mutex_lock(&pending.lock);
    struct double_op *taken = pending.op;
    size_t n = pending.n, n_left = 0;
    pending.op = NULL;
    pending.n = pending.size = 0;
    pthread_mutex_unlock(&pending.lock);

    uint64_t now = cupti_gpu()->now();
    for (size_t i = 0; i < n; i++) {
        if (taken[i].end > now && !is_forced)
            taken[n_left++] = taken[i];
        else
            add_op(&taken[i], now);
    }
    for (size_t i = 0; i < n_left; i++)
        cupti_add_pending(&taken[i]);
    free(taken);
    pthread_mutex_unlock(&pending.draining);
}

void cupti_forget_pending(void)
{
    pthread_mutex_lock(&pending.lock);
    pending.n = 0;
    pthread_mutex_unlock(&pending.lock);
}
