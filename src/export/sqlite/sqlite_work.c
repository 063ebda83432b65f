/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CPU and work of the GPU: the tables of schema 3.0.0 with the columns that later
 * versions added, and what only later versions have, CUPTI_ACTIVITY_KIND_GRAPH_TRACE. What a
 * recording does not know is NULL, also in columns that are never NULL in Nsight Systems' own
 * exports. The columns are those of model/fields/fields.h. A table is created with its first row,
 * so that a recording without such work has none of them. */
#include "export/sqlite/sqlite_work.h"

#include <assert.h>
#include <stdlib.h>

#include "model/fields/fields.h"
#include "model/fields/gpu_names.h"
#include "model/private_access.h"

/* ENUM_NSYS_EVENT_CLASS; see also RF_OS_CALL_CLASS. */
#define CLASS_CUDA_RUNTIME 0
#define CLASS_CUDA_DRIVER  1

#define MAX_COLUMNS 48

/* The columns in front, which are written by hand. */
struct head {
    const char *columns;
    int n;
};

static const struct head call_head = {
    "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER",
    4};
static const struct head op_head = {"start INTEGER NOT NULL, end INTEGER NOT NULL", 2};

/* Of tables of our own: the row of the table of nsys. */
static const struct head own_head = {"eventId INTEGER NOT NULL PRIMARY KEY", 1};

struct column {
    const struct rf_field *field;
    uint8_t member; /* of a triple: 0 x, 1 y, 2 z */
    bool is_bound;  /* the value in the last row; false: NULL */
    int64_t bound;
};

struct table {
    struct rf_sqlite_table base;
    const struct head *head;
    int n_columns; /* without the head */
    struct column column[MAX_COLUMNS];
};

struct writer {
    struct rf_sqlite *out;
    struct table cuda_calls, os_calls;
    struct table ops[RF_MAX_KINDS]; /* by enum rf_gpu_op_kind */
    struct table own[RF_MAX_KINDS]; /* what nsys has no columns for, likewise */
    struct rf_sqlite_table notes;
};

/* ---- Tables ---- */

static const char *column_name(const struct table *table, const struct rf_field *field)
{
    return table->head == &own_head ? field->own_column : field->column;
}

static int compare_positions(const void *a, const void *b)
{
    const struct column *left = a, *right = b;
    int difference = left->field->position - right->field->position;
    return difference != 0 ? difference : left->member - right->member;
}

static void add_columns(struct table *table, const struct rf_fields *fields, unsigned kind)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct rf_field *field = &fields->field[i];
        int n = field->type == RF_FIELD_TRIPLE ? 3 : 1;
        for (int m = 0; m < n && column_name(table, field) != NULL && rf_field_is_of(field, kind);
             m++) {
            assert(table->n_columns < MAX_COLUMNS);
            table->column[table->n_columns++] =
                (struct column){.field = field, .member = (uint8_t)m};
        }
    }
}

static void init_table(struct table *table, const struct rf_fields *fields, unsigned kind)
{
    table->base.name = rf_row_kind(fields, kind)->table;
    table->head = fields == &rf_call_fields ? &call_head : &op_head;
    add_columns(table, fields, kind);
    qsort(table->column, (size_t)table->n_columns, sizeof(table->column[0]), compare_positions);
}

/* Its columns stand in the order of the fields. */
static void init_own_table(struct table *table, unsigned kind)
{
    table->base.name = rf_op_fields.kind[kind].own_table;
    table->head = &own_head;
    add_columns(table, &rf_op_fields, kind);
}

static void make_table(struct rf_sqlite *out, struct table *table)
{
    sqlite3_str *columns = sqlite3_str_new(out->db);
    sqlite3_str_appendall(columns, table->head->columns);
    for (int i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->column[i];
        sqlite3_str_appendf(columns, ", %s", column_name(table, column->field));
        if (column->field->type == RF_FIELD_TRIPLE)
            sqlite3_str_appendchar(columns, 1, "XYZ"[column->member]);
        sqlite3_str_appendall(columns,
                              column->field->is_not_null ? " INTEGER NOT NULL" : " INTEGER");
    }
    rf_sqlite_create_with(out, &table->base, columns);
    rf_sqlite_prepare(out, &table->base, (size_t)(table->head->n + table->n_columns));
}

/* ---- A row ---- */

/* Whether 0, not NULL, is written for a field of a part that the row lacks. */
static bool is_missing_zero(const struct rf_field *field)
{
    return (field->absent == RF_ABSENT_NEVER || field->absent == RF_ABSENT_0_SHOWN ||
            field->absent == RF_ABSENT_0_IN_VIEWERS) &&
           field->type != RF_FIELD_STRING && field->type != RF_FIELD_EMPTY;
}

/* Returns false for NULL. */
static bool find_value(struct rf_sqlite *out, const struct column *column, const struct rf_row *row,
                       int64_t *value)
{
    const struct rf_field *field = column->field;
    const char *at = rf_field_at(field, row);
    *value = 0;
    if (at == NULL || field->type == RF_FIELD_EMPTY)
        return is_missing_zero(field);
    uint64_t number = rf_field_number(field, at + column->member * sizeof(uint32_t));
    if (rf_field_is_unknown(field, number) ||
        (field->type == RF_FIELD_STRING && number == RF_NO_STRING))
        return false;
    *value = field->type == RF_FIELD_STRING    ? rf_sqlite_string(out, (uint32_t)number)
             : field->type == RF_FIELD_PROCESS ? out->global_pids[number]
                                               : (int64_t)number;
    return true;
}

/* SQLite keeps what is bound from row to row, and most values are those of the row before. */
static int bind_column(struct rf_sqlite *out, sqlite3_stmt *insert, int index,
                       struct column *column, const struct rf_row *row)
{
    int64_t value;
    bool is_given = find_value(out, column, row, &value);
    if (is_given == column->is_bound && value == column->bound)
        return SQLITE_OK;
    column->is_bound = is_given;
    column->bound = value;
    return is_given ? sqlite3_bind_int64(insert, index, value) : sqlite3_bind_null(insert, index);
}

/* head: the values of the columns in front. */
static void insert_row(struct rf_sqlite *out, struct table *table, const int64_t *head,
                       const struct rf_row *row)
{
    if (table->base.insert == NULL)
        make_table(out, table);
    if (out->status != RF_OK)
        return;
    sqlite3_stmt *insert = table->base.insert;
    int code = SQLITE_OK;
    for (int i = 0; i < table->head->n && code == SQLITE_OK; i++)
        code = sqlite3_bind_int64(insert, i + 1, head[i]);
    for (int i = 0; i < table->n_columns && code == SQLITE_OK; i++)
        code = bind_column(out, insert, table->head->n + i + 1, &table->column[i], row);
    if (code != SQLITE_OK || sqlite3_step(insert) != SQLITE_DONE)
        rf_sqlite_fail(out);
    else
        (void)sqlite3_reset(insert);
}

/* Notes which times of a row are missing, or were changed. */
static void note_times(struct writer *writer, const struct table *table, int64_t row_id,
                       uint8_t flags)
{
    const char *word;
    for (unsigned i = 0; (word = rf_time_flag_name(i)) != NULL; i++)
        if ((flags >> i & 1) != 0)
            RF_SQLITE_INSERT(writer->out, &writer->notes, rf_sqlite_text(table->base.name),
                             rf_sqlite_int(row_id), rf_sqlite_text(word));
}

/* Whether a row of a table of our own would have a value. */
static bool has_own(const struct table *table, const struct rf_row *row)
{
    for (int i = 0; i < table->n_columns; i++) {
        const struct rf_field *field = table->column[i].field;
        const void *at = rf_field_at(field, row);
        if (at != NULL && !rf_field_is_hidden(field, rf_field_number(field, at)))
            return true;
    }
    return false;
}

/* Writes a row of a table of nsys, the notes on its times, and into own (may be NULL) what nsys has
 * no columns for. */
static void write_row(struct writer *writer, struct table *table, struct table *own,
                      const int64_t *head, const struct rf_row *row, uint8_t flags)
{
    struct rf_sqlite *out = writer->out;
    insert_row(out, table, head, row);
    int64_t row_id = sqlite3_last_insert_rowid(out->db);
    if (own != NULL && has_own(own, row))
        insert_row(out, own, &row_id, row);
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
    struct table *table = call->kind == RF_CALL_OS ? &writer->os_calls : &writer->cuda_calls;
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
    init_table(&writer.cuda_calls, &rf_call_fields, RF_CALL_CUDA_RUNTIME);
    init_table(&writer.os_calls, &rf_call_fields, RF_CALL_OS);
    for (unsigned kind = 1; kind < rf_op_fields.n_kinds; kind++) {
        init_table(&writer.ops[kind], &rf_op_fields, kind);
        init_own_table(&writer.own[kind], kind);
    }
    write_calls(&writer);
    write_ops(&writer);
}
