/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drain/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/drain/bus_guard.h"
#include "base/output.h"
#include "cli/drain/compress_parts.h"
#include "cli/drain/early_copies.h"
#include "cli/say.h"
#include "session/session_dir.h"
#include "cli/drain/spares.h"
#include "log/clock_reading.h"
#include "log/moments.h"
#include "log/ring_held.h"
#include "log/ticks.h"

#define SLEEP_NS        20000000LL /* longest sleep */
#define STREAM_NS       150000LL /* full parts that follow each other within this time are a stream */
#define LINGER_NS       200000LL    /* how long it keeps looking during a stream before it sleeps */
#define TURN_NS         20000LL     /* a longer yield means that another thread had the core */
#define SHARED_NS       100000000LL /* how long it does not keep looking after that */
#define CLOCK_EVERY_NS  1000000000LL /* between clock pairs, until the page is full */
#define RETRY_NS        200000000LL  /* after a log that could not be written */
#define SLOTS_AHEAD     4u  /* slots prepared for new threads, plus half of those in use, */
#define MAX_SLOTS_AHEAD 64u /* but no more than this: they are memory */
#define SLOTS_AT_ONCE   4u
#define COPIES_AFTER    ((uint64_t)512 << 10) /* bytes of a log before its first early copy, */
#define COPIES_EVERY    ((uint64_t)32 << 20)  /* and before the next copy */
#define LOOK_EVERY_NS   1000000000LL          /* between looks at the size of a log */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* The pool of one process, as far as it is mapped. Its file grows. */
struct pool {
    uint8_t *map;
    size_t map_size;
    bool is_bad;          /* not a pool of this session: left alone */
    uint64_t n_bytes;     /* appended to the log since its size was looked at */
    int64_t look_ns;      /* when to look again, for the program appends to it too */
    uint64_t copies_size; /* the log's size from which on it gets the next copy of control page and
                           * definitions; 0: the first */
    uint64_t defs_offset; /* size of the definitions that the log has */
};

struct cli_drain {
    struct rf_control *control;
    const char *dir;
    pthread_t thread;
    bool must_stop;                  /* atomic */
    struct compress_parts *compress; /* NULL: parts are appended as they are */

    struct pool *pools;
    uint32_t n_pools;
    int64_t retry_ns; /* when to append again after a failed write; or 0 */
    bool has_reported_full;
    bool has_no_spares;  /* making them failed */
    uint32_t n_messages; /* printed so far */
    bool has_reported_more;

    pthread_mutex_t clock_lock;
    uint16_t own_clocks[RF_MAX_CLOCKS]; /* entries of control->clock that are ours, in time order */
    uint16_t free_clocks[RF_MAX_CLOCKS];
    uint32_t n_own_clocks;
    uint32_t n_free_clocks;
    int64_t clock_every_ns;
    int64_t clock_next_ns;
    int64_t keep_next_ns;
    uint64_t moment_ticks; /* when silent parts were looked for */
};

/* ---- Clock pairs ---- */

/* Drops every other pair of ours except the first, so that a run of any length has pairs over its
 * whole length. */
static void thin_clocks(struct cli_drain *drain)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < drain->n_own_clocks; i++) {
        if (i % 2 == 0)
            drain->own_clocks[n_kept++] = drain->own_clocks[i];
        else
            drain->free_clocks[drain->n_free_clocks++] = drain->own_clocks[i];
    }
    drain->n_own_clocks = n_kept;
    drain->clock_every_ns *= 2;
}

/* Claims an entry. The recorder claims entries by the same count, up to a limit of its own. -1:
 * none is left. */
static int claim_clock(struct cli_drain *drain)
{
    uint32_t n = __atomic_load_n(&drain->control->n_clocks, __ATOMIC_RELAXED);
    while (drain->n_free_clocks == 0 && n < RF_N_QUALITIES)
        if (__atomic_compare_exchange_n(&drain->control->n_clocks, &n, n + 1, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return (int)n;
    if (drain->n_free_clocks == 0)
        thin_clocks(drain);
    return drain->n_free_clocks > 0 ? drain->free_clocks[--drain->n_free_clocks] : -1;
}

void cli_drain_add_clock(struct cli_drain *drain)
{
    if (drain == NULL)
        return;
    (void)pthread_mutex_lock(&drain->clock_lock);
    int i = claim_clock(drain);
    if (i >= 0) {
        const struct rf_clock_reading reading = rf_clock_reading_take(drain->control->clock_kind);
        const struct rf_clock_pair pair = reading.pair;
        struct rf_clock_pair *entry = &drain->control->clock[i];
        /* real_ns says that an entry is valid: it is cleared first and set last, for readers of the
         * live session */
        __atomic_store_n(&entry->real_ns, 0, __ATOMIC_RELAXED);
        drain->control->quality[i] = reading.quality;
        __atomic_store_n(&entry->ticks, pair.ticks, __ATOMIC_RELEASE);
        __atomic_store_n(&entry->mono_ns, pair.mono_ns, __ATOMIC_RELEASE);
        __atomic_store_n(&entry->boot_ns, pair.boot_ns, __ATOMIC_RELEASE);
        __atomic_store_n(&entry->real_ns, pair.real_ns, __ATOMIC_RELEASE);
        drain->own_clocks[drain->n_own_clocks++] = (uint16_t)i;
    }
    (void)pthread_mutex_unlock(&drain->clock_lock);
}

static void add_clock_when_due(struct cli_drain *drain)
{
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (now < drain->clock_next_ns)
        return;
    cli_drain_add_clock(drain);
    drain->clock_next_ns = now + drain->clock_every_ns;
}

/* ---- Messages ---- */

/* The recorder counts a message, then writes it, its first byte last. A message that is still being
 * written is printed in a later round. */
static void print_messages(struct cli_drain *drain)
{
    struct rf_control *control = drain->control;
    uint32_t n = __atomic_load_n(&control->n_messages, __ATOMIC_RELAXED);
    while (drain->n_messages < n && drain->n_messages < RF_MAX_MESSAGES) {
        const char *message = control->message[drain->n_messages];
        /* acquire: pairs with the release of the first byte, behind which the others stand */
        if (__atomic_load_n(message, __ATOMIC_ACQUIRE) == '\0')
            return;
        cli_say("%.*s", (int)RF_MESSAGE_SIZE, message);
        drain->n_messages++;
    }
    if (n > RF_MAX_MESSAGES && !drain->has_reported_more)
        cli_say("the recorder has more to say than there is room for");
    drain->has_reported_more = n > RF_MAX_MESSAGES;
}

/* ---- Parts ---- */

/* Maps the pool of a process once it is there, and again when it has grown. NULL: not yet. */
static struct rf_pool_header *map_pool(struct cli_drain *drain, uint32_t process,
                                       size_t size_needed)
{
    struct pool *pool = &drain->pools[process];
    if (pool->is_bad || (pool->map != NULL && pool->map_size >= size_needed))
        return (struct rf_pool_header *)pool->map;
    char path[PATH_MAX + 32];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s/p%06u.pool", drain->dir, process);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *map = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= RF_POOL_SLOTS_END &&
        (size_t)st.st_size >= size_needed)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                   0);
    (void)close(fd);
    if (map == MAP_FAILED)
        return NULL;
    if (pool->map != NULL)
        (void)munmap(pool->map, pool->map_size);
    pool->map = map;
    pool->map_size = (size_t)st.st_size;
    return map;
}

/* A short write means that the disk is full, or that the file has reached its size limit. */
static int why_short(int fd)
{
    struct rlimit limit;
    struct stat st;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && fstat(fd, &st) == 0 &&
                   (rlim_t)st.st_size >= limit.rlim_cur
               ? EFBIG
               : ENOSPC;
}

static int append(struct cli_drain *drain, uint32_t process, const void *data, size_t size)
{
    char path[PATH_MAX + 32];
    (void)snprintf(path, sizeof(path), "%s/p%06u.log", drain->dir, process);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    ssize_t n = fd >= 0 ? write(fd, data, size) : -1;
    int code = n < 0 ? errno : why_short(fd);
    if (fd >= 0)
        (void)close(fd);
    if (n == (ssize_t)size) {
        drain->retry_ns = 0;
        return 0;
    }
    if (!drain->has_reported_full)
        cli_say("cannot append to '%s': %s; the program runs on, what does not fit is lost", path,
                rf_write_error(code));
    drain->has_reported_full = true;
    drain->retry_ns = rf_clock_ns(CLOCK_MONOTONIC) + RETRY_NS;
    return -1;
}

/* The size of a log, or 0 where it need not be known yet. */
static uint64_t look_at_log(const struct cli_drain *drain, uint32_t process)
{
    char path[PATH_MAX + 32];
    struct pool *pool = &drain->pools[process];
    struct stat st;
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (pool->n_bytes < COPIES_AFTER && now < pool->look_ns)
        return 0;
    pool->n_bytes = 0;
    pool->look_ns = now + LOOK_EVERY_NS;
    (void)snprintf(path, sizeof(path), "%s/p%06u.log", drain->dir, process);
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Copies the control page and the definitions into a log, early and again from time to time, so
 * that a recording whose end is lost can be read; otherwise they follow when it is packed. Short
 * logs do not need it: packing copies them. */
static void append_copies(struct cli_drain *drain, uint32_t process)
{
    struct pool *pool = &drain->pools[process];
    const uint64_t log_size = look_at_log(drain, process);
    uint8_t *bytes = NULL;
    if (log_size < (pool->copies_size != 0 ? pool->copies_size : COPIES_AFTER))
        return;
    size_t size =
        early_copies_make(&bytes, drain->control, drain->dir, process, &pool->defs_offset);
    if (size > 0 && append(drain, process, bytes, size) == 0)
        pool->copies_size = log_size + COPIES_EVERY;
    free(bytes);
}

static void count_part(struct cli_drain *drain, uint32_t process, size_t size)
{
    drain->pools[process].n_bytes += size;
    rf_ring_add(drain->control, (int64_t)size);
}

/* Claims a full part and appends it. Returns whether there was one. */
static bool drain_part(struct cli_drain *drain, uint32_t process, struct rf_pool_slot *slot,
                       uint32_t index, const uint8_t *data)
{
    struct rf_pool_part *part = &slot->part[index];
    const struct rf_pool_part *other = &slot->part[1 - index];
    uint32_t expected = RF_PART_FULL;
    if (__atomic_load_n(&part->state, __ATOMIC_RELAXED) != RF_PART_FULL ||
        !__atomic_compare_exchange_n(&part->state, &expected, RF_PART_CLAIMED, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    /* acquire: pairs with the recorder's release of FULL, which publishes size and records */
    uint32_t size = part->size;
    bool is_sane = size >= RF_PART_RECORDS_OFFSET && size <= RF_PART_SIZE && size % 8 == 0;
    uint32_t next = RF_PART_FREE;
    size_t chunk_size = size;
    const uint8_t *chunk =
        is_sane ? compress_parts_take(drain->compress, other, data, &chunk_size) : data;
    if (!is_sane || append(drain, process, chunk, chunk_size) != 0)
        next = RF_PART_FULL; /* the part stays in the pool, and is packed from there */
    else
        count_part(drain, process, chunk_size);
    compress_parts_done(drain->compress, other);
    /* release: the recorder may write over the records once it sees FREE */
    __atomic_store_n(&part->state, next, __ATOMIC_RELEASE);
    return next == RF_PART_FREE;
}

/* Faults in the pages of the next slots, so that a new thread need not; a few at a time, since full
 * parts wait meanwhile. Where the kernel cannot, or memory is short, the thread does it. Returns
 * whether there is more to do. */
static bool make_slots_ahead(struct pool *pool, struct rf_pool_header *header, uint32_t n_slots)
{
    uint32_t n_ahead = SLOTS_AHEAD + n_slots / 2;
    uint32_t want = n_slots + (n_ahead < MAX_SLOTS_AHEAD ? n_ahead : MAX_SLOTS_AHEAD);
    uint32_t n = __atomic_load_n(&header->n_allocated, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < SLOTS_AT_ONCE; i++) {
        if (n >= want || rf_pool_part_offset(n + 1, 0) > pool->map_size ||
            madvise(pool->map + rf_pool_part_offset(n, 0), RF_SLOT_SIZE, MADV_POPULATE_WRITE) != 0)
            return false;
        n++;
        /* release: whoever reads the number may store to the slot */
        __atomic_store_n(&header->n_allocated, n, __ATOMIC_RELEASE);
    }
    return n < want;
}

static bool drain_process(struct cli_drain *drain, uint32_t process)
{
    struct rf_pool_header *header = map_pool(drain, process, RF_POOL_SLOTS_END);
    struct pool *pool = &drain->pools[process];
    if (header == NULL || pool->is_bad)
        return false;
    uint32_t n_slots = __atomic_load_n(&header->n_slots, __ATOMIC_ACQUIRE);
    if (n_slots == 0)
        return false; /* the pool may still be in the making: the magic may be missing */
    if (memcmp(header->magic, RF_POOL_MAGIC, 8) != 0 || header->version != RF_FORMAT_MAJOR ||
        memcmp(header->session_id, drain->control->session_id, 16) != 0 || n_slots > RF_MAX_SLOTS) {
        pool->is_bad = true;
        return false;
    }
    header = map_pool(drain, process, rf_pool_part_offset(n_slots, 0));
    if (header == NULL)
        return false;
    bool found = make_slots_ahead(pool, header, n_slots);
    if (rf_ring_is_over(drain->control))
        return found; /* its older parts go first */
    struct rf_pool_slot *slots = (void *)(pool->map + RF_POOL_HEADER_SIZE);
    for (uint32_t slot = 0; slot < n_slots; slot++)
        for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++)
            found |= drain_part(drain, process, &slots[slot], i,
                                pool->map + rf_pool_part_offset(slot, i));
    if (drain->control->ring.size == 0 && !drain->control->pieces.is_split)
        append_copies(drain, process);
    return found;
}

/* Notes of a process's parts whose threads have been silent for long when that was. */
static void append_moments(struct cli_drain *drain, uint32_t process, uint64_t now)
{
    const struct pool *pool = &drain->pools[process];
    const struct rf_pool_header *header = (const struct rf_pool_header *)(const void *)pool->map;
    const struct rf_pool_slot *slots = (const void *)(pool->map + RF_POOL_HEADER_SIZE);
    struct rf_moment_chunk chunk;
    if (pool->map == NULL || pool->is_bad)
        return;
    const uint32_t n_slots = __atomic_load_n(&header->n_slots, __ATOMIC_ACQUIRE);
    for (uint32_t slot = 0; slot < n_slots; slot++)
        for (uint32_t i = 0; i < RF_PARTS_PER_SLOT; i++) {
            const uint64_t offset = rf_pool_part_offset(slot, i);
            if (offset + RF_PART_SIZE <= pool->map_size &&
                __atomic_load_n(&slots[slot].part[i].state, __ATOMIC_ACQUIRE) == RF_PART_ACTIVE &&
                rf_moment_of(&chunk, pool->map + offset, now, rf_clock_ns(CLOCK_MONOTONIC)))
                (void)append(drain, process, &chunk, sizeof(chunk));
        }
}

/* Makes room for the processes that came since. */
static void add_processes(struct cli_drain *drain)
{
    uint32_t n = __atomic_load_n(&drain->control->n_processes, __ATOMIC_ACQUIRE);
    if (n <= drain->n_pools || n > SESSION_MAX_PROCESSES)
        return;
    struct pool *pools = realloc(drain->pools, n * sizeof(*pools));
    if (pools == NULL)
        return;
    memset(pools + drain->n_pools, 0, (n - drain->n_pools) * sizeof(*pools));
    drain->pools = pools;
    drain->n_pools = n;
}

/* One round over everything. Returns whether there was a full part. */
static bool drain_all(struct cli_drain *drain)
{
    add_processes(drain);
    if (drain->retry_ns != 0 && rf_clock_ns(CLOCK_MONOTONIC) < drain->retry_ns)
        return false;
    bool found = false;
    for (uint32_t process = 0; process < drain->n_pools; process++)
        found |= drain_process(drain, process);
    return found;
}

static void append_moments_when_due(struct cli_drain *drain)
{
    const uint64_t now = rf_ticks(drain->control->clock_kind);
    if (now - drain->moment_ticks < RF_TICKS_APART)
        return;
    drain->moment_ticks = now;
    (void)drain_all(drain); /* maps the pools of all that were there at that time */
    for (uint32_t process = 0; process < drain->n_pools; process++)
        append_moments(drain, process, now);
}

/* ---- The thread ---- */

struct drain_pace {
    int64_t found_ns;     /* when the last full part was found */
    int64_t linger_until; /* it keeps looking until then */
    int64_t shared_until; /* another thread seems to want its core */
};

/* Announces the sleep, looks once more, and sleeps until a thread that fills a part wakes it. No
 * wake-up is lost, because it stores and then looks, while the recorder sets FULL and then loads.
 */
static void sleep_until_woken(struct cli_drain *drain)
{
    uint32_t *word = &drain->control->drainer_sleeps;
    __atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
    if (!drain_all(drain) && !__atomic_load_n(&drain->must_stop, __ATOMIC_SEQ_CST)) {
        struct timespec timeout = {0, SLEEP_NS};
        (void)syscall(SYS_futex, word, FUTEX_WAIT, 1, &timeout, NULL, 0);
    }
    __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
}

/* A thread that records without pause fills its other part before a sleeper is awake. So the
 * drainer looks again for a while when parts come close together, and only then: its core may share
 * a processor with the program's. If others want the core it should sleep, since the kernel prefers
 * a thread that wakes up to one that waits for its turn. */
static void linger(struct drain_pace *pace)
{
    int64_t before = rf_clock_ns(CLOCK_MONOTONIC);
    (void)sched_yield();
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (now - before > TURN_NS)
        pace->shared_until = now + SHARED_NS;
}

static void make_spares(struct cli_drain *drain)
{
    if (!drain->has_no_spares)
        drain->has_no_spares = !cli_spares_make(drain->control, drain->dir);
}

/* The control page may become unreadable at any moment. */
static void keep_page(struct cli_drain *drain)
{
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (now < drain->keep_next_ns)
        return;
    bus_guard_refresh();
    append_moments_when_due(drain);
    drain->keep_next_ns = now + SLEEP_NS;
}

static void *drain_main(void *context)
{
    struct cli_drain *drain = context;
    struct drain_pace pace = {0, 0, 0};
    while (!__atomic_load_n(&drain->must_stop, __ATOMIC_SEQ_CST)) {
        /* threads without room wait while this counts up: not for a drainer that cannot write */
        if (drain->retry_ns == 0)
            __atomic_fetch_add(&drain->control->drainer_beat, 1, __ATOMIC_RELAXED);
        add_clock_when_due(drain);
        print_messages(drain);
        make_spares(drain);
        keep_page(drain);
        bool found = drain_all(drain);
        int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
        if (found) {
            pace.linger_until = now - pace.found_ns < STREAM_NS ? now + LINGER_NS : 0;
            pace.found_ns = now;
        } else if (now < pace.linger_until && now >= pace.shared_until)
            linger(&pace);
        else
            sleep_until_woken(drain);
    }
    return NULL;
}

/* Signals are the main thread's. */
static int start_thread(struct cli_drain *drain)
{
    sigset_t all, before;
    bus_guard_thread_mask(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&drain->thread, NULL, drain_main, drain);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

struct cli_drain *cli_drain_start(struct rf_control *control, const char *dir)
{
    struct cli_drain *drain = calloc(1, sizeof(*drain));
    if (drain == NULL)
        return NULL;
    drain->control = control;
    drain->dir = dir;
    drain->clock_every_ns = CLOCK_EVERY_NS;
    drain->clock_next_ns = rf_clock_ns(CLOCK_MONOTONIC) + CLOCK_EVERY_NS;
    (void)pthread_mutex_init(&drain->clock_lock, NULL);
    drain->compress = compress_parts_new(control);
    drain->moment_ticks = rf_ticks(control->clock_kind);
    make_spares(drain); /* the first process finds them */
    if (start_thread(drain) != 0) {
        (void)pthread_mutex_destroy(&drain->clock_lock);
        compress_parts_free(drain->compress);
        free(drain);
        return NULL;
    }
    return drain;
}

void cli_drain_stop(struct cli_drain *drain)
{
    if (drain == NULL)
        return;
    __atomic_store_n(&drain->must_stop, true, __ATOMIC_SEQ_CST);
    __atomic_store_n(&drain->control->drainer_sleeps, 0, __ATOMIC_SEQ_CST);
    (void)syscall(SYS_futex, &drain->control->drainer_sleeps, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    (void)pthread_join(drain->thread, NULL);
    cli_spares_remove(drain->control);
    print_messages(drain);
    for (uint32_t i = 0; i < drain->n_pools; i++)
        if (drain->pools[i].map != NULL)
            (void)munmap(drain->pools[i].map, drain->pools[i].map_size);
    free(drain->pools);
    compress_parts_free(drain->compress);
    (void)pthread_mutex_destroy(&drain->clock_lock);
    free(drain);
}
