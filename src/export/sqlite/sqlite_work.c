/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CPU and work of the GPU: the tables of schema 3.0.0 with the columns that later
 * versions added, and what only later versions have, CUPTI_ACTIVITY_KIND_GRAPH_TRACE. What a
 * recording does not know is NULL, also in columns that are never NULL in Nsight Systems' own
 * exports. The columns are those of model/fields/fields.h. A table is created with its first row,
 * so that a recording without such work has none of them. */
#include "export/sqlite/sqlite_work.h"

#include "export/sqlite/sqlite_fields.h"
#include "model/fields/gpu_names.h"
#include "model/private_access.h"

/* ENUM_NSYS_EVENT_CLASS; see also RF_OS_CALL_CLASS. */
#define CLASS_CUDA_RUNTIME 0
#define CLASS_CUDA_DRIVER  1

static const struct rf_table_head call_head = {
    "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER",
    4};
static const struct rf_table_head op_head = {"start INTEGER NOT NULL, end INTEGER NOT NULL", 2};

struct writer {
    struct rf_sqlite *out;
    struct rf_field_table cuda_calls, os_calls;
    struct rf_field_table ops[RF_MAX_KINDS]; /* by enum rf_gpu_op_kind */
    struct rf_field_table own[RF_MAX_KINDS]; /* what nsys has no columns for, likewise */
    struct rf_sqlite_table notes;
};

/* ---- A row ---- */

/* Notes which times of a row are missing, or were changed. */
static void note_times(struct writer *writer, const struct rf_field_table *table, int64_t row_id,
                       uint8_t flags)
{
    const char *word;
    for (unsigned i = 0; (word = rf_time_flag_name(i)) != NULL; i++)
        if ((flags >> i & 1) != 0)
            RF_SQLITE_INSERT(writer->out, &writer->notes, rf_sqlite_text(table->base.name),
                             rf_sqlite_int(row_id), rf_sqlite_text(word));
}

/* Writes a row of a table of nsys, the notes on its times, and into own (may be NULL) what nsys has
 * no columns for. */
static void write_row(struct writer *writer, struct rf_field_table *table,
                      struct rf_field_table *own, const int64_t *head, const struct rf_row *row,
                      uint8_t flags)
{
    struct rf_sqlite *out = writer->out;
    rf_field_table_insert(out, table, head, row);
    int64_t row_id = sqlite3_last_insert_rowid(out->db);
    if (own != NULL && rf_field_table_has_value(own, row))
        rf_field_table_insert(out, own, &row_id, row);
    if (flags != 0)
        note_times(writer, table, row_id, flags);
    rf_sqlite_step(out);
}

/* ---- Calls ---- */

static int event_class_of(const struct rf_call *call)
{
    if (call->kind != RF_CALL_OS)
        return call->kind == RF_CALL_CUDA_DRIVER ? CLASS_CUDA_DRIVER : CLASS_CUDA_RUNTIME;
    return call->event_class != 0 ? call->event_class : RF_OS_CALL_CLASS;
}

static void write_call(struct writer *writer, int64_t global_tid, const struct rf_call *call)
{
    struct rf_field_table *table =
        call->kind == RF_CALL_OS ? &writer->os_calls : &writer->cuda_calls;
    const int64_t head[] = {call->start_ns, call->end_ns, event_class_of(call), global_tid};
    struct rf_row row;
    rf_row_of_call(call, &row);
    write_row(writer, table, NULL, head, &row, call->flags);
}

static void write_calls(struct writer *writer)
{
    const struct rf_sqlite *out = writer->out;
    for (uint32_t t = 0; t < rf_n_threads(out->rec); t++) {
        size_t n;
        const struct rf_call *call = rf_thread_calls(out->rec, t, &n);
        int64_t global_tid = rf_global_tid_of(out, t);
        for (size_t i = 0; i < n && out->status == RF_OK; i++)
            write_call(writer, global_tid, &call[i]);
    }
}

/* ---- Work ---- */

static void write_op(struct writer *writer, const struct rf_gpu_op *op)
{
    const int64_t head[] = {op->start_ns, op->end_ns};
    struct rf_row row;
    rf_row_of_op(writer->out->rec, op, &row);
    write_row(writer, &writer->ops[op->kind], &writer->own[op->kind], head, &row, op->flags);
}

static void write_ops(struct writer *writer)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(writer->out->rec, &n);
    for (size_t i = 0; i < n && writer->out->status == RF_OK; i++)
        write_op(writer, &op[i]);
}

void rf_sqlite_write_work(struct rf_sqlite *out)
{
    struct writer writer = {
        .out = out,
        .notes = {.name = "RANGEFINDER_TIME_NOTES",
                  .columns = "tableName TEXT NOT NULL, eventId INTEGER NOT NULL,"
                             " note TEXT NOT NULL"},
    };
    rf_field_table_init(&writer.cuda_calls, &call_head, &rf_call_fields, RF_CALL_CUDA_RUNTIME);
    rf_field_table_init(&writer.os_calls, &call_head, &rf_call_fields, RF_CALL_OS);
    for (unsigned kind = 1; kind < rf_op_fields.n_kinds; kind++) {
        rf_field_table_init(&writer.ops[kind], &op_head, &rf_op_fields, kind);
        rf_field_table_add_own(&writer.own[kind], &rf_op_fields, kind);
    }
    write_calls(&writer);
    write_ops(&writer);
}
