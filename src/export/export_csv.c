/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: a header line and one line per event, in the order of time. Fields are quoted as RFC 4180
 * has it; lines end with a newline alone. A field that is absent is empty, an empty text is "". */
#include "base/escape.h"
#include "export/event_names.h"
#include "export/export.h"

static const char header[] =
    "type,start_ns,end_ns,duration_ns,pid,tid,thread_name,domain_id,domain,name,"
    "category,category_name,color,payload_type,payload,id,operation,"
    "end_tid,cut,flags\n";

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
        rf_sink_payload(sink, event);
    } else {
        rf_sink_char(sink, ',');
    }
    rf_sink_char(sink, ',');
    if (event->kind == RF_EVENT_START_END)
        rf_sink_u64(sink, rf_start_end_at(rec, event->link)->number);
    rf_sink_text(sink, ",,");
}

/* category, category_name, color, payload_type, payload, id, operation of the other kinds. */
static void put_particulars(struct rf_sink *sink, const struct rf_event *event)
{
    const char *value_type = "";
    const char *operation = "";
    int has_id = event->kind >= RF_EVENT_RESOURCE;
    if (event->kind == RF_EVENT_CATEGORY || event->kind == RF_EVENT_RESOURCE)
        rf_sink_u64(sink, event->category);
    if (event->kind == RF_EVENT_THREAD_NAME)
        value_type = "tid";
    else if (event->kind == RF_EVENT_RESOURCE)
        value_type = "identifier";
    else if (event->kind == RF_EVENT_OBJECT_NAME || event->kind == RF_EVENT_RESOURCE_DESTROY ||
             event->kind == RF_EVENT_SYNC_DESTROY)
        value_type = "handle";
    if (event->kind == RF_EVENT_OBJECT_NAME)
        operation = rf_object_kind_name(event->category);
    else if (event->kind == RF_EVENT_SYNC)
        operation = rf_sync_operation_name(event->category);
    rf_sink_text(sink, ",,,");
    rf_sink_text(sink, value_type);
    rf_sink_char(sink, ',');
    if (event->kind == RF_EVENT_THREAD_NAME)
        rf_sink_u64(sink, event->payload);
    else if (value_type[0] != '\0')
        rf_sink_hex(sink, event->payload);
    rf_sink_char(sink, ',');
    if (has_id)
        rf_sink_u64(sink, event->color);
    rf_sink_char(sink, ',');
    rf_sink_text(sink, operation);
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
    rf_sink_char(sink, '\n');
}

static void put_event(void *context, struct rf_sink *sink, const struct rf_event_at *at)
{
    const rf_recording *rec = context;
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
}

static int write_csv(struct rf_export_job *job, struct rf_sink *sink)
{
    rf_sink_text(sink, header);
    return rf_export_each(job, sink, put_event, (void *)job->rec);
}

const struct rf_export_format rf_export_csv = {
    .name = "csv",
    .description = "CSV: one line per event",
    .write_text = write_csv,
};
