/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: a header line and one line per event, in the order of time. Fields are quoted as RFC 4180
 * has it; lines end with a newline alone. A field that is absent is empty, an empty text is "". */
#include "base/escape.h"
#include "model/fields/event_names.h"
#include "export/export.h"
#include "export/extra_words.h"
#include "model/fields/gpu_names.h"

static const char header[] =
    "type,start_ns,end_ns,duration_ns,pid,tid,thread_name,domain_id,domain,name,"
    "category,category_name,color,payload_type,payload,id,operation,"
    "end_tid,cut,flags";

/* Only where there are calls or GPU work. */
static const char work_header[] =
    ",device,context,stream,correlation,result,grid,block,registers,static_shared_bytes,"
    "dynamic_shared_bytes,bytes,source_memory,target_memory,graph,full_name";
#define N_WORK_COLUMNS 15

struct csv_writer {
    const rf_recording *rec;
    int has_work;
};

static int is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static void put_times(struct rf_sink *sink, const struct rf_event *event)
{
    rf_sink_i64(sink, event->start_ns);
    rf_sink_char(sink, ',');
    if (is_range(event)) {
        rf_sink_i64(sink, event->end_ns);
        rf_sink_char(sink, ',');
        rf_sink_i64(sink, rf_duration_ns(event));
    } else {
        rf_sink_char(sink, ',');
    }
    rf_sink_char(sink, ',');
}

static void put_place(struct rf_sink *sink, const rf_recording *rec, uint32_t thread_index)
{
    const struct rf_thread *thread = rf_thread_at(rec, thread_index);
    rf_sink_u64(sink, rf_process_at(rec, thread->process)->pid);
    rf_sink_char(sink, ',');
    rf_sink_u64(sink, thread->tid);
    rf_sink_char(sink, ',');
    rf_sink_csv_name(sink, rec, thread->name);
    rf_sink_char(sink, ',');
}

static void put_domain(struct rf_sink *sink, const rf_recording *rec, const struct rf_event *event)
{
    const struct rf_domain *domain = rf_domain_at(rec, event->domain);
    rf_sink_u64(sink, domain->id);
    rf_sink_char(sink, ',');
    if (domain->is_valid)
        rf_sink_csv_name(sink, rec, domain->name);
    else
        rf_sink_hex(sink, domain->handle);
    rf_sink_char(sink, ',');
}

static void put_attributes(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_event *event)
{
    if ((event->flags & RF_EVENT_HAS_CATEGORY) != 0) {
        rf_sink_u64(sink, event->category);
        rf_sink_char(sink, ',');
        rf_sink_csv_name(sink, rec, rf_category_name(rec, event->domain, event->category));
    } else {
        rf_sink_char(sink, ',');
    }
    rf_sink_char(sink, ',');
    if ((event->flags & RF_EVENT_HAS_COLOR) != 0)
        rf_sink_color(sink, event->color);
    rf_sink_char(sink, ',');
    if (event->payload_type != RF_TYPE_NONE) {
        rf_sink_text(sink, rf_payload_type_name(event->payload_type));
        rf_sink_char(sink, ',');
        if (rf_payload_string(event) != RF_NO_STRING)
            rf_sink_csv_name(sink, rec, rf_payload_string(event));
        else
            rf_sink_payload(sink, event);
    } else {
        rf_sink_char(sink, ',');
    }
    rf_sink_char(sink, ',');
    if (event->kind == RF_EVENT_START_END)
        rf_sink_u64(sink, rf_start_end_at(rec, event->link)->number);
    rf_sink_text(sink, ",,");
}

/* The columns payload_type and payload of events that are no annotations. */
static void put_particular_value(struct rf_sink *sink, const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_THREAD_NAME:
        rf_sink_text(sink, "tid,");
        rf_sink_u64(sink, event->named_tid);
        break;
    case RF_EVENT_RESOURCE:
        rf_sink_text(sink, "identifier,");
        rf_sink_hex(sink, event->identifier);
        break;
    case RF_EVENT_OBJECT_NAME:
    case RF_EVENT_RESOURCE_DESTROY:
    case RF_EVENT_SYNC_DESTROY:
        rf_sink_text(sink, "handle,");
        rf_sink_hex(sink, event->handle);
        break;
    default:
        rf_sink_char(sink, ',');
        break;
    }
}

/* Their columns id and operation. */
static void put_particular_object(struct rf_sink *sink, const struct rf_event *event)
{
    if (event->kind == RF_EVENT_RESOURCE || event->kind == RF_EVENT_RESOURCE_DESTROY)
        rf_sink_u64(sink, event->resource_index);
    else if (event->kind >= RF_EVENT_SYNC_CREATE)
        rf_sink_u64(sink, event->sync_index);
    rf_sink_char(sink, ',');
    if (event->kind == RF_EVENT_OBJECT_NAME)
        rf_sink_text(sink, rf_object_kind_name(event->object_kind));
    else if (event->kind == RF_EVENT_SYNC)
        rf_sink_text(sink, rf_sync_operation_name(event->sync_operation));
}

/* category, category_name, color, payload_type, payload, id, operation of the other kinds. */
static void put_particulars(struct rf_sink *sink, const struct rf_event *event)
{
    if (event->kind == RF_EVENT_CATEGORY)
        rf_sink_u64(sink, event->category);
    else if (event->kind == RF_EVENT_RESOURCE)
        rf_sink_u64(sink, event->identifier_type);
    rf_sink_text(sink, ",,,");
    put_particular_value(sink, event);
    rf_sink_char(sink, ',');
    put_particular_object(sink, event);
    rf_sink_char(sink, ',');
}

static void put_end(struct rf_sink *sink, const rf_recording *rec, const struct rf_event_at *at)
{
    const struct rf_event *event = at->event;
    if (event->kind == RF_EVENT_START_END) {
        uint32_t end_thread = rf_start_end_at(rec, event->link)->end_thread;
        if (end_thread != at->thread && end_thread != RF_NO_INDEX)
            rf_sink_u64(sink, rf_thread_at(rec, end_thread)->tid);
    }
    rf_sink_char(sink, ',');
    if (event->cut != RF_CUT_NONE)
        rf_sink_text(sink, rf_cut_name(event->cut));
    rf_sink_char(sink, ',');
    rf_sink_flags(sink, rec, event);
}

static void put_event(void *context, struct rf_sink *sink, const struct rf_event_at *at)
{
    const struct csv_writer *to = context;
    const rf_recording *rec = to->rec;
    const struct rf_event *event = at->event;
    rf_sink_text(sink, rf_event_kind_name(event->kind));
    rf_sink_char(sink, ',');
    put_times(sink, event);
    put_place(sink, rec, at->thread);
    put_domain(sink, rec, event);
    rf_sink_csv_name(sink, rec, event->name);
    rf_sink_char(sink, ',');
    if (is_range(event) || event->kind == RF_EVENT_MARK)
        put_attributes(sink, rec, event);
    else
        put_particulars(sink, event);
    put_end(sink, rec, at);
    for (int i = 0; i < N_WORK_COLUMNS && to->has_work; i++)
        rf_sink_char(sink, ',');
    rf_sink_char(sink, '\n');
}

/* ---- Calls and GPU work ---- */

/* Columns up to name. */
static void put_work_head(struct rf_sink *sink, const char *type, int64_t start_ns, int64_t end_ns)
{
    rf_sink_text(sink, type);
    rf_sink_char(sink, ',');
    rf_sink_i64(sink, start_ns);
    rf_sink_char(sink, ',');
    rf_sink_i64(sink, end_ns);
    rf_sink_char(sink, ',');
    rf_sink_i64(sink, (int64_t)((uint64_t)end_ns - (uint64_t)start_ns));
    rf_sink_char(sink, ',');
}

static void put_call(struct rf_sink *sink, const rf_recording *rec, const struct rf_work_at *at)
{
    const struct rf_call *call = at->call;
    put_work_head(sink, rf_call_kind_name(call->kind), call->start_ns, call->end_ns);
    put_place(sink, rec, at->thread);
    rf_sink_text(sink, ",,");
    rf_sink_csv_name(sink, rec, call->name);
    rf_sink_text(sink, ",,,,,,,,,,"); /* category to cut */
    rf_sink_time_flags(sink, call->flags);
    rf_sink_text(sink, ",,,,"); /* device, context, stream */
    if (call->correlation != 0)
        rf_sink_u64(sink, call->correlation);
    rf_sink_char(sink, ',');
    if (call->kind != RF_CALL_OS)
        rf_sink_i64(sink, call->result);
    rf_sink_text(sink, ",,,,,,,,,,\n");
}

static void put_triple(struct rf_sink *sink, const uint32_t value[3])
{
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            rf_sink_char(sink, 'x');
        rf_sink_u64(sink, value[i]);
    }
    rf_sink_char(sink, ',');
}

/* grid to dynamic_shared_bytes. */
static void put_kernel(struct rf_sink *sink, const struct rf_kernel *kernel)
{
    if (kernel == NULL) {
        rf_sink_text(sink, ",,,,,");
        return;
    }
    put_triple(sink, kernel->grid);
    put_triple(sink, kernel->block);
    rf_sink_u64(sink, kernel->registers);
    rf_sink_char(sink, ',');
    rf_sink_u64(sink, kernel->static_shared_bytes);
    rf_sink_char(sink, ',');
    rf_sink_u64(sink, kernel->dynamic_shared_bytes);
    rf_sink_char(sink, ',');
}

/* bytes to target_memory. What is set has a target only. */
static void put_transfer(struct rf_sink *sink, const struct rf_gpu_op *op,
                         const struct rf_transfer *transfer)
{
    if (transfer == NULL) {
        rf_sink_text(sink, ",,,");
        return;
    }
    int is_copy = op->kind == RF_OP_MEMCPY;
    rf_sink_u64(sink, transfer->bytes);
    rf_sink_char(sink, ',');
    if (is_copy)
        rf_sink_text(sink, rf_memory_kind_name(transfer->source_memory));
    rf_sink_char(sink, ',');
    rf_sink_text(sink,
                 rf_memory_kind_name(is_copy ? transfer->target_memory : transfer->source_memory));
    rf_sink_char(sink, ',');
}

static void put_op(struct rf_sink *sink, const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(rec, op->track);
    const struct rf_kernel *kernel = rf_op_kernel(rec, op);
    const struct rf_transfer *transfer = rf_op_transfer(rec, op);
    put_work_head(sink, rf_gpu_op_kind_name(op->kind), op->start_ns, op->end_ns);
    if (op->thread != RF_NO_INDEX) {
        put_place(sink, rec, op->thread);
    } else {
        rf_sink_u64(sink, rf_process_at(rec, track->process)->pid);
        rf_sink_text(sink, ",,,");
    }
    rf_sink_text(sink, ",,");
    rf_sink_csv_name(sink, rec, op->name);
    rf_sink_text(sink, ",,,,,,,"); /* category to id */
    if (op->kind == RF_OP_MEMCPY && transfer != NULL)
        rf_sink_text(sink, rf_copy_kind_name(transfer->copy_kind));
    else if (op->kind == RF_OP_SYNC)
        rf_sink_text(sink, rf_sync_type_name(op->sync_type));
    rf_sink_text(sink, ",,,"); /* end_tid, cut */
    rf_sink_time_flags(sink, op->flags);
    rf_sink_char(sink, ',');
    rf_sink_u64(sink, track->device);
    rf_sink_char(sink, ',');
    rf_sink_u64(sink, track->context);
    rf_sink_char(sink, ',');
    rf_sink_u64(sink, track->stream);
    rf_sink_char(sink, ',');
    if (op->correlation != 0)
        rf_sink_u64(sink, op->correlation);
    rf_sink_text(sink, ",,");
    put_kernel(sink, kernel);
    put_transfer(sink, op, transfer);
    if (op->graph != 0)
        rf_sink_u64(sink, op->graph);
    rf_sink_char(sink, ',');
    if (kernel != NULL)
        rf_sink_csv_name(sink, rec, kernel->demangled);
    rf_sink_char(sink, '\n');
}

/* ---- What else was recorded, and counters ---- */

/* Start to thread name. */
static void put_extra_head(struct rf_sink *sink, const rf_recording *rec,
                           const struct rf_extra *extra)
{
    rf_sink_text(sink, rf_extra_kind_name(extra->kind));
    rf_sink_char(sink, ',');
    if (extra->start_ns != RF_NO_TIME)
        rf_sink_i64(sink, extra->start_ns);
    rf_sink_char(sink, ',');
    if (extra->end_ns != RF_NO_TIME)
        rf_sink_i64(sink, extra->end_ns);
    rf_sink_char(sink, ',');
    if (extra->end_ns != RF_NO_TIME)
        rf_sink_i64(sink, rf_extra_duration_ns(extra));
    rf_sink_char(sink, ',');
    if (extra->thread != RF_NO_INDEX) {
        put_place(sink, rec, extra->thread);
        return;
    }
    if (extra->process != RF_NO_INDEX)
        rf_sink_u64(sink, rf_process_at(rec, extra->process)->pid);
    rf_sink_text(sink, ",,,");
}

static void put_id(struct rf_sink *sink, uint32_t id)
{
    if (id != RF_NO_INDEX)
        rf_sink_u64(sink, id);
    rf_sink_char(sink, ',');
}

static void put_extra(const struct csv_writer *to, struct rf_sink *sink,
                      const struct rf_extra *extra)
{
    int64_t bytes;
    put_extra_head(sink, to->rec, extra);
    rf_sink_text(sink, ",,");
    rf_sink_csv_name(sink, to->rec, extra->name);
    rf_sink_text(sink, ",,,,values,"); /* category to color */
    rf_sink_char(sink, '"');
    rf_sink_extra_words(sink, to->rec, extra, 1);
    rf_sink_text(sink, "\",,,,,,"); /* id to flags */
    put_id(sink, extra->device);
    put_id(sink, extra->context);
    put_id(sink, extra->stream);
    if (extra->correlation != 0)
        rf_sink_u64(sink, extra->correlation);
    rf_sink_text(sink, ",,,,,,,");
    if (rf_find_extra_value(to->rec, extra, "bytes", &bytes))
        rf_sink_i64(sink, bytes);
    rf_sink_text(sink, ",,,,\n");
}

static void put_sample(const struct csv_writer *to, struct rf_sink *sink,
                       const struct rf_work_at *at)
{
    const struct rf_counter *counter = rf_counter_at(to->rec, at->counter);
    rf_sink_text(sink, "counter,");
    rf_sink_i64(sink, *at->sample_ns);
    rf_sink_text(sink, ",,,");
    if (counter->process != RF_NO_INDEX)
        rf_sink_u64(sink, rf_process_at(to->rec, counter->process)->pid);
    rf_sink_text(sink, ",,,,,");
    rf_sink_csv_name(sink, to->rec, counter->name);
    rf_sink_text(sink, ",,,,double,");
    rf_sink_double(sink, *at->sample);
    rf_sink_text(sink, ",,,,,,");
    put_id(sink, counter->device);
    rf_sink_text(sink, ",,,,,,,,,,,,,");
    rf_sink_csv_name(sink, to->rec, counter->set);
    rf_sink_char(sink, '\n');
}

static void put_work(void *context, struct rf_sink *sink, const struct rf_work_at *at)
{
    const struct csv_writer *to = context;
    if (at->call != NULL)
        put_call(sink, to->rec, at);
    else if (at->op != NULL)
        put_op(sink, to->rec, at->op);
    else if (at->extra != NULL)
        put_extra(to, sink, at->extra);
    else
        put_sample(to, sink, at);
}

static int write_csv(struct rf_export_job *job, struct rf_sink *sink)
{
    struct csv_writer to = {job->rec, rf_count_work(job->rec) > 0};
    rf_sink_text(sink, header);
    if (to.has_work)
        rf_sink_text(sink, work_header);
    rf_sink_char(sink, '\n');
    return rf_export_each(job, sink, put_event, put_work, &to);
}

const struct rf_export_format rf_export_csv = {
    .name = "csv",
    .description = "CSV: one line per event",
    .extensions = {"csv"},
    .write_text = write_csv,
};
