/* SPDX-License-Identifier: Apache-2.0 */
/* The tables whose rows become struct rf_extra: which they are, and what their columns mean, is
 * written down in model/extra.c. */
#include "import/nsys_extra.h"

#include <stdlib.h>

#include "base/grow.h"
#include "import/nsys_contexts.h"
#include "import/nsys_names.h"
#include "model/extra.h"

/* Which rows of a table are read, by whether they have a graphNodeId. */
enum row_choice { ALL_ROWS, ROWS_OF_GRAPHS, ROWS_OF_NODES };

/* The pass over one table. */
struct extra_pass {
    struct nsys_load *load;
    const struct rf_extra_table *table;
    uint8_t kind;
    enum row_choice choice;              /* of others than ALL_ROWS the last column decides */
    int64_t value[RF_EXTRA_MAX_COLUMNS]; /* of the row that is being read */
    int n_values;
};

/* ---- Columns ---- */

static int read_value(struct extra_pass *pass, struct nsys_row *row, int column, uint8_t role,
                      struct rf_extra *extra, unsigned *n)
{
    uint32_t string = RF_NO_STRING, bit = UINT32_C(1) << (*n)++;
    int64_t value;
    bool is_there;
    int status = RF_OK;
    if (role == RF_ROLE_NUMBER) {
        is_there = nsys_row_int(row, column, &value);
    } else {
        status = role == RF_ROLE_STRING ? nsys_read_string_id(pass->load, row, column, &string)
                                        : nsys_read_text(pass->load, row, column, &string);
        value = string;
        is_there = string != RF_NO_STRING;
    }
    if (is_there) {
        extra->has |= bit;
        pass->value[pass->n_values++] = value;
    }
    return status;
}

/* A number of 32 bits keeps its value where the column is NULL. */
static int read_number(struct nsys_row *row, int column, uint32_t *number)
{
    int64_t value;
    if (nsys_row_int(row, column, &value))
        *number = (uint32_t)value;
    return RF_OK;
}

/* The process or thread of a row. */
static int read_owner(struct extra_pass *pass, struct nsys_row *row, int column, uint8_t role,
                      struct rf_extra *extra)
{
    struct nsys_load *load = pass->load;
    int64_t id;
    if (!nsys_row_int(row, column, &id))
        return RF_OK;
    if (role == RF_ROLE_THREAD) {
        extra->thread = nsys_find_thread(load, (uint64_t)id);
        extra->process =
            extra->thread != RF_NO_INDEX ? load->thread[extra->thread].process : RF_NO_INDEX;
    } else {
        extra->process = nsys_find_process(load, (uint64_t)id >> NSYS_TID_BITS);
    }
    return nsys_memory_status(load, extra->process != RF_NO_INDEX);
}

static int read_column(struct extra_pass *pass, struct nsys_row *row, int column,
                       struct rf_extra *extra, unsigned *n_values)
{
    uint8_t role = pass->table->column[column].role;
    switch (role) {
    case RF_ROLE_THREAD:
    case RF_ROLE_PROCESS:
        return read_owner(pass, row, column, role, extra);
    case RF_ROLE_DEVICE:
        return read_number(row, column, &extra->device);
    case RF_ROLE_CONTEXT:
        return read_number(row, column, &extra->context);
    case RF_ROLE_STREAM:
        return read_number(row, column, &extra->stream);
    case RF_ROLE_GREEN_CONTEXT:
        return read_number(row, column, &extra->green_context);
    case RF_ROLE_CORRELATION:
        extra->correlation = nsys_row_u32(row, column);
        return RF_OK;
    case RF_ROLE_NAME:
        return nsys_read_string_id(pass->load, row, column, &extra->name);
    case RF_ROLE_MESSAGE:
        return nsys_read_text(pass->load, row, column, &extra->name);
    case RF_ROLE_START:
    case RF_ROLE_END:
        return RF_OK;
    default:
        return read_value(pass, row, column, role, extra, n_values);
    }
}

/* ---- Times ---- */

static int find_column(const struct rf_extra_table *table, uint8_t role)
{
    for (int i = 0; i < table->n_columns; i++)
        if (table->column[i].role == role)
            return i;
    return -1;
}

/* false: the row has no start where its table has one, and is left out. These times do not move the
 * end of the session: profilers go on for a while. */
static bool read_times(const struct extra_pass *pass, struct nsys_row *row, struct rf_extra *extra)
{
    int start = find_column(pass->table, RF_ROLE_START);
    int end = find_column(pass->table, RF_ROLE_END);
    if (start < 0)
        return true;
    if (!nsys_row_int(row, start, &extra->start_ns) || !nsys_is_time(extra->start_ns)) {
        (void)nsys_row_skip(row, "no start: left out");
        return false;
    }
    if (end < 0 || !nsys_row_int(row, end, &extra->end_ns) || !nsys_is_time(extra->end_ns)) {
        extra->end_ns = RF_NO_TIME;
    } else if (extra->end_ns < extra->start_ns) {
        (void)nsys_row_skip(row, "ends before it starts: taken as empty");
        extra->end_ns = extra->start_ns;
    }
    return true;
}

/* The call that a row names says who called; and, of an event that was recorded, when. */
static void link_call(const struct nsys_load *load, struct rf_extra *extra)
{
    uint32_t thread, call;
    if (extra->thread != RF_NO_INDEX || extra->process == RF_NO_INDEX ||
        !rf_call_index_find(&load->call_of, extra->process, extra->correlation, &thread, &call))
        return;
    extra->thread = thread;
    if (extra->kind == RF_EXTRA_CUDA_EVENT)
        extra->start_ns = load->thread[thread].call[call].start_ns;
}

/* ---- Rows ---- */

static int add_extra(struct extra_pass *pass, struct rf_extra *extra)
{
    struct nsys_load *load = pass->load;
    rf_recording *rec = load->rec;
    extra->first_value = load->n_extra_values;
    if (rf_grow_array(&rec->extra, rec->n_extras, &load->extra_room, sizeof(*rec->extra)) != RF_OK)
        return nsys_no_memory(load);
    for (int i = 0; i < pass->n_values; i++) {
        if (rf_grow_array(&rec->extra_value, load->n_extra_values, &load->extra_value_room,
                          sizeof(*rec->extra_value)) != RF_OK)
            return nsys_no_memory(load);
        rec->extra_value[load->n_extra_values++] = pass->value[i];
    }
    rec->extra[rec->n_extras++] = *extra;
    return RF_OK;
}

static int read_row(void *context, struct nsys_row *row)
{
    struct extra_pass *pass = context;
    struct rf_extra extra = {.start_ns = RF_NO_TIME,
                             .end_ns = RF_NO_TIME,
                             .name = RF_NO_STRING,
                             .process = RF_NO_INDEX,
                             .thread = RF_NO_INDEX,
                             .device = RF_NO_INDEX,
                             .context = RF_NO_INDEX,
                             .stream = RF_NO_INDEX,
                             .kind = pass->kind};
    unsigned n_values = 0;
    int status = RF_OK;
    if (pass->choice != ALL_ROWS &&
        row->cells[pass->table->n_columns].integer != (pass->choice == ROWS_OF_NODES))
        return RF_OK;
    pass->n_values = 0;
    if (!read_times(pass, row, &extra))
        return RF_OK;
    for (int i = 0; i < pass->table->n_columns && status == RF_OK; i++)
        status = read_column(pass, row, i, &extra, &n_values);
    if (status != RF_OK)
        return status;
    link_call(pass->load, &extra);
    return add_extra(pass, &extra);
}

static int read_table(struct nsys_load *load, const char *name, int kind, enum row_choice choice)
{
    const char *columns[RF_EXTRA_MAX_COLUMNS + 2] = {NULL};
    const struct nsys_reader readers[] = {{name, read_row, columns}, {.table = NULL}};
    const struct rf_extra_table *table = rf_extra_table(kind);
    struct extra_pass pass = {
        .load = load, .table = table, .kind = (uint8_t)kind, .choice = choice};
    for (int i = 0; i < table->n_columns; i++)
        columns[i] = table->column[i].name;
    if (choice != ALL_ROWS)
        columns[table->n_columns] = "?graphNodeId";
    return nsys_db_read(&load->db, readers, &pass);
}

/* CUDA_GRAPH_EVENTS was the name of the nodes' table before graphs had one. */
static int read_kind(struct nsys_load *load, int kind)
{
    const char *name = rf_extra_table(kind)->name;
    if (load->has_own_layouts && kind >= RF_EXTRA_PAYLOAD_SCHEMA &&
        kind <= RF_EXTRA_PAYLOAD_ENUM_ENTRY)
        return RF_OK; /* payloads are decoded by them: nsys_layouts.c */
    if (kind == RF_EXTRA_GRAPH)
        return read_table(load, name, kind, ROWS_OF_GRAPHS);
    int status = read_table(load, name, kind, ALL_ROWS);
    if (status == RF_OK && kind == RF_EXTRA_GRAPH_NODE)
        status = read_table(load, rf_extra_table(RF_EXTRA_GRAPH)->name, kind, ROWS_OF_NODES);
    return status;
}

int nsys_load_extras(struct nsys_load *load)
{
    int status = RF_OK;
    for (int kind = 1; rf_extra_table(kind) != NULL && status == RF_OK; kind++)
        status = read_kind(load, kind);
    return status == RF_OK ? nsys_place_extras(load) : status;
}

static int compare_extras(const void *left, const void *right)
{
    const struct rf_extra *a = left, *b = right;
    return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

int nsys_finish_extras(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    for (size_t i = 0; i < rec->n_extras; i++) {
        struct rf_extra *extra = &rec->extra[i];
        if (extra->process != RF_NO_INDEX)
            extra->process = load->process[extra->process].place;
        if (extra->thread != RF_NO_INDEX)
            extra->thread = load->thread[extra->thread].place;
    }
    return rf_sort_records(rec->extra, rec->n_extras, sizeof(*rec->extra), compare_extras);
}
