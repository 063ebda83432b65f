/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the GPU until it has ended, and has its record (not with RF_DOUBLE_AT_LAUNCH=1); also
 * after its kind was disabled. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"

struct pending {
    pthread_mutex_t draining; /* one at a time; taken before lock */
    pthread_mutex_t lock;
    struct double_op *op;
    size_t n, size;
    struct double_op *held; /* their kinds were disabled while they ran; lock */
    size_t n_held, held_size;
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
    for (size_t i = 0; i < pending.n_held && is_forced; i++)
        add_op(&pending.held[i], 0);
    pending.n_held = is_forced ? 0 : pending.n_held;
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
    pending.n = pending.n_held = 0;
    pthread_mutex_unlock(&pending.lock);
}

/* ---- Kinds that are disabled while their work runs ---- */

static void hold(const struct double_op *op)
{
    if (pending.n_held < pending.held_size ||
        cupti_grow(&pending.held, &pending.held_size, sizeof *pending.held))
        pending.held[pending.n_held++] = *op;
    else
        cupti_drop_record();
}

void cupti_hold(uint32_t kind)
{
    size_t n = 0;
    pthread_mutex_lock(&pending.draining);
    pthread_mutex_lock(&pending.lock);
    uint64_t now = cupti_gpu()->now();
    for (size_t i = 0; i < pending.n; i++) {
        if (pending.op[i].end > now && cupti_kind_of(&pending.op[i]) == kind)
            hold(&pending.op[i]);
        else
            pending.op[n++] = pending.op[i];
    }
    pending.n = n;
    pthread_mutex_unlock(&pending.lock);
    pthread_mutex_unlock(&pending.draining);
}

void cupti_release_held(uint32_t kind)
{
    size_t n = 0;
    pthread_mutex_lock(&pending.draining);
    pthread_mutex_lock(&pending.lock);
    uint64_t now = cupti_gpu()->now();
    for (size_t i = 0; i < pending.n_held; i++) {
        struct double_op op = pending.held[i];
        if (cupti_kind_of(&op) != kind) {
            pending.held[n++] = op;
            continue;
        }
        op.end = now;
        add_op(&op, now);
    }
    pending.n_held = n;
    pthread_mutex_unlock(&pending.lock);
    pthread_mutex_unlock(&pending.draining);
}

bool cupti_is_any_pending(void)
{
    bool is_any = false;
    pthread_mutex_lock(&pending.lock);
    uint64_t now = cupti_gpu() ? cupti_gpu()->now() : 0;
    for (size_t i = 0; i < pending.n; i++)
        is_any |= pending.op[i].end > now;
    pthread_mutex_unlock(&pending.lock);
    return is_any;
}
