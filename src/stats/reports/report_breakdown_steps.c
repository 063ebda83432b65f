/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown_steps: what each GPU did in each step, every moment once. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"
#include "model/private_access.h"
#include "stats/column_meanings.h"
#include "stats/gpu_busy.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "stats/step_notes.h"
#include "stats/summary_cells.h"
#include "stats/tally_rows.h"
#include "summary/collect.h"
#include "summary/steps_of_summary.h"
#include "summary/summary_steps.h"

enum { GPU, STEP, START, DURATION, BUSY, FIRST, NAME = FIRST + RF_N_GPU_MOMENTS, CUT, PID, TID };

#define MAX_ROWS 2000000 /* half a kilobyte each */

static const struct rf_column columns[] = {
    [GPU] = {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    [STEP] = {"Step", RF_COLUMN_ID, "number of the step among those of its thread, from 1"},
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the step"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT,
                  "duration of the step; the next seven times add up to it"},
    [BUSY] = {"Busy (%)", RF_COLUMN_SHARE, "share of the step in which the GPU did any work"},
    [FIRST + RF_GPU_COMPUTES] = {"Compute (ns)", RF_COLUMN_COUNT,
                                 "kernels and graphs, beside copies or not"},
    [FIRST + RF_GPU_HIDES] = {"Comm Hidden (ns)", RF_COLUMN_COUNT,
                              "communication (of NCCL and RCCL) beside kernels or graphs"},
    [FIRST +
        RF_GPU_COMMUNICATES] = {"Comm Exposed (ns)", RF_COLUMN_COUNT, "communication without them"},
    [FIRST + RF_GPU_COPIES] = {"Copies (ns)", RF_COLUMN_COUNT, "copies and sets alone"},
    [FIRST + RF_GPU_WAITS_FOR_HOST] = {"Idle Host (ns)", RF_COLUMN_COUNT,
                                       "idle: the call of the next work had not begun"},
    [FIRST + RF_GPU_LAUNCHES] = {"Idle Launch (ns)", RF_COLUMN_COUNT,
                                 "idle: that call had begun, and had not returned before the GPU "
                                 "became idle; or its thread was in another call that causes GPU "
                                 "work"},
    [FIRST + RF_GPU_IDLES] = {"Idle Other (ns)", RF_COLUMN_COUNT,
                              "idle: that call had returned before, or over 10 us ago, or is not "
                              "known; or its thread waited for a GPU"},
    [NAME] = {"Name", RF_COLUMN_TEXT, RF_MEANS_RANGE},
    [CUT] = {"Cut", RF_COLUMN_WORD,
             "why the end of the step was not recorded: it counts up to where it was cut; capture "
             "began: what is inside it is recorded from there on; empty: all of it was recorded"},
    [PID] = {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"TID", RF_COLUMN_ID, RF_MEANS_TID},
};

/* A GPU that did work of a thread, or of a process. */
struct user {
    uint32_t of, gpu;
};

struct users {
    struct user *user; /* by thread or process, then GPU */
    size_t n, room;
};

struct collecting {
    const rf_recording *rec;
    const struct rf_steps *steps;
    size_t most; /* windows */
    struct rf_gpu_pieces pieces;
    struct users of_thread, of_process;
    struct rf_gpu_busy *window; /* by step, then GPU */
    uint32_t *step;             /* per window; RF_NO_INDEX: of none */
    size_t n, room, step_room;
};

/* ---- GPUs of a step ---- */

static bool add_user(struct users *users, uint32_t of, uint32_t gpu)
{
    if (rf_grow_array(&users->user, users->n, &users->room, sizeof(*users->user)) != RF_OK)
        return false;
    users->user[users->n++] = (struct user){of, gpu};
    return true;
}

static int compare_users(const void *a, const void *b)
{
    const struct user *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return x->gpu < y->gpu ? -1 : x->gpu > y->gpu;
}

static void sort_users(struct users *users)
{
    size_t n = 0;
    if (users->n > 0)
        qsort(users->user, users->n, sizeof(*users->user), compare_users);
    for (size_t i = 0; i < users->n; i++)
        if (n == 0 || compare_users(&users->user[n - 1], &users->user[i]) != 0)
            users->user[n++] = users->user[i];
    users->n = n;
}

static bool list_users(struct collecting *c)
{
    uint32_t last_thread = RF_NO_INDEX, last_track = RF_NO_INDEX;
    for (size_t i = 0; i < c->pieces.n; i++) {
        const struct rf_gpu_op *op = rf_gpu_op_at(c->rec, c->pieces.piece[i].op);
        const uint32_t gpu = c->pieces.piece[i].gpu;
        if (op->thread != RF_NO_INDEX && (op->thread != last_thread || op->track != last_track) &&
            !add_user(&c->of_thread, op->thread, gpu))
            return false;
        if (op->track != last_track &&
            !add_user(&c->of_process, rf_gpu_track_at(c->rec, op->track)->process, gpu))
            return false;
        last_thread = op->thread;
        last_track = op->track;
    }
    sort_users(&c->of_thread);
    sort_users(&c->of_process);
    return true;
}

/* The first user of a thread or process, or of a later one. */
static size_t find_users(const struct users *users, uint32_t of)
{
    size_t low = 0;
    for (size_t n = users->n; n > 0;) {
        size_t half = n / 2;
        bool is_before = users->user[low + half].of < of;
        low = is_before ? low + half + 1 : low;
        n = is_before ? n - half - 1 : half;
    }
    return low;
}

static bool add_window(struct collecting *c, const struct rf_gpu_busy *window, uint32_t step)
{
    if (rf_grow_array(&c->window, c->n, &c->room, sizeof(*c->window)) != RF_OK ||
        rf_grow_array(&c->step, c->n, &c->step_room, sizeof(*c->step)) != RF_OK)
        return false;
    c->step[c->n] = step;
    c->window[c->n++] = *window;
    return true;
}

/* Adds windows for the GPUs of a thread or process. Returns how many; SIZE_MAX: out of memory. */
static size_t add_windows(struct collecting *c, const struct users *users, uint32_t of, size_t step)
{
    const struct rf_step *at = &c->steps->step[step];
    const struct rf_event *range = rf_thread_event_at(c->rec, at->thread, at->event);
    const size_t first = find_users(users, of);
    size_t i = first;
    for (; i < users->n && users->user[i].of == of && c->n < c->most; i++) {
        const struct rf_gpu_busy window = {
            .gpu = users->user[i].gpu, .start_ns = range->start_ns, .end_ns = range->end_ns};
        if (!add_window(c, &window, (uint32_t)step))
            return SIZE_MAX;
    }
    return i - first;
}

/* Adds a window of no step for each GPU, from its first work to its last. */
static bool add_whole(struct collecting *c)
{
    const struct rf_gpu_piece *piece = c->pieces.piece;
    bool is_done = true;
    for (size_t first = 0, end; first < c->pieces.n && is_done; first = end) {
        struct rf_gpu_busy whole = {.gpu = piece[first].gpu,
                                    .start_ns = piece[first].start_ns,
                                    .end_ns = piece[first].end_ns};
        end = rf_gpu_pieces_end(&c->pieces, first);
        for (size_t i = first; i < end; i++)
            whole.end_ns = piece[i].end_ns > whole.end_ns ? piece[i].end_ns : whole.end_ns;
        is_done = add_window(c, &whole, RF_NO_INDEX);
    }
    return is_done;
}

/* The GPUs that the thread of a step gave work to; if it gave none, those of its process. */
static bool add_step(struct collecting *c, size_t step)
{
    const uint32_t thread = c->steps->step[step].thread;
    size_t n = add_windows(c, &c->of_thread, thread, step);
    if (n == 0)
        n = add_windows(c, &c->of_process, rf_thread_at(c->rec, thread)->process, step);
    return n != SIZE_MAX;
}

/* Finds the windows of all steps, or of those that have a place and of each GPU, and what the GPUs
 * did in them. */
static int find_windows(struct collecting *c, const uint32_t *place)
{
    int status = rf_gpu_pieces_init(&c->pieces, c->rec);
    if (status == RF_OK && !list_users(c))
        status = RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < c->steps->n && status == RF_OK; i++)
        if ((place == NULL || place[i] != RF_NO_INDEX) && !add_step(c, i))
            status = RF_ERR_NO_MEMORY;
    if (status == RF_OK && place != NULL && !add_whole(c))
        status = RF_ERR_NO_MEMORY;
    return status == RF_OK ? rf_gpu_busy_fill(c->rec, &c->pieces, c->window, c->n) : status;
}

static void release(struct collecting *c)
{
    rf_gpu_pieces_release(&c->pieces);
    free(c->of_thread.user);
    free(c->of_process.user);
    free(c->window);
    free(c->step);
}

/* ---- Rows ---- */

static void set_figures(struct rf_cell *row, uint32_t gpu, const struct rf_step *step,
                        const uint64_t ns[RF_N_GPU_MOMENTS])
{
    uint64_t idle_ns = 0;
    for (int m = 0; m < RF_N_GPU_MOMENTS; m++) {
        row[FIRST + m].count = ns[m];
        idle_ns += m >= RF_GPU_WAITS_FOR_HOST ? ns[m] : 0;
    }
    row[GPU].count = gpu;
    row[STEP].count = step->number;
    row[DURATION].count = step->duration_ns;
    if (step->duration_ns > 0)
        row[BUSY].real = 100 * (double)(step->duration_ns - idle_ns) / (double)step->duration_ns;
    rf_cell_set_word(&row[CUT], rf_step_cut_name(step->cut));
}

static bool add_row(struct rf_table *table, const struct collecting *c, size_t i)
{
    const struct rf_gpu_busy *window = &c->window[i];
    const struct rf_step *step = &c->steps->step[c->step[i]];
    const struct rf_thread *thread = rf_thread_at(c->rec, step->thread);
    const struct rf_event *range = rf_thread_event_at(c->rec, step->thread, step->event);
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    set_figures(row, window->gpu, step, window->ns);
    row[START].time = window->start_ns;
    row[PID].count = rf_process_at(c->rec, thread->process)->pid;
    row[TID].count = thread->tid;
    return rf_cell_set_range(&row[NAME], c->rec, range->domain, range->name);
}

static void note_no_steps(struct rf_table *table)
{
    rf_table_add_note(table,
                      "there are no steps: no thread has a range that repeats %d times; "
                      "--step=RANGE says which range they are",
                      RF_MIN_STEPS);
}

static int show(struct rf_table *table, struct collecting *c)
{
    int status = find_windows(c, NULL);
    for (size_t i = 0; i < c->n && status == RF_OK; i++)
        if (!add_row(table, c, i))
            status = RF_ERR_NO_MEMORY;
    if (c->steps->n == 0)
        note_no_steps(table);
    if (c->n >= MAX_ROWS)
        rf_table_add_note(table, "later steps are left out: there are %d rows at most", MAX_ROWS);
    return status;
}

static int list_steps(const struct rf_report *report, const rf_recording *rec,
                      struct rf_table *table, struct rf_err *err)
{
    const struct rf_steps_options options = {.range = table->step};
    struct rf_steps steps;
    struct collecting c = {.rec = rec, .steps = &steps, .most = MAX_ROWS};
    (void)report;
    int status = rf_steps_init(&steps, rec, &options, err);
    if (status == RF_OK)
        status = show(table, &c);
    rf_steps_release(&steps);
    release(&c);
    return status;
}

/* ---- Of summaries ---- */

_Static_assert(RF_SUMMARY_MOMENTS == RF_N_GPU_MOMENTS, "a summary has all of them");

static void collect_windows(struct rf_collecting *to, const struct collecting *c)
{
    for (size_t i = 0; i < c->n && to->status == RF_OK; i++) {
        if (c->step[i] == RF_NO_INDEX) {
            rf_collect_gpu_time(to, &c->window[i]);
            continue;
        }
        struct rf_summary_step *step = &to->summary->step[to->step_place[c->step[i]]];
        struct rf_summary_step_gpu gpu = {.gpu = c->window[i].gpu};
        for (int m = 0; m < RF_N_GPU_MOMENTS; m++)
            gpu.ns[m] = c->window[i].ns[m];
        (void)rf_collect_fail(to, rf_summary_add_step_gpu(to->summary, step, &gpu));
    }
}

static void collect(const struct rf_report *report, struct rf_collecting *to)
{
    struct collecting c = {.rec = to->rec, .steps = &to->steps, .most = SIZE_MAX};
    (void)report;
    if (to->step_place == NULL || rf_recording_named_work(to->rec) != NULL)
        return; /* it is not known what was when */
    rf_collect_searched(to, RF_TALLY_STEP_GPU);
    (void)rf_collect_fail(to, find_windows(&c, to->step_place));
    collect_windows(to, &c);
    release(&c);
}

static bool add_summary_row(struct rf_table *table, const rf_summary *summary,
                            const struct rf_step *step, const struct rf_summary_step_gpu *gpu)
{
    const struct rf_summary_step *of = &summary->step[step->event];
    const struct rf_summary_path *path = &summary->path[of->path];
    const struct rf_summary_path name = {RF_NO_INDEX, path->domain, path->name};
    struct rf_cell *row = rf_table_add_row(table);
    if (row == NULL)
        return false;
    set_figures(row, gpu->gpu, step, gpu->ns);
    row[START].time = rf_summary_step_start(summary, of);
    row[PID].count = of->pid;
    row[TID].count = of->tid;
    return rf_cell_set_path(&row[NAME], summary, &name, 0) &&
           rf_table_set_step_origin(table, summary, of);
}

static int show_steps(struct rf_table *table, const rf_summary *summary,
                      const struct rf_steps *steps)
{
    for (size_t i = 0; i < steps->n; i++) {
        const struct rf_summary_step *of = &summary->step[steps->step[i].event];
        for (size_t k = of->first_gpu; k < of->first_gpu + of->n_gpus; k++)
            if (!add_summary_row(table, summary, &steps->step[i], &summary->step_gpu[k]))
                return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

static int show_summary(const struct rf_report *report, const rf_summary *summary, uint32_t input,
                        struct rf_table *table, struct rf_err *err)
{
    const struct rf_summary_input *of = rf_summary_input_at(summary, input);
    struct rf_steps steps;
    if (table->step != NULL)
        return rf_refuse_step_of_summary(err);
    int status = rf_steps_of_summary(&steps, summary, input);
    if (status == RF_OK)
        status = show_steps(table, summary, &steps);
    if (status == RF_OK && steps.n == 0 && of->n_searched > 0)
        note_no_steps(table);
    if (status == RF_OK) {
        rf_tally_rows_add_notes(report, table, summary, input, RF_TALLY_STEP_GPU);
        rf_add_later_steps_note(table, of, "");
    }
    rf_steps_release(&steps);
    return rf_summary_fail(status, of->path, err);
}

const struct rf_report rf_report_breakdown_steps = {
    .name = "breakdown_steps",
    .description = "what each GPU did in each step, and why it was idle",
    .needs = RF_NEEDS_RANGES | RF_NEEDS_GPU_WORK,
    .title = "GPU Time Breakdown by Step",
    RF_REPORT_COLUMNS(columns),
    .compute = list_steps,
    .compute_summary = show_summary,
    .tallies = 1 + RF_TALLY_STEP_GPU,
    .collect = collect,
};
