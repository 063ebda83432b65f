/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_kern_exec_trace: every kernel with the call that launched it, and the time between them.
 * Columns are those of Nsight Systems. */
#include "base/sink.h"
#include "stats/column_meanings.h"
#include "stats/work_labels.h"
#include "stats/kernel_launches.h"
#include "stats/kernel_names.h"
#include "stats/report.h"
#include "stats/trace_rows.h"

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

#define SIZE_TEXT 48 /* of a grid or a block */

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

static bool set_row(struct rf_cell *row, const struct rf_trace_rows *rows, const void *at)
{
    const struct entry *entry = at;
    const struct rf_gpu_op *op = entry->op;
    const struct rf_kernel *kernel = rf_kernel_of(rows->rec, op);
    char(*text)[SIZE_TEXT] = rows->texts;
    struct rf_launch launch;
    uint32_t name;
    if (!rf_launch_of(rows->rec, op, &launch))
        return true; /* find_entry() leaves these out */
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
    set_size(&row[GRID], text[0], kernel != NULL ? kernel->grid : NULL);
    set_size(&row[BLOCK], text[1], kernel != NULL ? kernel->block : NULL);
    if (!rf_kernel_names_find(rows->names, op, &name))
        return false;
    rf_kernel_names_set(rows->names, &row[KERNEL], name);
    return true;
}

static bool find_entry(const rf_recording *rec, const struct rf_gpu_op *op, void *at)
{
    struct rf_launch launch;
    if (!rf_launch_of(rec, op, &launch))
        return false;
    *(struct entry *)at =
        (struct entry){op, launch.call, rf_process_at(rec, launch.thread->process)->pid,
                       launch.thread->tid, launch.device};
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int last =
        RF_FIRST_THAT_DIFFERS(x->tid, y->tid, RF_FIRST_THAT_DIFFERS(x->device, y->device, 0));
    last = RF_FIRST_THAT_DIFFERS(x->op->start_ns, y->op->start_ns,
                                 RF_FIRST_THAT_DIFFERS(x->pid, y->pid, last));
    return RF_FIRST_THAT_DIFFERS(x->call->start_ns, y->call->start_ns, last);
}

static int list_launches(const struct rf_report *report, const rf_recording *rec,
                         struct rf_table *table, struct rf_err *err)
{
    static const struct rf_trace_kind kind = {sizeof(struct entry), sizeof(char[2][SIZE_TEXT]),
                                              find_entry, compare_entries, set_row};
    (void)report;
    return rf_list_trace(&kind, rec, table, err);
}

const struct rf_report rf_report_cuda_kern_exec_trace = {
    .name = "cuda_kern_exec_trace",
    .alias = "kernexectrace",
    .description = "every kernel with the call that launched it, and how long it waited",
    .needs = RF_NEEDS_KERNELS,
    .not_summed = "it lists single launches; 'cuda_kern_exec_sum' has their sums",
    .title = "CUDA Kernel Launch & Exec Time Trace",
    RF_REPORT_COLUMNS(columns),
    .can = RF_CAN_NAME_WORK,
    .compute = list_launches,
};
