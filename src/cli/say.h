/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to people: lines on standard error that begin with "rangefinder: ". Nothing below
 * src/cli prints. */
#ifndef RF_CLI_SAY_H
#define RF_CLI_SAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* Prints one line: what failed, on what, what to do. Control characters in it stand as \x1b.
 * Written with one system call, so that lines of the threads and of the profiled program do not
 * mix. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints lines as they are, in the same way; never held back. */
void cli_say_text(const char *lines, size_t size);

/* Lets a writer of the caller's print the lines of cli_say(), as a raw terminal needs; NULL:
 * cli_say() prints them itself again. When this returns, the previous writer is no longer being
 * called. */
void cli_say_through(void (*write_line)(void *context, const char *line, size_t size),
                     void *context);

/* The lines of one thread, held back. All zero: none. */
struct cli_held {
    char *text;
    size_t size, room;
};

/* From now on the calling thread's lines go to `held`; NULL: they are printed again. */
void cli_say_hold(struct cli_held *held);

/* Prints what was held, and frees it. */
void cli_held_print(struct cli_held *held);
void cli_held_release(struct cli_held *held);

#define CLI_TERMINAL_ROWS 30 /* of a table on a terminal, if nothing is said */

/* The width of the terminal on standard output in columns; 0: it is not a terminal. */
unsigned cli_output_width(void);

/* Whether the locale has no UTF-8. */
bool cli_is_ascii(void);

#endif
