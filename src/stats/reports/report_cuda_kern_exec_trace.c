/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_kern_exec_trace: every kernel with the call that launched it, and the time between them.
 * Columns are those of Nsight Systems. */
#include <stdlib.h>

#include "base/sink.h"
#include "model/arrays.h"
#include "stats/column_meanings.h"
#include "stats/work_labels.h"
#include "stats/kernel_launches.h"
#include "stats/kernel_names.h"
#include "stats/report.h"

enum {
    CALL_START,
    CALL_DURATION,
    QUEUE_START,
    QUEUE_DURATION,
    KERNEL_START,
    KERNEL_DURATION,
    TOTAL,
    PID,
    TID,
    DEVICE,
    FUNCTION,
    GRID,
    BLOCK,
    KERNEL
};

static const struct rf_column columns[] = {
    [CALL_START] = {"API Start (ns)", RF_COLUMN_TIME, "start of the call that launched the kernel"},
    [CALL_DURATION] = {"API Dur (ns)", RF_COLUMN_COUNT, "duration of that call"},
    [QUEUE_START] = {"Queue Start (ns)", RF_COLUMN_TIME,
                     "end of the call, where the kernel begins to wait; None: the kernel started "
                     "before the call ended"},
    [QUEUE_DURATION] = {"Queue Dur (ns)", RF_COLUMN_SIGNED,
                        "time from the end of the call to the start of the kernel; None: the "
                        "kernel started before the call ended"},
    [KERNEL_START] = {"Kernel Start (ns)", RF_COLUMN_TIME, "start of the kernel on the GPU"},
    [KERNEL_DURATION] = {"Kernel Dur (ns)", RF_COLUMN_COUNT, "duration of the kernel"},
    [TOTAL] = {"Total Dur (ns)", RF_COLUMN_COUNT,
               "time from the start of the call to the end of the kernel, or of the call if that "
               "is later"},
    [PID] = {"PID", RF_COLUMN_ID, RF_MEANS_PID},
    [TID] = {"TID", RF_COLUMN_ID, RF_MEANS_TID},
    [DEVICE] = {"DevId", RF_COLUMN_ID, RF_MEANS_DEVICE},
    [FUNCTION] = {"API Function", RF_COLUMN_WORD, RF_MEANS_FUNCTION},
    [GRID] = {"GridXYZ", RF_COLUMN_TEXT, RF_MEANS_GRID},
    [BLOCK] = {"BlockXYZ", RF_COLUMN_TEXT, RF_MEANS_BLOCK},
    [KERNEL] = {"Kernel Name", RF_COLUMN_WORD, RF_MEANS_KERNEL},
};

/* ---- Rows ---- */

struct entry {
    const struct rf_gpu_op *op;
    const struct rf_call *call;
    uint32_t pid, tid, device;
};

#define SIZE_TEXT 48

/* In their order. */
struct rows {
    struct rf_row_maker maker;
    const rf_recording *rec;
    struct rf_kernel_names *names;
    struct entry *entry;
    size_t n;
    char text_room[2][SIZE_TEXT],
        (*text)[SIZE_TEXT]; /* the same: rows are made from a const struct */
};

/* A number with blanks in front: four places at least. */
static char *put_number(char *out, uint32_t number)
{
    char digits[RF_SINK_U64];
    size_t n = rf_format_u64(digits, number);
    for (size_t i = n; i < 4; i++)
        *out++ = ' ';
    memcpy(out, digits, n);
    return out + n;
}

/* "   1   16    8"; nothing where the size is not known. */
static void set_size(struct rf_cell *cell, char *text, const uint32_t *size)
{
    char *out = text;
    for (int i = 0; i < 3 && size != NULL; i++) {
        if (i > 0)
            *out++ = ' ';
        out = put_number(out, size[i]);
    }
    *out = '\0';
    *cell = (struct rf_cell){.text = text, .size = (size_t)(out - text)};
}

/* The texts of grid and block are valid until the next row. */
static bool set_row(struct rf_cell *row, const struct rows *rows, const struct entry *entry)
{
    const struct rf_gpu_op *op = entry->op;
    const struct rf_kernel *kernel = rf_kernel_of(rows->rec, op);
    struct rf_launch launch;
    uint32_t name;
    if (!rf_launch_of(rows->rec, op, &launch))
        return true; /* find_entries() leaves these out */
    row[CALL_START].time = launch.call->start_ns;
    row[CALL_DURATION].count = launch.times.ns[RF_LAUNCH_CALL];
    row[QUEUE_START].time = launch.times.is_queued ? launch.call->end_ns : RF_NO_TIME;
    row[QUEUE_DURATION].time =
        launch.times.is_queued ? (int64_t)launch.times.ns[RF_LAUNCH_QUEUE] : RF_NO_TIME;
    row[KERNEL_START].time = op->start_ns;
    row[KERNEL_DURATION].count = launch.times.ns[RF_LAUNCH_KERNEL];
    row[TOTAL].count = launch.times.ns[RF_LAUNCH_TOTAL];
    row[PID].count = entry->pid;
    row[TID].count = entry->tid;
    row[DEVICE].count = entry->device;
    rf_cell_set_function(&row[FUNCTION], rows->rec, launch.call->name);
    set_size(&row[GRID], rows->text[0], kernel != NULL ? kernel->grid : NULL);
    set_size(&row[BLOCK], rows->text[1], kernel != NULL ? kernel->block : NULL);
    if (!rf_kernel_names_find(rows->names, op, &name))
        return false;
    rf_kernel_names_set(rows->names, &row[KERNEL], name);
    return true;
}

static void make_row(const struct rf_row_maker *maker, size_t row, struct rf_cell *cells)
{
    const struct rows *rows = (const struct rows *)(const void *)maker; /* its first member */
    if (rows->n - row > RF_KERNELS_AHEAD)
        rf_kernel_fetch(rows->rec, rows->entry[row + RF_KERNELS_AHEAD].op);
    (void)set_row(cells, rows, &rows->entry[row]); /* names without ranges need no memory */
}

static void free_rows(struct rf_row_maker *maker)
{
    struct rows *rows = (struct rows *)(void *)maker;
    free(rows->entry);
    free(rows);
}

#define FIRST_THAT_DIFFERS(x, y, then) ((x) != (y) ? ((x) < (y) ? -1 : 1) : (then))

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return FIRST_THAT_DIFFERS(
        x->call->start_ns, y->call->start_ns,
        FIRST_THAT_DIFFERS(
            x->op->start_ns, y->op->start_ns,
            FIRST_THAT_DIFFERS(
                x->pid, y->pid,
                FIRST_THAT_DIFFERS(x->tid, y->tid, FIRST_THAT_DIFFERS(x->device, y->device, 0)))));
}

static int find_entries(struct rows *rows)
{
    size_t n = 0;
    struct rf_launch launch;
    const struct rf_gpu_op *op = rf_gpu_ops(rows->rec, &n);
    rows->entry = malloc((n + 1) * sizeof(*rows->entry));
    if (rows->entry == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (rf_launch_of(rows->rec, &op[i], &launch))
            rows->entry[rows->n++] = (struct entry){
                &op[i], launch.call, rf_process_at(rows->rec, launch.thread->process)->pid,
                launch.thread->tid, launch.device};
    return rf_sort_records(rows->entry, rows->n, sizeof(*rows->entry), compare_entries);
}

static bool add_rows(struct rf_table *table, const struct rows *rows)
{
    bool is_done = true;
    for (size_t i = 0; i < rows->n && is_done; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        is_done = row != NULL && set_row(row, rows, &rows->entry[i]);
        if (row == NULL)
            break;
        /* the table owns its texts */
        is_done &= rf_cell_set_text(&row[GRID], rows->text[0], row[GRID].size);
        is_done &= rf_cell_set_text(&row[BLOCK], rows->text[1], row[BLOCK].size);
    }
    return is_done;
}

static int list_launches(const struct rf_report *report, const rf_recording *rec,
                         struct rf_table *table, struct rf_err *err)
{
    struct rf_kernel_names *names;
    (void)report;
    int status = rf_kernel_names_begin(rec, table, &names, err);
    if (status != RF_OK)
        return status;
    struct rows *rows = calloc(1, sizeof(*rows));
    if (rows == NULL)
        return RF_ERR_NO_MEMORY;
    rows->maker = (struct rf_row_maker){.make = make_row, .free = free_rows};
    rows->rec = rec;
    rows->names = names;
    rows->text = rows->text_room;
    status = find_entries(rows);
    if (status == RF_OK && table->can_make_rows && !table->with_ranges) {
        rf_table_take_maker(table, &rows->maker, rows->n);
        return RF_OK;
    }
    if (status == RF_OK && !add_rows(table, rows))
        status = RF_ERR_NO_MEMORY;
    free_rows(&rows->maker);
    return status;
}

const struct rf_report rf_report_cuda_kern_exec_trace = {
    .name = "cuda_kern_exec_trace",
    .alias = "kernexectrace",
    .description = "every kernel with the call that launched it, and how long it waited",
    .needs = RF_NEEDS_KERNELS,
    .title = "CUDA Kernel Launch & Exec Time Trace",
    RF_REPORT_COLUMNS(columns),
    .can = RF_CAN_NAME_WORK,
    .compute = list_launches,
};
