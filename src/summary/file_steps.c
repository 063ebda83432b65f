/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/file_values.h"
#include "summary/steps.h"
#include "summary/summary_steps.h"

static void bind_numbers(sqlite3_stmt *insert, int first, const int64_t *value, int n)
{
    for (int k = 0; k < n; k++)
        (void)sqlite3_bind_int64(insert, first + k, value[k]);
}

/* ---- step_inputs ---- */

static void write_inputs(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_inputs && file->status == RF_OK; i++) {
        const struct rf_summary_input *input = &file->out->input[i];
        const int64_t values[] = {(int64_t)i + 1, (int64_t)input->n_searched,
                                  (int64_t)input->n_steps_left_out};
        if (input->n_searched == 0)
            continue;
        bind_numbers(insert, 1, values, 3);
        rf_summary_file_insert(file, insert);
    }
}

static void read_input(struct rf_summary_file *file, sqlite3_stmt *row)
{
    int64_t i = rf_file_number(file, row, 0, 1), n_searched = rf_file_number(file, row, 1, 1);
    int64_t n_left_out = rf_file_number(file, row, 2, 0);
    if (i > (int64_t)file->summary->n_inputs)
        rf_summary_file_damaged(file, "input");
    if (file->status != RF_OK)
        return;
    struct rf_summary_input *input = &file->summary->input[i - 1];
    if ((uint64_t)n_searched > input->n_inputs)
        rf_summary_file_damaged(file, "n_searched");
    input->n_searched = (uint64_t)n_searched;
    input->n_steps_left_out = (uint64_t)n_left_out;
}

const struct rf_summary_table rf_table_step_inputs = {
    "CREATE TABLE step_inputs ("
    "input INTEGER PRIMARY KEY, n_searched INTEGER NOT NULL, n_left_out INTEGER NOT NULL)",
    "INSERT INTO step_inputs VALUES (?,?,?)",
    write_inputs,
    "SELECT input, n_searched, n_left_out FROM main.step_inputs ORDER BY input",
    read_input,
    "step_inputs",
};

/* ---- step_threads ---- */

/* Whether a step is the first one of its thread: they stand in order. */
static bool begins_thread(const rf_summary *summary, size_t i)
{
    return i == 0 || !rf_summary_is_same_thread(&summary->step[i - 1], &summary->step[i]);
}

static void write_threads(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    int64_t thread = 0;
    for (size_t i = 0; i < file->out->n_steps && file->status == RF_OK; i++) {
        const struct rf_summary_step *step = &file->out->step[i];
        const int64_t values[] = {step->rank, step->pid, step->tid};
        if (!begins_thread(file->out, i))
            continue;
        (void)sqlite3_bind_int64(insert, 1, ++thread);
        (void)sqlite3_bind_int64(insert, 2, step->input + (int64_t)1);
        rf_file_bind_string(file, insert, 3, step->host);
        bind_numbers(insert, 4, values, 3);
        rf_summary_file_insert(file, insert);
    }
}

static void read_thread(struct rf_summary_file *file, sqlite3_stmt *row)
{
    int64_t input = rf_file_number(file, row, 1, 1);
    int64_t pid = rf_file_number(file, row, 4, 0), tid = rf_file_number(file, row, 5, 0);
    const struct rf_summary_step thread = {.input = (uint32_t)(input - 1),
                                           .host = rf_file_string(file, row, 2),
                                           .rank = rf_file_number(file, row, 3, -1),
                                           .pid = (uint32_t)pid,
                                           .tid = (uint32_t)tid};
    if (rf_file_number(file, row, 0, 1) != (int64_t)file->n_threads + 1 ||
        input > (int64_t)file->summary->n_inputs || thread.host == RF_NO_STRING ||
        pid > UINT32_MAX || tid > UINT32_MAX)
        rf_summary_file_damaged(file, "a thread of steps");
    if (file->status != RF_OK)
        return;
    if (rf_grow_array(&file->thread, file->n_threads, &file->thread_room, sizeof(thread)) != RF_OK)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else
        file->thread[file->n_threads++] = thread;
}

const struct rf_summary_table rf_table_step_threads = {
    "CREATE TABLE step_threads ("
    "thread INTEGER PRIMARY KEY, input INTEGER NOT NULL, host TEXT NOT NULL,"
    " rank INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL)",
    "INSERT INTO step_threads VALUES (?,?,?,?,?,?)",
    write_threads,
    "SELECT thread, input, host, rank, pid, tid FROM main.step_threads ORDER BY thread",
    read_thread,
    "step_threads",
};

/* ---- steps ---- */

static void write_steps(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    int64_t thread = 0;
    for (size_t i = 0; i < file->out->n_steps && file->status == RF_OK; i++) {
        const struct rf_summary_step *step = &file->out->step[i];
        thread += begins_thread(file->out, i);
        const int64_t values[] = {
            (int64_t)i + 1,
            thread,
            (int64_t)step->number,
            step->path + (int64_t)1,
            step->start_utc_ns,
            (int64_t)step->duration,
            step->has_children ? (int64_t)step->self : -1,
            (int64_t)step->busy,
            (int64_t)step->wait,
        };
        bind_numbers(insert, 1, values, 9);
        (void)sqlite3_bind_text(insert, 10, rf_step_cut_name(step->cut), -1, SQLITE_STATIC);
        rf_summary_file_insert(file, insert);
    }
}

/* As in struct rf_step; RF_CUT_REASONS: there is no such reason. */
static uint32_t cut_named(const char *name)
{
    for (uint32_t cut = 0; cut < RF_CUT_REASONS; cut++)
        if (strcmp(rf_step_cut_name(cut), name) == 0)
            return cut;
    return RF_CUT_REASONS;
}

/* The step of a row, but for its thread. */
static struct rf_summary_step step_of(struct rf_summary_file *file, sqlite3_stmt *row)
{
    int64_t self = rf_file_number(file, row, 6, -1);
    return (struct rf_summary_step){
        .number = (uint64_t)rf_file_number(file, row, 2, 1),
        .path = (uint32_t)(rf_file_number(file, row, 3, 1) - 1),
        .start_utc_ns = rf_file_number(file, row, 4, INT64_MIN),
        .duration = (uint64_t)rf_file_number(file, row, 5, 0),
        .self = self >= 0 ? (uint64_t)self : 0,
        .has_children = self >= 0,
        .busy = (uint64_t)rf_file_number(file, row, 7, 0),
        .wait = (uint64_t)rf_file_number(file, row, 8, 0),
        .cut = cut_named(rf_file_text(file, row, 9)),
    };
}

static void read_step(struct rf_summary_file *file, sqlite3_stmt *row)
{
    int64_t thread = rf_file_number(file, row, 1, 1), path = rf_file_number(file, row, 3, 1);
    struct rf_summary_step step = step_of(file, row);
    if (rf_file_number(file, row, 0, 1) != (int64_t)file->summary->n_steps + 1 ||
        thread > (int64_t)file->n_threads || path > (int64_t)file->summary->n_paths ||
        step.number > UINT32_MAX || step.self > step.duration || step.cut == RF_CUT_REASONS)
        rf_summary_file_damaged(file, "a step");
    if (file->status != RF_OK)
        return;
    const struct rf_summary_step *of = &file->thread[thread - 1];
    struct rf_summary_input *input = &file->summary->input[of->input];
    if (input->n_searched == 0 || step.duration > input->duration_ns) {
        rf_summary_file_damaged(file, "a step");
        return;
    }
    step.input = of->input;
    step.host = of->host;
    step.rank = of->rank;
    step.pid = of->pid;
    step.tid = of->tid;
    input->n_steps++;
    rf_summary_file_fail(file, rf_summary_add_step(file->summary, &step));
}

const struct rf_summary_table rf_table_steps = {
    "CREATE TABLE steps ("
    "step INTEGER PRIMARY KEY, thread INTEGER NOT NULL, number INTEGER NOT NULL,"
    " path INTEGER NOT NULL, start_utc_ns INTEGER NOT NULL, duration INTEGER NOT NULL,"
    " self INTEGER NOT NULL, busy INTEGER NOT NULL, wait INTEGER NOT NULL, cut TEXT NOT NULL)",
    "INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?)",
    write_steps,
    "SELECT step, thread, number, path, start_utc_ns, duration, self, busy, wait, cut"
    " FROM main.steps ORDER BY step",
    read_step,
    "steps",
};

/* ---- step_children ---- */

static void write_children(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_steps; i++) {
        const struct rf_summary_step *step = &file->out->step[i];
        for (size_t k = 0; k < step->n_children && file->status == RF_OK; k++) {
            const struct rf_summary_step_child *child =
                &file->out->step_child[step->first_child + k];
            const int64_t values[] = {(int64_t)i + 1, (int64_t)k + 1, child->path + (int64_t)1,
                                      (int64_t)child->n, (int64_t)child->total};
            bind_numbers(insert, 1, values, 5);
            rf_summary_file_insert(file, insert);
        }
    }
}

/* The children of steps stand behind each other, each one's from 1 on: the next one's first child
 * ends those before it. */
static void read_child(struct rf_summary_file *file, sqlite3_stmt *row)
{
    int64_t step = rf_file_number(file, row, 0, 1), number = rf_file_number(file, row, 1, 1);
    int64_t path = rf_file_number(file, row, 2, 1), n = rf_file_number(file, row, 3, 1);
    int64_t total = rf_file_number(file, row, 4, 0);
    rf_summary *summary = file->summary;
    if (step > (int64_t)summary->n_steps || path > (int64_t)summary->n_paths || n > UINT32_MAX)
        rf_summary_file_damaged(file, "a child of a step");
    if (file->status != RF_OK)
        return;
    struct rf_summary_step *of = &summary->step[step - 1];
    if (number == 1)
        of->first_child = summary->n_step_children;
    size_t before = of->n_children;
    if (number != (int64_t)before + 1 || !of->has_children) {
        rf_summary_file_damaged(file, "a child of a step");
        return;
    }
    rf_summary_file_fail(file, rf_summary_add_child_of(summary, of, (uint32_t)(path - 1),
                                                       (uint64_t)n, (uint64_t)total));
    if (of->n_children == before)
        rf_summary_file_damaged(file, "a child of a step that comes twice");
}

const struct rf_summary_table rf_table_step_children = {
    "CREATE TABLE step_children ("
    "step INTEGER NOT NULL, child INTEGER NOT NULL, path INTEGER NOT NULL, n INTEGER NOT NULL,"
    " total INTEGER NOT NULL, PRIMARY KEY (step, child)) WITHOUT ROWID",
    "INSERT INTO step_children VALUES (?,?,?,?,?)",
    write_children,
    "SELECT step, child, path, n, total FROM main.step_children ORDER BY step, child",
    read_child,
    "step_children",
};

/* ---- step_gpus ---- */

#define GPU_COLUMNS (2 + RF_SUMMARY_MOMENTS)

static void write_gpus(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_steps; i++) {
        const struct rf_summary_step *step = &file->out->step[i];
        for (size_t k = 0; k < step->n_gpus && file->status == RF_OK; k++) {
            const struct rf_summary_step_gpu *gpu = &file->out->step_gpu[step->first_gpu + k];
            int64_t values[GPU_COLUMNS] = {(int64_t)i + 1, gpu->gpu};
            for (int m = 0; m < RF_SUMMARY_MOMENTS; m++)
                values[2 + m] = (int64_t)gpu->ns[m];
            bind_numbers(insert, 1, values, GPU_COLUMNS);
            rf_summary_file_insert(file, insert);
        }
    }
}

/* Those of a step stand behind each other, by id: it is the last step that has any, or a later
 * one. */
static bool is_next_gpu(const rf_summary *summary, const struct rf_summary_step *step, int64_t gpu)
{
    if (step->n_gpus == 0)
        return true;
    return step->first_gpu + step->n_gpus == summary->n_step_gpus &&
           summary->step_gpu[summary->n_step_gpus - 1].gpu < gpu;
}

static void read_gpu(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t step = rf_file_number(file, row, 0, 1), gpu = rf_file_number(file, row, 1, 0);
    struct rf_summary_step_gpu added = {.gpu = (uint32_t)gpu};
    if (step > (int64_t)file->summary->n_steps || gpu > UINT32_MAX)
        rf_summary_file_damaged(file, "a GPU of a step");
    if (file->status != RF_OK)
        return;
    struct rf_summary_step *of = &file->summary->step[step - 1];
    uint64_t left_ns = of->duration;
    for (int m = 0; m < RF_SUMMARY_MOMENTS; m++) {
        added.ns[m] = (uint64_t)rf_file_number(file, row, 2 + m, 0);
        if (added.ns[m] > left_ns)
            rf_summary_file_damaged(file, "a GPU of a step");
        left_ns -= added.ns[m];
    }
    if (left_ns != 0 || !is_next_gpu(file->summary, of, gpu))
        rf_summary_file_damaged(file, "a GPU of a step");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_add_step_gpu(file->summary, of, &added));
}

const struct rf_summary_table rf_table_step_gpus = {
    "CREATE TABLE step_gpus ("
    "step INTEGER NOT NULL, device INTEGER NOT NULL, compute INTEGER NOT NULL,"
    " hidden INTEGER NOT NULL, exposed INTEGER NOT NULL, copies INTEGER NOT NULL,"
    " idle_host INTEGER NOT NULL, idle_launch INTEGER NOT NULL, idle_other INTEGER NOT NULL,"
    " PRIMARY KEY (step, device)) WITHOUT ROWID",
    "INSERT INTO step_gpus VALUES (?,?,?,?,?,?,?,?,?)",
    write_gpus,
    "SELECT step, device, compute, hidden, exposed, copies, idle_host, idle_launch, idle_other"
    " FROM main.step_gpus ORDER BY step, device",
    read_gpu,
    "step_gpus",
};
