/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: asked for when a record needs room, delivered when they are full, by a thread of this
 * library (not with RF_DOUBLE_HOLD=1), or by the flush, on the thread that flushes. Since 13.0 each
 * thread has a buffer of its own for its calls. What a delivered buffer's names point to is
 * overwritten and freed when the callback has returned.
 *
 * RF_DOUBLE_AT_LAUNCH=1: work has its record when it is launched, beside its call's, and a buffer
 * is kept back until all its work has ended, as the documentation of cuptiActivityFlushAll says;
 * otherwise when it has ended. RF_DOUBLE_EAGER=1: whoever gives a buffer back asks for the next one
 * at once, so that libcupti always has some. A client that does not zero its buffers has it done
 * for it, on the thread that launches: a line "zeroed" in RF_DOUBLE_CALLS. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cupti.h"

#define MIN_BUFFER_SIZE 65536u

/* Work whose record stands in a buffer, at this byte. */
struct launched {
    size_t at;
    struct double_op op;
    const char *name;
};

struct buffer {
    uint8_t *bytes;
    size_t size, used;
    size_t max_records, n_records; /* max 0: as many as there is room for */
    char **names;
    size_t n_names, names_size;
    struct launched *launched;
    size_t n_launched, launched_size;
    uint64_t ready; /* when all of that will have ended */
    struct buffer *next;
};

/* Who fills a buffer. */
struct holder {
    pthread_mutex_t lock;
    struct buffer *current;
    struct holder *next; /* list of all: buffers.lock */
};

struct buffers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    rf_cupti_request *request;
    rf_cupti_complete *complete;
    struct holder *holders;
    struct buffer *full, **full_tail;
    uint32_t n_delivering;
    bool has_worker;
};

static struct buffers buffers = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .full_tail = &buffers.full,
};
static struct holder gpu_holder = {.lock = PTHREAD_MUTEX_INITIALIZER};
static bool is_gpu_holder_listed; /* buffers.lock */
static __thread struct holder *own_holder;

/* ---- A buffer ---- */

static void check_buffer(const uint8_t *bytes, size_t size)
{
    if (!bytes || !size)
        cupti_violation("no buffer was given");
    else if ((uintptr_t)bytes % 8)
        cupti_violation("the buffer at %p is not aligned to 8 bytes", (const void *)bytes);
    else if (size < MIN_BUFFER_SIZE)
        cupti_violation("a buffer of %zu bytes is too small", size);
}

/* The client says that it gives zeroed buffers, or has them zeroed. */
static void make_zero(uint8_t *bytes, size_t size)
{
    if (!cupti_is_zeroed()) {
        memset(bytes, 0, size);
        cupti_note("zeroed %zu", size);
    } else if (size > MIN_BUFFER_SIZE && memcmp(bytes, bytes + 1, size - 1) != 0) {
        cupti_check_zero(); /* the least is what a client without memory gives, to several */
    }
}

static struct buffer *request_buffer(void)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    enum cupti_inside before = cupti_inside();
    buffer->max_records = SIZE_MAX; /* shall be set */
    cupti_set_inside(CUPTI_IN_REQUEST);
    buffers.request(&buffer->bytes, &buffer->size, &buffer->max_records);
    cupti_set_inside(before);
    check_buffer(buffer->bytes, buffer->size);
    if (buffer->max_records == SIZE_MAX)
        cupti_violation("the number of records was not set");
    if (!buffer->bytes || buffer->size < CUPTI_MAX_RECORD)
        abort();
    make_zero(buffer->bytes, buffer->size);
    return buffer;
}

static void spoil_names(struct buffer *buffer)
{
    for (size_t i = 0; i < buffer->n_names; i++) {
        memset(buffer->names[i], 0xDD, strlen(buffer->names[i]));
        free(buffer->names[i]);
    }
    free(buffer->names);
}

static void lay_launched(struct buffer *buffer)
{
    uint64_t now = cupti_gpu()->now();
    for (size_t i = 0; i < buffer->n_launched; i++) {
        const struct launched *launched = &buffer->launched[i];
        uint8_t record[CUPTI_MAX_RECORD];
        cupti_lay_op_now(record, &launched->op, launched->name, now);
        memcpy(buffer->bytes + launched->at, record,
               cupti_record_size(cupti_kind_of(&launched->op)));
    }
    free(buffer->launched);
}

static void deliver(struct buffer *buffer)
{
    size_t rest = buffer->size - buffer->used;
    if (!cupti_is_zeroed())
        memset(buffer->bytes + buffer->used, 0xEE, rest < 512 ? rest : 512);
    lay_launched(buffer);
    enum cupti_inside before = cupti_inside();
    cupti_set_inside(CUPTI_IN_COMPLETE);
    buffers.complete(NULL, 0, buffer->bytes, buffer->size, buffer->used);
    cupti_set_inside(before);
    spoil_names(buffer);
    free(buffer);
}

/* ---- Full ones ---- */

static void put_full(struct buffer *buffer)
{
    pthread_mutex_lock(&buffers.lock);
    *buffers.full_tail = buffer;
    buffers.full_tail = &buffer->next;
    pthread_cond_broadcast(&buffers.changed);
    pthread_mutex_unlock(&buffers.lock);
}

static bool is_ready(const struct buffer *buffer, bool is_forced)
{
    return is_forced || buffer->ready == 0 || buffer->ready <= cupti_gpu()->now();
}

/* The first one that may be delivered, or NULL; with the lock. */
static struct buffer *take_full(bool is_forced)
{
    struct buffer **place = &buffers.full;
    while (*place && !is_ready(*place, is_forced))
        place = &(*place)->next;
    struct buffer *buffer = *place;
    if (buffer)
        *place = buffer->next;
    if (buffer && !*place)
        buffers.full_tail = place;
    return buffer;
}

/* Delivers one after the other. */
static void deliver_full(bool is_forced)
{
    struct buffer *buffer;
    pthread_mutex_lock(&buffers.lock);
    while ((buffer = take_full(is_forced))) {
        buffers.n_delivering++;
        pthread_mutex_unlock(&buffers.lock);
        deliver(buffer);
        pthread_mutex_lock(&buffers.lock);
        buffers.n_delivering--;
        pthread_cond_broadcast(&buffers.changed);
    }
    pthread_mutex_unlock(&buffers.lock);
}

/* ---- Filling ---- */

static struct holder *list_holder(struct holder *holder)
{
    pthread_mutex_lock(&buffers.lock);
    if (holder != &gpu_holder || !is_gpu_holder_listed) {
        holder->next = buffers.holders;
        buffers.holders = holder;
    }
    is_gpu_holder_listed |= holder == &gpu_holder;
    pthread_mutex_unlock(&buffers.lock);
    return holder;
}

static struct holder *find_holder(bool is_gpu)
{
    if (is_gpu || !cupti_is_per_thread())
        return list_holder(&gpu_holder);
    if (!own_holder) {
        struct holder *holder = calloc(1, sizeof *holder);
        if (!holder)
            return list_holder(&gpu_holder);
        pthread_mutex_init(&holder->lock, NULL);
        own_holder = list_holder(holder);
    }
    return own_holder;
}

static bool has_room(const struct buffer *buffer, size_t size)
{
    return buffer && buffer->size - buffer->used >= size &&
           (buffer->max_records == 0 || buffer->n_records < buffer->max_records);
}

/* False: there is no memory. */
static bool add_to(struct holder *holder, const uint8_t *record, size_t size, char *name)
{
    if (!has_room(holder->current, size)) {
        if (holder->current)
            put_full(holder->current);
        holder->current = request_buffer();
    }
    struct buffer *buffer = holder->current;
    if (!buffer || (name && buffer->n_names == buffer->names_size &&
                    !cupti_grow(&buffer->names, &buffer->names_size, sizeof *buffer->names)))
        return false;
    memcpy(buffer->bytes + buffer->used, record, size);
    buffer->used += size;
    buffer->n_records++;
    if (name)
        buffer->names[buffer->n_names++] = name;
    return true;
}

void cupti_add(const uint8_t *record, size_t size, char *name, bool is_gpu)
{
    if (cupti_replay_version()) {
        free(name);
        return;
    }
    struct holder *holder = find_holder(is_gpu);
    pthread_mutex_lock(&holder->lock);
    bool is_added = add_to(holder, record, size, name);
    pthread_mutex_unlock(&holder->lock);
    if (is_added)
        return;
    free(name);
    cupti_drop_record();
}

/* ---- Work that has its record when it is launched ---- */

static bool note_launched(struct buffer *buffer, size_t size, const struct double_op *op,
                          const char *name)
{
    if (buffer->n_launched == buffer->launched_size &&
        !cupti_grow(&buffer->launched, &buffer->launched_size, sizeof *buffer->launched))
        return false;
    buffer->launched[buffer->n_launched++] = (struct launched){buffer->used - size, *op, name};
    if (op->end > buffer->ready)
        buffer->ready = op->end;
    return true;
}

void cupti_add_launched(const struct double_op *op)
{
    uint8_t record[CUPTI_MAX_RECORD];
    size_t size = cupti_record_size(cupti_kind_of(op));
    char *name = op->name ? strdup(op->name) : NULL;
    struct holder *holder = find_holder(false);
    cupti_lay_op_now(record, op, name, 0);
    pthread_mutex_lock(&holder->lock);
    if (!add_to(holder, record, size, name) || !note_launched(holder->current, size, op, name))
        cupti_drop_record();
    pthread_mutex_unlock(&holder->lock);
}

/* ---- The thread of this library, and flushes ---- */

/* Only once kernels are enabled: what is replayed has them. */
static bool replays(void)
{
    static bool is_done;
    if (!cupti_replay_version())
        return false;
    if (!is_done && cupti_is_enabled(10)) {
        is_done = true;
        cupti_replay_all(buffers.request, buffers.complete);
    }
    return true;
}

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        if (replays())
            continue;
        cupti_drain_pending(false);
        if (!double_setting("RF_DOUBLE_HOLD", 0))
            deliver_full(false);
    }
    return NULL;
}

static void start_worker(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cupti_set_buffer_callbacks(rf_cupti_request *request, rf_cupti_complete *complete)
{
    buffers.request = request;
    buffers.complete = complete;
    if (!buffers.has_worker)
        start_worker();
    buffers.has_worker = true;
}

static void take_current(struct holder *holder, bool is_forced)
{
    pthread_mutex_lock(&holder->lock);
    if (holder->current && holder->current->used && is_ready(holder->current, is_forced)) {
        put_full(holder->current);
        holder->current = double_setting("RF_DOUBLE_EAGER", 0) ? request_buffer() : NULL;
    }
    pthread_mutex_unlock(&holder->lock);
}

void cupti_flush(bool is_forced)
{
    if (!buffers.complete)
        return;
    cupti_drain_pending(is_forced);
    pthread_mutex_lock(&buffers.lock);
    struct holder *first = buffers.holders;
    pthread_mutex_unlock(&buffers.lock);
    for (struct holder *holder = first; holder; holder = holder->next)
        take_current(holder, is_forced);
    deliver_full(is_forced);
    pthread_mutex_lock(&buffers.lock);
    while (buffers.n_delivering)
        pthread_cond_wait(&buffers.changed, &buffers.lock);
    pthread_mutex_unlock(&buffers.lock);
}

static void forget(struct buffer *buffer)
{
    if (buffer)
        buffer->used = buffer->n_records = buffer->n_launched = buffer->ready = 0;
}

void cupti_forget_records(void)
{
    cupti_forget_pending();
    pthread_mutex_lock(&buffers.lock);
    for (struct buffer *buffer = buffers.full; buffer; buffer = buffer->next)
        forget(buffer);
    struct holder *first = buffers.holders;
    pthread_mutex_unlock(&buffers.lock);
    for (struct holder *holder = first; holder; holder = holder->next) {
        pthread_mutex_lock(&holder->lock);
        forget(holder->current);
        pthread_mutex_unlock(&holder->lock);
    }
}
