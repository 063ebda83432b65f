/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_kern_exec_trace: every kernel with the call that launched it, and the time between them.
 * Columns are those of Nsight Systems. */
#include <stdio.h>

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

/* "   1   16    8". */
static bool set_size(struct rf_cell *cell, const uint32_t *size)
{
    char text[48] = "";
    int n =
        size != NULL ? snprintf(text, sizeof(text), "%4u %4u %4u", size[0], size[1], size[2]) : 0;
    return rf_cell_set_text(cell, text, (size_t)n);
}

static bool set_row(struct rf_cell *row, const rf_recording *rec, struct rf_kernel_names *names,
                    const struct rf_launch *launch)
{
    const struct rf_gpu_op *op = launch->kernel;
    const struct rf_kernel *kernel = rf_kernel_of(rec, op);
    row[CALL_START].time = launch->call->start_ns;
    row[CALL_DURATION].count = launch->times.ns[RF_LAUNCH_CALL];
    row[QUEUE_START].time = launch->times.is_queued ? launch->call->end_ns : RF_NO_TIME;
    row[QUEUE_DURATION].time =
        launch->times.is_queued ? (int64_t)launch->times.ns[RF_LAUNCH_QUEUE] : RF_NO_TIME;
    row[KERNEL_START].time = op->start_ns;
    row[KERNEL_DURATION].count = launch->times.ns[RF_LAUNCH_KERNEL];
    row[TOTAL].count = launch->times.ns[RF_LAUNCH_TOTAL];
    row[PID].count = rf_process_at(rec, launch->thread->process)->pid;
    row[TID].count = launch->thread->tid;
    row[DEVICE].count = launch->device;
    rf_cell_set_function(&row[FUNCTION], rec, launch->call->name);
    uint32_t name;
    bool is_named = rf_kernel_names_find(names, op, &name);
    if (is_named)
        rf_kernel_names_set(names, &row[KERNEL], name);
    bool is_set = set_size(&row[GRID], kernel != NULL ? kernel->grid : NULL);
    return set_size(&row[BLOCK], kernel != NULL ? kernel->block : NULL) && is_set && is_named;
}

static int list_launches(const struct rf_report *report, const rf_recording *rec,
                         struct rf_table *table, struct rf_err *err)
{
    static const int order[] = {CALL_START, KERNEL_START, PID, TID, DEVICE};
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    struct rf_kernel_names *names;
    (void)report;
    int status = rf_kernel_names_begin(rec, table, &names, err);
    if (status != RF_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        struct rf_launch launch;
        if (!rf_launch_of(rec, &op[i], &launch))
            continue;
        struct rf_cell *row = rf_table_add_row(table);
        if (row == NULL || !set_row(row, rec, names, &launch))
            return RF_ERR_NO_MEMORY;
    }
    rf_table_sort(table, order, sizeof(order) / sizeof(order[0]));
    return RF_OK;
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
