/* SPDX-License-Identifier: Apache-2.0 */
/* Focused runs, seen from the command line: a thread that arms triggers, begins and ends captures
 * by time, key and command, saves each capture as soon as it has ended, tells people what happens,
 * and ends the program where that was asked for.
 *
 * Functions may be called from any thread. */
#ifndef RF_CLI_CAPTURE_CAPTURE_MANAGER_H
#define RF_CLI_CAPTURE_CAPTURE_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rangefinder/rangefinder.h"

struct cli_captures;
struct cli_gpu_sampler;
struct session_dir;
struct profile_options;

enum cli_captures_state {
    CLI_CAPTURES_WAITING = 0, /* for a delay, a trigger, a key, a command */
    CLI_CAPTURES_CAPTURING = 1,
    CLI_CAPTURES_SAVING = 2, /* the last capture is being written */
    CLI_CAPTURES_OVER = 3,   /* there will be no more captures; the program runs on */
};

struct cli_captures_config {
    const struct profile_options *options;
    struct session_dir *session;
    const char *base;     /* output without its ending, as the user wrote it */
    const char *app_path; /* the program */
    pid_t root_pid;
    struct cli_gpu_sampler *sampler; /* NULL: no GPU is sampled */
};

/* Starts the thread. What config points to must outlive it. NULL after a message. */
struct cli_captures *cli_captures_start(const struct cli_captures_config *config);

/* The program is about to start: delays count from here. */
void cli_captures_run(struct cli_captures *captures);

/* The result of all captures. */
struct cli_captures_result {
    uint32_t n_begun;
    uint32_t n_saved;
    bool has_failed;   /* a capture could not be saved: its data is still in the directory */
    int ended_program; /* the signal that was sent to the program on request; 0: none */
};

/* The program has ended: ends the capture that is on, saves what is left, ends the thread and frees
 * everything. NULL is accepted. */
void cli_captures_finish(struct cli_captures *captures, struct cli_captures_result *result);

/* One capture that is begun by hand. Zeroed: the options of the run apply. */
struct cli_capture_request {
    const char *output;  /* pattern of its name; NULL: the run's */
    bool can_overwrite;  /* with output */
    int64_t duration_ns; /* 0: the run's */
};

/* Begins a capture now, as the hotkey and `rangefinder start` do. RF_ERR_USAGE: one is on, one is
 * being saved, or no more are possible; err says which. */
int cli_captures_begin(struct cli_captures *captures, const struct cli_capture_request *request,
                       struct rf_err *err);

/* Ends the capture that is on. It is saved by the manager's thread. With path, waits until it is
 * saved (or has failed to be: RF_ERR_IO, err says why) and copies its path there. */
int cli_captures_end(struct cli_captures *captures, char *path, size_t size, struct rf_err *err);

/* Ends the capture that is on and forgets what it recorded. */
int cli_captures_cancel(struct cli_captures *captures, struct rf_err *err);

/* Ends the capture that is on; there will be no more. When it has been saved, the signal is sent to
 * the program, also where one was sent before. 0: the program runs on. */
void cli_captures_shut_down(struct cli_captures *captures, int signal_number);

enum cli_captures_state cli_captures_state(struct cli_captures *captures);

/* The program has written over the session's page: no capture is begun, ended or saved any more,
 * and the session's directory stays for `recover`. Says so, once. */
void cli_captures_give_up(struct cli_captures *captures);

/* How many captures have begun. */
uint32_t cli_captures_count(struct cli_captures *captures);

#endif
