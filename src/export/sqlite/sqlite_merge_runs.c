/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_merge_runs.h"

#include <stdlib.h>

#include "base/grow.h"

static void free_runs(void *kept)
{
    struct rf_sqlite_runs *runs = kept;
    for (size_t i = 0; i < runs->n; i++) {
        free(runs->run[i].process);
        rf_map_release(&runs->run[i].process_of);
        free(runs->run[i].file);
    }
    free(runs->run);
    free(runs);
}

/* ---- Which run it is ---- */

static struct rf_sqlite_runs *runs_of(struct rf_merging *merging)
{
    if (merging->kept == NULL) {
        merging->kept = calloc(1, sizeof(struct rf_sqlite_runs));
        merging->free_kept = free_runs;
    }
    return merging->kept;
}

static struct rf_sqlite_run *find_run(struct rf_sqlite_runs *runs, const uint8_t session_id[16])
{
    for (size_t i = 0; i < runs->n; i++)
        if (memcmp(runs->run[i].session_id, session_id, sizeof(runs->run[i].session_id)) == 0)
            return &runs->run[i];
    if (rf_grow_array(&runs->run, runs->n, &runs->room, sizeof(*runs->run)) != RF_OK)
        return NULL;
    runs->run[runs->n] = (struct rf_sqlite_run){.last_device = -1};
    memcpy(runs->run[runs->n].session_id, session_id, sizeof(runs->run->session_id));
    return &runs->run[runs->n++];
}

/* ---- Its processes ---- */

static bool is_alike(const struct rf_run_process *a, const struct rf_run_process *b)
{
    return a->pid == b->pid && a->pid_ns == b->pid_ns && a->start_time == b->start_time;
}

static uint64_t word_of(const struct rf_run_process *process)
{
    return process->start_time ^ process->pid_ns << 32;
}

/* Those that are alike are numbered in their order, which is the same in each file of a run. */
static bool number(struct rf_run_process *process, uint32_t n)
{
    struct rf_map last = {0};
    bool is_done = true;
    for (uint32_t i = 0; i < n && is_done; i++) {
        const uint32_t k = rf_map_find(&last, process[i].pid, word_of(&process[i]));
        if (k != RF_MAP_NONE && is_alike(&process[i], &process[k]))
            process[i].nth = process[k].nth + 1;
        is_done = rf_map_set(&last, process[i].pid, word_of(&process[i]), i) == RF_OK;
    }
    rf_map_release(&last);
    return is_done;
}

/* All processes of the input; the caller frees them. NULL after an error. */
static struct rf_run_process *describe(struct rf_sqlite *out)
{
    const uint32_t n = rf_n_processes(out->rec);
    struct rf_run_process *process = rf_sqlite_alloc(out, n, sizeof(*process));
    for (uint32_t i = 0; i < n && process != NULL; i++) {
        const struct rf_process *from = rf_process_at(out->rec, i);
        process[i].pid = from->pid;
        process[i].pid_ns = from->pid_ns;
        process[i].start_time = from->start_time;
    }
    if (process != NULL && !number(process, n))
        rf_sqlite_fail_memory(out);
    return process;
}

static uint64_t key_of(const struct rf_run_process *process)
{
    return (uint64_t)process->nth << 32 | process->pid;
}

static const struct rf_run_process *find_process(const struct rf_sqlite_run *run,
                                                 const struct rf_run_process *process)
{
    const uint32_t i = rf_map_find(&run->process_of, key_of(process), word_of(process));
    return i != RF_MAP_NONE && is_alike(&run->process[i], process) ? &run->process[i] : NULL;
}

static void find_known(struct rf_sqlite *out)
{
    struct rf_sqlite_table known = {.name = "temp.known"};
    struct rf_run_process *process = describe(out);
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && out->status == RF_OK; i++) {
        const struct rf_run_process *found = find_process(out->run, &process[i]);
        if (found == NULL)
            continue;
        out->global_pids[i] = found->global_pid;
        RF_SQLITE_INSERT(out, &known, rf_sqlite_int(i), rf_sqlite_int(found->row),
                         rf_sqlite_int(found->global_pid));
    }
    free(process);
}

void rf_sqlite_run_find(struct rf_sqlite *out)
{
    struct rf_merging *merging = out->job->merging;
    if (merging == NULL || rf_merging_last(merging)->key.piece == 0 || out->status != RF_OK)
        return;
    struct rf_sqlite_runs *runs = runs_of(merging);
    out->run = runs != NULL ? find_run(runs, rf_merging_last(merging)->key.session_id) : NULL;
    if (out->run == NULL) {
        rf_sqlite_fail_memory(out);
        return;
    }
    rf_sqlite_run(out, "CREATE TEMP TABLE known(process INTEGER NOT NULL PRIMARY KEY,"
                       " whole INTEGER NOT NULL, globalPid INTEGER NOT NULL)");
    find_known(out);
}

/* ---- Its ids ---- */

/* What other inputs were given since the file before is behind the numbers that its run had then:
 * calls have new ones in each file, GPUs mostly the same. */
void rf_sqlite_run_offsets(const struct rf_sqlite *out, struct rf_merge_offsets *offsets,
                           int64_t last_call, int64_t last_device)
{
    const struct rf_sqlite_run *run = out->run;
    if (!rf_sqlite_run_is_known(out))
        return;
    const bool is_next = run->last_input + 1 == out->job->merging->n;
    offsets->machine = run->offsets.machine;
    if (is_next)
        offsets->correlation =
            run->offsets.correlation + last_call < UINT32_MAX ? run->offsets.correlation : 0;
    if (last_device <= run->last_device || is_next)
        offsets->device = run->offsets.device + last_device < UINT32_MAX ? run->offsets.device : 0;
}

static void add_process(struct rf_sqlite *out, struct rf_run_process *process)
{
    struct rf_sqlite_run *run = out->run;
    if (find_process(run, process) != NULL)
        return;
    if (rf_grow_array(&run->process, run->n_processes, &run->process_room, sizeof(*process)) !=
            RF_OK ||
        rf_map_set(&run->process_of, key_of(process), word_of(process),
                   (uint32_t)run->n_processes) != RF_OK)
        rf_sqlite_fail_memory(out);
    else
        run->process[run->n_processes++] = *process;
}

static int64_t n_used(struct rf_sqlite *out, const char *table)
{
    return rf_sqlite_ask_number(out,
                                sqlite3_mprintf("SELECT n FROM temp.used WHERE name = %Q", table));
}

static void add_processes(struct rf_sqlite *out)
{
    const int64_t first_row = n_used(out, "RANGEFINDER_PROCESSES");
    struct rf_run_process *process = describe(out);
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && out->status == RF_OK; i++) {
        process[i].global_pid = out->global_pids[i];
        process[i].row = first_row + i;
        add_process(out, &process[i]);
    }
    free(process);
}

void rf_sqlite_run_add(struct rf_sqlite *out, const struct rf_merge_offsets *offsets,
                       int64_t last_device)
{
    struct rf_sqlite_run *run = out->run;
    const struct rf_piece_info *piece = rf_get_piece(out->rec);
    if (run == NULL || piece == NULL || out->status != RF_OK)
        return;
    add_processes(out);
    struct rf_run_file file = {.number = piece->number, .goes_on = piece->goes_on != 0};
    file.first_event = n_used(out, "NVTX_EVENTS") + 1;
    file.last_event =
        rf_sqlite_ask_number(out, sqlite3_mprintf("SELECT max(rowid) FROM merged.NVTX_EVENTS"));
    run->offsets = *offsets;
    run->last_device = last_device > run->last_device ? last_device : run->last_device;
    run->last_input = out->job->merging->n;
    run->newest = file.number > run->newest ? file.number : run->newest;
    if (rf_grow_array(&run->file, run->n_files, &run->file_room, sizeof(file)) != RF_OK)
        rf_sqlite_fail_memory(out);
    else
        run->file[run->n_files++] = file;
}
