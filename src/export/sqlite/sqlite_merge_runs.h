/* SPDX-License-Identifier: Apache-2.0 */
/* Files of one run that was split (rf_get_piece()): a process of several of them is one process in
 * the whole, with one globalPid. What the whole has of earlier files is kept in rf_merging.kept. */
#ifndef RF_EXPORT_SQLITE_SQLITE_MERGE_RUNS_H
#define RF_EXPORT_SQLITE_SQLITE_MERGE_RUNS_H

#include "base/map.h"
#include "export/sqlite/sqlite_db.h"
#include "export/sqlite/sqlite_merge_columns.h"

/* What tells a process of a run from the others. */
struct rf_run_process {
    uint32_t pid;
    uint32_t nth; /* of those that are alike: a program that became another one by exec */
    uint64_t pid_ns, start_time;
    int64_t global_pid;
    int64_t row; /* its processId in the whole */
};

/* A file of a run, and its rows in NVTX_EVENTS of the whole. */
struct rf_run_file {
    uint32_t number;
    bool goes_on;
    int64_t first_event, last_event;
};

struct rf_sqlite_run {
    uint8_t session_id[16];
    struct rf_merge_offsets offsets; /* of the file before */
    int64_t last_device;             /* the largest number of a GPU; -1: there is none */
    size_t last_input;               /* the file before, from 1; 0: there is none */
    uint32_t newest;                 /* the largest number of a file */
    struct rf_run_process *process;
    size_t n_processes, process_room;
    struct rf_map process_of; /* to its index */
    struct rf_run_file *file;
    size_t n_files, file_room;
};

/* All of them: what rf_merging.kept is. */
struct rf_sqlite_runs {
    struct rf_sqlite_run *run;
    size_t n, room;
};

/* Sets out->run, and the global_pids of processes that the whole has already. */
void rf_sqlite_run_find(struct rf_sqlite *out);

/* Whether the whole has an earlier file of the input's run. */
static inline bool rf_sqlite_run_is_known(const struct rf_sqlite *out)
{
    return out->run != NULL && out->run->last_input != 0;
}

/* Replaces offsets by those of the file before, as far as no id of another input is met then. The
 * last numbers of the input are those before offsets; -1: it has none. */
void rf_sqlite_run_offsets(const struct rf_sqlite *out, struct rf_merge_offsets *offsets,
                           int64_t last_call, int64_t last_device);

/* The input is in the whole. */
void rf_sqlite_run_add(struct rf_sqlite *out, const struct rf_merge_offsets *offsets,
                       int64_t last_device);

#endif
