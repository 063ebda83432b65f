/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "log/ticks.h"

#define ENTER "\033[?1049h\033[?25l" /* the second screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define HOME  "\033[H"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};

static void write_all(const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(STDOUT_FILENO, text, size);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
}

static void measure(struct top_screen *screen)
{
    struct winsize size;
    screen->width = 80;
    screen->height = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        return;
    screen->width = size.ws_col;
    screen->height = size.ws_row;
}

/* ---- Ours or not ---- */

/* Where we are in the background, this stops us until we are not. */
static void take_terminal(struct top_screen *screen)
{
    struct termios keys = screen->saved;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    if (screen->has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    write_all(ENTER, strlen(ENTER));
    measure(screen);
    screen->is_on = true;
}

static void give_terminal(struct top_screen *screen)
{
    if (!screen->is_on)
        return;
    write_all(LEAVE, strlen(LEAVE));
    if (screen->has_keys)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->saved);
    screen->is_on = false;
}

int top_screen_open(struct top_screen *screen, bool draws, struct rf_err *err)
{
    sigset_t set;
    memset(screen, 0, sizeof(*screen));
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction action;
        /* nohup, and shells without job control, had them ignored */
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
            (draws || signals[i] != SIGTSTP))
            (void)sigaddset(&set, signals[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &set, &screen->saved_mask);
    screen->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (screen->signal_fd < 0)
        return rf_fail(err, RF_ERR_IO, "cannot receive signals: %s", strerror(errno));
    if (!draws)
        return RF_OK;
    screen->has_keys = tcgetattr(STDIN_FILENO, &screen->saved) == 0;
    take_terminal(screen);
    return RF_OK;
}

void top_screen_close(struct top_screen *screen)
{
    give_terminal(screen);
    if (screen->signal_fd > 0) {
        (void)close(screen->signal_fd);
        (void)sigprocmask(SIG_SETMASK, &screen->saved_mask, NULL);
        screen->signal_fd = 0;
    }
}

/* Stops as Ctrl-Z stops other programs; returns when we go on. */
static void stop(struct top_screen *screen)
{
    sigset_t set;
    give_terminal(screen);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTSTP);
    (void)raise(SIGTSTP); /* blocked until here: the default action stops us */
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    take_terminal(screen);
}

/* ---- Waiting ---- */

static enum top_event take_signal(struct top_screen *screen)
{
    struct signalfd_siginfo info;
    if (read(screen->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return TOP_TIME_IS_UP;
    switch ((int)info.ssi_signo) {
    case SIGTSTP:
        stop(screen);
        return TOP_RESIZED;
    case SIGCONT: /* SIGSTOP gave us no chance to leave the terminal, and somebody may have used it
                   */
        if (screen->is_on)
            take_terminal(screen);
        return TOP_RESIZED;
    case SIGWINCH:
        measure(screen);
        return TOP_RESIZED;
    default:
        screen->end_signal = (int)info.ssi_signo;
        return TOP_ENDED;
    }
}

enum top_event top_screen_wait(struct top_screen *screen, int64_t until_ns, char *key)
{
    for (;;) {
        struct pollfd wanted[2] = {{.fd = screen->signal_fd, .events = POLLIN},
                                   {.fd = STDIN_FILENO, .events = POLLIN}};
        const int64_t left = until_ns - rf_clock_ns(CLOCK_MONOTONIC);
        const int ms = left > 0 ? (int)((left + 999999) / 1000000) : 0;
        const int n = poll(wanted, screen->is_on && screen->has_keys ? 2 : 1, ms);
        if (n > 0 && wanted[0].revents != 0) {
            const enum top_event event = take_signal(screen);
            if (event != TOP_TIME_IS_UP)
                return event;
        } else if (n > 0) {
            if (read(STDIN_FILENO, key, 1) == 1)
                return TOP_KEY;
            screen->end_signal = SIGHUP; /* the terminal is gone */
            return TOP_ENDED;
        }
        if (n <= 0 && left <= 0)
            return TOP_TIME_IS_UP;
    }
}

/* ---- Drawing ---- */

/* Each line wipes what stood behind it; the last one is not ended, for that would scroll. */
void top_screen_draw(struct top_screen *screen, const char *text, size_t size)
{
    const char *end = text + size;
    write_all(HOME, strlen(HOME));
    for (size_t line = 0; text < end && line < screen->height; line++) {
        const char *stop_at = memchr(text, '\n', (size_t)(end - text));
        stop_at = stop_at != NULL ? stop_at : end;
        if (line > 0)
            write_all("\r\n", 2);
        write_all(text, (size_t)(stop_at - text));
        write_all("\033[K", 3);
        text = stop_at + 1;
    }
    write_all("\033[J", 3);
}
