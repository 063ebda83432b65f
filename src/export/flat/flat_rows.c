/* SPDX-License-Identifier: Apache-2.0 */
#include "export/flat/flat_rows.h"

#include "model/fields/event_names.h"
#include "model/fields/fields_counter.h"
#include "model/fields/gpu_names.h"

const struct rf_fields *const rf_flat_fields[RF_N_FLAT_SETS] = {
    [RF_FLAT_EVENT] = &rf_event_fields,    [RF_FLAT_CALL] = &rf_call_fields,
    [RF_FLAT_OP] = &rf_op_fields,          [RF_FLAT_EXTRA] = &rf_extra_fields,
    [RF_FLAT_SAMPLE] = &rf_counter_fields,
};

struct flat_job {
    const rf_recording *rec;
    rf_flat_write_fn *write;
    void *context;
};

static void set_thread(struct rf_flat_row *row, uint32_t thread)
{
    row->thread = thread;
    if (thread == RF_NO_INDEX)
        return;
    row->of_thread = rf_thread_at(row->rec, thread);
    row->of_process = rf_process_at(row->rec, row->of_thread->process);
}

static void set_process(struct rf_flat_row *row, uint32_t process)
{
    if (process != RF_NO_INDEX)
        row->of_process = rf_process_at(row->rec, process);
}

static void set_call(struct rf_flat_row *row, const struct rf_call *call)
{
    row->set = RF_FLAT_CALL;
    row->kind = call->kind;
    row->type = rf_call_kind_name(call->kind);
    row->end_ns = call->end_ns;
    row->time_flags = call->flags;
    set_thread(row, row->work->thread);
    rf_row_of_call(call, row->parts);
}

static void set_op(struct rf_flat_row *row, const struct rf_gpu_op *op)
{
    row->set = RF_FLAT_OP;
    row->kind = op->kind;
    row->type = rf_gpu_op_kind_name(op->kind);
    row->end_ns = op->end_ns;
    row->time_flags = op->flags;
    rf_row_of_op(row->rec, op, row->parts);
    row->thread = op->thread;
    row->of_thread = rf_thread_at(row->rec, op->thread);
    set_process(row, ((const struct rf_gpu_track *)row->parts->part[RF_PART_TRACK])->process);
}

static void set_extra(struct rf_flat_row *row, const struct rf_extra *extra)
{
    row->set = RF_FLAT_EXTRA;
    row->type = rf_extra_kind_name(extra->kind);
    row->end_ns = extra->end_ns;
    set_process(row, extra->process);
    set_thread(row, extra->thread);
    *row->parts = (struct rf_row){.part = {extra}};
}

static void set_sample(struct rf_flat_row *row, const struct rf_counter *counter)
{
    row->set = RF_FLAT_SAMPLE;
    row->type = "counter";
    row->sample = (struct rf_sample_at){counter, (size_t)(row->work->sample - counter->value)};
    if (counter->nvtx != NULL)
        set_thread(row, counter->nvtx->thread);
    set_process(row, counter->process);
    rf_row_of_counter(row->rec, counter, &row->sample, row->parts);
}

/* Every member is given, so that nothing is zeroed first. */
static void write_event(void *context, struct rf_sink *sink, const struct rf_event_at *at)
{
    const struct flat_job *job = context;
    const struct rf_event *event = at->event;
    const struct rf_thread *thread = rf_thread_at(job->rec, at->thread);
    struct rf_row parts;
    bool has_fields = !rf_event_is_plain(event);
    if (has_fields)
        rf_row_of_event(job->rec, at, &parts);
    struct rf_flat_row row = {.rec = job->rec,
                              .set = RF_FLAT_EVENT,
                              .kind = has_fields ? event->kind : 0,
                              .type = rf_event_kind_name(event->kind),
                              .start_ns = event->start_ns,
                              .end_ns = event->end_ns,
                              .thread = at->thread,
                              .of_thread = thread,
                              .of_process = rf_process_at(job->rec, thread->process),
                              .time_flags = 0,
                              .is_plain = !has_fields,
                              .event = event,
                              .work = NULL,
                              .parts = &parts};
    job->write(job->context, sink, &row);
}

static void write_work(void *context, struct rf_sink *sink, const struct rf_work_at *at)
{
    const struct flat_job *job = context;
    struct rf_row parts;
    struct rf_flat_row row = {.rec = job->rec,
                              .set = RF_FLAT_SAMPLE,
                              .kind = 0,
                              .type = NULL,
                              .start_ns = rf_work_start_ns(at),
                              .end_ns = RF_NO_TIME,
                              .thread = RF_NO_INDEX,
                              .of_thread = NULL,
                              .of_process = NULL,
                              .time_flags = 0,
                              .is_plain = false,
                              .event = NULL,
                              .work = at,
                              .parts = &parts};
    if (at->call != NULL)
        set_call(&row, at->call);
    else if (at->op != NULL)
        set_op(&row, at->op);
    else if (at->extra != NULL)
        set_extra(&row, at->extra);
    else
        set_sample(&row, rf_counter_at(job->rec, at->counter));
    job->write(job->context, sink, &row);
}

void rf_sink_flat_flags(struct rf_sink *sink, const struct rf_flat_row *row)
{
    if (row->set == RF_FLAT_SAMPLE)
        rf_sink_sample_flags(sink, &row->sample);
    else if (row->event != NULL)
        rf_sink_flags(sink, row->rec, row->event);
    else
        rf_sink_time_flags(sink, row->time_flags);
}

int rf_flat_export(struct rf_export_job *job, struct rf_sink *sink, rf_flat_write_fn *write,
                   void *context)
{
    struct flat_job flat = {job->rec, write, context};
    return rf_export_each(job, sink, write_event, write_work, &flat);
}
