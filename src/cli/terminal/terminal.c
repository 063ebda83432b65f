/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/drain/bus_guard.h"
#include "cli/say.h"
#include "cli/terminal/hotkey.h"
#include "cli/terminal/terminal_pty.h"
#include "log/ticks.h"

#define OUTPUT_SIZE   16384
#define INPUT_SIZE    4096
#define PENDING_SIZE  65536     /* typed, and not yet read by the program */
#define BACKGROUND_MS 200       /* how often to check whether we are in the foreground */
#define MAX_LAST      (1 << 20) /* more than a pseudo-terminal holds */

struct cli_terminal {
    struct cli_pty pty;
    void (*on_key)(void *context);
    void *context;
    int output_fd;
    int wake_fd;
    pthread_t thread;
    bool has_thread;
    sigset_t held; /* signals that we block and that were not blocked before */

    pthread_mutex_t key_lock; /* held while on_key is being called; locked before `lock` */
    pthread_mutex_t lock;     /* protects all below, and the descriptors above */
    struct hotkey_matcher matcher;
    bool has_started;   /* the program runs and needs input */
    bool is_suspended;  /* we are about to stop */
    bool is_gone;       /* the real terminal has hung up */
    bool is_over;       /* the program has ended */
    bool is_stopping;   /* the thread must end */
    bool is_raw;        /* we read the real terminal */
    bool is_line_start; /* the cursor is at the beginning of a line */
    size_t n_pending;
    uint8_t pending[PENDING_SIZE];
};

/* ---- The real terminal ---- */

static void wake(struct cli_terminal *terminal)
{
    uint64_t one = 1;
    (void)!write(terminal->wake_fd, &one, sizeof(one));
}

static void write_real(struct cli_terminal *terminal, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0 && terminal->output_fd >= 0) {
        ssize_t written = write(terminal->output_fd, at, n);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd fd = {terminal->output_fd, POLLOUT, 0};
            (void)poll(&fd, 1, -1);
            continue;
        }
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* the terminal is gone */
        at += written;
        n -= (size_t)written;
        terminal->is_line_start = at[-1] == '\n' || at[-1] == '\r';
    }
}

static bool is_foreground(const struct cli_terminal *terminal)
{
    pid_t foreground = tcgetpgrp(terminal->pty.real_fd);
    return foreground < 0 || foreground == getpgrp(); /* < 0: it is not our session's */
}

static void copy_size(struct cli_terminal *terminal)
{
    struct winsize size;
    if (terminal->pty.master >= 0 && ioctl(terminal->pty.real_fd, TIOCGWINSZ, &size) == 0)
        (void)ioctl(terminal->pty.master, TIOCSWINSZ, &size);
}

/* Makes the real terminal raw for the program, if we are in the foreground. */
static void make_real_raw(struct cli_terminal *terminal)
{
    struct termios now;
    if (terminal->is_raw || !terminal->has_started || terminal->is_over || terminal->is_suspended ||
        terminal->pty.master < 0 || !is_foreground(terminal))
        return;
    if (tcgetattr(terminal->pty.real_fd, &now) != 0)
        return;
    if (!cli_pty_is_raw(&now)) /* otherwise we were stopped before the terminal was restored */
        terminal->pty.saved = now;
    bool keeps_output = !(terminal->pty.descriptors & 1u << STDOUT_FILENO);
    struct termios raw = cli_pty_raw(&terminal->pty.saved, keeps_output);
    (void)tcsetattr(terminal->pty.real_fd, TCSADRAIN, &raw);
    copy_size(terminal);
    terminal->is_raw = true;
}

static void restore_real(struct cli_terminal *terminal)
{
    if (terminal->is_raw && is_foreground(terminal))
        (void)tcsetattr(terminal->pty.real_fd, TCSADRAIN, &terminal->pty.saved);
    terminal->is_raw = false;
}

/* Prints a line of cli_say() at the beginning of a line, whatever the program wrote last. */
static void say_line(void *context, const char *line, size_t size)
{
    struct cli_terminal *terminal = context;
    (void)pthread_mutex_lock(&terminal->lock);
    if (terminal->is_raw && !terminal->is_line_start)
        write_real(terminal, "\r\n", 2);
    if (terminal->is_raw && size > 0 && line[size - 1] == '\n') {
        write_real(terminal, line, size - 1);
        write_real(terminal, "\r\n", 2);
    } else {
        write_real(terminal, line, size);
    }
    (void)pthread_mutex_unlock(&terminal->lock);
}

/* ---- Between the two ---- */

static void write_pending(struct cli_terminal *terminal)
{
    while (terminal->n_pending > 0 && terminal->pty.master >= 0) {
        ssize_t n = write(terminal->pty.master, terminal->pending, terminal->n_pending);
        if (n <= 0)
            return; /* full: the program is not reading */
        terminal->n_pending -= (size_t)n;
        memmove(terminal->pending, terminal->pending + n, terminal->n_pending);
    }
}

/* Ends the relay between the two terminals, one of which is gone. */
static void hang_up(struct cli_terminal *terminal)
{
    if (terminal->pty.master < 0)
        return;
    pid_t group = tcgetpgrp(terminal->pty.master);
    (void)close(terminal->pty.master);
    terminal->pty.master = -1;
    if (group > 0) {
        (void)kill(-group, SIGHUP);
        (void)kill(-group, SIGCONT);
    }
    restore_real(terminal); /* the program's session may be gone */
}

/* Returns the number of presses. */
static unsigned read_real(struct cli_terminal *terminal, short events)
{
    uint8_t bytes[INPUT_SIZE];
    unsigned n_pressed = 0;
    if (!terminal->is_raw)
        return 0;
    ssize_t n = read(terminal->pty.real_fd, bytes, sizeof(bytes));
    if (n > 0) {
        terminal->n_pending +=
            hotkey_feed(&terminal->matcher, bytes, (size_t)n, rf_clock_ns(CLOCK_MONOTONIC),
                        terminal->pending + terminal->n_pending, &n_pressed);
        write_pending(terminal);
    } else if (events & (POLLHUP | POLLERR | POLLNVAL)) {
        hang_up(terminal);
    } else if (n < 0 && errno == EIO) {
        terminal->is_raw = false; /* another process took the terminal without our knowledge */
    }
    return n_pressed;
}

/* Returns the number of bytes; 0: none at the moment; < 0: there will be no more. */
static ssize_t read_program(struct cli_terminal *terminal)
{
    uint8_t bytes[OUTPUT_SIZE];
    if (terminal->pty.master < 0)
        return -1;
    ssize_t n = read(terminal->pty.master, bytes, sizeof(bytes));
    if (n > 0)
        write_real(terminal, bytes, (size_t)n);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    return n > 0 ? n : -1;
}

/* A read that finds nothing waits for output that the kernel is still moving: afterwards everything
 * written before is shown. */
static void show_rest(struct cli_terminal *terminal)
{
    ssize_t n, total = 0;
    while (total < MAX_LAST && (n = read_program(terminal)) > 0)
        total += n;
}

enum { WAKE, MASTER, REAL, N_FDS };

/* Sets what to poll for. Returns the timeout in milliseconds. */
static int prepare_poll(struct cli_terminal *terminal, struct pollfd *fds)
{
    bool has_room = PENDING_SIZE - terminal->n_pending >= INPUT_SIZE + 2 * HOTKEY_MAX_HELD;
    short master_events = terminal->n_pending > 0 ? POLLIN | POLLOUT : POLLIN;
    fds[WAKE] = (struct pollfd){terminal->wake_fd, POLLIN, 0};
    fds[MASTER] = (struct pollfd){terminal->pty.master, master_events, 0};
    fds[REAL] =
        (struct pollfd){terminal->is_raw && has_room ? terminal->pty.real_fd : -1, POLLIN, 0};
    if (terminal->matcher.n_held > 0) {
        int64_t left = terminal->matcher.deadline_ns - rf_clock_ns(CLOCK_MONOTONIC);
        return left <= 0 ? 0 : (int)(left / 1000000) + 1;
    }
    bool waits = terminal->has_started && !terminal->is_over && !terminal->is_raw;
    return waits && terminal->pty.master >= 0 ? BACKGROUND_MS : -1;
}

static unsigned handle_poll(struct cli_terminal *terminal, const struct pollfd *fds)
{
    unsigned n_pressed = 0;
    uint64_t count;
    if (fds[WAKE].revents != 0)
        (void)!read(terminal->wake_fd, &count, sizeof(count));
    if (terminal->is_gone)
        hang_up(terminal);
    if (fds[REAL].revents != 0)
        n_pressed = read_real(terminal, fds[REAL].revents);
    terminal->n_pending += hotkey_expire(&terminal->matcher, rf_clock_ns(CLOCK_MONOTONIC),
                                         terminal->pending + terminal->n_pending);
    if (fds[MASTER].fd == terminal->pty.master) {
        write_pending(terminal);
        if (fds[MASTER].revents & ~POLLOUT && read_program(terminal) < 0)
            hang_up(terminal); /* the session is gone */
    }
    make_real_raw(terminal);
    return n_pressed;
}

static void call_on_key(struct cli_terminal *terminal)
{
    (void)pthread_mutex_lock(&terminal->key_lock);
    (void)pthread_mutex_lock(&terminal->lock);
    bool is_over = terminal->is_over;
    (void)pthread_mutex_unlock(&terminal->lock);
    if (!is_over)
        terminal->on_key(terminal->context);
    (void)pthread_mutex_unlock(&terminal->key_lock);
}

static void *run_thread(void *context)
{
    struct cli_terminal *terminal = context;
    bool is_stopping;
    do {
        struct pollfd fds[N_FDS];
        unsigned n_pressed = 0;
        (void)pthread_mutex_lock(&terminal->lock);
        int timeout = prepare_poll(terminal, fds);
        (void)pthread_mutex_unlock(&terminal->lock);
        if (poll(fds, N_FDS, timeout) < 0)
            continue;
        (void)pthread_mutex_lock(&terminal->lock);
        n_pressed = handle_poll(terminal, fds);
        is_stopping = terminal->is_stopping;
        (void)pthread_mutex_unlock(&terminal->lock);
        while (n_pressed-- > 0)
            call_on_key(terminal);
    } while (!is_stopping);
    return NULL;
}

/* ---- Beginning and end ---- */

/* The descriptor by which the real terminal is written to; -1: none. */
static int find_output(const struct cli_pty *pty)
{
    static const int order[] = {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        if (pty->descriptors & 1u << order[i] && (fcntl(order[i], F_GETFL) & O_ACCMODE) != O_RDONLY)
            return order[i];
    return -1;
}

int cli_terminal_new(struct cli_terminal **terminal, const struct hotkey_set *keys,
                     void (*on_key)(void *context), void *context, struct rf_err *err)
{
    struct cli_terminal *made = calloc(1, sizeof(*made));
    *terminal = NULL;
    if (made == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    int status = cli_pty_open(&made->pty, err);
    if (status != RF_OK) {
        free(made);
        return status;
    }
    made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made->wake_fd < 0) {
        status = rf_fail(err, RF_ERR_IO, "cannot make an eventfd: %s", strerror(errno));
        cli_pty_release(&made->pty);
        free(made);
        return status;
    }
    (void)pthread_mutex_init(&made->key_lock, NULL);
    (void)pthread_mutex_init(&made->lock, NULL);
    hotkey_matcher_init(&made->matcher, keys, hotkey_dialect_of(getenv("TERM")));
    made->on_key = on_key;
    made->context = context;
    made->output_fd = find_output(&made->pty);
    made->is_line_start = true;
    *terminal = made;
    return RF_OK;
}

void cli_terminal_add_signals(sigset_t *set)
{
    (void)sigaddset(set, SIGWINCH);
    (void)sigaddset(set, SIGCONT);
    (void)sigaddset(set, SIGTSTP);
}

static void hold_signals(struct cli_terminal *terminal)
{
    sigset_t before;
    (void)sigemptyset(&terminal->held);
    cli_terminal_add_signals(&terminal->held);
    (void)sigaddset(&terminal->held, SIGTTIN); /* in the background we check before reading, */
    (void)sigaddset(&terminal->held, SIGTTOU); /* and still show the program's output */
    (void)pthread_sigmask(SIG_BLOCK, &terminal->held, &before);
    for (int signal = 1; signal < NSIG; signal++)
        if (sigismember(&before, signal) == 1)
            (void)sigdelset(&terminal->held, signal);
}

/* Blocked in the thread, where they would end or stop us. */
static int start_thread(struct cli_terminal *terminal, struct rf_err *err)
{
    sigset_t all, before;
    bus_guard_thread_mask(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&terminal->thread, NULL, run_thread, terminal);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    terminal->has_thread = code == 0;
    if (code != 0)
        return rf_fail(err, RF_ERR_IO, "cannot start a thread: %s", strerror(code));
    return RF_OK;
}

pid_t cli_terminal_fork(struct cli_terminal *terminal, const int *others, size_t n_others,
                        struct rf_err *err)
{
    pid_t program = cli_pty_fork(&terminal->pty, others, n_others, err);
    if (program <= 0)
        return program;
    hold_signals(terminal);
    int status = start_thread(terminal, err);
    if (status == RF_OK)
        return program;
    (void)kill(program, SIGKILL);
    (void)waitpid(program, NULL, __WALL);
    return status;
}

void cli_terminal_start(struct cli_terminal *terminal)
{
    (void)pthread_mutex_lock(&terminal->lock);
    terminal->has_started = true;
    make_real_raw(terminal);
    (void)pthread_mutex_unlock(&terminal->lock);
    wake(terminal);
    if (cli_pty_is_real(STDERR_FILENO))
        cli_say_through(say_line, terminal);
}

void cli_terminal_end_input(struct cli_terminal *terminal)
{
    (void)pthread_mutex_lock(&terminal->lock);
    show_rest(terminal);
    terminal->is_over = true;
    terminal->n_pending = terminal->matcher.n_held = 0; /* it is no longer read */
    restore_real(terminal);
    (void)pthread_mutex_unlock(&terminal->lock);
    (void)pthread_mutex_lock(&terminal->key_lock); /* until a call of on_key has returned */
    (void)pthread_mutex_unlock(&terminal->key_lock);
    wake(terminal);
}

void cli_terminal_stop(struct cli_terminal *terminal)
{
    if (!terminal->has_thread)
        return;
    cli_terminal_end_input(terminal);
    cli_say_through(NULL, NULL);
    (void)pthread_mutex_lock(&terminal->lock);
    terminal->is_stopping = true;
    (void)pthread_mutex_unlock(&terminal->lock);
    wake(terminal);
    (void)pthread_join(terminal->thread, NULL);
    terminal->has_thread = false;
    show_rest(terminal);
    (void)pthread_sigmask(SIG_UNBLOCK, &terminal->held, NULL);
}

void cli_terminal_free(struct cli_terminal *terminal)
{
    if (terminal == NULL)
        return;
    cli_terminal_stop(terminal);
    cli_pty_release(&terminal->pty);
    (void)close(terminal->wake_fd);
    (void)pthread_mutex_destroy(&terminal->lock);
    (void)pthread_mutex_destroy(&terminal->key_lock);
    free(terminal);
}

/* ---- Signals ---- */

void cli_terminal_resize(struct cli_terminal *terminal)
{
    (void)pthread_mutex_lock(&terminal->lock);
    copy_size(terminal);
    (void)pthread_mutex_unlock(&terminal->lock);
}

void cli_terminal_resume(struct cli_terminal *terminal)
{
    (void)pthread_mutex_lock(&terminal->lock);
    terminal->is_raw = false; /* another process may have changed it meanwhile */
    make_real_raw(terminal);
    (void)pthread_mutex_unlock(&terminal->lock);
    wake(terminal);
}

void cli_terminal_signal(struct cli_terminal *terminal, int signal)
{
    (void)pthread_mutex_lock(&terminal->lock);
    pid_t group = terminal->pty.master >= 0 ? tcgetpgrp(terminal->pty.master) : -1;
    if (group > 0)
        (void)kill(-group, signal);
    (void)pthread_mutex_unlock(&terminal->lock);
}

/* As Ctrl-Z does: stops our whole group (a pipeline, a script), and nothing where no shell could
 * continue us. */
static void stop_our_group(void)
{
    struct sigaction standard = {.sa_handler = SIG_DFL}, before;
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTSTP);
    (void)sigaction(SIGTSTP, &standard, &before);
    (void)kill(0, SIGTSTP);
    (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* here we stop */
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)sigaction(SIGTSTP, &before, NULL);
}

void cli_terminal_suspend(struct cli_terminal *terminal, pid_t program)
{
    (void)pthread_mutex_lock(&terminal->lock);
    show_rest(terminal);
    terminal->is_suspended = true;
    restore_real(terminal);
    (void)pthread_mutex_unlock(&terminal->lock);
    stop_our_group();
    (void)pthread_mutex_lock(&terminal->lock);
    terminal->is_suspended = false;
    make_real_raw(terminal);
    (void)pthread_mutex_unlock(&terminal->lock);
    wake(terminal);
    if (program > 0)
        (void)kill(-program, SIGCONT);
}

void cli_terminal_hang_up(struct cli_terminal *terminal)
{
    (void)pthread_mutex_lock(&terminal->lock);
    terminal->is_gone = true; /* the thread may be waiting for what is to be closed */
    (void)pthread_mutex_unlock(&terminal->lock);
    wake(terminal);
}
