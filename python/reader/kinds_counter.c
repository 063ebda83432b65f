/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and their samples. */
#include "shared_recording.h"
#include "kind.h"
#include "rows.h"

/* ---- Counters ---- */

static bool run_of_counters(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_counter_at(recording->rec, 0), rf_n_counters(recording->rec));
}

#define COUNTER(member) FIELD(struct rf_counter, member)

static const struct column counter_columns[] = {
    {"name", TEXT, COUNTER(name), .doc = "str: 'SMs Active [Throughput %]'."},
    {"set", TEXT, COUNTER(set), .doc = "str: what it was sampled with; or None."},
    {"device", NUMBER, COUNTER(device), .absent = RF_ABSENT_MAX, .doc = "int: Gpu.id; or None."},
    {"process", INDEX, COUNTER(process), .refers = PROCESSES,
     .doc = "Process; None where it is of the machine."},
    {"n_samples", COUNT, COUNTER(n_samples), .doc = "int: how many samples it has."},
    {"is_derived", FLAG, COUNTER(is_derived),
     .doc = "bool: whether it was computed from allocations of memory."},
    {.name = NULL}};

static const PyGetSetDef counter_objects[] = {
    {"samples", rows_of_run_object, NULL, "Rows of Sample, by time.", &kinds[SAMPLES]},
    {NULL, NULL, NULL, NULL, NULL}};

const struct kind counter_kind = {.name = "counters",
                                  .type_name = "rangefinder.recording.Counter",
                                  .doc = "A quantity over time.",
                                  .columns = counter_columns,
                                  .size = sizeof(struct rf_counter),
                                  .run = run_of_counters,
                                  .objects = counter_objects};

/* ---- Samples: a row is a time; its value stands beside it ---- */

static bool run_of_samples(const struct recording *recording, uint32_t i, struct run *run)
{
    const struct rf_counter *counter = rf_counter_at(recording->rec, i);
    if (counter != NULL)
        *run = (struct run){counter->ns, counter->n_samples};
    return counter != NULL;
}

static const void *counter_of(const struct row *row)
{
    return rf_counter_at(row->recording->rec, row->run);
}

static const void *value_of(const struct row *row)
{
    return rf_counter_at(row->recording->rec, row->run)->value + row->index;
}

static const struct column sample_columns[] = {
    {"start_ns", TIME, .size = sizeof(int64_t), .doc = "int: nanoseconds after time 0."},
    {"value", REAL, .size = sizeof(double), .of = value_of, .is_array = true,
     .doc = "float: in the unit that the counter's name gives."},
    {"counter", INDEX, .get = get_run, .refers = COUNTERS,
     .doc = "Counter. As a column: its index in Recording.counters."},
    {"name", TEXT, COUNTER(name), .of = counter_of, .doc = "str: of the counter."},
    {.name = NULL}};

const struct kind sample_kind = {
    .name = "samples",
    .type_name = "rangefinder.recording.Sample",
    .doc = "The value of a counter from the sample before up to start_ns.",
    .columns = sample_columns,
    .size = sizeof(int64_t),
    .is_timed = true,
    .run = run_of_samples};
