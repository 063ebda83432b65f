/* SPDX-License-Identifier: Apache-2.0 */
/* A running session that is watched: what its directory says is read piece by piece, each record
 * once, and nothing of it is changed. */
#ifndef RF_CLI_TOP_TOP_SESSION_H
#define RF_CLI_TOP_TOP_SESSION_H

#include <stdbool.h>

#include "base/zstd_library.h"
#include "cli/top/top_process.h"
#include "rangefinder/rangefinder.h"

enum top_state {
    TOP_RUNS,
    TOP_IS_OVER, /* it was saved, or nothing of it runs any more */
};

struct top_session {
    int dir; /* descriptor */
    int control_fd;
    struct rf_control control; /* as it was read last */
    struct rf_zstd zstd;       /* loaded if the session compresses */
    struct top_ranges ranges;
    struct top_reading reading;
    struct top_process *process;
    size_t n_processes, process_room;
    uint32_t n_seen;   /* numbers of processes that were looked at */
    size_t n_running;  /* processes that recorded and have not ended */
    uint32_t n_pieces; /* complete files, when they were asked for last */
    uint64_t phase;    /* of the captures, when streams were read last */
    double ns_per_tick;
    struct rf_clock_pair now;                   /* of the last look */
    int64_t interval_begin_ns, interval_end_ns; /* CLOCK_MONOTONIC */
    int64_t liveness_ns;                        /* when to ask next which processes run */
    uint32_t beat;
    int64_t beat_ns; /* when the command line's last sign of life was seen */
    bool is_silent;  /* it has given none for a while */
    bool is_inside;  /* we are a process of the session ourselves */
};

/* Opens a session directory and learns what is open in it. Close it in any case. */
int top_session_open(struct top_session *session, const char *path, bool folds_numbers,
                     struct rf_err *err);
void top_session_close(struct top_session *session);

/* Reads what came since. */
enum top_state top_session_look(struct top_session *session);

/* Ends the interval: its numbers are in session->ranges and so on until the next one begins. */
void top_session_end_interval(struct top_session *session);
void top_session_begin_interval(struct top_session *session);

/* A stretch of ticks in nanoseconds, and a moment as time since the session began. */
int64_t top_session_ns(const struct top_session *session, uint64_t ticks);
int64_t top_session_time(const struct top_session *session, uint64_t ticks);

#endif
