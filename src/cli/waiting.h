/* SPDX-License-Identifier: Apache-2.0 */
/* A line on a terminal during work whose progress is unknown: what is done, and for how long. It
 * appears after a second and is erased when the work ends. */
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
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* Draws no more lines (--quiet). */
void cli_waiting_quiet(void);

void cli_waiting_begin(struct cli_waiting *waiting, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Wipes the line. */
void cli_waiting_end(struct cli_waiting *waiting);

#endif
