/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of struct rf_extra, and GPU_METRICS. Tables and columns are those of later versions of
 * the schema; one is made where there is a row for it. */
#include "export/sqlite/sqlite_extra_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/extra.h"
#include "model/private_access.h"

#define MAX_KINDS 64

/* What the rows of a kind have. */
struct kind {
    size_t n_rows;
    uint32_t has; /* values */
    int has_stream, has_green;
    sqlite3_stmt *insert;
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

static int is_written(const struct rf_extra_column *column, const struct kind *kind, unsigned value)
{
    if (!column->is_late)
        return 1;
    if (column->role == RF_ROLE_STREAM)
        return kind->has_stream;
    if (column->role == RF_ROLE_GREEN_CONTEXT)
        return kind->has_green;
    return (kind->has >> value & 1) != 0;
}

static int make_table(struct rf_sqlite *out, const struct rf_extra_table *table, struct kind *kind)
{
    char sql[1024];
    int n_columns = 0;
    unsigned value = 0;
    int at = snprintf(sql, sizeof(sql), "CREATE TABLE %s(", table->name);
    for (int i = 0; i < table->n_columns; i++) {
        const struct rf_extra_column *column = &table->column[i];
        int is_text = column->role == RF_ROLE_MESSAGE || column->role == RF_ROLE_TEXT;
        if (is_written(column, kind, value))
            at += snprintf(sql + at, sizeof(sql) - (size_t)at, "%s%s %s",
                           n_columns++ > 0 ? ", " : "", column->name, is_text ? "TEXT" : "INTEGER");
        value += column->role >= RF_ROLE_NUMBER;
    }
    (void)snprintf(sql + at, sizeof(sql) - (size_t)at, ")");
    int status = rf_sqlite_run(out, sql);
    return status == RF_OK ? rf_sqlite_prepare_insert(out, table->name, n_columns, &kind->insert)
                           : status;
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
    return role == RF_ROLE_TEXT ? rf_sqlite_name(out->rec, (uint32_t)value) : rf_sqlite_int(value);
}

static struct rf_sqlite_value get_column(struct rf_sqlite *out, const struct rf_extra *extra,
                                         uint8_t role, unsigned value)
{
    switch (role) {
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
        return rf_sqlite_name(out->rec, extra->name);
    default:
        return get_value(out, extra, role, value);
    }
}

static int write_row(struct rf_sqlite *out, const struct rf_extra *extra, struct kind *kind)
{
    struct rf_sqlite_value row[RF_EXTRA_MAX_COLUMNS];
    const struct rf_extra_table *table = rf_extra_table(extra->kind);
    int n = 0;
    unsigned value = 0;
    for (int i = 0; i < table->n_columns; i++) {
        const struct rf_extra_column *column = &table->column[i];
        if (is_written(column, kind, value))
            row[n++] = get_column(out, extra, column->role, value);
        value += column->role >= RF_ROLE_NUMBER;
    }
    int status = rf_sqlite_insert(out, kind->insert, n, row);
    return status == RF_OK ? rf_export_step(out->job) : status;
}

static int write_extras(struct rf_sqlite *out)
{
    struct kind kind[MAX_KINDS] = {{.n_rows = 0}};
    size_t n;
    const struct rf_extra *extra = rf_extras(out->rec, &n);
    int status = RF_OK;
    count_kinds(out->rec, kind);
    for (int i = 1; i < MAX_KINDS && status == RF_OK; i++)
        if (kind[i].n_rows > 0 && rf_extra_table(i) != NULL)
            status = make_table(out, rf_extra_table(i), &kind[i]);
    for (size_t i = 0; i < n && status == RF_OK; i++)
        if (kind[extra[i].kind % MAX_KINDS].insert != NULL)
            status = write_row(out, &extra[i], &kind[extra[i].kind % MAX_KINDS]);
    for (int i = 0; i < MAX_KINDS; i++)
        (void)sqlite3_finalize(kind[i].insert);
    return status;
}

/* ---- Counters ---- */

/* The numbers of the file that it came from; of our own recordings the GPU, and the place in the
 * list. */
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

static int write_counter_name(struct rf_sqlite *out, sqlite3_stmt *insert, uint32_t i)
{
    const struct rf_counter *counter = rf_counter_at(out->rec, i);
    struct rf_counter_origin origin = get_origin(out->rec, i);
    const struct rf_sqlite_value row[] = {rf_sqlite_int(origin.type), rf_sqlite_int(origin.source),
                                          rf_sqlite_name(out->rec, counter->set),
                                          rf_sqlite_int(origin.metric),
                                          rf_sqlite_name(out->rec, counter->name)};
    return rf_sqlite_insert(out, insert, 5, row);
}

/* Whole numbers stay integers: that is what the column of the schema holds. */
static struct rf_sqlite_value get_number(double value)
{
    int is_whole = value > -9.2e18 && value < 9.2e18 && (double)(int64_t)value == value;
    return is_whole ? rf_sqlite_int((int64_t)value) : rf_sqlite_real(value);
}

static int write_samples(struct rf_sqlite *out, sqlite3_stmt *insert, uint32_t i)
{
    const struct rf_counter *counter = rf_counter_at(out->rec, i);
    struct rf_counter_origin origin = get_origin(out->rec, i);
    int status = RF_OK;
    for (size_t k = 0; k < counter->n_samples && status == RF_OK; k++) {
        const struct rf_sqlite_value ns = rf_sqlite_int(counter->ns[k]);
        const struct rf_sqlite_value row[] = {ns, ns, rf_sqlite_int(origin.type),
                                              rf_sqlite_int(origin.metric),
                                              get_number(counter->value[k])};
        status = rf_sqlite_insert(out, insert, 5, row);
        if (status == RF_OK)
            status = rf_export_step(out->job);
    }
    return status;
}

static int make_metrics(struct rf_sqlite *out, const char *of, sqlite3_stmt **names,
                        sqlite3_stmt **samples)
{
    char sql[512], table[64];
    (void)snprintf(sql, sizeof(sql),
                   "CREATE TABLE TARGET_INFO_%s(typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL,"
                   " typeName TEXT, metricId INTEGER NOT NULL, metricName TEXT);"
                   "CREATE TABLE %s(rawTimestamp INTEGER NOT NULL, timestamp INTEGER NOT NULL,"
                   " typeId INTEGER NOT NULL, metricId INTEGER NOT NULL, value INTEGER NOT NULL)",
                   of, of);
    (void)snprintf(table, sizeof(table), "TARGET_INFO_%s", of);
    int status = rf_sqlite_run(out, sql);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, table, 5, names);
    return status == RF_OK ? rf_sqlite_prepare_insert(out, of, 5, samples) : status;
}

/* What was reckoned from other rows is reckoned again when those are read. */
static int write_metrics(struct rf_sqlite *out, const char *table, int is_soc)
{
    sqlite3_stmt *names = NULL, *samples = NULL;
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_counters(out->rec) && status == RF_OK; i++) {
        if (rf_counter_at(out->rec, i)->is_derived || get_origin(out->rec, i).is_soc != is_soc)
            continue;
        if (names == NULL)
            status = make_metrics(out, table, &names, &samples);
        if (status == RF_OK)
            status = write_counter_name(out, names, i);
        if (status == RF_OK)
            status = write_samples(out, samples, i);
    }
    (void)sqlite3_finalize(names);
    (void)sqlite3_finalize(samples);
    return status;
}

int rf_sqlite_write_extra_rows(struct rf_sqlite *out)
{
    int status = write_extras(out);
    if (status == RF_OK)
        status = write_metrics(out, "GPU_METRICS", 0);
    return status == RF_OK ? write_metrics(out, "SOC_METRICS", 1) : status;
}
