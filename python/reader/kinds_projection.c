/* SPDX-License-Identifier: Apache-2.0 */
/* Projections. */
#include "shared_recording.h"
#include "kind.h"
#include "row.h"

static bool run_of_projections(const struct recording *recording, uint32_t i, struct run *run)
{
    *run = (struct run){NULL, 0};
    if (recording->projections != NULL)
        run->base = rf_projections_all(recording->projections, &run->n);
    return i == 0;
}

/* ---- Where members stand ---- */

static const struct rf_projection *projection_of(const struct row *row)
{
    return row->at;
}

static const void *range_of(const struct row *row)
{
    const struct rf_projection *projection = projection_of(row);
    return rf_thread_event_at(row->recording->rec, projection->thread, projection->event);
}

static const void *domain_of(const struct row *row)
{
    return rf_domain_at(row->recording->rec, ((const struct rf_event *)range_of(row))->domain);
}

static const void *process_of_projection(const struct row *row)
{
    return process_of_thread(row, projection_of(row)->thread);
}

static const void *thread_of_projection(const struct row *row)
{
    return rf_thread_at(row->recording->rec, projection_of(row)->thread);
}

#define PROJECTION(member) FIELD(struct rf_projection, member)
#define RANGE(member)      FIELD(struct rf_event, member), .of = range_of

static const struct column projection_columns[] = {
    {"name", TEXT, RANGE(name), .doc = "str: of the range."},
    {"domain", TEXT, .of = domain_of, .get = get_domain_name, .none_text = DEFAULT_DOMAIN,
     .doc = "str: of the range; 'NVTX' is the default domain."},
    {"start_ns", TIME, PROJECTION(start_ns), .doc = "int: of the first piece of work."},
    {"end_ns", TIME, PROJECTION(end_ns), .doc = "int: of the last piece of work."},
    {"duration_ns", TIME, PROJECTION(start_ns), .get = get_duration,
     .doc = "int: from the one to the other."},
    {"busy_ns", COUNT, PROJECTION(busy_ns), .doc = "int: sum of the durations of the work."},
    {"n_calls", NUMBER, PROJECTION(n_calls), .doc = "int: that caused the work."},
    {"n_ops", NUMBER, PROJECTION(n_ops), .doc = "int: pieces of work."},
    {"range_start_ns", TIME, RANGE(start_ns), .doc = "int: when the range began."},
    {"range_end_ns", TIME, RANGE(end_ns), .doc = "int: when the range ended."},
    {"pid", NUMBER, PROCESS(pid), .of = process_of_projection,
     .doc = "int: the process of the range."},
    {"tid", NUMBER, THREAD(tid), .of = thread_of_projection,
     .doc = "int: the thread of the range."},
    {"thread", INDEX, PROJECTION(thread), .refers = THREADS,
     .doc = "Thread: of the range. As a column: its index in Recording.threads."},
    {"is_by_process", FLAG, PROJECTION(by_process),
     .doc = "bool: whether the calls are those of the whole process."},
    {.name = NULL}};

static PyObject *projected_range_object(PyObject *self, void *ignored)
{
    const struct rf_projection *projection = projection_of(row_of_object(self));
    (void)ignored;
    return row_new_at(row_of_object(self)->recording, RANGES, projection->thread,
                      projection->event);
}

static const PyGetSetDef projection_objects[] = {
    {"range", projected_range_object, NULL, "Range.", NULL}, {NULL, NULL, NULL, NULL, NULL}};

const struct kind projection_kind = {.name = "projections",
                                     .type_name = "rangefinder.recording.Projection",
                                     .doc = "The GPU work under a range.",
                                     .columns = projection_columns,
                                     .size = sizeof(struct rf_projection),
                                     .run = run_of_projections,
                                     .objects = projection_objects};
