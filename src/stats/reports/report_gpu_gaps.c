/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_gaps: when a GPU had nothing to do, between which work, and what the thread did meanwhile
 * that launched the next. */
#include <stdlib.h>

#include "base/amounts.h"
#include "base/error.h"
#include "stats/column_meanings.h"
#include "stats/gpu_idle.h"
#include "stats/gpu_pieces.h"
#include "stats/kernel_names.h"
#include "stats/lane_tally.h"
#include "stats/range_labels.h"
#include "stats/report.h"
#include "stats/work_labels.h"

#define SHORTEST_NS 10000 /* without the argument gap */

enum {
    START,
    DURATION,
    SHARE,
    GPU,
    WHY,
    HOST,
    LAUNCH,
    OTHER,
    LATE,
    BEFORE,
    AFTER,
    RANGE,
    RANGE_NS,
    CALL,
    CALL_NS,
    PID,
    TID
};

#define RF_MEANS_THREAD "the thread that called the work after the gap"

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the gap: all work until then had ended"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT,
                  "duration of the gap; Host, Launch and Other add up to it"},
    [SHARE] = {"Time (%)", RF_COLUMN_SHARE,
               "share of the time from the first work of the GPU to its last"},
    [GPU] = {"GPU", RF_COLUMN_ID, RF_MEANS_GPU_ID},
    [WHY] = {"Why", RF_COLUMN_WORD, "the longest of these three: host, launch or other"},
    [HOST] = {"Host (ns)", RF_COLUMN_COUNT,
              "until the call of the next work began, without what Launch and Other have of it"},
    [LAUNCH] = {"Launch (ns)", RF_COLUMN_COUNT,
                "from there until the work began, up to 10 us after the call returned; and before "
                "that the time in which its thread was "
                "in another call that causes GPU work"},
    [OTHER] =
        {"Other (ns)", RF_COLUMN_COUNT,
         "what is behind these 10 us; the time until that call began in which its thread "
         "waited for a GPU; all of the gap if the call had returned before it, or is not known"},
    [LATE] = {"Late (ns)", RF_COLUMN_SIGNED,
              "start of that call less that of the gap: below 0 the program had called in time; "
              "None: the call is not known"},
    [BEFORE] = {"Before", RF_COLUMN_WORD, "name of the work that ended last before the gap"},
    [AFTER] = {"After", RF_COLUMN_WORD, "name of the work that ended the gap"},
    [RANGE] = {"Range", RF_COLUMN_TEXT,
               "domain:message of the range that was the innermost one for the longest part of the "
               "gap, on " RF_MEANS_THREAD "; None: no range"},
    [RANGE_NS] = {"In Range (ns)", RF_COLUMN_COUNT, "that part"},
    [CALL] = {"Call", RF_COLUMN_WORD,
              "name of the function, of CUDA or the operating system's libraries, in which this "
              "thread was for the longest part of the gap; None: none"},
    [CALL_NS] = {"In Call (ns)", RF_COLUMN_COUNT, "that part"},
    [PID] = {"PID", RF_COLUMN_ID, "id of the process of the work after the gap"},
    [TID] = {"TID", RF_COLUMN_ID, "id of " RF_MEANS_THREAD "; None: not known"},
};

struct listing {
    const rf_recording *rec;
    struct rf_table *table;
    struct rf_kernel_names *names;
    struct rf_gpu_idle idle;
    struct rf_lane_tally tally;
    uint64_t shortest_ns;
    uint64_t n_shorter, shorter_ns, n_cut;
};

/* ---- Rows ---- */

static int set_reasons(struct listing *list, struct rf_cell *row, int64_t from_ns,
                       const struct rf_gpu_op *next)
{
    static const char *const words[] = {"host", "launch", "other"};
    uint64_t ns[RF_N_IDLE_REASONS] = {0};
    struct rf_gpu_gap gap;
    int longest = 0;
    if (rf_gpu_idle_find(&list->idle, from_ns, next, &gap) != RF_OK)
        return RF_ERR_NO_MEMORY;
    rf_gpu_gap_add(&gap, from_ns, next->start_ns, ns);
    for (int i = 0; i < RF_N_IDLE_REASONS; i++)
        row[HOST + i].count = ns[i];
    for (int i = 1; i < RF_N_IDLE_REASONS; i++)
        if (ns[i] > ns[longest])
            longest = i;
    rf_cell_set_word(&row[WHY], words[longest]);
    return RF_OK;
}

/* What the thread did that asked for the next work. */
static int set_thread(struct listing *list, struct rf_cell *row, int64_t from_ns,
                      const struct rf_gpu_op *next)
{
    struct rf_lane_most most = {.domain = RF_NO_INDEX, .function = RF_NO_STRING};
    const struct rf_call *call = rf_call_of_work(list->rec, next);
    bool is_set;
    if (next->thread != RF_NO_INDEX &&
        rf_lane_tally_find(&list->tally, next->thread, from_ns, next->start_ns, &most) != RF_OK)
        return RF_ERR_NO_MEMORY;
    list->n_cut += most.is_cut;
    row[LATE].time =
        call != NULL ? (int64_t)((uint64_t)call->start_ns - (uint64_t)from_ns) : RF_NO_TIME;
    row[TID].count =
        next->thread != RF_NO_INDEX ? rf_thread_at(list->rec, next->thread)->tid : RF_NO_ID;
    row[RANGE_NS].count = most.range_ns;
    row[CALL_NS].count = most.call_ns;
    if (most.function != RF_NO_STRING)
        rf_cell_set_function(&row[CALL], list->rec, most.function);
    else
        rf_cell_set_word(&row[CALL], "None");
    if (most.domain != RF_NO_INDEX)
        is_set = rf_cell_set_range(&row[RANGE], list->rec, most.domain, most.message);
    else
        is_set = rf_cell_set_text(&row[RANGE], "None", 4);
    return is_set ? RF_OK : RF_ERR_NO_MEMORY;
}

static int add_gap(struct listing *list, const struct rf_gpu_piece *last,
                   const struct rf_gpu_piece *next, double all_ns)
{
    const int64_t from_ns = last->end_ns;
    const struct rf_gpu_op *op = rf_gpu_op_at(list->rec, next->op);
    const uint64_t ns = (uint64_t)next->start_ns - (uint64_t)from_ns;
    struct rf_work_name before, after;
    if (ns < list->shortest_ns) {
        list->n_shorter++;
        list->shorter_ns += ns;
        return RF_OK;
    }
    struct rf_cell *row = rf_table_add_row(list->table);
    if (row == NULL ||
        !rf_work_name_find(list->names, rf_gpu_op_at(list->rec, last->op), &before) ||
        !rf_work_name_find(list->names, op, &after))
        return RF_ERR_NO_MEMORY;
    row[START].time = from_ns;
    row[DURATION].count = ns;
    row[SHARE].real = 100 * (double)ns / all_ns;
    row[GPU].count = next->gpu;
    rf_work_name_set(list->names, &row[BEFORE], before);
    rf_work_name_set(list->names, &row[AFTER], after);
    row[PID].count = rf_process_at(list->rec, rf_gpu_track_at(list->rec, op->track)->process)->pid;
    int status = set_reasons(list, row, from_ns, op);
    return status == RF_OK ? set_thread(list, row, from_ns, op) : status;
}

/* ---- Gaps ---- */

static int add_gpu(struct listing *list, const struct rf_gpu_piece *piece, size_t n)
{
    size_t last = 0; /* that ended last so far */
    int64_t end_ns = piece[0].end_ns;
    int status = RF_OK;
    for (size_t i = 1; i < n; i++)
        end_ns = piece[i].end_ns > end_ns ? piece[i].end_ns : end_ns;
    const double all_ns = (double)((uint64_t)end_ns - (uint64_t)piece[0].start_ns);
    for (size_t i = 1; i < n && status == RF_OK; i++) {
        if (piece[i].start_ns > piece[last].end_ns)
            status = add_gap(list, &piece[last], &piece[i], all_ns);
        last = piece[i].end_ns >= piece[last].end_ns ? i : last;
    }
    return status;
}

static void add_notes(struct rf_table *table, const struct listing *list)
{
    char ns[32], count[32];
    if (list->n_shorter > 0)
        rf_table_add_note(
            table, "%s gaps are shorter, and take %s: 'gpu_gaps:gap=TIME' shows those from TIME on",
            rf_format_count(count, sizeof(count), list->n_shorter),
            rf_format_duration(ns, sizeof(ns),
                               list->shorter_ns < INT64_MAX ? (int64_t)list->shorter_ns
                                                            : INT64_MAX));
    if (list->n_cut > 0)
        rf_table_add_note(table, "gaps that overlap too much to look for ranges and calls: %llu",
                          (unsigned long long)list->n_cut);
}

static int show(struct listing *list, struct rf_err *err)
{
    static const int order[] = {~DURATION, START, GPU};
    struct rf_gpu_pieces pieces = {.piece = NULL};
    int status = rf_kernel_names_begin(list->rec, list->table, &list->names, err);
    if (status == RF_OK)
        status = rf_gpu_idle_init(&list->idle, list->rec);
    if (status == RF_OK)
        status = rf_lane_tally_init(&list->tally, list->rec);
    if (status == RF_OK)
        status = rf_gpu_pieces_init(&pieces, list->rec);
    for (size_t first = 0, end; first < pieces.n && status == RF_OK; first = end) {
        end = rf_gpu_pieces_end(&pieces, first);
        status = add_gpu(list, &pieces.piece[first], end - first);
    }
    rf_gpu_pieces_release(&pieces);
    rf_table_sort(list->table, order, sizeof(order) / sizeof(order[0]));
    return status;
}

static int list_gaps(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    struct listing list = {.rec = rec, .table = table, .shortest_ns = SHORTEST_NS};
    (void)report;
    if (table->threshold != RF_NO_ID)
        list.shortest_ns = table->threshold;
    int status = show(&list, err);
    add_notes(table, &list);
    if (list.idle.rec != NULL)
        rf_gpu_idle_release(&list.idle);
    if (list.tally.rec != NULL)
        rf_lane_tally_release(&list.tally);
    return status;
}

const struct rf_report rf_report_gpu_gaps = {
    .name = "gpu_gaps",
    .description = "when each GPU had nothing to do, why, and what the program did meanwhile",
    .needs = RF_NEEDS_GPU_WORK,
    .not_summed =
        "it lists single gaps; 'breakdown' and 'breakdown_steps' have their sums by reason",
    .title = "GPU Gaps",
    RF_REPORT_COLUMNS(columns),
    .can = RF_CAN_NAME_WORK | RF_CAN_GAP,
    .compute = list_gaps,
};
