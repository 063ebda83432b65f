/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/waiting.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress_option.h"
#include "log/ticks.h"

#define FIRST_NS 1000000000LL

static bool is_quiet, is_within; /* set while there is one thread */

void cli_waiting_quiet(void)
{
    is_quiet = true;
}

void cli_waiting_within(bool is_part)
{
    is_within = is_part;
}

static bool is_wanted(void)
{
    return !is_within && (cli_progress_is_json() ||
                          (!cli_progress_is_none() && !is_quiet && isatty(STDERR_FILENO)));
}

static void draw(struct cli_waiting *waiting, int64_t passed_ns)
{
    char line[224];
    if (cli_progress_is_json()) {
        cli_progress_line("progress", waiting->what, waiting->done, waiting->begin_ns);
        return;
    }
    int n = snprintf(line, sizeof(line), "\rrangefinder: %s, %lld s", waiting->what,
                     (long long)(passed_ns / 1000000000));
    waiting->is_shown = true;
    (void)!write(STDERR_FILENO, line, (size_t)n);
}

static void *keep_drawing(void *context)
{
    struct cli_waiting *waiting = context;
    struct timespec until;
    (void)pthread_mutex_lock(&waiting->lock);
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    while (!waiting->is_over) {
        until.tv_sec++;
        while (!waiting->is_over &&
               pthread_cond_timedwait(&waiting->changed, &waiting->lock, &until) == 0)
            ;
        int64_t passed_ns = rf_clock_ns(CLOCK_MONOTONIC) - waiting->begin_ns;
        if (!waiting->is_over && passed_ns >= FIRST_NS)
            draw(waiting, passed_ns);
    }
    (void)pthread_mutex_unlock(&waiting->lock);
    return NULL;
}

/* Signals go to the thread that works. */
static int start(struct cli_waiting *waiting)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(&waiting->thread, NULL, keep_drawing, waiting) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

void cli_waiting_begin(struct cli_waiting *waiting, const char *format, ...)
{
    pthread_condattr_t attributes;
    va_list args;
    memset(waiting, 0, sizeof(*waiting));
    if (!is_wanted())
        return;
    va_start(args, format);
    (void)vsnprintf(waiting->what, sizeof(waiting->what), format, args);
    va_end(args);
    for (char *p = waiting->what; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
            *p = '?';
    waiting->begin_ns = rf_clock_ns(CLOCK_MONOTONIC);
    waiting->done = -1;
    if (cli_progress_is_json())
        cli_progress_line("begin", waiting->what, -1, waiting->begin_ns);
    (void)pthread_mutex_init(&waiting->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&waiting->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    waiting->is_on = start(waiting);
}

void cli_waiting_advance(struct cli_waiting *waiting, double done)
{
    if (!waiting->is_on)
        return;
    (void)pthread_mutex_lock(&waiting->lock);
    waiting->done = done;
    if (cli_progress_is_json())
        cli_progress_line("progress", waiting->what, done, waiting->begin_ns);
    (void)pthread_mutex_unlock(&waiting->lock);
}

void cli_waiting_end(struct cli_waiting *waiting)
{
    static const char wipe[] = "\r\033[K";
    if (!waiting->is_on)
        return;
    (void)pthread_mutex_lock(&waiting->lock);
    waiting->is_over = true;
    (void)pthread_cond_signal(&waiting->changed);
    (void)pthread_mutex_unlock(&waiting->lock);
    (void)pthread_join(waiting->thread, NULL);
    (void)pthread_cond_destroy(&waiting->changed);
    (void)pthread_mutex_destroy(&waiting->lock);
    waiting->is_on = false;
    if (cli_progress_is_json())
        cli_progress_line("end", waiting->what, waiting->done, waiting->begin_ns);
    if (waiting->is_shown)
        (void)!write(STDERR_FILENO, wipe, sizeof(wipe) - 1);
}
