/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "cli/drain/bus_guard.h"
#include "cli/ring/ring_clock.h"
#include "cli/ring/ring_triggers.h"
#include "cli/say.h"
#include "log/recycle.h"
#include "log/ring_held.h"
#include "log/ticks.h"
#include "session/session_dir.h"

#define LOOK_NS   5000000LL    /* between looks at the logs, where they grow slowly, */
#define SOON_NS   200000LL     /* and where they grow fast; */
#define EACH_NS   50000LL      /* and so much longer for each of them */
#define RETRY_NS  1000000000LL /* after parts could not be recycled */
#define NAME_ROOM (PATH_MAX + 48)

struct cli_ring {
    const char *dir;
    struct rf_control *control;
    pthread_t thread;
    pthread_mutex_t lock; /* of must_stop, and held while the logs are read: by one at a time */
    pthread_cond_t changed;
    bool must_stop;
    bool has_said;      /* why nothing can be recycled */
    bool is_stuck;      /* nothing could be recycled the last time: each thread keeps its newest, or
                         * somebody reads it */
    int64_t look_ns;    /* until the next look */
    uint64_t left_size; /* of the parts that are held, after the last one */
    int64_t retry_ns;
    int64_t age_next_ns; /* when to look for parts that are too old */
    struct ring_triggers triggers;
};

/* ---- Recycling ---- */

/* The clock's value keep_ns ago; 0: parts may be of any age. */
static uint64_t oldest_ticks(const struct cli_ring *ring)
{
    const int64_t keep_ns = ring->control->ring.keep_ns;
    const struct ring_clock clock = ring_clock_read(ring->control);
    const int64_t past_ns = clock.now.mono_ns - ring->control->clock[0].mono_ns;
    if (keep_ns == 0 || past_ns <= keep_ns)
        return 0;
    return clock.now.ticks - (uint64_t)((double)keep_ns / clock.ns_per_tick);
}

/* Programs that are faster than their parts are recycled wait, but not for what cannot go. */
static void set_stuck(struct cli_ring *ring, bool is_stuck)
{
    __atomic_store_n(&ring->control->ring.is_stuck, (uint32_t)is_stuck, __ATOMIC_RELAXED);
}

/* Looks so often that an eighth of the ring comes in between at most. */
static void pace(struct cli_ring *ring)
{
    const uint64_t ring_size = ring->control->ring.size, held = rf_ring_held(ring->control);
    const uint64_t came = held > ring->left_size ? held - ring->left_size : 0;
    if (came > ring_size / 8 && ring->look_ns > SOON_NS)
        ring->look_ns /= 2;
    else if (came < ring_size / 32 && ring->look_ns < LOOK_NS)
        ring->look_ns *= 2;
}

/* Where the logs are larger than the ring, a fourth of it goes at once. */
static void recycle(struct cli_ring *ring)
{
    struct rf_ring *page = &ring->control->ring;
    const int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    struct rf_recycled recycled;
    struct rf_err err;
    const uint64_t held = rf_ring_held(ring->control);
    const bool is_full = held > page->size - page->size / 16;
    const bool is_due = page->keep_ns != 0 && now >= ring->age_next_ns;
    if ((!is_full && !is_due) || now < ring->retry_ns)
        return;
    /* before it is gone; a program that is faster than the rules does not wait for them */
    while (ring_triggers_look(&ring->triggers) && rf_ring_held(ring->control) < page->size / 2 * 3)
        ;
    ring->age_next_ns = now + page->keep_ns / 8;
    const uint64_t keep = is_full ? page->size / 4 * 3 : UINT64_MAX;
    const bool must_go = held > 2 * page->size + RF_RING_READER_ROOM;
    if (must_go) /* programs wait again, or it would grow while it is recycled */
        set_stuck(ring, false);
    if (rf_recycle(ring->dir, keep, oldest_ticks(ring), must_go, &recycled, &err) != RF_OK) {
        ring->retry_ns = now + RETRY_NS;
        set_stuck(ring, true);
        if (!ring->has_said)
            cli_say("%s; the ring grows", err.text);
        ring->has_said = true;
        return;
    }
    /* each thread keeps its newest, or it is being read */
    const bool is_stuck = is_full && recycled.n_less <= 0;
    set_stuck(ring, is_stuck);
    if (is_stuck)
        ring->retry_ns = now + RETRY_NS / 100;
    rf_ring_add(ring->control, -recycled.n_less);
    page->n_records += recycled.n_records;
    page->n_bytes += recycled.n_bytes;
}

static struct timespec time_of(int64_t ns)
{
    return (struct timespec){ns / 1000000000, (long)(ns % 1000000000)};
}

static void *run(void *context)
{
    struct cli_ring *ring = context;
    (void)pthread_mutex_lock(&ring->lock);
    while (!ring->must_stop) {
        const uint32_t n = __atomic_load_n(&ring->control->n_processes, __ATOMIC_RELAXED);
        pace(ring);
        recycle(ring);
        ring->left_size = rf_ring_held(ring->control);
        ring_triggers_run(&ring->triggers);
        const struct timespec until =
            time_of(rf_clock_ns(CLOCK_MONOTONIC) + ring->look_ns + EACH_NS * (n < 1000 ? n : 1000));
        (void)pthread_cond_timedwait(&ring->changed, &ring->lock, &until);
    }
    ring->retry_ns = 0;
    recycle(ring);
    set_stuck(ring, true);
    ring_triggers_finish(&ring->triggers);
    (void)pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* ---- For others ---- */

int cli_ring_snapshot(struct cli_ring *ring, const struct snapshot_reason *reason, char *path,
                      size_t size, struct rf_err *err)
{
    const struct timespec pause = {0, LOOK_NS};
    struct cuda_wait gpu = {0};
    (void)pthread_mutex_lock(&ring->lock);
    while (!ring_triggers_has_gpu_work(&ring->triggers, &gpu)) {
        (void)pthread_mutex_unlock(&ring->lock);
        (void)nanosleep(&pause, NULL);
        (void)pthread_mutex_lock(&ring->lock);
    }
    int status = snapshots_take(&ring->triggers.snapshots, reason, path, size, err);
    (void)pthread_mutex_unlock(&ring->lock);
    return status;
}

void cli_ring_set_sampler(struct cli_ring *ring, const struct cli_gpu_sampler *sampler)
{
    if (ring == NULL)
        return;
    (void)pthread_mutex_lock(&ring->lock);
    ring->triggers.sampler = sampler;
    (void)pthread_mutex_unlock(&ring->lock);
}

void cli_ring_press(struct cli_ring *ring)
{
    __atomic_store_n(&ring->triggers.is_pressed, true, __ATOMIC_RELEASE);
}

void cli_ring_root_ended(struct cli_ring *ring, int status)
{
    if (ring == NULL)
        return;
    ring->triggers.root_status = status;
    __atomic_store_n(&ring->triggers.has_root_ended, true, __ATOMIC_RELEASE);
}

/* ---- Beginning and end ---- */

static void init_locks(struct cli_ring *ring)
{
    pthread_condattr_t attributes;
    (void)pthread_mutex_init(&ring->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&ring->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

struct cli_ring *cli_ring_start(const struct cli_ring_config *config)
{
    struct cli_ring *ring = calloc(1, sizeof(*ring));
    sigset_t all, before;
    int code = ENOMEM;
    if (ring != NULL) {
        ring->dir = config->snapshots.dir;
        ring->control = config->snapshots.control;
        ring->look_ns = LOOK_NS;
        ring_triggers_init(&ring->triggers, config);
        init_locks(ring);
        bus_guard_thread_mask(&all);
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        code = pthread_create(&ring->thread, NULL, run, ring);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (code == 0)
        return ring;
    cli_say("the ring cannot be kept small: %s", strerror(code));
    free(ring);
    return NULL;
}

void cli_ring_stop(struct cli_ring *ring)
{
    if (ring == NULL)
        return;
    (void)pthread_mutex_lock(&ring->lock);
    ring->must_stop = true;
    (void)pthread_cond_signal(&ring->changed);
    (void)pthread_mutex_unlock(&ring->lock);
    (void)pthread_join(ring->thread, NULL);
    ring_triggers_release(&ring->triggers);
    (void)pthread_cond_destroy(&ring->changed);
    (void)pthread_mutex_destroy(&ring->lock);
    free(ring);
}
