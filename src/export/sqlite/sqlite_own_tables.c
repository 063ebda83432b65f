/* SPDX-License-Identifier: Apache-2.0 */
/* The tables RANGEFINDER_*, for what the schema has no place for, except for those that are written
 * beside a table of the schema. */
#include "export/sqlite/sqlite_own_tables.h"

#include "model/fields/event_names.h"

static void write_info(struct rf_sqlite *out)
{
    const struct rf_info *info = rf_get_info(out->rec);
    const struct {
        const char *name;
        struct rf_sqlite_value value;
    } rows[] = {
        {"recording", rf_sqlite_text(info->path)},
        {"recordedBy", rf_sqlite_text(info->product)},
        {"exportedBy", rf_sqlite_text("Rangefinder " RF_PRODUCT_VERSION)},
        {"host", rf_sqlite_text(info->host)},
        {"epochUtcNs", rf_sqlite_int(info->epoch_utc_ns)},
        {"epochMonotonicNs", rf_sqlite_int(info->epoch_mono_ns)},
        {"utcOffsetSeconds", rf_sqlite_int(info->utc_offset_s)},
        {"clock", rf_sqlite_text(info->clock_name)},
        {"clockHz", rf_sqlite_real(info->clock_hz)},
        {"endNs", rf_sqlite_int(info->end_ns)},
        {"events", rf_sqlite_int((int64_t)info->n_events)},
        {"ranges", rf_sqlite_int((int64_t)info->n_ranges)},
        {"marks", rf_sqlite_int((int64_t)info->n_marks)},
        {"cutRanges", rf_sqlite_int((int64_t)info->n_cut)},
        {"rangesCutAtStart", rf_sqlite_int((int64_t)info->n_cut_at_start)},
        {"isFocused", rf_sqlite_int(info->is_focused)},
        {"lostEvents", rf_sqlite_int((int64_t)info->n_lost_records)},
        {"lostBytes", rf_sqlite_int((int64_t)info->lost_bytes)},
        {"lostDefinitions", rf_sqlite_int((int64_t)info->n_lost_defs)},
        {"lostProcesses", rf_sqlite_int((int64_t)info->n_failed_processes)},
        {"damagedBytes", rf_sqlite_int((int64_t)info->n_damaged_bytes)},
        {"unmatchedEnds", rf_sqlite_int((int64_t)info->n_unmatched_ends)},
        {"foreignEnds", rf_sqlite_int((int64_t)info->n_foreign_ends)},
        {"stalls", rf_sqlite_int((int64_t)info->n_stalls)},
        {"stallNs", rf_sqlite_int((int64_t)info->stall_ns)},
        {"isLive", rf_sqlite_int(info->is_live)},
        {"isFinished", rf_sqlite_int(info->is_finished)},
        {"rootPid", rf_sqlite_int_unless(info->root_pid, 0)},
        {"rootSignal", rf_sqlite_int(info->root_signal)},
        {"rootStatus", rf_sqlite_int(info->root_status)},
    };
    struct rf_sqlite_table table = {.name = "RANGEFINDER_INFO"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        RF_SQLITE_INSERT(out, &table, rf_sqlite_text(rows[i].name), rows[i].value);
}

static void write_messages(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "RANGEFINDER_MESSAGES"};
    const char *message;
    for (size_t i = 0; (message = rf_message_at(out->rec, i)) != NULL; i++)
        RF_SQLITE_INSERT(out, &table, rf_sqlite_text(message));
}

static void write_captures(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "RANGEFINDER_CAPTURES"};
    for (uint32_t i = 0; i < rf_n_captures(out->rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(out->rec, i);
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(capture->number),
                         rf_sqlite_int(capture->begin_ns), rf_sqlite_int(capture->end_ns),
                         rf_sqlite_int(capture->is_open != 0));
    }
}

/* ---- Processes ---- */

static void write_processes(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "RANGEFINDER_PROCESSES"};
    for (uint32_t i = 0; i < rf_n_processes(out->rec); i++) {
        const struct rf_process *process = rf_process_at(out->rec, i);
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(i), rf_sqlite_int(out->global_pids[i]),
                         rf_sqlite_int(process->pid), rf_sqlite_int(process->ppid),
                         rf_sqlite_int_unless(process->parent, RF_NO_INDEX),
                         rf_sqlite_name(out, process->name), rf_sqlite_name(out, process->exe),
                         rf_sqlite_name(out, process->command), rf_sqlite_name(out, process->cwd),
                         rf_sqlite_int_unless(process->first_ns, RF_NO_TIME),
                         rf_sqlite_int_unless(process->exit_ns, RF_NO_TIME),
                         rf_sqlite_int((int64_t)process->pid_ns),
                         rf_sqlite_int((int64_t)process->n_lost_records));
    }
}

static void write_arguments(struct rf_sqlite *out)
{
    struct rf_sqlite_table arguments = {.name = "RANGEFINDER_ARGUMENTS"};
    struct rf_sqlite_table environment = {.name = "RANGEFINDER_ENVIRONMENT"};
    for (uint32_t i = 0; i < rf_n_processes(out->rec); i++) {
        const struct rf_process *process = rf_process_at(out->rec, i);
        for (uint32_t k = 0; k < process->n_args; k++)
            RF_SQLITE_INSERT(out, &arguments, rf_sqlite_int(i), rf_sqlite_int(k),
                             rf_sqlite_name(out, process->args[k]));
        for (uint32_t k = 0; k < process->n_env; k++)
            RF_SQLITE_INSERT(out, &environment, rf_sqlite_int(i),
                             rf_sqlite_name(out, process->env[k]));
    }
}

static void write_threads(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "RANGEFINDER_THREADS"};
    for (uint32_t i = 0; i < rf_n_threads(out->rec); i++) {
        const struct rf_thread *thread = rf_thread_at(out->rec, i);
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(i), rf_sqlite_int(thread->process),
                         rf_sqlite_int(rf_global_tid_of(out, i)), rf_sqlite_int(thread->tid),
                         rf_sqlite_int(thread->serial), rf_sqlite_name(out, thread->name),
                         rf_sqlite_int(thread->is_named != 0),
                         rf_sqlite_int_unless(thread->first_ns, RF_NO_TIME),
                         rf_sqlite_int_unless(thread->end_ns, RF_NO_TIME),
                         rf_sqlite_int((int64_t)thread->n_events));
    }
}

static void write_domains(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "RANGEFINDER_DOMAINS"};
    char handle[20];
    for (uint32_t i = 0; i < rf_n_domains(out->rec); i++) {
        const struct rf_domain *domain = rf_domain_at(out->rec, i);
        RF_SQLITE_INSERT(out, &table, rf_sqlite_int(domain->process), rf_sqlite_int(domain->id),
                         rf_sqlite_name(out, domain->name), rf_sqlite_int(domain->is_valid != 0),
                         domain->is_valid ? rf_sqlite_null()
                                          : rf_sqlite_hex(handle, domain->handle));
    }
}

/* ---- Events that NVTX_EVENTS has no row for ---- */

/* The tables of such events. */
struct event_tables {
    struct rf_sqlite_table objects;
    struct rf_sqlite_table resources;
    struct rf_sqlite_table syncs;
};

static void write_object(struct rf_sqlite *out, struct rf_sqlite_table *table, uint32_t thread,
                         const struct rf_event *event)
{
    char handle[20];
    RF_SQLITE_INSERT(out, table, rf_sqlite_int(event->start_ns),
                     rf_sqlite_int(rf_global_tid_of(out, thread)),
                     rf_sqlite_text(rf_object_kind_name((int)event->object_kind)),
                     rf_sqlite_hex(handle, event->handle), rf_sqlite_name(out, event->name));
}

static void write_resource(struct rf_sqlite *out, struct rf_sqlite_table *table, uint32_t thread,
                           const struct rf_event *event)
{
    char identifier[20];
    bool is_creation = event->kind == RF_EVENT_RESOURCE;
    RF_SQLITE_INSERT(
        out, table, rf_sqlite_int(event->start_ns), rf_sqlite_int(rf_global_tid_of(out, thread)),
        rf_sqlite_int(rf_domain_at(out->rec, event->domain)->id),
        rf_sqlite_text(is_creation ? "create" : "destroy"), rf_sqlite_int(event->resource_index),
        is_creation ? rf_sqlite_int(event->identifier_type) : rf_sqlite_null(),
        rf_sqlite_hex(identifier, is_creation ? event->identifier : event->handle),
        rf_sqlite_name(out, event->name));
}

static const char *sync_operation(const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_SYNC_CREATE:
        return "create";
    case RF_EVENT_SYNC_DESTROY:
        return "destroy";
    default:
        return rf_sync_operation_name((int)event->sync_operation);
    }
}

static void write_sync(struct rf_sqlite *out, struct rf_sqlite_table *table, uint32_t thread,
                       const struct rf_event *event)
{
    char handle[20];
    if (table->insert == NULL) /* a recording without such events lacks the column */
        rf_sqlite_run(out, "ALTER TABLE RANGEFINDER_SYNC ADD COLUMN handle TEXT");
    RF_SQLITE_INSERT(out, table, rf_sqlite_int(event->start_ns),
                     rf_sqlite_int(rf_global_tid_of(out, thread)),
                     rf_sqlite_int(rf_domain_at(out->rec, event->domain)->id),
                     rf_sqlite_text(sync_operation(event)), rf_sqlite_int(event->sync_index),
                     rf_sqlite_name(out, event->name),
                     event->kind != RF_EVENT_SYNC_CREATE ? rf_sqlite_hex(handle, event->handle)
                                                         : rf_sqlite_null());
}

static void write_event(struct rf_sqlite *out, struct event_tables *tables, uint32_t thread,
                        const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_OBJECT_NAME:
        write_object(out, &tables->objects, thread, event);
        break;
    case RF_EVENT_RESOURCE:
    case RF_EVENT_RESOURCE_DESTROY:
        write_resource(out, &tables->resources, thread, event);
        break;
    case RF_EVENT_SYNC_CREATE:
    case RF_EVENT_SYNC_DESTROY:
    case RF_EVENT_SYNC:
        write_sync(out, &tables->syncs, thread, event);
        break;
    default:
        break;
    }
}

static void write_events(struct rf_sqlite *out)
{
    struct event_tables tables = {
        {.name = "RANGEFINDER_OBJECT_NAMES"},
        {.name = "RANGEFINDER_RESOURCES"},
        {.name = "RANGEFINDER_SYNC"},
    };
    for (uint32_t t = 0; t < rf_n_threads(out->rec) && out->status == RF_OK; t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(out->rec, t, &n);
        for (size_t i = 0; i < n && out->status == RF_OK; i++)
            write_event(out, &tables, t, &events[i]);
    }
}

void rf_sqlite_write_own_tables(struct rf_sqlite *out)
{
    write_info(out);
    write_messages(out);
    write_captures(out);
    write_processes(out);
    write_arguments(out);
    write_threads(out);
    write_domains(out);
    write_events(out);
}
