/* SPDX-License-Identifier: Apache-2.0 */
/* RANGEFINDER_*: what the schema has no place for. */
#include "export/sqlite/sqlite_extra.h"

#include <stdio.h>

#include "model/fields/event_names.h"

static int write_info(struct rf_sqlite *out)
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
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_INFO", 2, &insert);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && status == RF_OK; i++) {
        struct rf_sqlite_value row[] = {rf_sqlite_text(rows[i].name), rows[i].value};
        status = rf_sqlite_insert(out, insert, 2, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

static int write_messages(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    const char *message;
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_MESSAGES", 1, &insert);
    for (size_t i = 0; status == RF_OK && (message = rf_message_at(out->rec, i)) != NULL; i++) {
        struct rf_sqlite_value row[] = {rf_sqlite_text(message)};
        status = rf_sqlite_insert(out, insert, 1, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

static int write_captures(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_CAPTURES", 4, &insert);
    for (uint32_t i = 0; i < rf_n_captures(out->rec) && status == RF_OK; i++) {
        const struct rf_capture_info *capture = rf_capture_at(out->rec, i);
        struct rf_sqlite_value row[] = {
            rf_sqlite_int(capture->number), rf_sqlite_int(capture->begin_ns),
            rf_sqlite_int(capture->end_ns), rf_sqlite_int(capture->is_open != 0)};
        status = rf_sqlite_insert(out, insert, 4, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

/* ---- Processes ---- */

static int write_processes(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_PROCESSES", 13, &insert);
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && status == RF_OK; i++) {
        const struct rf_process *process = rf_process_at(out->rec, i);
        struct rf_sqlite_value row[] = {
            rf_sqlite_int(i),
            rf_sqlite_int(out->global_pids[i]),
            rf_sqlite_int(process->pid),
            rf_sqlite_int(process->ppid),
            rf_sqlite_int_unless(process->parent, RF_NO_INDEX),
            rf_sqlite_name(out->rec, process->name),
            rf_sqlite_name(out->rec, process->exe),
            rf_sqlite_name(out->rec, process->command),
            rf_sqlite_name(out->rec, process->cwd),
            rf_sqlite_int_unless(process->first_ns, RF_NO_TIME),
            rf_sqlite_int_unless(process->exit_ns, RF_NO_TIME),
            rf_sqlite_int((int64_t)process->pid_ns),
            rf_sqlite_int((int64_t)process->n_lost_records),
        };
        status = rf_sqlite_insert(out, insert, 13, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

static int write_arguments(struct rf_sqlite *out)
{
    sqlite3_stmt *arguments = NULL;
    sqlite3_stmt *environment = NULL;
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_ARGUMENTS", 3, &arguments);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, "RANGEFINDER_ENVIRONMENT", 2, &environment);
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && status == RF_OK; i++) {
        const struct rf_process *process = rf_process_at(out->rec, i);
        for (uint32_t k = 0; k < process->n_args && status == RF_OK; k++) {
            struct rf_sqlite_value row[] = {rf_sqlite_int(i), rf_sqlite_int(k),
                                            rf_sqlite_name(out->rec, process->args[k])};
            status = rf_sqlite_insert(out, arguments, 3, row);
        }
        for (uint32_t k = 0; k < process->n_env && status == RF_OK; k++) {
            struct rf_sqlite_value row[] = {rf_sqlite_int(i),
                                            rf_sqlite_name(out->rec, process->env[k])};
            status = rf_sqlite_insert(out, environment, 2, row);
        }
    }
    (void)sqlite3_finalize(arguments);
    (void)sqlite3_finalize(environment);
    return status;
}

static int write_threads(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_THREADS", 10, &insert);
    for (uint32_t i = 0; i < rf_n_threads(out->rec) && status == RF_OK; i++) {
        const struct rf_thread *thread = rf_thread_at(out->rec, i);
        struct rf_sqlite_value row[] = {
            rf_sqlite_int(i),
            rf_sqlite_int(thread->process),
            rf_sqlite_int(rf_global_tid_of(out, i)),
            rf_sqlite_int(thread->tid),
            rf_sqlite_int(thread->serial),
            rf_sqlite_name(out->rec, thread->name),
            rf_sqlite_int(thread->is_named != 0),
            rf_sqlite_int_unless(thread->first_ns, RF_NO_TIME),
            rf_sqlite_int_unless(thread->end_ns, RF_NO_TIME),
            rf_sqlite_int((int64_t)thread->n_events),
        };
        status = rf_sqlite_insert(out, insert, 10, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

/* Handles are text: as numbers the upper half of them would be negative. */
static struct rf_sqlite_value hex_value(char buffer[20], uint64_t handle)
{
    (void)snprintf(buffer, 20, "0x%llx", (unsigned long long)handle);
    return rf_sqlite_text(buffer);
}

static int write_domains(struct rf_sqlite *out)
{
    sqlite3_stmt *insert = NULL;
    char handle[20];
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_DOMAINS", 5, &insert);
    for (uint32_t i = 0; i < rf_n_domains(out->rec) && status == RF_OK; i++) {
        const struct rf_domain *domain = rf_domain_at(out->rec, i);
        struct rf_sqlite_value row[] = {
            rf_sqlite_int(domain->process),
            rf_sqlite_int(domain->id),
            rf_sqlite_name(out->rec, domain->name),
            rf_sqlite_int(domain->is_valid != 0),
            domain->is_valid ? rf_sqlite_null() : hex_value(handle, domain->handle),
        };
        status = rf_sqlite_insert(out, insert, 5, row);
    }
    (void)sqlite3_finalize(insert);
    return status;
}

/* ---- Events that NVTX_EVENTS has no row for ---- */

struct extra_writer {
    struct rf_sqlite *out;
    sqlite3_stmt *objects;
    sqlite3_stmt *resources;
    sqlite3_stmt *syncs;
};

static int write_object(struct extra_writer *to, uint32_t thread, const struct rf_event *event)
{
    char handle[20];
    struct rf_sqlite_value row[] = {
        rf_sqlite_int(event->start_ns),
        rf_sqlite_int(rf_global_tid_of(to->out, thread)),
        rf_sqlite_text(rf_object_kind_name((int)event->object_kind)),
        hex_value(handle, event->handle),
        rf_sqlite_name(to->out->rec, event->name),
    };
    return rf_sqlite_insert(to->out, to->objects, 5, row);
}

static int write_resource(struct extra_writer *to, uint32_t thread, const struct rf_event *event)
{
    char identifier[20];
    int is_creation = event->kind == RF_EVENT_RESOURCE;
    struct rf_sqlite_value row[] = {
        rf_sqlite_int(event->start_ns),
        rf_sqlite_int(rf_global_tid_of(to->out, thread)),
        rf_sqlite_int(rf_domain_at(to->out->rec, event->domain)->id),
        rf_sqlite_text(is_creation ? "create" : "destroy"),
        rf_sqlite_int(event->resource_index),
        is_creation ? rf_sqlite_int(event->identifier_type) : rf_sqlite_null(),
        hex_value(identifier, is_creation ? event->identifier : event->handle),
        rf_sqlite_name(to->out->rec, event->name),
    };
    return rf_sqlite_insert(to->out, to->resources, 8, row);
}

/* The column of handles is there where there are such events. */
static int prepare_syncs(struct extra_writer *to)
{
    int status = rf_sqlite_run(to->out, "ALTER TABLE RANGEFINDER_SYNC ADD COLUMN handle TEXT");
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(to->out, "RANGEFINDER_SYNC", 7, &to->syncs);
    return status;
}

static int write_sync(struct extra_writer *to, uint32_t thread, const struct rf_event *event)
{
    char handle[20];
    const char *operation = event->kind == RF_EVENT_SYNC_CREATE    ? "create"
                            : event->kind == RF_EVENT_SYNC_DESTROY ? "destroy"
                                                                   : NULL;
    struct rf_sqlite_value row[] = {
        rf_sqlite_int(event->start_ns),
        rf_sqlite_int(rf_global_tid_of(to->out, thread)),
        rf_sqlite_int(rf_domain_at(to->out->rec, event->domain)->id),
        rf_sqlite_text(operation != NULL ? operation
                                         : rf_sync_operation_name((int)event->sync_operation)),
        rf_sqlite_int(event->sync_index),
        rf_sqlite_name(to->out->rec, event->name),
        event->kind != RF_EVENT_SYNC_CREATE ? hex_value(handle, event->handle) : rf_sqlite_null(),
    };
    int status = to->syncs != NULL ? RF_OK : prepare_syncs(to);
    return status == RF_OK ? rf_sqlite_insert(to->out, to->syncs, 7, row) : status;
}

static int write_extra_event(struct extra_writer *to, uint32_t thread, const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_OBJECT_NAME:
        return write_object(to, thread, event);
    case RF_EVENT_RESOURCE:
    case RF_EVENT_RESOURCE_DESTROY:
        return write_resource(to, thread, event);
    case RF_EVENT_SYNC_CREATE:
    case RF_EVENT_SYNC_DESTROY:
    case RF_EVENT_SYNC:
        return write_sync(to, thread, event);
    default:
        return RF_OK;
    }
}

static int write_extra_events(struct rf_sqlite *out)
{
    struct extra_writer to = {.out = out};
    int status = rf_sqlite_prepare_insert(out, "RANGEFINDER_OBJECT_NAMES", 5, &to.objects);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, "RANGEFINDER_RESOURCES", 8, &to.resources);
    for (uint32_t t = 0; t < rf_n_threads(out->rec) && status == RF_OK; t++) {
        size_t n;
        const struct rf_event *events = rf_thread_events(out->rec, t, &n);
        for (size_t i = 0; i < n && status == RF_OK; i++)
            status = write_extra_event(&to, t, &events[i]);
    }
    (void)sqlite3_finalize(to.objects);
    (void)sqlite3_finalize(to.resources);
    (void)sqlite3_finalize(to.syncs);
    return status;
}

int rf_sqlite_write_extra(struct rf_sqlite *out)
{
    int status = write_info(out);
    if (status == RF_OK)
        status = write_messages(out);
    if (status == RF_OK)
        status = write_captures(out);
    if (status == RF_OK)
        status = write_processes(out);
    if (status == RF_OK)
        status = write_arguments(out);
    if (status == RF_OK)
        status = write_threads(out);
    if (status == RF_OK)
        status = write_domains(out);
    if (status == RF_OK)
        status = write_extra_events(out);
    return status;
}
