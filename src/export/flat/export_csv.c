/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: a header line and one line per event, in the order of time. Fields are quoted as RFC 4180
 * has it; lines end with a newline alone. A field that is absent is empty, an empty text is "".
 *
 * A line is the columns of one table, from left to right. What fills a column is the field of
 * model/fields/fields.h with its name that rows of a kind have, or else the column's function.
 * Fields that no column of the table has follow it, then the values in payloads. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "export/extra_words.h"
#include "export/flat/csv_payloads.h"
#include "export/flat/flat_rows.h"
#include "export/shown_fields.h"
#include "model/fields/event_names.h"
#include "model/fields/fields_counter.h"
#include "model/private_access.h"

#define MAX_COLUMNS 80
#define MAX_SELDOM  40

typedef void put_fn(struct rf_sink *sink, const struct rf_flat_row *row);

struct column {
    const char *name;
    put_fn *put;  /* NULL: only fields fill it */
    uint8_t sets; /* bit s: put is for rows of set s */
    bool is_work; /* only where there are calls, GPU work, ... */
};

/* A column that rows of one kind fill: by a function, with a text or with a field. */
struct cell {
    put_fn *put;      /* or NULL */
    const char *text; /* or NULL */
    struct rf_shown_field shown;
    uint8_t type;     /* enum rf_field_type */
    uint8_t n_commas; /* before it; columns in between are empty */
};

/* What a line consists of. */
struct line {
    size_t n;
    struct cell cell[MAX_COLUMNS];
    uint8_t n_commas;         /* behind the last cell */
    const char *payload_type; /* of a payload that is a field of its own; or NULL */
};

struct csv_writer {
    size_t n_columns;
    uint8_t shown[MAX_COLUMNS]; /* which columns, from left to right */
    /* The field that fills column i of a kind of rows, or NULL. */
    const struct rf_field *field[RF_N_FLAT_SETS][RF_MAX_KINDS][MAX_COLUMNS];
    const char *further[MAX_COLUMNS]; /* the names of the columns that follow the table */
    size_t n_further;
    struct line lines[RF_N_FLAT_SETS][RF_MAX_KINDS];
    struct rf_json_text *json;
    struct rf_csv_payloads payloads;
};

/* ---- Columns that are no fields ---- */

static void put_type(struct rf_sink *sink, const struct rf_flat_row *row)
{
    rf_sink_text(sink, row->type);
}

static void put_start(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->start_ns != RF_NO_TIME)
        rf_sink_i64(sink, row->start_ns);
}

static void put_end(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->end_ns != RF_NO_TIME)
        rf_sink_i64(sink, row->end_ns);
}

static void put_duration(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->end_ns != RF_NO_TIME)
        rf_sink_i64(sink, rf_flat_duration_ns(row));
}

static void put_pid(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->of_process != NULL)
        rf_sink_u64(sink, row->of_process->pid);
}

static void put_tid(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->of_thread != NULL)
        rf_sink_u64(sink, row->of_thread->tid);
}

static void put_thread_name(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->of_thread != NULL)
        (void)rf_sink_csv_name(sink, row->rec, row->of_thread->name);
}

static void put_domain_id(struct rf_sink *sink, const struct rf_flat_row *row)
{
    rf_sink_u64(sink, rf_domain_at(row->rec, row->event->domain)->id);
}

static void put_domain(struct rf_sink *sink, const struct rf_flat_row *row)
{
    const struct rf_domain *domain = rf_domain_at(row->rec, row->event->domain);
    if (domain->is_valid)
        (void)rf_sink_csv_name(sink, row->rec, domain->name);
    else
        rf_sink_hex(sink, domain->handle);
}

static void put_event_name(struct rf_sink *sink, const struct rf_flat_row *row)
{
    (void)rf_sink_csv_name(sink, row->rec, row->event->name);
}

static void put_extra_values(struct rf_sink *sink, const struct rf_flat_row *row)
{
    rf_sink_char(sink, '"');
    rf_sink_extra_words(sink, row->rec, row->work->extra, true);
    rf_sink_char(sink, '"');
}

static void put_extra_bytes(struct rf_sink *sink, const struct rf_flat_row *row)
{
    int64_t bytes;
    if (rf_find_extra_value(row->rec, row->work->extra, "bytes", &bytes))
        rf_sink_i64(sink, bytes);
}

static void put_sample_type(struct rf_sink *sink, const struct rf_flat_row *row)
{
    rf_sink_text(sink, rf_sample_type_name(&row->sample));
}

/* ---- The table ---- */

#define ON(set)      (1u << RF_FLAT_##set)
#define ALL          ((1u << RF_N_FLAT_SETS) - 1)
#define PAYLOAD_TYPE "payload_type"

static const struct column columns[] = {
    {"type", put_type, ALL, false},
    {"start_ns", put_start, ALL, false},
    {"end_ns", put_end, ALL, false},
    {"duration_ns", put_duration, ALL, false},
    {"pid", put_pid, ALL, false},
    {"tid", put_tid, ALL, false},
    {"thread_name", put_thread_name, ALL, false},
    {"domain_id", put_domain_id, ON(EVENT), false},
    {"domain", put_domain, ON(EVENT), false},
    {"name", put_event_name, ON(EVENT), false},
    {.name = "category"},
    {.name = "category_name"},
    {.name = "color"},
    {PAYLOAD_TYPE, put_sample_type, ON(SAMPLE), false},
    {"payload", put_extra_values, ON(EXTRA), false},
    {.name = "id"},
    {.name = "operation"},
    {.name = "end_tid"},
    {.name = "cut"},
    {"flags", rf_sink_flat_flags, ON(EVENT) | ON(CALL) | ON(OP) | ON(SAMPLE), false},
    {.name = "device", .is_work = true},
    {.name = "context", .is_work = true},
    {.name = "stream", .is_work = true},
    {.name = "correlation", .is_work = true},
    {.name = "result", .is_work = true},
    {.name = "grid", .is_work = true},
    {.name = "block", .is_work = true},
    {.name = "registers", .is_work = true},
    {.name = "static_shared_bytes", .is_work = true},
    {.name = "dynamic_shared_bytes", .is_work = true},
    {"bytes", put_extra_bytes, ON(EXTRA), true},
    {.name = "source_memory", .is_work = true},
    {.name = "target_memory", .is_work = true},
    {.name = "graph", .is_work = true},
    {.name = "full_name", .is_work = true},
    {.name = "green_context", .is_work = true},
};

#define N_TABLE (sizeof(columns) / sizeof(columns[0]))

/* The column of that name, which is made where there is none. */
static size_t find_column(struct csv_writer *to, const char *name)
{
    for (size_t i = 0; i < N_TABLE; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    for (size_t i = 0; i < to->n_further; i++)
        if (strcmp(to->further[i], name) == 0)
            return N_TABLE + i;
    assert(N_TABLE + to->n_further < MAX_COLUMNS);
    to->further[to->n_further++] = name;
    return N_TABLE + to->n_further - 1;
}

/* ---- Fields that are seldom there ---- */

/* Fields that nsys does not have are columns only if a row has them. These are the fields that no
 * row has had so far. */
struct seldom {
    size_t n;
    const struct rf_field *field[MAX_SELDOM];
};

static void list_seldom(struct seldom *seldom, const struct rf_fields *fields)
{
    for (size_t i = 0; i < fields->n; i++) {
        if (fields->field[i].own_column == NULL)
            continue;
        assert(seldom->n < MAX_SELDOM);
        seldom->field[seldom->n++] = &fields->field[i];
    }
}

static void see_row(struct seldom *seldom, unsigned kind, const struct rf_row *row)
{
    for (size_t i = seldom->n; i-- > 0;) {
        const struct rf_field *field = seldom->field[i];
        const void *at = rf_field_is_of(field, kind) ? rf_field_at(field, row) : NULL;
        if (at != NULL && !rf_field_is_hidden(field, rf_field_number(field, at)))
            seldom->field[i] = seldom->field[--seldom->n];
    }
}

static void see_ops(struct seldom *seldom, const rf_recording *rec)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    struct rf_row row;
    list_seldom(seldom, &rf_op_fields);
    for (size_t i = 0; i < n && seldom->n > 0; i++) {
        rf_row_of_op(rec, &op[i], &row);
        see_row(seldom, op[i].kind, &row);
    }
}

static void see_ranges(struct seldom *seldom, const rf_recording *rec)
{
    struct rf_row row = {.part = {NULL}};
    list_seldom(seldom, &rf_range_fields);
    for (uint32_t i = 0; seldom->n > 0; i++) {
        row.part[RF_PART_DETAIL] = rf_start_end_at(rec, i);
        if (row.part[RF_PART_DETAIL] == NULL)
            break;
        see_row(seldom, RF_EVENT_START_END, &row);
    }
}

static void see_scopes(struct seldom *seldom, const rf_recording *rec)
{
    static const uint32_t any_scope = 0;
    const struct rf_row row = {.part = {[RF_PART_SCOPE] = &any_scope}};
    list_seldom(seldom, &rf_event_fields);
    if (rf_has_scopes(rec))
        see_row(seldom, RF_EVENT_MARK, &row);
}

static void see_counters(struct seldom *seldom, const rf_recording *rec)
{
    struct rf_row row;
    list_seldom(seldom, &rf_counter_fields);
    for (uint32_t i = 0; i < rf_n_counters(rec) && seldom->n > 0; i++) {
        rf_row_of_counter(rec, rf_counter_at(rec, i), NULL, &row);
        see_row(seldom, 0, &row);
    }
}

static bool is_missing(const struct seldom *seldom, const struct rf_field *field)
{
    for (size_t i = 0; i < seldom->n; i++)
        if (seldom->field[i] == field)
            return true;
    return false;
}

/* ---- What lines consist of ---- */

static void add_field(struct csv_writer *to, enum rf_flat_set set, const struct rf_field *field)
{
    const char *name = field->csv != NULL ? field->csv : field->name;
    if (name[0] == '\0' || field->type == RF_FIELD_EMPTY || field->type == RF_FIELD_PROCESS)
        return;
    size_t column = find_column(to, name);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++) {
        if (!rf_field_is_of(field, kind))
            continue;
        to->field[set][kind][column] = field;
        if (field->csv_type != NULL)
            to->lines[set][kind].payload_type = field->csv_type;
    }
}

static void add_fields(struct csv_writer *to, enum rf_flat_set set, const struct rf_fields *fields,
                       const struct seldom *seldom)
{
    for (size_t i = 0; i < fields->n; i++)
        if (!is_missing(seldom, &fields->field[i]))
            add_field(to, set, &fields->field[i]);
}

/* What fills a column in rows of a kind; false: nothing. */
static bool make_cell(const struct csv_writer *to, enum rf_flat_set set, unsigned kind, size_t at,
                      struct cell *cell)
{
    const struct column *column = at < N_TABLE ? &columns[at] : &(struct column){.name = ""};
    const struct rf_field *field = to->field[set][kind][at];
    *cell = (struct cell){.type = RF_FIELD_STRING};
    if (field != NULL) {
        cell->shown = rf_show_field(field, false);
        cell->type = field->type;
        return true;
    }
    if ((column->sets >> set & 1) != 0)
        cell->put = column->put;
    else if (strcmp(column->name, PAYLOAD_TYPE) == 0)
        cell->text = to->lines[set][kind].payload_type;
    return cell->put != NULL || cell->text != NULL;
}

static void init_line(struct csv_writer *to, enum rf_flat_set set, unsigned kind)
{
    struct line *line = &to->lines[set][kind];
    for (size_t i = 0; i < to->n_columns; i++) {
        if (i > 0)
            line->n_commas++;
        if (!make_cell(to, set, kind, to->shown[i], &line->cell[line->n]))
            continue;
        line->cell[line->n++].n_commas = line->n_commas;
        line->n_commas = 0;
    }
}

static void init(struct csv_writer *to, const rf_recording *rec)
{
    struct seldom seldom = {0};
    bool has_work = rf_count_work(rec) > 0;
    see_ops(&seldom, rec);
    see_scopes(&seldom, rec);
    see_ranges(&seldom, rec);
    see_counters(&seldom, rec);
    for (enum rf_flat_set set = RF_FLAT_CALL; set < RF_N_FLAT_SETS && has_work; set++)
        add_fields(to, set, rf_flat_fields[set], &seldom);
    add_fields(to, RF_FLAT_EVENT, &rf_event_fields, &seldom);
    add_fields(to, RF_FLAT_EVENT, &rf_range_fields, &seldom);
    to->lines[RF_FLAT_EXTRA][0].payload_type = "values";
    for (uint8_t i = 0; i < N_TABLE + to->n_further; i++)
        if (i >= N_TABLE || !columns[i].is_work || has_work)
            to->shown[to->n_columns++] = i;
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        for (enum rf_flat_set set = 0; set < RF_N_FLAT_SETS; set++)
            init_line(to, set, kind);
}

static void put_header(const struct csv_writer *to, struct rf_sink *sink)
{
    for (size_t i = 0; i < to->n_columns; i++) {
        if (i > 0)
            rf_sink_char(sink, ',');
        size_t column = to->shown[i];
        rf_sink_text(sink, column < N_TABLE ? columns[column].name : to->further[column - N_TABLE]);
    }
    rf_csv_payloads_put_names(&to->payloads, sink);
    rf_sink_char(sink, '\n');
}

/* ---- A line ---- */

static inline char *put_commas(char *out, size_t n)
{
    if (n == 1)
        *out = ',';
    else
        memset(out, ',', n);
    return out + n;
}

/* Room for what lies between two values that are not plain numbers. */
#define LINE_ROOM ((size_t)MAX_COLUMNS * (1 + RF_SINK_U64))
_Static_assert(LINE_ROOM <= RF_SINK_MAX_RESERVE, "room for a line");

static bool is_extended(const struct cell *cell, const char *at)
{
    return cell->type == RF_FIELD_PAYLOAD &&
           ((const struct rf_event *)(const void *)at)->payload_type == RF_TYPE_EXTENDED;
}

/* Payloads are JSON in one cell. */
static void put_extended(const struct csv_writer *to, struct rf_sink *sink, const rf_recording *rec,
                         const char *at)
{
    size_t size;
    const char *text =
        rf_json_text_of(to->json, rec, (const struct rf_event *)(const void *)at, 0, &size);
    if (text != NULL)
        (void)rf_sink_csv(sink, text, size);
    else if (sink->status == RF_OK)
        sink->status = RF_ERR_NO_MEMORY;
}

static void put_row(void *context, struct rf_sink *sink, const struct rf_flat_row *row)
{
    const struct csv_writer *to = context;
    const struct line *line = &to->lines[row->set][row->kind];
    char *out = rf_sink_reserve(sink, LINE_ROOM);
    for (const struct cell *cell = line->cell, *end = cell + line->n; cell < end; cell++) {
        const char *at = NULL;
        uint64_t number = 0;
        out = put_commas(out, cell->n_commas);
        if (cell->put == NULL) {
            at = rf_shown_at(&cell->shown, row->parts);
            number = at != NULL ? rf_shown_number(&cell->shown, at) : 0;
            if (at == NULL || rf_is_number_hidden(&cell->shown, number))
                continue;
            if (cell->type == RF_FIELD_NUMBER) {
                out = rf_put_u64(out, number);
                continue;
            }
        }
        sink->used = (size_t)(out - sink->buffer);
        if (cell->put != NULL)
            cell->put(sink, row);
        else if (cell->text != NULL)
            rf_sink_text(sink, cell->text);
        else if (is_extended(cell, at))
            put_extended(to, sink, row->rec, at);
        else
            rf_sink_value(sink, row->rec, &cell->shown, at, number, rf_sink_csv_name);
        out = rf_sink_reserve(sink, LINE_ROOM);
    }
    out = put_commas(out, line->n_commas);
    if (to->payloads.n > 0) {
        sink->used = (size_t)(out - sink->buffer);
        rf_csv_payloads_put(&to->payloads, sink, row->event);
        out = rf_sink_reserve(sink, 1);
    }
    *out++ = '\n';
    sink->used = (size_t)(out - sink->buffer);
}

static int write_csv(struct rf_export_job *job, struct rf_sink *sink)
{
    struct csv_writer *to = calloc(1, sizeof(*to));
    struct rf_json_text json = {.text = NULL};
    if (to == NULL)
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    init(to, job->rec);
    to->json = &json;
    int status = rf_csv_payloads_init(&to->payloads, job->rec, job->err);
    if (status == RF_OK) {
        put_header(to, sink);
        status = rf_flat_export(job, sink, put_row, to);
    }
    rf_csv_payloads_release(&to->payloads);
    rf_json_text_release(&json);
    free(to);
    return status;
}

const struct rf_export_format rf_export_csv = {
    .name = "csv",
    .description = "CSV: one line per event",
    .extensions = {"csv"},
    .write_text = write_csv,
};
