/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread of ours in a process that uses CUDA. It flushes CUPTI, follows the captures of a
 * focused run, takes clock pairs, and writes the remaining records when the program exits, or, in
 * standby, when the session ends.
 *
 * It calls CUPTI only after cuInit() has returned: otherwise the locks of the driver and of
 * CUPTI would be taken in two orders. */
#include "cuda/flush_thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>

#include "cuda/cuda_driver.h"
#include "cuda/cuda_library.h"
#include "cuda/cuda_state.h"
#include "cuda/cupti/buffers.h"
#include "cuda/cupti/subscription.h"
#include "cuda/cupti/switch_kinds.h"
#include "cuda/records/clock_pairs.h"
#include "cuda/records/cuda_definitions.h"
#include "cuda/records/pending_work.h"
#include "log/capture.h"
#include "log/cuda.h"
#include "log/ticks.h"
#include "record/clock.h"
#include "record/process/session_page.h"
#include "record/stream/part.h"
#include "record/text.h"

#define MS 1000000LL
#define S  1000000000LL

#define FLUSH_NS       (200 * MS) /* unless the session says otherwise */
#define WATCH_NS       (2 * MS)   /* how late a capture that another process begins is noticed */
#define OVER_NS        (1 * S)    /* there will be no other capture */
#define SETTLE_NS      (2 * S)    /* how long the work of a capture is waited for */
#define SETTLE_STEP_NS (10 * MS)
#define END_STEP_US    2000    /* used while a caller waits for the end of a session */
#define ASKED_NS       (1 * S) /* how long without work that came before CUPTI is forced, */
#define ASKED_END_NS   (2 * S) /* and how long a snapshot waits for its buffers at all */
#define ASKED_STEP_NS  (2 * MS)
#define KEPT_NS        (500 * MS)
#define CLOCK_NS       (1 * S)
#define PROBE_NS       (1 * S)
#define START_NS       (1 * S) /* from the first request for a buffer to the end of cuInit() */
#define EXIT_NS        (10 * S)
#define N_QUIET        2 /* flushes without pending work after which a capture is complete */
#define N_LOST_PROBES  3
#define N_TIMELESS     16 /* work without a time: from this number on it is not by chance */
#define N_FAILED       5  /* flushes that failed in a row, likewise */

/* An end of a capture whose records are waited for. */
struct settling {
    uint32_t phase; /* 0: none */
    int64_t until_ns;
};

struct flusher {
    int64_t flush_ns; /* interval */
    int64_t last_flush_ns;
    int64_t first_buffer_ns;
    uint32_t seen_phase;
    uint32_t n_quiet;
    uint32_t n_failed;           /* flushes in a row */
    uint32_t n_probed;           /* buffers that CUPTI has for our last probe alone */
    uint64_t n_excused;          /* part of n_timeless: records that were forced */
    struct settling settling[2]; /* the next one, and the last of those behind it */
    uint64_t asked;              /* by a snapshot */
    int64_t asked_ns;            /* when; 0: it has what it needs */
    int64_t came_ns;             /* when work of the GPU came last since then */

    int (*driver_version)(int *version);
    int64_t last_probe_ns;
    uint32_t n_sent;
    bool is_replaced;
    bool has_clock;
    bool has_reported_timeless, has_reported_foreign, has_reported_failure;
};

static void futex_wait(uint32_t *word, uint32_t value, int64_t ns)
{
    struct timespec ts = {ns / S, ns % S};
    (void)rf_syscall6(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&ts, 0, 0);
}

static void futex_wake(uint32_t *word)
{
    (void)RF_SYSCALL4(SYS_futex, word, FUTEX_WAKE, INT32_MAX, 0);
}

/* The command line wakes the thread, too. */
static uint32_t *wake_word(void)
{
    return &rf_pool_header()->cuda_wake;
}

static int64_t now_ns(void)
{
    return rf_clock_ns(CLOCK_MONOTONIC);
}

/* In standby a session is one capture, which this thread does not outlive. */
static bool follows_captures(void)
{
    return rf_recorder.is_focused && !rf_recorder.is_standby;
}

/* ---- Flushes ---- */

/* May CUPTI be called yet? */
static bool has_begun(struct flusher *f, int64_t now)
{
    if (__atomic_load_n(&rf_cuda.n_requested, __ATOMIC_ACQUIRE) == 0)
        return false; /* and CUPTI has no records */
    if (f->first_buffer_ns == 0)
        f->first_buffer_ns = now;
    return __atomic_load_n(&rf_cuda.has_context, __ATOMIC_RELAXED) != 0 ||
           __atomic_load_n(&rf_cuda.n_completed, __ATOMIC_RELAXED) != 0 ||
           now - f->first_buffer_ns >= START_NS;
}

/* CUPTI keeps times in limited memory of the GPU, and may run out of it: observed with nodes of
 * graphs, after millions. */
static void report_timeless(struct flusher *f)
{
    uint64_t n = __atomic_load_n(&rf_cuda.n_timeless, __ATOMIC_RELAXED);
    if (!f->has_reported_timeless && n >= f->n_excused + N_TIMELESS) {
        f->has_reported_timeless = true;
        rf_session_add_message(
            "CUPTI has no times for GPU work any more: shorter recordings, captures, or, without "
            "captures, graphs as a whole help");
    }
}

static void report_foreign(struct flusher *f)
{
    if (!f->has_reported_foreign && __atomic_load_n(&rf_cuda.n_foreign, __ATOMIC_RELAXED) != 0) {
        f->has_reported_foreign = true;
        rf_session_add_message(
            "another profiler in this process had CUPTI's buffers before: what it "
            "recorded is lost to it");
    }
}

static void report_failure(struct flusher *f, int result)
{
    char text[RF_MESSAGE_SIZE];
    size_t at = rf_put_text(text, sizeof(text), 0, "CUPTI does not give what it has (");
    at = rf_put_number(text, sizeof(text), at, (uint64_t)result, 1);
    (void)rf_put_text(text, sizeof(text), at, "): the last CUDA records may be missing");
    f->has_reported_failure = true;
    rf_session_add_message(text);
}

/* n_enough: after how many failures in a row that is reported. Returns whether CUPTI did it. */
static bool call_flush(struct flusher *f, uint32_t flag, uint32_t n_enough)
{
    bool has_records = rf_cuda_n_outstanding() > f->n_probed;
    int result = rf_cuda.cupti.flush_all(flag);
    f->n_failed = result != RF_CUPTI_SUCCESS ? f->n_failed + 1 : 0;
    if (!f->has_reported_failure && has_records && f->n_failed >= n_enough)
        report_failure(f, result);
    return result == RF_CUPTI_SUCCESS;
}

static void flush(struct flusher *f, int64_t now)
{
    f->last_flush_ns = now;
    (void)call_flush(f, 0, N_FAILED);
    report_timeless(f);
    report_foreign(f);
    if (__atomic_load_n(&rf_cuda.n_completed, __ATOMIC_ACQUIRE) != 0) {
        rf_cuda_add_clock(f->has_clock ? CLOCK_NS : 0);
        f->has_clock = true;
        rf_cuda_complete_devices();
    }
}

/* ---- Captures ---- */

static void publish_phase(uint32_t phase)
{
    __atomic_store_n(&rf_pool_header()->cuda_phase, phase, __ATOMIC_RELEASE);
}

/* A capture has ended: waits for its work from now on. */
static void begin_to_settle(struct flusher *f, uint32_t phase, int64_t now)
{
    struct settling *place = &f->settling[f->settling[0].phase != 0];
    *place = (struct settling){.phase = phase, .until_ns = now + SETTLE_NS};
    f->n_quiet = 0;
}

/* CUPTI has returned all buffers that it had at the end of the capture, no buffer is being read,
 * and no work of the capture is pending. Buffers with later records come all the time. */
static bool is_quiet(void)
{
    return !rf_cuda_has_older_buffers() && !rf_cuda_is_work_pending();
}

/* Other threads may be reading a buffer: exit() would end them in the middle of it. */
static void wait_for_readers(void)
{
    enum { STEP_US = 1000 };
    for (int64_t i = 0; i < EXIT_NS / 1000 / STEP_US; i++) {
        if (__atomic_load_n(&rf_cuda.n_inside, __ATOMIC_ACQUIRE) == 0)
            return;
        rf_sys_sleep_us(STEP_US);
    }
}

/* Work without a time since there were n was running when records were forced. */
static void excuse_since(struct flusher *f, uint64_t n)
{
    wait_for_readers();
    f->n_excused += __atomic_load_n(&rf_cuda.n_timeless, __ATOMIC_RELAXED) - n;
}

/* Stops waiting for the work of a capture. A buffer with work that has not ended comes only by
 * force, with all other records in it; the record of that work then has no end, and does not
 * come again. Not done while a later capture may have running work. */
static void force_capture(struct flusher *f)
{
    uint64_t n = __atomic_load_n(&rf_cuda.n_timeless, __ATOMIC_RELAXED);
    if (f->settling[1].phase != 0)
        return;
    rf_cuda_end_captures(f->seen_phase, true);
    excuse_since(f, n);
}

static void settle(struct flusher *f, int64_t now)
{
    bool may_flush = has_begun(f, now);
    if (now - f->last_flush_ns < SETTLE_STEP_NS)
        return;
    if (may_flush)
        flush(f, now);
    f->last_flush_ns = now;
    f->n_quiet = is_quiet() ? f->n_quiet + 1 : 0;
    bool is_done = f->n_quiet >= N_QUIET;
    if (!is_done && now < f->settling[0].until_ns)
        return;
    if (!is_done && may_flush)
        force_capture(f);
    while (f->settling[0].phase != 0 && (is_done || now >= f->settling[0].until_ns)) {
        if (may_flush)
            rf_cuda_add_clock(0);
        publish_phase(f->settling[0].phase);
        f->settling[0] = f->settling[1];
        f->settling[1] = (struct settling){0, 0};
    }
    if (f->settling[0].phase == 0)
        rf_cuda_end_captures(f->seen_phase, false);
}

static void watch_captures(struct flusher *f, int64_t now)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    uint32_t phase = rf_capture_phase(word);
    if (phase != f->seen_phase)
        rf_cuda_note_capture(rf_capture_is_on(word));
    rf_cuda_follow_capture();
    if (phase / 2 != f->seen_phase / 2)
        begin_to_settle(f, phase & ~1u, now);
    if (phase != f->seen_phase && __atomic_load_n(&rf_cuda.n_completed, __ATOMIC_RELAXED) != 0)
        rf_cuda_add_clock(0);
    f->seen_phase = phase;
    if (f->settling[0].phase != 0)
        settle(f, now);
}

/* ---- Snapshots ---- */

/* A kernel that hangs keeps a buffer back for ever. As with a capture, the records of what runs or
 * waits then have no times, which is why a GPU whose work still comes is not forced; a forced flush
 * may crash CUDA 13.0 without update. Returns whether CUPTI did it. */
static bool force_asked(struct flusher *f)
{
    uint64_t n = __atomic_load_n(&rf_cuda.n_timeless, __ATOMIC_RELAXED);
    bool is_done = call_flush(f, RF_CUPTI_FLUSH_FORCED, 1);
    excuse_since(f, n);
    return is_done;
}

static bool is_asked_again(const struct flusher *f)
{
    return __atomic_load_n(&rf_pool_header()->cuda_asked, __ATOMIC_ACQUIRE) > f->asked;
}

/* One request after the other: what a later one waits for does not delay the earlier one. */
static void take_request(struct flusher *f, int64_t now)
{
    if (f->asked_ns != 0 || !is_asked_again(f))
        return;
    f->asked = __atomic_load_n(&rf_pool_header()->cuda_asked, __ATOMIC_ACQUIRE);
    f->asked_ns = f->came_ns = now;
    (void)__atomic_fetch_add(&rf_cuda.n_ends, 1, __ATOMIC_RELEASE);
}

static void publish_ticks(struct flusher *f, uint64_t ticks)
{
    f->asked_ns = 0;
    __atomic_store_n(&rf_pool_header()->cuda_ticks, ticks, __ATOMIC_RELEASE);
}

/* Hands over what the GPU had done when a snapshot asked for it. */
static void hand_over(struct flusher *f, int64_t now)
{
    take_request(f, now);
    if (f->asked_ns == 0)
        return;
    if (__atomic_load_n(&rf_cuda.n_requested, __ATOMIC_ACQUIRE) == 0 || f->is_replaced) {
        publish_ticks(f, f->asked); /* CUPTI has no records, or none for us */
        return;
    }
    if (!has_begun(f, now))
        return;
    flush(f, now);
    if (__atomic_exchange_n(&rf_cuda.has_work, 0, __ATOMIC_RELAXED) != 0)
        f->came_ns = now;
    bool has_come = !rf_cuda_has_older_buffers();
    if (!has_come && now >= f->came_ns + ASKED_NS && !rf_cuda_keeps_kinds())
        has_come = force_asked(f);
    if (has_come)
        publish_ticks(f, f->asked);
    else if (now >= f->asked_ns + ASKED_END_NS)
        f->asked_ns = 0; /* nobody waits any more */
}

/* ---- Are the buffers still ours? ---- */

/* Another profiler in this process can replace our buffer callbacks, and CUPTI does not report
 * that. So this thread calls the driver now and then, and checks whether CUPTI reports that
 * call. Nothing is concluded where CUPTI never reported one; nor, before every thread had a
 * buffer of its own, while running work may keep a buffer from coming back. */
static void check_probes(struct flusher *f)
{
    uint32_t n_answers = __atomic_load_n(&rf_cuda.n_probes, __ATOMIC_RELAXED);
    if (f->is_replaced || n_answers == 0 || n_answers == f->n_sent || f->n_failed != 0)
        return;
    f->is_replaced = true;
    rf_cuda_let_cupti_zero(true); /* the other profiler may rely on it */
    rf_session_add_message(
        "another profiler in this process has taken CUPTI's buffers: CUDA is not "
        "recorded from then on");
}

static void send_probe(struct flusher *f)
{
    int version;
    uint32_t n_outstanding = rf_cuda_n_outstanding();
    if (f->driver_version != NULL && !f->is_replaced && f->driver_version(&version) == 0)
        f->n_sent++;
    f->n_probed = n_outstanding == 0 && rf_cuda_n_outstanding() != 0;
}

static void probe(struct flusher *f, int64_t now)
{
    uint32_t n_answers = __atomic_load_n(&rf_cuda.n_probes, __ATOMIC_RELAXED);
    if (now - f->last_probe_ns < PROBE_NS || !rf_cuda_is_recording())
        return;
    if (rf_cuda.version >= RF_CUPTI_13_0 && f->n_sent - n_answers >= N_LOST_PROBES)
        check_probes(f);
    f->last_probe_ns = now;
    send_probe(f);
}

static void find_probe(struct flusher *f)
{
    void *library = rf_library_open_mapped("libcuda.so.1");
    if (library != NULL)
        *(void **)&f->driver_version = rf_library_symbol(library, "cuDriverGetVersion");
}

/* ---- The thread ---- */

static int64_t pause_ns(const struct flusher *f)
{
    if (f->asked_ns != 0 || is_asked_again(f))
        return ASKED_STEP_NS;
    if (!follows_captures())
        return f->flush_ns;
    uint64_t word = rf_capture_word(rf_recorder.control);
    bool is_over = (word & RF_CAPTURE_OVER) != 0 && !rf_capture_is_on(word);
    return is_over && f->settling[0].phase == 0 ? OVER_NS : WATCH_NS;
}

static void run_once(struct flusher *f)
{
    int64_t now = now_ns();
    if (follows_captures())
        watch_captures(f, now);
    bool is_useful = rf_cuda_is_recording() || rf_cuda_n_outstanding() != 0;
    hand_over(f, now);
    if (now - f->last_flush_ns < f->flush_ns || !is_useful || !has_begun(f, now))
        return;
    probe(f, now);
    flush(f, now);
}

/* Flushes until no work is pending, for a while. CUPTI may keep a buffer although no work is
 * known to run. */
static void wait_until_quiet(struct flusher *f)
{
    int64_t begin = now_ns();
    f->n_quiet = 0;
    while (f->n_quiet < N_QUIET &&
           now_ns() - begin < (rf_cuda_is_work_pending() ? SETTLE_NS : KEPT_NS)) {
        flush(f, now_ns());
        f->n_quiet = is_quiet() ? f->n_quiet + 1 : 0;
        if (f->n_quiet < N_QUIET)
            rf_sys_sleep_us(END_STEP_US);
    }
}

/* A forced flush may crash CUDA 13.0 without update. */
static void fetch_without_force(struct flusher *f)
{
    rf_cuda_note_capture(false);
    wait_until_quiet(f);
    if (f->n_quiet < N_QUIET)
        rf_session_add_message(
            "CUPTI 13.0.0 did not give all that it had: the last CUDA records may be "
            "missing; 13.0 Update 1 is mended");
}

/* Writes the remaining records. n_records: how many there were before. */
static void write_rest(struct flusher *f, uint64_t n_records)
{
    (void)call_flush(f, 0, rf_cuda_keeps_kinds() ? 1 : N_FAILED);
    if (rf_cuda_keeps_kinds())
        fetch_without_force(f);
    else
        (void)call_flush(f, RF_CUPTI_FLUSH_FORCED, 1);
    wait_for_readers();
    rf_cuda_add_clock(0);
    rf_cuda_complete_devices();
    /* if records came, the buffers are ours, even if calls are no longer reported */
    if (__atomic_load_n(&rf_cuda.n_records, __ATOMIC_RELAXED) == n_records)
        check_probes(f);
}

/* At exit(). Nothing is disabled (switch_kinds.c). */
static void end_all(struct flusher *f)
{
    if (__atomic_load_n(&rf_cuda.n_requested, __ATOMIC_ACQUIRE) != 0) {
        uint64_t n_records = __atomic_load_n(&rf_cuda.n_records, __ATOMIC_RELAXED);
        if (rf_cuda_is_recording())
            send_probe(f);
        write_rest(f, n_records);
    }
    publish_phase(rf_capture_phase(rf_capture_word(rf_recorder.control)));
    __atomic_store_n(&rf_pool_header()->cuda_state, RF_CUDA_OFF, __ATOMIC_RELEASE);
}

/* The session ends, and the program continues: with the work of the session, which is waited
 * for, and perhaps with cuInit(). */
static void end_session(struct flusher *f)
{
    int64_t begin = now_ns();
    while (!has_begun(f, now_ns()) && !rf_cuda_is_driver_ready() && now_ns() - begin < START_NS)
        rf_sys_sleep_us(1000);
    uint64_t n_records = __atomic_load_n(&rf_cuda.n_records, __ATOMIC_RELAXED);
    if (rf_cuda_is_recording())
        send_probe(f);
    wait_until_quiet(f);
    rf_cuda_disable_all();
    write_rest(f, n_records);
}

static void *run(void *unused)
{
    uint32_t wish = rf_recorder.control->cuda_flush_ms;
    struct flusher f = {.flush_ns = wish != 0 ? wish * MS : FLUSH_NS, .last_flush_ns = now_ns()};
    (void)unused;
    (void)RF_SYSCALL4(SYS_prctl, PR_SET_NAME, "rangefinder", 0, 0);
    __atomic_store_n(&rf_cuda.thread_tid, rf_sys_gettid(), __ATOMIC_RELEASE);
    find_probe(&f);
    while (__atomic_load_n(&rf_cuda.is_ending, __ATOMIC_ACQUIRE) == 0) {
        uint32_t wake = __atomic_load_n(wake_word(), __ATOMIC_ACQUIRE);
        run_once(&f);
        if (__atomic_load_n(&rf_cuda.is_ending, __ATOMIC_ACQUIRE) == 0)
            futex_wait(wake_word(), wake, pause_ns(&f));
    }
    if (rf_recorder.is_standby)
        end_session(&f);
    else
        end_all(&f);
    __atomic_store_n(&rf_cuda.has_ended, 1, __ATOMIC_RELEASE);
    futex_wake(&rf_cuda.has_ended);
    return NULL;
}

bool rf_cuda_start_thread(void)
{
    __atomic_store_n(&rf_cuda.thread_tid, 0, __ATOMIC_RELAXED); /* of the thread before */
    __atomic_store_n(&rf_cuda.n_probes, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&rf_cuda.has_ended, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&rf_cuda.is_ending, 0, __ATOMIC_RELEASE);
    return rf_library_start_thread(run);
}

void rf_cuda_wake_thread(void)
{
    (void)__atomic_fetch_add(wake_word(), 1, __ATOMIC_RELEASE);
    futex_wake(wake_word());
}

bool rf_cuda_stop_thread(void)
{
    int64_t until = now_ns() + EXIT_NS;
    if (rf_sys_gettid() == __atomic_load_n(&rf_cuda.thread_tid, __ATOMIC_ACQUIRE))
        return false; /* CUPTI called exit() */
    __atomic_store_n(&rf_cuda.is_ending, 1, __ATOMIC_RELEASE);
    rf_cuda_wake_thread();
    while (__atomic_load_n(&rf_cuda.has_ended, __ATOMIC_ACQUIRE) == 0) {
        int64_t left = until - now_ns();
        if (left <= 0)
            return false;
        futex_wait(&rf_cuda.has_ended, 0, left);
    }
    return true;
}
