/* SPDX-License-Identifier: Apache-2.0 */
/* The session directory that a run records into: made, recognised, removed. */
#ifndef RF_SESSION_SESSION_DIR_H
#define RF_SESSION_SESSION_DIR_H

#include <limits.h>
#include <stdbool.h>

#include "log/layout.h"
#include "rangefinder/rangefinder.h"

struct session_dir {
    char dir[PATH_MAX]; /* absolute path; "": no session */
    int control_fd;     /* of the file "session", locked while this program lives */
    struct rf_control *control;
    struct rf_control *first; /* of session_mend_begin(): the page as it was made */
};

/* A count of processes above this one was overwritten by the program. */
#define SESSION_MAX_PROCESSES 1000000u

/* What the recorder is asked to do. */
struct session_dir_config {
    uint32_t overflow; /* enum rf_overflow */
    uint32_t filter_mode;
    uint32_t filter_size;
    char filter[RF_FILTER_SIZE];
    uint32_t cuda;          /* RF_CUDA_IS_WANTED and others */
    uint32_t cuda_flush_ms; /* 0: the recorder's default */
    const char *socket;     /* of cli_handout_name(), or NULL */
    struct rf_job job;
    bool compresses;    /* files of the session may have compressed chunks */
    uint64_t ring_size; /* struct rf_ring; 0: all is kept */
    int64_t ring_keep_ns;
    bool is_split; /* files are written one after another */
    bool is_focused;
    struct rf_capture capture; /* of a focused run */
};

/* Makes BASE.rfdir with its control page, or BASE-2.rfdir, ... where that name exists. Existing
 * files are left alone. On failure nothing is left behind. */
int session_dir_create(struct session_dir *session, const char *base,
                       const struct session_dir_config *config, struct rf_err *err);

/* Unmaps and closes; the directory stays. Harmless on a zeroed session. */
void session_dir_release(struct session_dir *session);

/* Whether a command line is recording into this directory right now. */
bool session_dir_is_live(const char *dir);

/* Adds a message to those of the recorder, which are printed. Any thread may call it. */
void session_post_message(struct rf_control *control, const char *text);

/* Counts the processes that could not map the control page and noted that in the directory. */
void session_dir_count_refused(const struct session_dir *session);

/* Posts which processes ended while a tool of --chain was beginning. Returns their number. */
uint32_t session_dir_note_beginning(const struct session_dir *session);

/* Removes a session directory: the files that belong to one, the shared memory that they link to,
 * and the directory where nothing else is in it. It is renamed first, so that an interrupted
 * removal leaves no recording: see session_dir_is_remnant(). */
int session_dir_remove(const char *dir, struct rf_err *err);

/* Whether a directory is left over from an interrupted removal; its recording had been saved. */
bool session_dir_is_remnant(const char *dir);

/* The clock that this machine's recordings should use; enum rf_clock_kind. *reason (may be NULL)
 * says why. RANGEFINDER_CLOCK=monotonic forces CLOCK_MONOTONIC. */
uint32_t session_clock_kind(const char **reason);

/* Pools in shared memory are called rangefinder-... in this folder. */
#define SESSION_SHM_FOLDER "/dev/shm/"
#define SESSION_SHM_PREFIX "rangefinder-"

#endif
