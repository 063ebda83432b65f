/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: a header line and one line per event, in the order of time. Fields are quoted as RFC 4180
 * has it; lines end with a newline alone. A field that is absent is empty, an empty text is "".
 *
 * A line is the columns of one table, from left to right. Each names what fills it, per type of
 * row; nothing: it is empty there, or a field of model/fields/fields.h of that name fills it.
 * Fields that no column of the table has follow it. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/escape.h"
#include "export/export.h"
#include "export/extra_words.h"
#include "model/fields/event_names.h"
#include "export/shown_fields.h"
#include "model/fields/gpu_names.h"

enum row_type { EVENT, CALL, OP, EXTRA, SAMPLE, N_ROW_TYPES };

#define MAX_COLUMNS 80

/* A row, and what it is made from. */
struct row {
    const rf_recording *rec;
    struct rf_sink *sink;
    const struct rf_event *event;
    const struct rf_work_at *work;
    uint32_t thread;     /* index, or RF_NO_INDEX */
    uint32_t process;    /* index, or RF_NO_INDEX */
    int64_t start_ns;    /* or RF_NO_TIME */
    int64_t end_ns;      /* or RF_NO_TIME */
    struct rf_row parts; /* of calls and GPU work */
};

typedef void put_fn(const struct row *row);

struct column {
    const char *name;
    put_fn *put[N_ROW_TYPES];
    bool is_work; /* only where there are calls, GPU work, ... */
};

/* A column that rows of one kind fill: by a function or with a field. */
struct cell {
    put_fn *put; /* NULL: with the field */
    struct rf_shown_field shown;
    uint8_t type;     /* enum rf_field_type */
    uint8_t n_commas; /* before it; columns in between are empty */
};

/* What a line consists of. */
struct line {
    size_t n;
    struct cell cell[MAX_COLUMNS];
    uint8_t n_commas; /* behind the last cell */
};

struct csv_writer {
    const rf_recording *rec;
    size_t n_columns;
    uint8_t shown[MAX_COLUMNS]; /* which columns, from left to right */
    /* What fills column i, where the table has no function for it. NULL: nothing. */
    const struct rf_field *of_event[RF_MAX_KINDS][MAX_COLUMNS];
    const struct rf_field *of_call[RF_MAX_KINDS][MAX_COLUMNS];
    const struct rf_field *of_op[RF_MAX_KINDS][MAX_COLUMNS];
    const char *further[MAX_COLUMNS]; /* the names of the columns that follow the table */
    size_t n_further;
    struct line lines[N_ROW_TYPES][RF_MAX_KINDS];
};

/* ---- What all rows have ---- */

static void put_start(const struct row *row)
{
    if (row->start_ns != RF_NO_TIME)
        rf_sink_i64(row->sink, row->start_ns);
}

static void put_end(const struct row *row)
{
    if (row->end_ns != RF_NO_TIME)
        rf_sink_i64(row->sink, row->end_ns);
}

static void put_duration(const struct row *row)
{
    if (row->end_ns != RF_NO_TIME)
        rf_sink_i64(row->sink, (int64_t)((uint64_t)row->end_ns - (uint64_t)row->start_ns));
}

static void put_pid(const struct row *row)
{
    if (row->process != RF_NO_INDEX)
        rf_sink_u64(row->sink, rf_process_at(row->rec, row->process)->pid);
}

static void put_tid(const struct row *row)
{
    if (row->thread != RF_NO_INDEX)
        rf_sink_u64(row->sink, rf_thread_at(row->rec, row->thread)->tid);
}

static void put_thread_name(const struct row *row)
{
    if (row->thread != RF_NO_INDEX)
        (void)rf_sink_csv_name(row->sink, row->rec, rf_thread_at(row->rec, row->thread)->name);
}

static void put_id(const struct row *row, uint32_t id)
{
    if (id != RF_NO_INDEX)
        rf_sink_u64(row->sink, id);
}

/* ---- Events ---- */

static bool is_annotation(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END ||
           event->kind == RF_EVENT_MARK;
}

static void put_event_type(const struct row *row)
{
    rf_sink_text(row->sink, rf_event_kind_name(row->event->kind));
}

static void put_domain_id(const struct row *row)
{
    rf_sink_u64(row->sink, rf_domain_at(row->rec, row->event->domain)->id);
}

static void put_domain(const struct row *row)
{
    const struct rf_domain *domain = rf_domain_at(row->rec, row->event->domain);
    if (domain->is_valid)
        (void)rf_sink_csv_name(row->sink, row->rec, domain->name);
    else
        rf_sink_hex(row->sink, domain->handle);
}

static void put_event_name(const struct row *row)
{
    (void)rf_sink_csv_name(row->sink, row->rec, row->event->name);
}

static void put_category(const struct row *row)
{
    const struct rf_event *event = row->event;
    bool is_given = is_annotation(event) && (event->flags & RF_EVENT_HAS_CATEGORY) != 0;
    if (is_given || event->kind == RF_EVENT_CATEGORY)
        rf_sink_u64(row->sink, event->category);
    else if (event->kind == RF_EVENT_RESOURCE)
        rf_sink_u64(row->sink, event->identifier_type);
}

static void put_category_name(const struct row *row)
{
    const struct rf_event *event = row->event;
    if (is_annotation(event) && (event->flags & RF_EVENT_HAS_CATEGORY) != 0)
        (void)rf_sink_csv_name(row->sink, row->rec,
                               rf_category_name(row->rec, event->domain, event->category));
}

static void put_color(const struct row *row)
{
    if (is_annotation(row->event) && (row->event->flags & RF_EVENT_HAS_COLOR) != 0)
        rf_sink_color(row->sink, row->event->color);
}

static void put_payload_type(const struct row *row)
{
    switch (row->event->kind) {
    case RF_EVENT_THREAD_NAME:
        rf_sink_text(row->sink, "tid");
        break;
    case RF_EVENT_RESOURCE:
        rf_sink_text(row->sink, "identifier");
        break;
    case RF_EVENT_OBJECT_NAME:
    case RF_EVENT_RESOURCE_DESTROY:
    case RF_EVENT_SYNC_DESTROY:
    case RF_EVENT_SYNC:
        rf_sink_text(row->sink, "handle");
        break;
    default:
        if (is_annotation(row->event) && row->event->payload_type != RF_TYPE_NONE)
            rf_sink_text(row->sink, rf_payload_type_name(row->event->payload_type));
    }
}

static void put_annotation_payload(const struct row *row)
{
    if (rf_payload_string(row->event) != RF_NO_STRING)
        (void)rf_sink_csv_name(row->sink, row->rec, rf_payload_string(row->event));
    else if (row->event->payload_type != RF_TYPE_NONE)
        rf_sink_payload(row->sink, row->event);
}

static void put_payload(const struct row *row)
{
    switch (row->event->kind) {
    case RF_EVENT_THREAD_NAME:
        rf_sink_u64(row->sink, row->event->named_tid);
        break;
    case RF_EVENT_RESOURCE:
        rf_sink_hex(row->sink, row->event->identifier);
        break;
    case RF_EVENT_OBJECT_NAME:
    case RF_EVENT_RESOURCE_DESTROY:
    case RF_EVENT_SYNC_DESTROY:
    case RF_EVENT_SYNC:
        rf_sink_hex(row->sink, row->event->handle);
        break;
    default:
        if (is_annotation(row->event))
            put_annotation_payload(row);
    }
}

static void put_event_id(const struct row *row)
{
    const struct rf_event *event = row->event;
    if (event->kind == RF_EVENT_START_END)
        rf_sink_u64(row->sink, rf_start_end_at(row->rec, event->link)->number);
    else if (event->kind == RF_EVENT_RESOURCE || event->kind == RF_EVENT_RESOURCE_DESTROY)
        rf_sink_u64(row->sink, event->resource_index);
    else if (event->kind >= RF_EVENT_SYNC_CREATE)
        rf_sink_u64(row->sink, event->sync_index);
}

static void put_operation(const struct row *row)
{
    if (row->event->kind == RF_EVENT_OBJECT_NAME)
        rf_sink_text(row->sink, rf_object_kind_name((int)row->event->object_kind));
    else if (row->event->kind == RF_EVENT_SYNC)
        rf_sink_text(row->sink, rf_sync_operation_name((int)row->event->sync_operation));
}

static void put_end_tid(const struct row *row)
{
    if (row->event->kind != RF_EVENT_START_END)
        return;
    uint32_t end_thread = rf_start_end_at(row->rec, row->event->link)->end_thread;
    if (end_thread != row->thread && end_thread != RF_NO_INDEX)
        rf_sink_u64(row->sink, rf_thread_at(row->rec, end_thread)->tid);
}

static void put_cut(const struct row *row)
{
    rf_sink_text(row->sink, rf_cut_name(row->event->cut));
}

static void put_event_flags(const struct row *row)
{
    rf_sink_flags(row->sink, row->rec, row->event);
}

/* ---- Calls and GPU work ---- */

static void put_call_type(const struct row *row)
{
    rf_sink_text(row->sink, rf_call_kind_name(row->work->call->kind));
}

static void put_call_flags(const struct row *row)
{
    rf_sink_time_flags(row->sink, row->work->call->flags);
}

static void put_op_type(const struct row *row)
{
    rf_sink_text(row->sink, rf_gpu_op_kind_name(row->work->op->kind));
}

static void put_op_operation(const struct row *row)
{
    const struct rf_gpu_op *op = row->work->op;
    const struct rf_transfer *transfer = rf_op_transfer(row->rec, op);
    if (op->kind == RF_OP_MEMCPY && transfer != NULL)
        rf_sink_text(row->sink, rf_copy_kind_name(transfer->copy_kind));
    else if (op->kind == RF_OP_SYNC)
        rf_sink_text(row->sink, rf_sync_type_name(op->sync_type));
}

static void put_op_flags(const struct row *row)
{
    rf_sink_time_flags(row->sink, row->work->op->flags);
}

/* ---- What else was recorded ---- */

static void put_extra_type(const struct row *row)
{
    rf_sink_text(row->sink, rf_extra_kind_name(row->work->extra->kind));
}

static void put_extra_name(const struct row *row)
{
    (void)rf_sink_csv_name(row->sink, row->rec, row->work->extra->name);
}

static void put_extra_payload_type(const struct row *row)
{
    rf_sink_text(row->sink, "values");
}

static void put_extra_values(const struct row *row)
{
    rf_sink_char(row->sink, '"');
    rf_sink_extra_words(row->sink, row->rec, row->work->extra, 1);
    rf_sink_char(row->sink, '"');
}

static void put_extra_device(const struct row *row)
{
    put_id(row, row->work->extra->device);
}

static void put_extra_context(const struct row *row)
{
    put_id(row, row->work->extra->context);
}

static void put_extra_stream(const struct row *row)
{
    put_id(row, row->work->extra->stream);
}

static void put_extra_green_context(const struct row *row)
{
    if (row->work->extra->green_context != 0)
        rf_sink_u64(row->sink, row->work->extra->green_context);
}

static void put_extra_correlation(const struct row *row)
{
    if (row->work->extra->correlation != 0)
        rf_sink_u64(row->sink, row->work->extra->correlation);
}

static void put_extra_bytes(const struct row *row)
{
    int64_t bytes;
    if (rf_find_extra_value(row->rec, row->work->extra, "bytes", &bytes))
        rf_sink_i64(row->sink, bytes);
}

/* ---- Counters ---- */

static void put_sample_type(const struct row *row)
{
    rf_sink_text(row->sink, "counter");
}

static void put_sample_name(const struct row *row)
{
    (void)rf_sink_csv_name(row->sink, row->rec, rf_counter_at(row->rec, row->work->counter)->name);
}

static void put_sample_payload_type(const struct row *row)
{
    rf_sink_text(row->sink, "double");
}

static void put_sample_value(const struct row *row)
{
    rf_sink_double(row->sink, *row->work->sample);
}

static void put_sample_device(const struct row *row)
{
    put_id(row, rf_counter_at(row->rec, row->work->counter)->device);
}

static void put_sample_set(const struct row *row)
{
    (void)rf_sink_csv_name(row->sink, row->rec, rf_counter_at(row->rec, row->work->counter)->set);
}

/* ---- The table ---- */

#define EVERY(put)                                                                                 \
    {                                                                                              \
        (put), (put), (put), (put), (put)                                                          \
    }

static const struct column columns[] = {
    {"type", {put_event_type, put_call_type, put_op_type, put_extra_type, put_sample_type}, false},
    {"start_ns", EVERY(put_start), false},
    {"end_ns", EVERY(put_end), false},
    {"duration_ns", EVERY(put_duration), false},
    {"pid", EVERY(put_pid), false},
    {"tid", EVERY(put_tid), false},
    {"thread_name", EVERY(put_thread_name), false},
    {"domain_id", {[EVENT] = put_domain_id}, false},
    {"domain", {[EVENT] = put_domain}, false},
    {"name",
     {[EVENT] = put_event_name, [EXTRA] = put_extra_name, [SAMPLE] = put_sample_name},
     false},
    {"category", {[EVENT] = put_category}, false},
    {"category_name", {[EVENT] = put_category_name}, false},
    {"color", {[EVENT] = put_color}, false},
    {"payload_type",
     {[EVENT] = put_payload_type,
      [EXTRA] = put_extra_payload_type,
      [SAMPLE] = put_sample_payload_type},
     false},
    {"payload",
     {[EVENT] = put_payload, [EXTRA] = put_extra_values, [SAMPLE] = put_sample_value},
     false},
    {"id", {[EVENT] = put_event_id}, false},
    {"operation", {[EVENT] = put_operation, [OP] = put_op_operation}, false},
    {"end_tid", {[EVENT] = put_end_tid}, false},
    {"cut", {[EVENT] = put_cut}, false},
    {"flags", {[EVENT] = put_event_flags, [CALL] = put_call_flags, [OP] = put_op_flags}, false},
    {"device", {[EXTRA] = put_extra_device, [SAMPLE] = put_sample_device}, true},
    {"context", {[EXTRA] = put_extra_context}, true},
    {"stream", {[EXTRA] = put_extra_stream}, true},
    {"correlation", {[EXTRA] = put_extra_correlation}, true},
    {.name = "result", .is_work = true},
    {.name = "grid", .is_work = true},
    {.name = "block", .is_work = true},
    {.name = "registers", .is_work = true},
    {.name = "static_shared_bytes", .is_work = true},
    {.name = "dynamic_shared_bytes", .is_work = true},
    {"bytes", {[EXTRA] = put_extra_bytes}, true},
    {.name = "source_memory", .is_work = true},
    {.name = "target_memory", .is_work = true},
    {.name = "graph", .is_work = true},
    {"full_name", {[SAMPLE] = put_sample_set}, true},
    {"green_context", {[EXTRA] = put_extra_green_context}, true},
};

#define N_TABLE (sizeof(columns) / sizeof(columns[0]))

/* Fields that stand in a column of another name. */
static bool is_elsewhere(const struct rf_field *field)
{
    return field->word == rf_copy_kind_name || field->word == rf_sync_type_name ||
           field->type == RF_FIELD_EMPTY || field->type == RF_FIELD_PROCESS;
}

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

static bool is_given(const struct rf_field *field, const struct rf_row *row)
{
    const void *at = rf_field_at(field, row);
    return at != NULL && !rf_field_is_hidden(field, rf_field_number(field, at));
}

/* Fields that nsys does not have are columns where a row has them. */
static bool has_field(const rf_recording *rec, const struct rf_field *field)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    struct rf_row row;
    for (size_t i = 0; i < n; i++) {
        if (!rf_field_is_of(field, op[i].kind))
            continue;
        rf_row_of_op(rec, &op[i], &row);
        if (is_given(field, &row))
            return true;
    }
    return false;
}

static void add_field(struct csv_writer *to, const struct rf_field *field,
                      const struct rf_field *of_kind[][MAX_COLUMNS])
{
    size_t column = find_column(to, field->name);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        if (rf_field_is_of(field, kind))
            of_kind[kind][column] = field;
}

static void find_fields(struct csv_writer *to, const struct rf_fields *fields,
                        const struct rf_field *of_kind[][MAX_COLUMNS])
{
    for (size_t i = 0; i < fields->n; i++) {
        bool is_seldom = fields->field[i].own_column != NULL;
        if (!is_elsewhere(&fields->field[i]) &&
            (!is_seldom || has_field(to->rec, &fields->field[i])))
            add_field(to, &fields->field[i], of_kind);
    }
}

/* Events have columns by hand, but for what start/end ranges seldom have. */
static void find_range_fields(struct csv_writer *to)
{
    struct rf_row row = {{NULL}};
    for (size_t i = 0; i < rf_event_fields.n; i++) {
        const struct rf_field *field = &rf_event_fields.field[i];
        bool is_there = false;
        for (uint32_t k = 0; field->own_column != NULL && !is_there; k++) {
            if ((row.part[RF_PART_DETAIL] = rf_start_end_at(to->rec, k)) == NULL)
                break;
            is_there = is_given(field, &row);
        }
        if (is_there)
            add_field(to, field, to->of_event);
    }
}

/* fields: by column; NULL: rows of that type have none. */
static void init_line(struct csv_writer *to, enum row_type type, unsigned kind,
                      const struct rf_field *const *fields)
{
    struct line *line = &to->lines[type][kind];
    for (size_t i = 0; i < to->n_columns; i++) {
        size_t column = to->shown[i];
        put_fn *put = column < N_TABLE ? columns[column].put[type] : NULL;
        const struct rf_field *field = put == NULL && fields != NULL ? fields[column] : NULL;
        if (i > 0)
            line->n_commas++;
        if (put == NULL && field == NULL)
            continue;
        struct cell *cell = &line->cell[line->n++];
        *cell = (struct cell){.put = put, .n_commas = line->n_commas};
        line->n_commas = 0;
        if (field == NULL)
            continue;
        cell->shown = rf_show_field(field, false);
        cell->type = field->type;
    }
}

static void init_lines(struct csv_writer *to)
{
    init_line(to, EXTRA, 0, NULL);
    init_line(to, SAMPLE, 0, NULL);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++) {
        init_line(to, EVENT, kind, to->of_event[kind]);
        init_line(to, CALL, kind, to->of_call[kind]);
        init_line(to, OP, kind, to->of_op[kind]);
    }
}

static void init(struct csv_writer *to, const rf_recording *rec)
{
    to->rec = rec;
    bool has_work = rf_count_work(rec) > 0;
    if (has_work) {
        find_fields(to, &rf_call_fields, to->of_call);
        find_fields(to, &rf_op_fields, to->of_op);
    }
    find_range_fields(to);
    for (uint8_t i = 0; i < N_TABLE; i++)
        if (!columns[i].is_work || has_work)
            to->shown[to->n_columns++] = i;
    for (size_t i = 0; i < to->n_further; i++)
        to->shown[to->n_columns++] = (uint8_t)(N_TABLE + i);
    init_lines(to);
}

static void put_header(const struct csv_writer *to, struct rf_sink *sink)
{
    for (size_t i = 0; i < to->n_columns; i++) {
        if (i > 0)
            rf_sink_char(sink, ',');
        size_t column = to->shown[i];
        rf_sink_text(sink, column < N_TABLE ? columns[column].name : to->further[column - N_TABLE]);
    }
    rf_sink_char(sink, '\n');
}

/* ---- A line ---- */

/* A value that is not a plain number. */
static void put_value(const struct row *row, const struct cell *cell, const void *at,
                      uint64_t number)
{
    if (cell->type == RF_FIELD_TRIPLE)
        rf_sink_triple(row->sink, at);
    else if (cell->type == RF_FIELD_STRING)
        (void)rf_sink_csv_name(row->sink, row->rec, (uint32_t)number);
    else if (cell->type == RF_FIELD_WORD)
        rf_sink_text(row->sink, cell->shown.field->word((int)number));
    else if (cell->type == RF_FIELD_SIGNED)
        rf_sink_i64(row->sink, (int64_t)number);
    else
        rf_sink_u64(row->sink, number);
}

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

static void put_line(const struct csv_writer *to, const struct row *row, enum row_type type,
                     unsigned kind)
{
    const struct line *line = &to->lines[type][kind];
    struct rf_sink *sink = row->sink;
    char *out = rf_sink_reserve(sink, LINE_ROOM);
    for (const struct cell *cell = line->cell, *end = cell + line->n; cell < end; cell++) {
        const char *at = NULL;
        uint64_t number = 0;
        out = put_commas(out, cell->n_commas);
        if (cell->put == NULL) {
            at = rf_shown_at(&cell->shown, &row->parts);
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
            cell->put(row);
        else
            put_value(row, cell, at, number);
        out = rf_sink_reserve(sink, LINE_ROOM);
    }
    out = put_commas(out, line->n_commas);
    *out++ = '\n';
    sink->used = (size_t)(out - sink->buffer);
}

static uint32_t process_of(const rf_recording *rec, uint32_t thread)
{
    return thread != RF_NO_INDEX ? rf_thread_at(rec, thread)->process : RF_NO_INDEX;
}

static void put_event(void *context, struct rf_sink *sink, const struct rf_event_at *at)
{
    const struct csv_writer *to = context;
    struct row row = {.rec = to->rec,
                      .sink = sink,
                      .event = at->event,
                      .thread = at->thread,
                      .process = process_of(to->rec, at->thread),
                      .start_ns = at->event->start_ns,
                      .end_ns = at->event->end_ns};
    rf_row_of_event(to->rec, at->event, &row.parts);
    put_line(to, &row, EVENT, at->event->kind < RF_MAX_KINDS ? at->event->kind : 0);
}

static void put_call(const struct csv_writer *to, struct row *row)
{
    const struct rf_call *call = row->work->call;
    row->thread = row->work->thread;
    row->process = process_of(to->rec, row->thread);
    row->start_ns = call->start_ns;
    row->end_ns = call->end_ns;
    rf_row_of_call(call, &row->parts);
    put_line(to, row, CALL, call->kind);
}

static void put_op(const struct csv_writer *to, struct row *row)
{
    const struct rf_gpu_op *op = row->work->op;
    row->thread = op->thread;
    row->process = rf_gpu_track_at(to->rec, op->track)->process;
    row->start_ns = op->start_ns;
    row->end_ns = op->end_ns;
    rf_row_of_op(to->rec, op, &row->parts);
    put_line(to, row, OP, op->kind);
}

static void put_extra(const struct csv_writer *to, struct row *row)
{
    const struct rf_extra *extra = row->work->extra;
    row->thread = extra->thread;
    row->process =
        extra->thread != RF_NO_INDEX ? process_of(to->rec, extra->thread) : extra->process;
    row->start_ns = extra->start_ns;
    row->end_ns = extra->end_ns;
    put_line(to, row, EXTRA, 0);
}

static void put_sample(const struct csv_writer *to, struct row *row)
{
    row->thread = RF_NO_INDEX;
    row->process = rf_counter_at(to->rec, row->work->counter)->process;
    row->start_ns = *row->work->sample_ns;
    row->end_ns = RF_NO_TIME;
    put_line(to, row, SAMPLE, 0);
}

static void put_work(void *context, struct rf_sink *sink, const struct rf_work_at *at)
{
    const struct csv_writer *to = context;
    struct row row = {.rec = to->rec, .sink = sink, .work = at};
    if (at->call != NULL)
        put_call(to, &row);
    else if (at->op != NULL)
        put_op(to, &row);
    else if (at->extra != NULL)
        put_extra(to, &row);
    else
        put_sample(to, &row);
}

static int write_csv(struct rf_export_job *job, struct rf_sink *sink)
{
    struct csv_writer *to = calloc(1, sizeof(*to));
    if (to == NULL)
        return rf_fail(job->err, RF_ERR_NO_MEMORY, "out of memory");
    init(to, job->rec);
    put_header(to, sink);
    int status = rf_export_each(job, sink, put_event, put_work, to);
    free(to);
    return status;
}

const struct rf_export_format rf_export_csv = {
    .name = "csv",
    .description = "CSV: one line per event",
    .extensions = {"csv"},
    .write_text = write_csv,
};
