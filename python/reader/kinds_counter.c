/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds_counter.h"

#include "kind.h"
#include "row.h"
#include "rows.h"

int run_of_counters(const struct held *held, uint32_t i, struct run *run)
{
    *run = (struct run){(const char *)rf_counter_at(held->rec, 0), rf_n_counters(held->rec)};
    return i == 0;
}

int run_of_samples(const struct held *held, uint32_t i, struct run *run)
{
    const struct rf_counter *counter = rf_counter_at(held->rec, i);
    if (counter == NULL)
        return 0;
    *run = (struct run){(const char *)counter->ns, counter->n_samples};
    return 1;
}

static int get_counter_device(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    return value_set_id(value, ((const struct rf_counter *)row->at)->device, RF_NO_INDEX);
}

static int get_n_samples(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = ((const struct rf_counter *)row->at)->n_samples;
    return 1;
}

#define COUNTER(member) FIELD(struct rf_counter, member)

const struct column counter_columns[] = {
    {"name", TEXT, COUNTER(name), .doc = "str: 'SMs Active [Throughput %]'."},
    {"set", TEXT, COUNTER(set), .doc = "str: what it was sampled with; or None."},
    {"device", NUMBER, .get = get_counter_device, .doc = "int: Gpu.id; or None."},
    {"process", INDEX, COUNTER(process), .refers = PROCESSES,
     .doc = "Process; None where it is of the machine."},
    {"n_samples", COUNT, .get = get_n_samples, .doc = "int."},
    {"is_derived", FLAG, COUNTER(is_derived),
     .doc = "bool: whether it was reckoned from allocations."},
    {.name = NULL}};

static PyObject *samples_object(PyObject *self, void *ignored)
{
    (void)ignored;
    return rows_new(row_of_object(self)->held, &kinds[SAMPLES], row_of_object(self)->index);
}

const PyGetSetDef counter_objects[] = {
    {"samples", samples_object, NULL, "Rows of Sample, by time.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* A row is a time; its value stands beside it. */
static const char *values_of(const struct held *held, uint32_t run)
{
    return (const char *)rf_counter_at(held->rec, run)->value;
}

static int get_sample_value(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->d = rf_counter_at(row->held->rec, row->run)->value[row->index];
    return 1;
}

static int get_sample_counter(const struct column *column, const struct row *row,
                              union value *value)
{
    (void)column;
    value->i = row->run;
    return 1;
}

static int get_sample_name(const struct column *column, const struct row *row, union value *value)
{
    (void)column;
    value->u = rf_counter_at(row->held->rec, row->run)->name;
    return 1;
}

const struct column sample_columns[] = {
    {"start_ns", TIME, 0, .doc = "int: nanoseconds after time 0."},
    {"value", REAL, .get = get_sample_value, .beside = values_of, .doc = "float."},
    {"counter", INDEX, .get = get_sample_counter, .refers = COUNTERS,
     .doc = "Counter. As a column: its index in Recording.counters."},
    {"name", TEXT, .get = get_sample_name, .doc = "str: of the counter."},
    {.name = NULL}};

const PyGetSetDef sample_objects[] = {{NULL, NULL, NULL, NULL, NULL}};
