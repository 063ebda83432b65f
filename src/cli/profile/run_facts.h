/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `profile` came to, collected for --summary-json while its files are written.
 * docs/json/profile.schema.json describes the document.
 *
 * Functions may be called from any thread, and accept NULL: nothing is collected. What cannot be
 * kept for lack of memory makes run_facts_write() fail. */
#ifndef RF_CLI_PROFILE_RUN_FACTS_H
#define RF_CLI_PROFILE_RUN_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct cli_summary;
struct rf_control;
struct run_facts;

enum run_file { RUN_FILE_WHOLE, RUN_FILE_CAPTURE, RUN_FILE_PIECE, RUN_FILE_SNAPSHOT };

/* NULL: out of memory. */
struct run_facts *run_facts_new(void);
void run_facts_free(struct run_facts *facts);

/* A recording was written. number: of the capture, piece or snapshot, from 1; 0: the whole run. */
void run_facts_add_recording(struct run_facts *facts, enum run_file kind, uint32_t number,
                             const char *path, const struct cli_summary *summary);

/* A recording was removed again, to make room. */
void run_facts_remove_recording(struct run_facts *facts, const char *path);

void run_facts_add_export(struct run_facts *facts, const char *path, const char *format);

/* The command that comes next; why there is no annotation. */
void run_facts_set_next(struct run_facts *facts, const char *verb, const char *path);
void run_facts_set_empty(struct run_facts *facts, const char *reason);

/* How many captures there were. */
void run_facts_set_captures(struct run_facts *facts, uint32_t n_begun, uint32_t n_saved);

/* How the run ended. */
struct run_end {
    bool is_launch;
    const char *app_path; /* "": not found */
    char *const *app;     /* its words, ends with NULL */
    int32_t pid;          /* 0: it was not started, likewise below */
    bool is_known;        /* wait_status is */
    int wait_status;
    int exit_status;                  /* ours */
    const char *directory;            /* of the session, where it is left; NULL */
    const struct rf_control *control; /* the session's page; NULL: nothing was recorded */
};

/* Writes the document. */
int run_facts_write(struct run_facts *facts, const char *path, bool can_overwrite,
                    const struct run_end *end, struct rf_err *err);

#endif
