/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of struct rf_extra, and those of counters. Tables and columns are those of later
 * versions of the schema; a table is created if it has rows. */
#include "export/sqlite/sqlite_extra_rows.h"

#include "export/sqlite/sqlite_counters.h"
#include "model/extra.h"
#include "model/private_access.h"

#define MAX_KINDS 64

/* A column that is written. */
struct column {
    uint8_t role;  /* enum rf_extra_role */
    uint8_t value; /* from RF_ROLE_NUMBER: which value of the row */
};

struct kind {
    size_t n_rows;
    uint32_t has; /* the values that a row has */
    bool has_stream, has_green;
    struct rf_sqlite_table table; /* its name is NULL if there is none */
    size_t n_columns;
    struct column column[RF_EXTRA_MAX_COLUMNS];
};

static void count_kinds(const rf_recording *rec, struct kind kind[MAX_KINDS])
{
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++) {
        struct kind *to = &kind[extra[i].kind % MAX_KINDS];
        to->n_rows++;
        to->has |= extra[i].has;
        to->has_stream |= extra[i].stream != RF_NO_INDEX;
        to->has_green |= extra[i].green_context != 0;
    }
}

static bool is_written(const struct rf_extra_column *column, const struct kind *kind,
                       unsigned value)
{
    if (!column->is_late)
        return true;
    if (column->role == RF_ROLE_STREAM)
        return kind->has_stream;
    if (column->role == RF_ROLE_GREEN_CONTEXT)
        return kind->has_green;
    return (kind->has >> value & 1) != 0;
}

static void make_table(struct rf_sqlite *out, const struct rf_extra_table *from, struct kind *kind)
{
    sqlite3_str *columns = sqlite3_str_new(out->db);
    uint8_t value = 0;
    for (int i = 0; i < from->n_columns; i++) {
        const struct rf_extra_column *column = &from->column[i];
        bool is_text = column->role == RF_ROLE_MESSAGE || column->role == RF_ROLE_TEXT;
        if (is_written(column, kind, value)) {
            sqlite3_str_appendf(columns, "%s%s %s", kind->n_columns > 0 ? ", " : "", column->name,
                                is_text ? "TEXT" : "INTEGER");
            kind->column[kind->n_columns++] = (struct column){column->role, value};
        }
        if (column->role >= RF_ROLE_NUMBER)
            value++;
    }
    kind->table.name = from->name;
    rf_sqlite_create_with(out, &kind->table, columns);
}

/* ---- Rows ---- */

static struct rf_sqlite_value get_value(struct rf_sqlite *out, const struct rf_extra *extra,
                                        uint8_t role, unsigned i)
{
    int64_t value;
    if (rf_extra_value(out->rec, extra, i, &value) == RF_VALUE_NONE)
        return rf_sqlite_null();
    if (role == RF_ROLE_STRING)
        return rf_sqlite_int(rf_sqlite_string(out, (uint32_t)value));
    return role == RF_ROLE_TEXT ? rf_sqlite_name(out, (uint32_t)value) : rf_sqlite_int(value);
}

static struct rf_sqlite_value get_column(struct rf_sqlite *out, const struct rf_extra *extra,
                                         struct column column)
{
    switch (column.role) {
    case RF_ROLE_START:
        return rf_sqlite_int_unless(extra->start_ns, RF_NO_TIME);
    case RF_ROLE_END:
        return rf_sqlite_int_unless(extra->end_ns, RF_NO_TIME);
    case RF_ROLE_THREAD:
        return extra->thread != RF_NO_INDEX ? rf_sqlite_int(rf_global_tid_of(out, extra->thread))
                                            : rf_sqlite_null();
    case RF_ROLE_PROCESS:
        return extra->process != RF_NO_INDEX ? rf_sqlite_int(out->global_pids[extra->process])
                                             : rf_sqlite_null();
    case RF_ROLE_DEVICE:
        return rf_sqlite_int_unless(extra->device, RF_NO_INDEX);
    case RF_ROLE_CONTEXT:
        return rf_sqlite_int_unless(extra->context, RF_NO_INDEX);
    case RF_ROLE_STREAM:
        return rf_sqlite_int_unless(extra->stream, RF_NO_INDEX);
    case RF_ROLE_GREEN_CONTEXT:
        return rf_sqlite_int_unless(extra->green_context, 0);
    case RF_ROLE_CORRELATION:
        return rf_sqlite_int_unless(extra->correlation, 0);
    case RF_ROLE_NAME:
        return extra->name != RF_NO_STRING ? rf_sqlite_int(rf_sqlite_string(out, extra->name))
                                           : rf_sqlite_null();
    case RF_ROLE_MESSAGE:
        return rf_sqlite_name(out, extra->name);
    default:
        return get_value(out, extra, column.role, column.value);
    }
}

static void write_extras(struct rf_sqlite *out)
{
    struct kind kinds[MAX_KINDS] = {{.n_rows = 0}};
    struct rf_sqlite_value row[RF_EXTRA_MAX_COLUMNS];
    size_t n;
    const struct rf_extra *extra = rf_extras(out->rec, &n);
    count_kinds(out->rec, kinds);
    for (int i = 1; i < MAX_KINDS; i++)
        if (kinds[i].n_rows > 0 && rf_extra_table(i) != NULL)
            make_table(out, rf_extra_table(i), &kinds[i]);
    for (size_t i = 0; i < n && out->status == RF_OK; i++) {
        struct kind *kind = &kinds[extra[i].kind % MAX_KINDS];
        if (kind->table.name == NULL)
            continue;
        for (size_t k = 0; k < kind->n_columns; k++)
            row[k] = get_column(out, &extra[i], kind->column[k]);
        rf_sqlite_insert(out, &kind->table, kind->n_columns, row);
        rf_sqlite_step(out);
    }
}

/* ---- Counters ---- */

/* The numbers that an imported file gives the counter. In our own recordings: its GPU, and its
 * place in the list. */
static struct rf_counter_origin get_origin(const rf_recording *rec, uint32_t i)
{
    const struct rf_counter *counter = rf_counter_at(rec, i);
    const struct rf_counter_origin *origin = rf_counter_origin_at(rec, i);
    if (origin != NULL)
        return *origin;
    return (struct rf_counter_origin){.type = RF_GLOBAL_VID | (counter->device & 0xff),
                                      .source = RF_GLOBAL_VID,
                                      .metric = i,
                                      .is_soc = counter->device == RF_NO_INDEX};
}

/* Whole numbers stay integers: that is what the column of the schema holds. */
static struct rf_sqlite_value get_number(double value)
{
    bool is_whole = value > -9.2e18 && value < 9.2e18 && (double)(int64_t)value == value;
    return is_whole ? rf_sqlite_int((int64_t)value) : rf_sqlite_real(value);
}

static void write_samples(struct rf_sqlite *out, struct rf_sqlite_table *table,
                          const struct rf_counter *counter, const struct rf_counter_origin *origin)
{
    for (size_t i = 0; i < counter->n_samples && out->status == RF_OK; i++) {
        RF_SQLITE_INSERT(out, table, rf_sqlite_int(counter->ns[i]), rf_sqlite_int(counter->ns[i]),
                         rf_sqlite_int(origin->type), rf_sqlite_int(origin->metric),
                         get_number(counter->value[i]));
        rf_sqlite_step(out);
    }
}

/* Derived counters are left out: a reader computes them from the others again. */
static void write_metrics(struct rf_sqlite *out, bool is_soc)
{
    struct rf_sqlite_table names = {
        .name = is_soc ? "TARGET_INFO_SOC_METRICS" : "TARGET_INFO_GPU_METRICS",
        .columns = "typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT,"
                   " metricId INTEGER NOT NULL, metricName TEXT"};
    struct rf_sqlite_table samples = {
        .name = is_soc ? "SOC_METRICS" : "GPU_METRICS",
        .columns = "rawTimestamp INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
                   " typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL"};
    for (uint32_t i = 0; i < rf_n_counters(out->rec); i++) {
        const struct rf_counter *counter = rf_counter_at(out->rec, i);
        struct rf_counter_origin origin = get_origin(out->rec, i);
        if (counter->is_derived || counter->nvtx != NULL || origin.is_soc != is_soc)
            continue;
        rf_sqlite_create_table(out, &names);
        rf_sqlite_create_table(out, &samples);
        RF_SQLITE_INSERT(out, &names, rf_sqlite_int(origin.type), rf_sqlite_int(origin.source),
                         rf_sqlite_name(out, counter->set), rf_sqlite_int(origin.metric),
                         rf_sqlite_name(out, counter->name));
        write_samples(out, &samples, counter, &origin);
    }
}

void rf_sqlite_write_extra_rows(struct rf_sqlite *out)
{
    write_extras(out);
    write_metrics(out, false);
    write_metrics(out, true);
    rf_sqlite_write_counters(out);
}
