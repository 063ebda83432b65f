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

#include "base/amounts.h"
#include "base/error.h"
#include "cli/drain/bus_guard.h"
#include "cli/drain/drain.h"
#include "cli/output_name.h"
#include "cli/say.h"
#include "log/pack.h"
#include "log/recycle.h"
#include "log/ticks.h"
#include "session/session_dir.h"

#define LOOK_NS   5000000LL    /* between looks at the logs, */
#define EACH_NS   50000LL      /* and so much longer for each of them */
#define RETRY_NS  1000000000LL /* after parts could not be recycled */
#define NAME_ROOM (PATH_MAX + 48)
/* How much more than twice the ring's size there may be while somebody reads it. */
#define READER_ROOM ((uint64_t)64 << 20)

struct cli_ring {
    struct cli_ring_config config;
    pthread_t thread;
    pthread_mutex_t lock; /* of must_stop, and held while the logs are read: by one at a time */
    pthread_cond_t changed;
    bool must_stop;
    bool has_said; /* why nothing can be recycled */
    int64_t retry_ns;
    int64_t age_next_ns; /* when to look for parts that are too old */
    uint32_t n_snapshots;
};

/* ---- Recycling ---- */

/* The memory that the logs take. */
static uint64_t logs_size(const struct cli_ring *ring)
{
    const uint32_t n = __atomic_load_n(&ring->config.control->n_processes, __ATOMIC_ACQUIRE);
    uint64_t size = 0;
    for (uint32_t i = 0; i < n && i < SESSION_MAX_PROCESSES; i++) {
        char path[NAME_ROOM];
        struct stat st;
        (void)snprintf(path, sizeof(path), "%s/p%06" PRIu32 ".log", ring->config.dir, i);
        if (stat(path, &st) == 0)
            size += (uint64_t)st.st_blocks * 512;
    }
    return size;
}

/* The clock's value keep_ns ago; 0: parts may be of any age. */
static uint64_t oldest_ticks(const struct cli_ring *ring)
{
    const struct rf_control *control = ring->config.control;
    const struct rf_clock_pair now = rf_clock_pair_take(control->clock_kind);
    const struct rf_clock_pair *first = &control->clock[0];
    const int64_t keep_ns = control->ring.keep_ns;
    double per_ns = 1;
    if (keep_ns == 0 || now.mono_ns - first->mono_ns <= keep_ns)
        return 0;
    if (control->clock_kind != RF_CLOCK_MONO)
        per_ns = (double)(now.ticks - first->ticks) / (double)(now.mono_ns - first->mono_ns);
    return now.ticks - (uint64_t)((double)keep_ns * per_ns);
}

/* Where the logs are larger than the ring, a fourth of it goes at once. */
static void recycle(struct cli_ring *ring)
{
    struct rf_ring *page = &ring->config.control->ring;
    const int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    struct rf_recycled recycled;
    struct rf_err err;
    const uint64_t size = logs_size(ring);
    const bool is_full = size > page->size - page->size / 16;
    const bool is_due = page->keep_ns != 0 && now >= ring->age_next_ns;
    if ((!is_full && !is_due) || now < ring->retry_ns)
        return;
    ring->age_next_ns = now + page->keep_ns / 8;
    const uint64_t keep = is_full ? page->size / 4 * 3 : UINT64_MAX;
    if (rf_recycle(ring->config.dir, keep, oldest_ticks(ring), size > 2 * page->size + READER_ROOM,
                   &recycled, &err) != RF_OK) {
        ring->retry_ns = now + RETRY_NS;
        if (!ring->has_said)
            cli_say("%s; the ring grows", err.text);
        ring->has_said = true;
        return;
    }
    if (is_full && recycled.n_parts == 0)
        ring->retry_ns =
            now + RETRY_NS / 100; /* each thread keeps its newest, or it is being read */
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
        const uint32_t n = __atomic_load_n(&ring->config.control->n_processes, __ATOMIC_RELAXED);
        const struct timespec until =
            time_of(rf_clock_ns(CLOCK_MONOTONIC) + LOOK_NS + EACH_NS * (n < 1000 ? n : 1000));
        recycle(ring);
        (void)pthread_cond_timedwait(&ring->changed, &ring->lock, &until);
    }
    ring->retry_ns = 0;
    recycle(ring);
    (void)pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* ---- Snapshots ---- */

/* What the file says of why it was made; the live page says nothing of it afterwards. */
static void note(struct rf_ring *page, uint32_t number, const struct cli_ring_reason *reason)
{
    page->snapshot = number;
    page->ticks = 0;
    page->value_ns = reason->value_ns;
    (void)snprintf(page->reason, sizeof(page->reason), "%s", reason->text);
    (void)snprintf(page->rule, sizeof(page->rule), "%s", reason->rule);
}

static int take(struct cli_ring *ring, const struct cli_ring_reason *reason, char *path,
                size_t size, struct rf_err *err)
{
    const struct cli_ring_config *config = &ring->config;
    struct rf_ring *page = &config->control->ring;
    uint32_t number = ring->n_snapshots + 1;
    struct rf_packed packed;
    char bytes[32];
    if (config->max_snapshots != 0 && ring->n_snapshots >= config->max_snapshots)
        return rf_fail(err, RF_ERR_USAGE, "all %" PRIu32 " snapshots of --snapshots were taken",
                       config->max_snapshots);
    note(page, number, reason);
    page->ticks = rf_ticks(config->control->clock_kind);
    cli_drain_add_clock(config->drain);
    (void)snprintf(path, size, "%s.snapshot%" PRIu32 CLI_RECORDING_SUFFIX, config->base, number);
    int status = rf_pack_copy(config->dir, path, config->can_overwrite, &packed, err);
    note(page, 0, &(struct cli_ring_reason){"", "", -1});
    if (status != RF_OK)
        return status;
    ring->n_snapshots = number;
    if (!config->is_quiet)
        cli_say("wrote '%s': %s, %s", path, rf_format_size(bytes, sizeof(bytes), packed.size_bytes),
                reason->text);
    return RF_OK;
}

int cli_ring_snapshot(struct cli_ring *ring, const struct cli_ring_reason *reason, char *path,
                      size_t size, struct rf_err *err)
{
    (void)pthread_mutex_lock(&ring->lock);
    int status = take(ring, reason, path, size, err);
    (void)pthread_mutex_unlock(&ring->lock);
    return status;
}

/* ---- Beginning and end ---- */

struct cli_ring *cli_ring_start(const struct cli_ring_config *config)
{
    struct cli_ring *ring = calloc(1, sizeof(*ring));
    pthread_condattr_t attributes;
    sigset_t all, before;
    int code = ENOMEM;
    if (ring != NULL) {
        ring->config = *config;
        (void)pthread_mutex_init(&ring->lock, NULL);
        (void)pthread_condattr_init(&attributes);
        (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        (void)pthread_cond_init(&ring->changed, &attributes);
        (void)pthread_condattr_destroy(&attributes);
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
    (void)pthread_cond_destroy(&ring->changed);
    (void)pthread_mutex_destroy(&ring->lock);
    free(ring);
}
