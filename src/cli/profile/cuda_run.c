/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/cuda_run.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/drain/pool_header.h"
#include "cli/say.h"
#include "log/cuda.h"
#include "log/liveness.h"
#include "log/ticks.h"

#define PATIENCE_NS   5000000000LL
#define SNAPSHOT_NS   2000000000LL
#define POLL_NS       1000000L
#define ALIVE_NS      50000000LL /* how often to check whether they still run */
#define USUAL_MS      200u
#define MAX_AWAITED   256
#define MAX_PROCESSES 100000u

/* The processes that a capture waits for. */
struct awaited {
    struct rf_pool_header *header;
    uint32_t process;
};

struct waiting {
    struct awaited at[MAX_AWAITED];
    uint32_t n;
};

uint32_t cuda_run_flush_ms(const struct rf_control *control)
{
    return control->cuda_flush_ms != 0 ? control->cuda_flush_ms : USUAL_MS;
}

static uint32_t n_processes(const struct rf_control *control)
{
    uint32_t n = __atomic_load_n(&control->n_processes, __ATOMIC_ACQUIRE);
    return n < MAX_PROCESSES ? n : MAX_PROCESSES;
}

static bool is_on(const struct rf_pool_header *header)
{
    return __atomic_load_n(&header->cuda_state, __ATOMIC_ACQUIRE) == RF_CUDA_ON;
}

static uint32_t phase_of(const struct rf_pool_header *header)
{
    /* acquire: pairs with the recorder's release, before which the records were published */
    return __atomic_load_n(&header->cuda_phase, __ATOMIC_ACQUIRE) & RF_CAPTURE_PHASE_MASK;
}

/* Phases count modulo 2^30. */
static bool is_behind(const struct rf_pool_header *header, uint32_t phase)
{
    uint32_t ahead = (phase - phase_of(header)) & RF_CAPTURE_PHASE_MASK;
    return ahead != 0 && ahead <= RF_CAPTURE_PHASE_MASK / 2;
}

static bool has_ended(const struct rf_pool_header *header)
{
    return rf_process_liveness(header->pid, header->start_time, header->pid_ns) ==
           RF_LIVENESS_ENDED;
}

/* ---- The end of a capture ---- */

static bool is_known_late(const struct cuda_late *late, const struct awaited *awaited)
{
    for (uint32_t i = 0; i < late->n; i++)
        if (late->at[i].process == awaited->process &&
            late->at[i].phase == phase_of(awaited->header))
            return true;
    return false;
}

static void note_late(struct cuda_late *late, const struct awaited *awaited)
{
    uint32_t i = 0;
    while (i < late->n && late->at[i].process != awaited->process)
        i++;
    if (i == CUDA_RUN_MAX_LATE)
        return;
    late->at[i].process = awaited->process;
    late->at[i].phase = phase_of(awaited->header);
    late->n = i < late->n ? late->n : i + 1;
}

static void forget(struct waiting *waiting, uint32_t i)
{
    pool_header_unmap(waiting->at[i].header);
    waiting->at[i] = waiting->at[--waiting->n];
}

/* A process that called exec hands over nothing more: its next image has a pool of its own. */
static void forget_earlier_image(struct waiting *waiting, const struct rf_pool_header *header)
{
    for (uint32_t i = waiting->n; i-- > 0;)
        if (pool_header_is_same_process(waiting->at[i].header, header))
            forget(waiting, i);
}

static void say_late(const struct rf_pool_header *header, uint32_t number)
{
    cli_say("capture %" PRIu32 ": a process (pid %" PRIu32 ") did not hand over the work of its "
            "GPU; some of it may be missing",
            number + 1, header->pid);
}

/* The processes that have not handed over the capture, except those that were late before. */
static void collect(struct waiting *waiting, const struct cuda_late *late,
                    const struct rf_control *control, const char *dir, uint32_t number)
{
    uint32_t n = n_processes(control);
    for (uint32_t i = 0; i < n; i++) {
        struct awaited awaited = {pool_header_map(control, dir, i), i};
        if (awaited.header == NULL)
            continue;
        forget_earlier_image(waiting, awaited.header);
        bool is_late = is_on(awaited.header) && is_behind(awaited.header, 2 * number + 2);
        bool is_given_up = is_late && is_known_late(late, &awaited);
        if (is_given_up && !has_ended(awaited.header))
            say_late(awaited.header, number);
        if (is_late && !is_given_up && waiting->n < MAX_AWAITED)
            waiting->at[waiting->n++] = awaited;
        else
            pool_header_unmap(awaited.header);
    }
}

/* A process that handed over the previous capture lived at least until then. */
static void say_killed(const struct rf_pool_header *header, const struct rf_control *control,
                       uint32_t number)
{
    if (phase_of(header) >= 2 * number)
        cli_say("capture %" PRIu32 ": a process (pid %" PRIu32 ") ended without exit(): what the "
                "GPU did in the last %" PRIu32 " ms may be missing",
                number + 1, header->pid, cuda_run_flush_ms(control));
}

static void drop_what_came(struct waiting *waiting, const struct rf_control *control,
                           uint32_t number, bool looks_for_life)
{
    for (uint32_t i = waiting->n; i-- > 0;) {
        const struct rf_pool_header *header = waiting->at[i].header;
        bool is_dead = looks_for_life && has_ended(header);
        if (!is_on(header) || !is_behind(header, 2 * number + 2)) {
            forget(waiting, i);
        } else if (is_dead) {
            say_killed(header, control, number);
            forget(waiting, i);
        }
    }
}

void cuda_run_wait(struct cuda_late *late, const struct rf_control *control, const char *dir,
                   uint32_t number)
{
    const struct timespec pause = {0, POLL_NS};
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC), until = now + PATIENCE_NS, look_at = now;
    struct waiting waiting;
    waiting.n = 0;
    if ((control->cuda & RF_CUDA_IS_WANTED) == 0)
        return;
    collect(&waiting, late, control, dir, number);
    while (waiting.n > 0 && now < until) {
        drop_what_came(&waiting, control, number, now >= look_at);
        look_at = now >= look_at ? now + ALIVE_NS : look_at;
        if (waiting.n > 0)
            (void)nanosleep(&pause, NULL);
        now = rf_clock_ns(CLOCK_MONOTONIC);
    }
    for (; waiting.n > 0; forget(&waiting, waiting.n - 1)) {
        say_late(waiting.at[waiting.n - 1].header, number);
        note_late(late, &waiting.at[waiting.n - 1]);
    }
}

/* ---- A snapshot ---- */

static void say_not_come(const struct rf_pool_header *header)
{
    cli_say("a process (pid %" PRIu32 ") has not handed over the work of its GPU: the last of it "
            "may be missing in the snapshot",
            header->pid);
}

/* Its thread for CUDA hands over what CUPTI has. Not asked twice for the same. */
static void ask(struct rf_pool_header *header, uint64_t ticks)
{
    if (__atomic_load_n(&header->cuda_asked, __ATOMIC_RELAXED) >= ticks)
        return;
    __atomic_store_n(&header->cuda_asked, ticks, __ATOMIC_RELEASE);
    (void)__atomic_fetch_add(&header->cuda_wake, 1, __ATOMIC_RELEASE);
    (void)syscall(SYS_futex, &header->cuda_wake, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static bool has_handed_over(struct rf_pool_header *header, uint64_t ticks)
{
    if (!is_on(header) || __atomic_load_n(&header->cuda_ticks, __ATOMIC_ACQUIRE) >= ticks)
        return true;
    ask(header, ticks);
    return has_ended(header);
}

/* Is the i-th of n processes an image before an exec? It hands over nothing more. */
static bool is_earlier_image(const struct rf_pool_header *header, const struct rf_control *control,
                             const char *dir, uint32_t i, uint32_t n)
{
    bool is_earlier = false;
    while (!is_earlier && ++i < n) {
        struct rf_pool_header *later = pool_header_map(control, dir, i);
        is_earlier = later != NULL && pool_header_is_same_process(header, later);
        pool_header_unmap(later);
    }
    return is_earlier;
}

bool cuda_run_has_come(struct cuda_wait *wait, const struct rf_control *control, const char *dir)
{
    const int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    const uint32_t n = (control->cuda & RF_CUDA_IS_WANTED) != 0 ? n_processes(control) : 0;
    if (wait->until_ns == 0)
        *wait = (struct cuda_wait){rf_ticks(control->clock_kind), now + SNAPSHOT_NS,
                                   rf_clock_ns(CLOCK_REALTIME)};
    bool has_come = true;
    for (uint32_t i = 0; i < n; i++) {
        struct rf_pool_header *header = pool_header_map(control, dir, i);
        const bool is_behind = header != NULL && !has_handed_over(header, wait->ticks) &&
                               !is_earlier_image(header, control, dir, i, n);
        if (is_behind && now >= wait->until_ns)
            say_not_come(header);
        has_come = has_come && !is_behind;
        pool_header_unmap(header);
    }
    return has_come || now >= wait->until_ns;
}

/* ---- The end of a run ---- */

void cuda_run_count(struct cuda_run *run, const struct rf_control *control, const char *dir)
{
    uint32_t n = n_processes(control);
    memset(run, 0, sizeof(*run));
    for (uint32_t i = 0; i < n; i++) {
        struct rf_pool_header *header = pool_header_map(control, dir, i);
        if (header == NULL)
            continue;
        run->n_used += __atomic_load_n(&header->cuda_state, __ATOMIC_ACQUIRE) != RF_CUDA_NONE;
        run->n_killed += is_on(header) && has_ended(header);
        pool_header_unmap(header);
    }
}
