/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal while `top` draws on it: its second screen, keys without Enter, and signals. What
 * was there before comes back whenever we end or stop. */
#ifndef RF_CLI_TOP_TOP_SCREEN_H
#define RF_CLI_TOP_TOP_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "rangefinder/rangefinder.h"

enum top_event {
    TOP_TIME_IS_UP,
    TOP_KEY,     /* *key */
    TOP_RESIZED, /* the terminal has another size, or is ours again: it must be drawn anew */
    TOP_ENDED,   /* by a signal: end_signal */
};

struct top_screen {
    struct termios saved;
    sigset_t saved_mask;
    bool has_keys; /* standard input is the terminal */
    bool is_on;
    int signal_fd;
    int end_signal;
    size_t width, height;
};

/* Takes over the signals that end or stop programs, or resize a terminal. draws: takes the terminal
 * of standard output too. */
int top_screen_open(struct top_screen *screen, bool draws, struct rf_err *err);

/* Gives all back. Harmless on a zeroed screen. */
void top_screen_close(struct top_screen *screen);

/* Waits until until_ns (CLOCK_MONOTONIC). */
enum top_event top_screen_wait(struct top_screen *screen, int64_t until_ns, char *key);

/* Draws a page: lines that fit. */
void top_screen_draw(struct top_screen *screen, const char *text, size_t size);

#endif
