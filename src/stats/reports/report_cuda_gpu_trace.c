/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_gpu_trace: every kernel, copy and set. Columns are those of Nsight Systems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/arrays.h"
#include "stats/column_meanings.h"
#include "stats/kernel_names.h"
#include "stats/report.h"
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

/* "NVIDIA H100 80GB HBM3 (0)": the number is that of the process. Of the track that was asked for
 * last. */
struct device_text {
    const struct rf_gpu_track *track;
    char text[256];
};

struct entry {
    const struct rf_gpu_op *op;
    const struct rf_gpu_track *track;
};

/* In their order. */
struct rows {
    struct rf_row_maker maker;
    const rf_recording *rec;
    struct rf_kernel_names *names;
    struct entry *entry;
    size_t n;
    struct device_text device_room, *device; /* the same one: rows are made from a const struct */
};

static void set_device(struct rf_cell *cell, const struct rows *rows,
                       const struct rf_gpu_track *track)
{
    struct device_text *device = rows->device;
    if (device->track != track) {
        const struct rf_gpu *gpu = rf_gpu_of(rows->rec, track->process, track->device);
        const char *name = gpu != NULL ? rf_string(rows->rec, gpu->name, NULL) : NULL;
        (void)snprintf(device->text, sizeof(device->text), "%.200s (%u)", name != NULL ? name : "",
                       track->device);
        device->track = track;
    }
    rf_cell_set_word(cell, device->text);
}

/* The text of the device is valid until the next row. */
static bool set_row(struct rf_cell *row, const struct rows *rows, const struct entry *entry)
{
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
    const struct rf_gpu_op *p = x->op, *q = y->op;
    const uint64_t p_ns = (uint64_t)p->end_ns - (uint64_t)p->start_ns;
    const uint64_t q_ns = (uint64_t)q->end_ns - (uint64_t)q->start_ns;
    return FIRST_THAT_DIFFERS(
        p->start_ns, q->start_ns,
        FIRST_THAT_DIFFERS(
            p->correlation, q->correlation,
            FIRST_THAT_DIFFERS(
                p_ns, q_ns,
                FIRST_THAT_DIFFERS(x->track->context, y->track->context,
                                   FIRST_THAT_DIFFERS(x->track->stream, y->track->stream, 0)))));
}

static int find_entries(struct rows *rows)
{
    size_t n = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rows->rec, &n);
    rows->entry = malloc((n + 1) * sizeof(*rows->entry));
    if (rows->entry == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (op[i].kind == RF_OP_KERNEL || op[i].kind == RF_OP_MEMCPY || op[i].kind == RF_OP_MEMSET)
            rows->entry[rows->n++] =
                (struct entry){&op[i], rf_gpu_track_at(rows->rec, op[i].track)};
    return rf_sort_records(rows->entry, rows->n, sizeof(*rows->entry), compare_entries);
}

static bool add_rows(struct rf_table *table, const struct rows *rows)
{
    bool is_done = true;
    for (size_t i = 0; i < rows->n && is_done; i++) {
        struct rf_cell *row = rf_table_add_row(table);
        is_done = row != NULL && set_row(row, rows, &rows->entry[i]);
        if (row != NULL) /* the table owns its text */
            is_done &= rf_cell_set_text(&row[DEVICE], rows->device->text, row[DEVICE].size);
    }
    return is_done;
}

static int list_work(const struct rf_report *report, const rf_recording *rec,
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
    rows->device = &rows->device_room;
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

const struct rf_report rf_report_cuda_gpu_trace = {
    .name = "cuda_gpu_trace",
    .alias = "gputrace",
    .description = "every kernel, copy and set of the GPU",
    .needs = RF_NEEDS_GPU_WORK,
    .title = "CUDA GPU Trace",
    RF_REPORT_COLUMNS(columns),
    .can = RF_CAN_NAME_WORK,
    .compute = list_work,
};
