/* SPDX-License-Identifier: Apache-2.0 */
/* A line on a terminal during work whose progress is unknown: what is done, and for how long. It
 * appears after a second and is erased when the work ends. With --progress=json lines for programs:
 * at the beginning, each second, at the end. */
#ifndef RF_CLI_WAITING_H
#define RF_CLI_WAITING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct cli_waiting {
    char what[160]; /* "reading 'run.sqlite'" */
    int64_t begin_ns;
    bool is_on; /* the thread that draws was started */
    bool is_over;
    bool is_shown;
    double done; /* 0 to 1, or -1: unknown */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* Draws no more lines (--quiet); those of --progress=json stay. */
void cli_waiting_quiet(void);

/* What begins from now on is a part of what is shown already, and not shown itself; or no longer.
 */
void cli_waiting_within(bool is_within);

void cli_waiting_begin(struct cli_waiting *waiting, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How much is done becomes known: 0 to 1. Any thread, between begin and end. */
void cli_waiting_advance(struct cli_waiting *waiting, double done);

/* Wipes the line. */
void cli_waiting_end(struct cli_waiting *waiting);

#endif
