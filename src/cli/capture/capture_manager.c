/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/capture_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/amounts.h"
#include "base/error.h"
#include "cli/capture/dead_triggers.h"
#include "cli/capture/near_misses.h"
#include "cli/command.h"
#include "cli/drain/bus_guard.h"
#include "cli/gpu_metrics/gpu_sampler.h"
#include "cli/output_name.h"
#include "cli/profile/cuda_run.h"
#include "cli/profile/end_program.h"
#include "cli/profile/finish.h"
#include "cli/profile/focus_options.h"
#include "cli/profile/profile_options.h"
#include "cli/say.h"
#include "cli/session/session_mend.h"
#include "log/capture.h"
#include "log/clock_reading.h"
#include "log/pack_capture.h"

#define TICK_NS   5000000LL /* how often to look for the end of a capture */
#define EARLY_NS  2000000LL /* how long before its beginning a timed capture is switched on */
#define LATE_NS   5000000LL /* how long after a capture its last events may still be written */
#define NEVER     INT64_MAX
#define NAME_ROOM (PATH_MAX + 32)

/* What is known of one capture beyond its window. */
struct capture {
    struct cli_capture_request request; /* output is owned */
    bool is_discarded;
};

struct cli_captures {
    struct cli_captures_config config;
    struct rf_control *control;
    const struct focus_options *focus;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool must_stop;
    bool is_running;      /* the program was let go */
    int64_t delay_until;  /* CLOCK_MONOTONIC; NEVER: no delay, or it is over */
    uint32_t n_announced; /* captures whose beginning was printed */
    uint32_t n_saved;     /* captures that have ended and were handled */
    uint32_t n_files;
    bool has_failed;
    bool is_given_up; /* the page's words about captures cannot be trusted */
    bool is_shutting_down;
    int kill_signal;
    int ended_program;
    char last_path[NAME_ROOM];
    struct rf_err last_err;                 /* of the capture saved last */
    struct capture capture[RF_MAX_WINDOWS]; /* by number, modulo */
    struct near_misses misses;
    struct dead_triggers dead;
    struct cuda_late late;
    struct rf_captures *packed; /* for the next one; NULL: out of memory */
};

/* ---- Clocks ---- */

static double ns_per_tick(const struct cli_captures *c)
{
    const struct rf_clock_pair *first = &c->control->clock[0];
    const struct rf_clock_pair now = rf_clock_reading_take(c->control->clock_kind).pair;
    if (c->control->clock_kind == RF_CLOCK_MONO || now.ticks <= first->ticks)
        return 1;
    return (double)(now.mono_ns - first->mono_ns) / (double)(now.ticks - first->ticks);
}

static uint64_t ticks_at(const struct cli_captures *c, int64_t mono_ns)
{
    struct rf_clock_pair now = rf_clock_pair_take(c->control->clock_kind);
    double ticks = (double)(mono_ns - now.mono_ns) / ns_per_tick(c);
    return now.ticks + (uint64_t)(int64_t)ticks;
}

static int64_t mono_at(const struct cli_captures *c, uint64_t ticks)
{
    struct rf_clock_pair now = rf_clock_pair_take(c->control->clock_kind);
    return now.mono_ns + (int64_t)((double)(int64_t)(ticks - now.ticks) * ns_per_tick(c));
}

/* ---- Messages ---- */

static void say_began(const struct cli_captures *c, uint32_t number)
{
    if (!c->config.options->is_quiet)
        cli_say("capture %" PRIu32 " started", number + 1);
}

static void say_ended(const struct cli_captures *c, uint32_t number)
{
    const struct rf_capture_window *window = &c->control->window[number % RF_MAX_WINDOWS];
    char text[32];
    int64_t ns = mono_at(c, window->end_ticks) - mono_at(c, window->begin_ticks);
    if (!c->config.options->is_quiet)
        cli_say("capture %" PRIu32 " ended after %s", number + 1,
                rf_format_duration(text, sizeof(text), ns > 0 ? ns : 0));
}

/* ---- Saving ---- */

/* The name of a capture's file, without its ending. */
static int make_base(const struct cli_captures *c, uint32_t number, char *base, size_t size,
                     struct rf_err *err)
{
    const struct capture *capture = &c->capture[number % RF_MAX_WINDOWS];
    if (capture->request.output != NULL)
        return cli_output_base(base, size, capture->request.output, c->config.root_pid, err);
    /* the pattern gives each its own name: report1, report2, ...; the session directory already has
     * the first one's */
    bool is_numbered = c->focus->is_launch && cli_output_has_number(c->config.options->output);
    if (is_numbered && cli_output_is_recorded(c->config.base))
        return cli_output_base(base, size, c->config.options->output, c->config.root_pid, err);
    int n = focus_makes_many(c->config.options) && !is_numbered
                ? snprintf(base, size, "%s.%" PRIu32, c->config.base, number + 1)
                : snprintf(base, size, "%s", c->config.base);
    return n < (int)size ? RF_OK : rf_fail(err, RF_ERR_USAGE, "output name: too long");
}

/* Saves a capture that has ended. Without the lock: it may take long, and nothing that it needs
 * changes meanwhile. */
static int save(struct cli_captures *c, uint32_t number, char *path, size_t size,
                struct rf_err *err)
{
    const struct capture *capture = &c->capture[number % RF_MAX_WINDOWS];
    char base[PATH_MAX];
    int status = make_base(c, number, base, sizeof(base), err);
    path[0] = '\0';
    if (status != RF_OK) {
        cli_say("%s", err->text);
        return CLI_PROFILE_FAILED;
    }
    struct finish_request request = {.options = c->config.options,
                                     .base = base,
                                     .dir = c->config.session->dir,
                                     .can_overwrite = capture->request.output != NULL
                                                          ? capture->request.can_overwrite
                                                          : c->config.options->can_overwrite,
                                     .is_capture = true,
                                     .window = number,
                                     .captures = c->packed,
                                     .app_path = c->config.app_path,
                                     .control = c->control};
    status = finish_recording(&request, path, size);
    if (path[0] == '\0')
        (void)rf_fail(err, RF_ERR_IO, "capture %" PRIu32 " could not be saved", number + 1);
    return status;
}

/* A capture's window is set a moment after the word; a process that is killed in between never sets
 * it. */
static void wait_for_window(struct cli_captures *c, uint32_t n)
{
    const struct timespec pause = {0, 100000};
    for (int i = 0; i < 1000; i++) {
        if (__atomic_load_n(&c->control->n_windows, __ATOMIC_ACQUIRE) >= n)
            return;
        (void)nanosleep(&pause, NULL);
    }
    c->control->window[(n - 1) % RF_MAX_WINDOWS].begin_ticks = rf_ticks(c->control->clock_kind);
    __atomic_store_n(&c->control->n_windows, n, __ATOMIC_RELEASE);
}

/* Prints once that a capture began, in order with other messages. */
static void announce(struct cli_captures *c, uint32_t number)
{
    if (c->n_announced > number)
        return;
    wait_for_window(c, number + 1);
    say_began(c, number);
    c->n_announced = number + 1;
}

/* Handles all captures that have ended. The lock is held, and released meanwhile. */
static void give_up(struct cli_captures *c)
{
    if (!c->is_given_up)
        cli_say("the session's shared page was written over (by the program?): what belongs to "
                "captures can no longer be told; 'rangefinder recover %s' saves what was recorded",
                c->config.session->dir);
    c->is_given_up = c->has_failed = true;
}

/* As many ended captures may wait to be saved as there is room for. */
static bool is_sound(struct cli_captures *c)
{
    uint32_t n_ended = rf_capture_phase(rf_capture_word(c->control)) / 2;
    if (n_ended < c->n_saved || n_ended - c->n_saved > RF_MAX_WINDOWS ||
        session_is_spoiled(c->config.session))
        give_up(c);
    return !c->is_given_up;
}

static void save_ended(struct cli_captures *c)
{
    const struct timespec late = {0, LATE_NS};
    while (is_sound(c) && c->n_saved < rf_capture_phase(rf_capture_word(c->control)) / 2) {
        uint32_t number = c->n_saved;
        struct capture *capture = &c->capture[number % RF_MAX_WINDOWS];
        char path[NAME_ROOM] = "";
        struct rf_err err = {.code = RF_OK};
        int status = CLI_OK;
        bool is_discarded = capture->is_discarded;
        announce(c, number);
        say_ended(c, number);
        (void)pthread_mutex_unlock(&c->lock);
        /* threads may have read the clock, and not yet written the record */
        (void)nanosleep(&late, NULL);
        if (!is_discarded) {
            cuda_run_wait(&c->late, c->control, c->config.session->dir, number);
            cli_gpu_sampler_wait(c->config.sampler, number);
            status = save(c, number, path, sizeof(path), &err);
        }
        (void)pthread_mutex_lock(&c->lock);
        c->has_failed |= status != CLI_OK;
        c->n_files += path[0] != '\0';
        memcpy(c->last_path, path, sizeof(path));
        c->last_err = err;
        free((char *)(uintptr_t)capture->request.output);
        memset(capture, 0, sizeof(*capture));
        c->n_saved++;
        __atomic_store_n(&c->control->capture.n_saved, c->n_saved, __ATOMIC_RELEASE);
        (void)pthread_cond_broadcast(&c->changed);
    }
}

/* ---- Beginnings and ends ---- */

/* When the duration of the current capture is over; NEVER: it has none. */
static int64_t deadline(const struct cli_captures *c, uint64_t word)
{
    uint32_t number = (rf_capture_phase(word) - 1) / 2;
    int64_t duration_ns = c->capture[number % RF_MAX_WINDOWS].request.duration_ns;
    if (duration_ns == 0)
        duration_ns = c->focus->duration_ns;
    if (!rf_capture_is_on(word) || duration_ns == 0)
        return NEVER;
    return mono_at(c, c->control->window[number % RF_MAX_WINDOWS].begin_ticks) + duration_ns;
}

/* Arms the triggers; one that is already open begins a capture. */
static void arm(struct cli_captures *c)
{
    uint64_t word =
        __atomic_or_fetch(&c->control->capture.word, RF_CAPTURE_ARMED, __ATOMIC_SEQ_CST);
    if (rf_capture_n_open(word) > 0)
        (void)rf_capture_begin(c->control, false, 0);
}

static void end_delay(struct cli_captures *c)
{
    if (c->focus->triggers != 0)
        arm(c);
    else
        (void)rf_capture_begin(c->control, false, ticks_at(c, c->delay_until));
    c->delay_until = NEVER;
}

static void shut_down_when_done(struct cli_captures *c, uint64_t word)
{
    if (c->ended_program != 0 || !c->is_shutting_down || rf_capture_is_on(word) ||
        c->n_saved < rf_capture_phase(word) / 2)
        return;
    c->ended_program = c->kill_signal;
    if (!c->config.options->is_quiet)
        cli_say("ending the program (signal %d)", c->kill_signal);
    (void)cli_end_program(c->config.root_pid, c->kill_signal);
}

/* Does what is due. Returns when to check again, by CLOCK_MONOTONIC. */
static int64_t step(struct cli_captures *c)
{
    int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    int64_t next = now + TICK_NS;
    if (!is_sound(c))
        return next;
    if (c->is_running && c->delay_until - EARLY_NS <= now)
        end_delay(c);
    else if (c->is_running && c->delay_until - EARLY_NS < next)
        next = c->delay_until - EARLY_NS;
    dead_triggers_close(&c->dead, c->control, c->config.session->dir);
    save_ended(c);
    if (c->is_given_up)
        return next;
    uint64_t word = rf_capture_word(c->control);
    if (rf_capture_is_on(word))
        announce(c, (rf_capture_phase(word) - 1) / 2);
    int64_t until = deadline(c, word);
    if (until <= now) {
        (void)rf_capture_end(c->control, false, ticks_at(c, until), rf_capture_phase(word));
        next = now;
    } else if (until < next) {
        next = until;
    }
    save_ended(c);
    near_misses_say(&c->misses, c->control, c->config.options->is_quiet);
    word = rf_capture_word(c->control);
    if ((word & RF_CAPTURE_OVER) && c->kill_signal > 0)
        c->is_shutting_down = true;
    shut_down_when_done(c, word);
    return next;
}

static void *run(void *context)
{
    struct cli_captures *c = context;
    (void)pthread_mutex_lock(&c->lock);
    while (!c->must_stop) {
        int64_t next = step(c);
        struct timespec until = {next / 1000000000, next % 1000000000};
        (void)pthread_cond_timedwait(&c->changed, &c->lock, &until);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- Starting and finishing ---- */

static int kill_signal_of(const struct focus_options *focus)
{
    if (focus->kill_signal != FOCUS_KILL_DEFAULT)
        return focus->kill_signal;
    return focus->shuts_down ? SIGTERM : 0;
}

struct cli_captures *cli_captures_start(const struct cli_captures_config *config)
{
    struct cli_captures *c = calloc(1, sizeof(*c));
    pthread_condattr_t attributes;
    sigset_t all, before;
    if (c == NULL) {
        cli_say("out of memory");
        return NULL;
    }
    c->config = *config;
    c->control = config->session->control;
    c->focus = &config->options->focus;
    c->delay_until = NEVER;
    c->kill_signal = kill_signal_of(c->focus);
    c->packed = rf_captures_new();
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&c->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    bus_guard_thread_mask(&all); /* signals are the main thread's */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&c->thread, NULL, run, c);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code == 0)
        return c;
    cli_say("cannot start a thread: %s", strerror(code));
    rf_captures_free(c->packed);
    free(c);
    return NULL;
}

void cli_captures_run(struct cli_captures *c)
{
    const struct focus_options *focus = c->focus;
    (void)pthread_mutex_lock(&c->lock);
    c->is_running = true;
    if (focus->delay_ns > 0)
        c->delay_until = rf_clock_ns(CLOCK_MONOTONIC) + focus->delay_ns;
    else if (focus->triggers != 0 && !focus->starts_by_hand)
        arm(c);
    else if (!focus->starts_by_hand && !focus->has_key)
        (void)rf_capture_begin(c->control, false, 0);
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

void cli_captures_finish(struct cli_captures *c, struct cli_captures_result *result)
{
    memset(result, 0, sizeof(*result));
    if (c == NULL)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->must_stop = true;
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_join(c->thread, NULL);

    (void)pthread_mutex_lock(&c->lock);
    (void)__atomic_or_fetch(&c->control->capture.word, RF_CAPTURE_OVER, __ATOMIC_SEQ_CST);
    c->delay_until = NEVER;
    c->kill_signal = 0;
    (void)step(c); /* captures that ended after the thread's last check */
    (void)rf_capture_end(c->control, false, 0, 0);
    save_ended(c);
    result->n_begun = c->n_announced;
    result->n_saved = c->n_files;
    result->has_failed = c->has_failed;
    result->ended_program = c->ended_program;
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_cond_destroy(&c->changed);
    (void)pthread_mutex_destroy(&c->lock);
    rf_captures_free(c->packed);
    free(c);
}

void cli_captures_give_up(struct cli_captures *c)
{
    (void)pthread_mutex_lock(&c->lock);
    give_up(c);
    (void)pthread_mutex_unlock(&c->lock);
}

/* ---- By hand ---- */

static int fail_begin(const struct cli_captures *c, struct rf_err *err, uint64_t word)
{
    if (rf_capture_is_on(word))
        return rf_fail(err, RF_ERR_USAGE, "a capture is on already; end it first");
    uint32_t most = c->control->capture.max_windows;
    if ((word & RF_CAPTURE_OVER) && most != 0 && rf_capture_phase(word) / 2 >= most)
        return rf_fail(err, RF_ERR_USAGE,
                       "there were as many captures as this run was to have; 'rangefinder launch' "
                       "and --capture-range-end=repeat allow more");
    if (word & RF_CAPTURE_OVER)
        return rf_fail(err, RF_ERR_USAGE, "this session was shut down; it captures nothing more");
    return rf_fail(err, RF_ERR_USAGE, "too many captures wait to be saved");
}

int cli_captures_begin(struct cli_captures *c, const struct cli_capture_request *request,
                       struct rf_err *err)
{
    int status = RF_OK;
    (void)pthread_mutex_lock(&c->lock);
    uint64_t word = rf_capture_word(c->control);
    struct capture *capture = &c->capture[(rf_capture_phase(word) + 1) / 2 % RF_MAX_WINDOWS];
    if ((word & (RF_CAPTURE_ON | RF_CAPTURE_OVER)) != 0)
        status = fail_begin(c, err, word);
    if (status == RF_OK) {
        capture->request = *request;
        if (request->output != NULL && (capture->request.output = strdup(request->output)) == NULL)
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    if (status == RF_OK && c->focus->triggers != 0 && !(word & RF_CAPTURE_ARMED))
        arm(c); /* with --start-later triggers are armed only now */
    else if (status == RF_OK && rf_capture_begin(c->control, false, 0) != RF_CAPTURE_BEGAN)
        status = fail_begin(c, err, rf_capture_word(c->control));
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

/* Waits until the capture `number` was handled. The lock is held. */
static int wait_until_saved(struct cli_captures *c, uint32_t number, char *path, size_t size,
                            struct rf_err *err)
{
    while (c->n_saved <= number)
        (void)pthread_cond_wait(&c->changed, &c->lock);
    if (path != NULL)
        (void)snprintf(path, size, "%s", c->last_path);
    if (path == NULL || c->last_err.code == RF_OK)
        return RF_OK;
    if (err != NULL)
        *err = c->last_err;
    return RF_ERR_IO;
}

static int end(struct cli_captures *c, bool is_discarded, char *path, size_t size,
               struct rf_err *err)
{
    int status;
    (void)pthread_mutex_lock(&c->lock);
    uint64_t word = rf_capture_word(c->control);
    uint32_t number = (rf_capture_phase(word) - 1) / 2;
    if (!rf_capture_is_on(word)) {
        status = rf_fail(err, RF_ERR_USAGE, "no capture is on");
    } else {
        c->capture[number % RF_MAX_WINDOWS].is_discarded = is_discarded;
        wait_for_window(c, number + 1);
        (void)rf_capture_end(c->control, false, 0, 0);
        (void)pthread_cond_broadcast(&c->changed);
        status = path != NULL ? wait_until_saved(c, number, path, size, err) : RF_OK;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return status;
}

int cli_captures_end(struct cli_captures *c, char *path, size_t size, struct rf_err *err)
{
    return end(c, 0, path, size, err);
}

int cli_captures_cancel(struct cli_captures *c, struct rf_err *err)
{
    return end(c, 1, NULL, 0, err);
}

void cli_captures_shut_down(struct cli_captures *c, int signal_number)
{
    (void)pthread_mutex_lock(&c->lock);
    c->kill_signal = signal_number;
    c->is_shutting_down = signal_number != 0;
    if (signal_number != 0)
        c->ended_program = 0; /* a second request: the program may have ignored the first signal */
    uint64_t word = rf_capture_word(c->control);
    if (rf_capture_is_on(word)) {
        wait_for_window(c, (rf_capture_phase(word) + 1) / 2);
        (void)rf_capture_end(c->control, false, 0, 0);
    }
    (void)__atomic_or_fetch(&c->control->capture.word, RF_CAPTURE_OVER, __ATOMIC_SEQ_CST);
    (void)pthread_cond_broadcast(&c->changed);
    (void)pthread_mutex_unlock(&c->lock);
}

enum cli_captures_state cli_captures_state(struct cli_captures *c)
{
    uint64_t word = rf_capture_word(c->control);
    if (rf_capture_is_on(word))
        return CLI_CAPTURES_CAPTURING;
    if (__atomic_load_n(&c->control->capture.n_saved, __ATOMIC_ACQUIRE) <
        rf_capture_phase(word) / 2)
        return CLI_CAPTURES_SAVING;
    return word & RF_CAPTURE_OVER ? CLI_CAPTURES_OVER : CLI_CAPTURES_WAITING;
}

uint32_t cli_captures_count(struct cli_captures *c)
{
    return (rf_capture_phase(rf_capture_word(c->control)) + 1) / 2;
}
