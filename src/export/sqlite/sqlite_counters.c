/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_counters.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/fields/fields_counter.h"

#define MAX_COLUMNS 24

/* A limit has the type of its value: REAL would round it. */
static const char *type_of(const struct rf_field *field)
{
    if (field->type == RF_FIELD_LIMIT)
        return "";
    return field->type == RF_FIELD_STRING || field->type == RF_FIELD_WORD ? "TEXT" : "INTEGER";
}

/* The columns of every counter, and those of the fields that have one. */
static void make_table(struct rf_sqlite *out, struct rf_sqlite_table *table)
{
    sqlite3_str *columns = sqlite3_str_new(out->db);
    sqlite3_str_appendall(columns, "counterId INTEGER NOT NULL PRIMARY KEY, globalPid INTEGER, "
                                   "globalTid INTEGER, domainId INTEGER NOT NULL, name TEXT");
    for (size_t i = 0; i < rf_counter_fields.n; i++)
        if (rf_counter_fields.field[i].own_column != NULL)
            sqlite3_str_appendf(columns, ", %s%s%s", rf_counter_fields.field[i].own_column,
                                type_of(&rf_counter_fields.field[i])[0] != '\0' ? " " : "",
                                type_of(&rf_counter_fields.field[i]));
    sqlite3_str_appendall(columns, ", factor REAL");
    rf_sqlite_create_with(out, table, columns);
}

/* Of numbers that are shown with the largest one as 1; of others it is the scale. */
static struct rf_sqlite_value factor_of(const struct rf_nvtx_counter *nvtx)
{
    const double scale = (double)nvtx->scale_numerator / (double)nvtx->scale_denominator;
    return nvtx->factor != scale ? rf_sqlite_real(nvtx->factor) : rf_sqlite_null();
}

#define NUMBER_ROOM 24

/* Integers of SQLite have a sign: what is larger stands as text. */
static struct rf_sqlite_value unsigned_value(uint64_t number, char text[NUMBER_ROOM])
{
    if (number <= INT64_MAX)
        return rf_sqlite_int((int64_t)number);
    (void)snprintf(text, NUMBER_ROOM, "%" PRIu64, number);
    return rf_sqlite_text(text);
}

static struct rf_sqlite_value limit_value(const struct rf_counter_limit *limit,
                                          char text[NUMBER_ROOM])
{
    if (limit->number == RF_COUNTER_UINT64)
        return unsigned_value((uint64_t)limit->integer, text);
    return limit->number == RF_COUNTER_INT64 ? rf_sqlite_int(limit->integer)
                                             : rf_sqlite_real(limit->value);
}

/* text: room for a limit. */
static struct rf_sqlite_value value_of(const struct rf_sqlite *out, const struct rf_field *field,
                                       const struct rf_row *row, char text[NUMBER_ROOM])
{
    const void *at = rf_field_at(field, row);
    if (at == NULL)
        return rf_sqlite_null();
    if (field->type == RF_FIELD_LIMIT)
        return limit_value(at, text);
    const uint64_t number = rf_field_number(field, at);
    if (field->type == RF_FIELD_STRING)
        return rf_sqlite_name(out, (uint32_t)number);
    return field->type == RF_FIELD_WORD ? rf_sqlite_text(field->word((int)number))
                                        : rf_sqlite_int((int64_t)number);
}

static void write_counter(struct rf_sqlite *out, struct rf_sqlite_table *table, uint32_t index)
{
    const struct rf_counter *counter = rf_counter_at(out->rec, index);
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    struct rf_row row;
    char text[MAX_COLUMNS][NUMBER_ROOM];
    struct rf_sqlite_value value[MAX_COLUMNS] = {
        rf_sqlite_int(index),
        counter->process != RF_NO_INDEX ? rf_sqlite_int(out->global_pids[counter->process])
                                        : rf_sqlite_null(),
        nvtx->thread != RF_NO_INDEX ? rf_sqlite_int(rf_global_tid_of(out, nvtx->thread))
                                    : rf_sqlite_null(),
        rf_sqlite_int(rf_domain_at(out->rec, nvtx->domain)->id),
        rf_sqlite_name(out, counter->name)};
    size_t n = 5;
    rf_row_of_counter(out->rec, counter, NULL, &row);
    for (size_t i = 0; i < rf_counter_fields.n && n < MAX_COLUMNS - 1; i++)
        if (rf_counter_fields.field[i].own_column != NULL) {
            value[n] = value_of(out, &rf_counter_fields.field[i], &row, text[n]);
            n++;
        }
    value[n++] = factor_of(nvtx);
    rf_sqlite_insert(out, table, n, value);
}

static struct rf_sqlite_value sample_value(const struct rf_sample_at *at, char text[NUMBER_ROOM])
{
    const uint64_t integer =
        at->counter->nvtx->integer != NULL ? (uint64_t)at->counter->nvtx->integer[at->i] : 0;
    switch (rf_sample_form(at)) {
    case RF_SAMPLE_IS_NONE:
        return rf_sqlite_null();
    case RF_SAMPLE_IS_REAL:
        return rf_sqlite_real(at->counter->value[at->i]);
    case RF_SAMPLE_IS_UINT64:
        return unsigned_value(integer, text);
    default:
        return rf_sqlite_int((int64_t)integer);
    }
}

static struct rf_sqlite_value flags_of(const struct rf_sample_at *at)
{
    switch (rf_sample_flags(at) & (RF_SAMPLE_NO_VALUE | RF_SAMPLE_PLACED)) {
    case RF_SAMPLE_NO_VALUE:
        return rf_sqlite_text("no_value");
    case RF_SAMPLE_PLACED:
        return rf_sqlite_text("placed");
    case RF_SAMPLE_NO_VALUE | RF_SAMPLE_PLACED:
        return rf_sqlite_text("no_value+placed");
    default:
        return rf_sqlite_null();
    }
}

static void write_samples(struct rf_sqlite *out, struct rf_sqlite_table *table, uint32_t index)
{
    struct rf_sample_at at = {rf_counter_at(out->rec, index), 0};
    char text[NUMBER_ROOM];
    for (; at.i < at.counter->n_samples && out->status == RF_OK; at.i++) {
        RF_SQLITE_INSERT(out, table, rf_sqlite_int(index), rf_sqlite_int(at.counter->ns[at.i]),
                         sample_value(&at, text), flags_of(&at));
        rf_sqlite_step(out);
    }
}

void rf_sqlite_write_counters(struct rf_sqlite *out)
{
    struct rf_sqlite_table counters = {.name = "RANGEFINDER_NVTX_COUNTERS"};
    struct rf_sqlite_table samples = {
        .name = "RANGEFINDER_NVTX_COUNTER_SAMPLES",
        .columns = "counterId INTEGER NOT NULL, timestamp INTEGER NOT NULL, value, flags TEXT"};
    bool has_table = false;
    for (uint32_t i = 0; i < rf_n_counters(out->rec) && out->status == RF_OK; i++) {
        if (rf_counter_at(out->rec, i)->nvtx == NULL)
            continue;
        if (!has_table) {
            make_table(out, &counters);
            rf_sqlite_create_table(out, &samples);
        }
        has_table = true;
        write_counter(out, &counters, i);
        write_samples(out, &samples, i);
    }
}
