/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_trace: every kernel, copy and set. Columns are those of Nsight Systems. */
#include <math.h>
#include <stdio.h>

#include "stats/column_meanings.h"
#include "stats/kernel_names.h"
#include "stats/report.h"
#include "stats/trace_rows.h"
#include "stats/work_labels.h"

enum {
    START,
    DURATION,
    CORRELATION,
    GRID,
    BLOCK = GRID + 3,
    REGISTERS = BLOCK + 3,
    STATIC_SHARED,
    DYNAMIC_SHARED,
    BYTES,
    THROUGHPUT,
    SOURCE,
    TARGET,
    DEVICE,
    CONTEXT,
    GREEN_CONTEXT,
    STREAM,
    NAME
};

static const struct rf_column columns[] = {
    [START] = {"Start (ns)", RF_COLUMN_TIME, "start of the kernel, copy or set on the GPU"},
    [DURATION] = {"Duration (ns)", RF_COLUMN_COUNT, "its duration"},
    [CORRELATION] = {"CorrId", RF_COLUMN_ID, "number that it shares with the call that caused it"},
    [GRID] = {"GrdX", RF_COLUMN_ID, RF_MEANS_GRID_OF("first")},
    [GRID + 1] = {"GrdY", RF_COLUMN_ID, RF_MEANS_GRID_OF("second")},
    [GRID + 2] = {"GrdZ", RF_COLUMN_ID, RF_MEANS_GRID_OF("third")},
    [BLOCK] = {"BlkX", RF_COLUMN_ID, RF_MEANS_BLOCK_OF("first")},
    [BLOCK + 1] = {"BlkY", RF_COLUMN_ID, RF_MEANS_BLOCK_OF("second")},
    [BLOCK + 2] = {"BlkZ", RF_COLUMN_ID, RF_MEANS_BLOCK_OF("third")},
    [REGISTERS] = {"Reg/Trd", RF_COLUMN_ID, "registers per thread; None: no kernel"},
    [STATIC_SHARED] =
        {"StcSMem (MB)", RF_COLUMN_MEGA,
         "static shared memory of the kernel, per block, in 1,000,000 bytes; None: no kernel"},
    [DYNAMIC_SHARED] =
        {"DymSMem (MB)", RF_COLUMN_MEGA,
         "dynamic shared memory of the kernel, per block, in 1,000,000 bytes; None: no kernel"},
    [BYTES] = {"Bytes (MB)", RF_COLUMN_MEGA,
               "size of the copy or set, in 1,000,000 bytes; None: a kernel, or not known"},
    [THROUGHPUT] = {"Throughput (MBps)", RF_COLUMN_MEGA,
                    "Bytes by Duration, in 1,000,000 bytes per second; None: a kernel, or not "
                    "known, or a duration of 0"},
    [SOURCE] = {"SrcMemKd", RF_COLUMN_WORD,
                "kind of memory that a copy reads, or that is set; None: a kernel, or not known"},
    [TARGET] = {"DstMemKd", RF_COLUMN_WORD,
                "kind of memory that a copy writes; None: no copy, or not known"},
    [DEVICE] = {"Device", RF_COLUMN_TEXT, "name of the GPU, and its number in the process"},
    [CONTEXT] = {"Ctx", RF_COLUMN_ID, "number of the CUDA context"},
    [GREEN_CONTEXT] = {"GreenCtx", RF_COLUMN_ID, "number of the green context; None: it has none"},
    [STREAM] = {"Strm", RF_COLUMN_ID, "number of the CUDA stream"},
    [NAME] = {"Name", RF_COLUMN_WORD,
              "demangled name of the kernel, or what a copy or set is called, as in [CUDA memcpy "
              "Host-to-Device]"},
};

static bool set_kernel(struct rf_cell *row, const rf_recording *rec, struct rf_kernel_names *names,
                       const struct rf_gpu_op *op)
{
    const struct rf_kernel *kernel = rf_kernel_of(rec, op);
    uint32_t name;
    if (!rf_kernel_names_find(names, op, &name))
        return false;
    rf_kernel_names_set(names, &row[NAME], name);
    if (kernel == NULL)
        return true;
    for (int i = 0; i < 3; i++) {
        row[GRID + i].count = kernel->grid[i];
        row[BLOCK + i].count = kernel->block[i];
    }
    row[REGISTERS].count = kernel->registers;
    row[STATIC_SHARED].real = kernel->static_shared_bytes;
    row[DYNAMIC_SHARED].real = kernel->dynamic_shared_bytes;
    return true;
}

static void set_transfer(struct rf_cell *row, const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_transfer *transfer = rf_transfer_of(rec, op);
    rf_cell_set_word(&row[NAME], rf_memory_code_label(rf_memory_code(rec, op)));
    if (transfer == NULL)
        return;
    row[BYTES].real = (double)transfer->bytes;
    if (row[DURATION].count > 0)
        row[THROUGHPUT].real = (double)transfer->bytes * 1e9 / (double)row[DURATION].count;
    if (op->kind == RF_OP_MEMCPY) {
        rf_cell_set_word(&row[SOURCE], rf_memory_kind_label(transfer->source_memory));
        rf_cell_set_word(&row[TARGET], rf_memory_kind_label(transfer->target_memory));
    } else {
        rf_cell_set_word(&row[SOURCE], rf_memory_kind_label(transfer->target_memory));
    }
}

/* ---- Rows ---- */

struct entry {
    const struct rf_gpu_op *op;
    const struct rf_gpu_track *track;
};

/* "NVIDIA H100 80GB HBM3 (0)": the number is that of the process. Of the track that was asked for
 * last. */
struct device_text {
    const struct rf_gpu_track *track;
    char text[256];
};

static void set_device(struct rf_cell *cell, const struct rf_trace_rows *rows,
                       const struct rf_gpu_track *track)
{
    struct device_text *device = rows->texts;
    if (device->track != track) {
        const struct rf_gpu *gpu = rf_gpu_of(rows->rec, track->process, track->device);
        const char *name = gpu != NULL ? rf_string(rows->rec, gpu->name, NULL) : NULL;
        (void)snprintf(device->text, sizeof(device->text), "%.200s (%u)", name != NULL ? name : "",
                       track->device);
        device->track = track;
    }
    rf_cell_set_word(cell, device->text);
}

static bool set_row(struct rf_cell *row, const struct rf_trace_rows *rows, const void *at)
{
    const struct entry *entry = at;
    const struct rf_gpu_op *op = entry->op;
    row[START].time = op->start_ns;
    row[DURATION].count = (uint64_t)op->end_ns - (uint64_t)op->start_ns;
    row[CORRELATION].count = op->correlation;
    for (int i = GRID; i <= REGISTERS; i++)
        row[i].count = RF_NO_ID;
    for (int i = STATIC_SHARED; i <= THROUGHPUT; i++)
        row[i].real = NAN;
    rf_cell_set_word(&row[SOURCE], "None");
    rf_cell_set_word(&row[TARGET], "None");
    bool is_named = op->kind != RF_OP_KERNEL || set_kernel(row, rows->rec, rows->names, op);
    if (op->kind != RF_OP_KERNEL)
        set_transfer(row, rows->rec, op);
    row[CONTEXT].count = entry->track->context;
    row[GREEN_CONTEXT].count =
        entry->track->green_context != 0 ? entry->track->green_context : RF_NO_ID;
    row[STREAM].count = entry->track->stream;
    set_device(&row[DEVICE], rows, entry->track);
    return is_named;
}

static bool find_entry(const rf_recording *rec, const struct rf_gpu_op *op, void *at)
{
    *(struct entry *)at = (struct entry){op, rf_gpu_track_at(rec, op->track)};
    return op->kind == RF_OP_KERNEL || op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const struct rf_gpu_op *p = x->op, *q = y->op;
    const struct rf_gpu_track *r = x->track, *s = y->track;
    const uint64_t p_ns = (uint64_t)p->end_ns - (uint64_t)p->start_ns;
    const uint64_t q_ns = (uint64_t)q->end_ns - (uint64_t)q->start_ns;
    int last = RF_FIRST_THAT_DIFFERS(r->context, s->context,
                                     RF_FIRST_THAT_DIFFERS(r->stream, s->stream, 0));
    last = RF_FIRST_THAT_DIFFERS(p->correlation, q->correlation,
                                 RF_FIRST_THAT_DIFFERS(p_ns, q_ns, last));
    return RF_FIRST_THAT_DIFFERS(p->start_ns, q->start_ns, last);
}

static int list_work(const struct rf_report *report, const rf_recording *rec,
                     struct rf_table *table, struct rf_err *err)
{
    static const struct rf_trace_kind kind = {sizeof(struct entry), sizeof(struct device_text),
                                              find_entry, compare_entries, set_row};
    (void)report;
    return rf_list_trace(&kind, rec, table, err);
}

const struct rf_report rf_report_cuda_gpu_trace = {
    .name = "cuda_gpu_trace",
    .alias = "gputrace",
    .description = "every kernel, copy and set of the GPU",
    .needs = RF_NEEDS_GPU_WORK,
    .not_summed = "it lists single pieces of GPU work; 'cuda_gpu_sum' has their sums",
    .title = "CUDA GPU Trace",
    RF_REPORT_COLUMNS(columns),
    .can = RF_CAN_NAME_WORK,
    .compute = list_work,
};
