/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX_EVENTS. The rows are offered to SQLite as a virtual table and taken with one INSERT ...
 * SELECT, which costs two thirds of a statement per row. */
#include "export/sqlite/sqlite_events.h"

#include <stdlib.h>

#include "base/error.h"
#include "model/fields/event_names.h"
#include "export/sqlite/sqlite_notes.h"
#include "export/sqlite/sqlite_rows.h"
#include "export/sqlite/sqlite_schema.h"

/* The virtual table's columns, in the order of NVTX_EVENTS. */
enum column {
    COLUMN_START,
    COLUMN_END,
    COLUMN_EVENT_TYPE,
    COLUMN_RANGE_ID,
    COLUMN_CATEGORY,
    COLUMN_COLOR,
    COLUMN_TEXT,
    COLUMN_GLOBAL_TID,
    COLUMN_END_GLOBAL_TID,
    COLUMN_TEXT_ID,
    COLUMN_DOMAIN_ID,
    COLUMN_UINT64,
    COLUMN_INT64,
    COLUMN_DOUBLE,
    COLUMN_UINT32,
    COLUMN_INT32,
    COLUMN_FLOAT,
    COLUMN_JSON_ID,
    COLUMN_JSON,
    COLUMN_BINARY,
};

static const char columns[] =
    "CREATE TABLE rows(start, end, eventType, rangeId, category, color, text, globalTid,"
    " endGlobalTid, textId, domainId, uint64Value, int64Value, doubleValue, uint32Value,"
    " int32Value, floatValue, jsonTextId, jsonText, binaryData)";

/* What the virtual table reads from: the module's client data. */
struct source {
    struct rf_sqlite *out;
    int64_t *global_tids; /* by thread */
    struct rf_nvtx_rows rows;
    uint64_t n_notes; /* rows that have something to be said about them */
    int status;       /* an error of ours, which SQLite only sees as "stop" */
};

struct source_table {
    sqlite3_vtab base;
    struct source *source;
};

struct source_cursor {
    sqlite3_vtab_cursor base;
    struct source *source;
    struct rf_nvtx_rows *rows;
    sqlite3_int64 rowid;
    int has_row;
};

/* ---- Values ---- */

static int event_type(const struct rf_event *event)
{
    switch (event->kind) {
    case RF_EVENT_PUSH_POP:
        return RF_NSYS_NVTX_PUSH_POP_RANGE;
    case RF_EVENT_START_END:
        return RF_NSYS_NVTX_START_END_RANGE;
    case RF_EVENT_MARK:
        return RF_NSYS_NVTX_MARK;
    case RF_EVENT_CATEGORY:
        return RF_NSYS_NVTX_CATEGORY;
    case RF_EVENT_THREAD_NAME:
        return RF_NSYS_NVTX_THREAD;
    case RF_EVENT_DOMAIN_CREATE:
        return RF_NSYS_NVTX_DOMAIN_CREATE;
    default:
        return RF_NSYS_NVTX_DOMAIN_DESTROY;
    }
}

static void result_string(sqlite3_context *context, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    if (text != NULL)
        sqlite3_result_text64(context, text, size, SQLITE_STATIC, SQLITE_UTF8);
}

static int is_registered(const struct rf_event *event)
{
    return (event->flags & (RF_EVENT_REGISTERED | RF_EVENT_BAD_HANDLE)) == RF_EVENT_REGISTERED &&
           event->name != RF_NO_STRING;
}

/* The payload stands in the column of its type; in the others nothing. */
static void result_payload(sqlite3_context *context, const struct rf_event *event, int column)
{
    double real;
    float single;
    uint32_t low = (uint32_t)event->payload;
    if (event->payload_type == RF_TYPE_NONE || column - COLUMN_UINT64 != event->payload_type - 1)
        return;
    switch (column) {
    case COLUMN_UINT64:
    case COLUMN_INT64:
        sqlite3_result_int64(context, (int64_t)event->payload);
        break;
    case COLUMN_DOUBLE:
        memcpy(&real, &event->payload, sizeof(real));
        sqlite3_result_double(context, real);
        break;
    case COLUMN_UINT32:
        sqlite3_result_int64(context, low);
        break;
    case COLUMN_INT32:
        sqlite3_result_int64(context, (int32_t)low);
        break;
    default:
        memcpy(&single, &low, sizeof(single));
        sqlite3_result_double(context, (double)single);
        break;
    }
}

static int64_t thread_of(const struct source_cursor *cursor, const struct rf_event_at *at)
{
    int64_t id = cursor->source->global_tids[at->thread];
    if (at->event->kind != RF_EVENT_THREAD_NAME)
        return id;
    /* nvtxNameOsThread can name any thread: the row is that thread's. */
    return (id & ~(int64_t)0xffffff) | (int64_t)(at->event->named_tid & 0xffffff);
}

static void result_end_thread(sqlite3_context *context, const struct source_cursor *cursor,
                              const struct rf_event_at *at)
{
    if (at->event->kind != RF_EVENT_START_END)
        return;
    uint32_t end_thread = rf_start_end_at(cursor->source->out->rec, at->event->link)->end_thread;
    if (end_thread != at->thread && end_thread != RF_NO_INDEX)
        sqlite3_result_int64(context, cursor->source->global_tids[end_thread]);
}

static void result_event(sqlite3_context *context, struct source_cursor *cursor, int column)
{
    const struct rf_event_at *at = &cursor->rows->at;
    const struct rf_event *event = at->event;
    struct rf_sqlite *out = cursor->source->out;
    switch (column) {
    case COLUMN_START:
        sqlite3_result_int64(context, event->start_ns);
        break;
    case COLUMN_END:
        if (event->end_ns != RF_NO_TIME)
            sqlite3_result_int64(context, event->end_ns);
        break;
    case COLUMN_EVENT_TYPE:
        sqlite3_result_int(context, event_type(event));
        break;
    case COLUMN_RANGE_ID:
        if (event->kind == RF_EVENT_START_END)
            sqlite3_result_int64(context, (int64_t)rf_start_end_at(out->rec, event->link)->number);
        break;
    case COLUMN_CATEGORY: /* 0 is NVTX's "no category", but can be given a name */
        if (event->kind == RF_EVENT_CATEGORY ||
            ((event->flags & RF_EVENT_HAS_CATEGORY) != 0 && event->category != 0))
            sqlite3_result_int64(context, event->category);
        break;
    case COLUMN_COLOR:
        if ((event->flags & RF_EVENT_HAS_COLOR) != 0)
            sqlite3_result_int64(context, event->color);
        break;
    case COLUMN_TEXT:
        if (!is_registered(event) && event->kind != RF_EVENT_DOMAIN_DESTROY)
            result_string(context, out->rec, event->name);
        break;
    case COLUMN_GLOBAL_TID:
        sqlite3_result_int64(context, thread_of(cursor, at));
        break;
    case COLUMN_END_GLOBAL_TID:
        result_end_thread(context, cursor, at);
        break;
    case COLUMN_TEXT_ID:
        if (is_registered(event))
            sqlite3_result_int64(context, rf_sqlite_string(out, event->name));
        break;
    case COLUMN_DOMAIN_ID:
        sqlite3_result_int64(context, rf_domain_at(out->rec, event->domain)->id);
        break;
    case COLUMN_JSON_ID:
        break;
    case COLUMN_JSON:
        if (event->payload_type == RF_TYPE_JSON)
            result_string(context, out->rec, rf_payload_string(event));
        break;
    case COLUMN_BINARY:
        if (event->payload_type == RF_TYPE_BINARY)
            result_string(context, out->rec, rf_payload_string(event));
        break;
    default:
        if (event->kind != RF_EVENT_THREAD_NAME)
            result_payload(context, event, column);
        break;
    }
}

static void result_inherited(sqlite3_context *context, struct source_cursor *cursor, int column)
{
    const struct rf_nvtx_rows *rows = cursor->rows;
    const struct rf_inherited_domain *inherited = &rows->inherited[rows->next_inherited - 1];
    const struct rf_domain *domain = rf_domain_at(rows->rec, inherited->domain);
    const struct rf_sqlite *out = cursor->source->out;
    uint32_t pid = rf_process_at(rows->rec, domain->process)->pid;
    switch (column) {
    case COLUMN_START:
        sqlite3_result_int64(context, inherited->start_ns);
        break;
    case COLUMN_EVENT_TYPE:
        sqlite3_result_int(context, RF_NSYS_NVTX_DOMAIN_CREATE);
        break;
    case COLUMN_TEXT:
        result_string(context, rows->rec, domain->name);
        break;
    case COLUMN_GLOBAL_TID:
        sqlite3_result_int64(context, rf_global_tid(out, domain->process, pid));
        break;
    case COLUMN_DOMAIN_ID:
        sqlite3_result_int64(context, domain->id);
        break;
    default:
        break;
    }
}

/* ---- The virtual table ---- */

static int source_connect(sqlite3 *db, void *source, int argc, const char *const *argv,
                          sqlite3_vtab **table, char **message)
{
    (void)argc;
    (void)argv;
    (void)message;
    struct source_table *made = sqlite3_malloc(sizeof(*made));
    if (made == NULL)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    made->source = source;
    *table = &made->base;
    return sqlite3_declare_vtab(db, columns);
}

static int source_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int source_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    (void)info;
    return SQLITE_OK;
}

static int source_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    struct source_cursor *made = sqlite3_malloc(sizeof(*made));
    if (made == NULL)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    made->source = ((struct source_table *)table)->source;
    made->rows = &made->source->rows;
    *cursor = &made->base;
    return SQLITE_OK;
}

static int source_close(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int source_next(sqlite3_vtab_cursor *base)
{
    struct source_cursor *cursor = (struct source_cursor *)base;
    struct source *source = cursor->source;
    cursor->has_row = rf_nvtx_rows_next(cursor->rows);
    if (!cursor->has_row)
        return SQLITE_OK;
    cursor->rowid++;
    if (!cursor->rows->is_inherited)
        source->n_notes += rf_sqlite_has_note(source->out->rec, cursor->rows->at.event);
    source->status = rf_export_step(source->out->job);
    return source->status == RF_OK ? SQLITE_OK : SQLITE_ABORT;
}

static int source_filter(sqlite3_vtab_cursor *base, int index, const char *name, int argc,
                         sqlite3_value **argv)
{
    (void)index;
    (void)name;
    (void)argc;
    (void)argv;
    return source_next(base);
}

static int source_eof(sqlite3_vtab_cursor *base)
{
    return !((struct source_cursor *)base)->has_row;
}

static int source_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
    struct source_cursor *cursor = (struct source_cursor *)base;
    if (cursor->rows->is_inherited)
        result_inherited(context, cursor, column);
    else
        result_event(context, cursor, column);
    return SQLITE_OK;
}

static int source_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = ((struct source_cursor *)base)->rowid;
    return SQLITE_OK;
}

/* Without xCreate the table exists by its name alone and leaves nothing in the schema. */
static const sqlite3_module source_module = {
    .xConnect = source_connect,
    .xBestIndex = source_best_index,
    .xDisconnect = source_disconnect,
    .xOpen = source_open,
    .xClose = source_close,
    .xFilter = source_filter,
    .xNext = source_next,
    .xEof = source_eof,
    .xColumn = source_column,
    .xRowid = source_rowid,
};

/* ---- The whole ---- */

/* Later versions of the schema have a column for payloads that were not decoded. */
static int has_binary(const rf_recording *rec)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (event[i].payload_type == RF_TYPE_BINARY)
                return 1;
    }
    return 0;
}

static int insert_rows(struct source *source)
{
    struct rf_sqlite *out = source->out;
    int is_late = has_binary(out->rec);
    const char *insert = is_late ? "ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT;"
                                   "INSERT INTO NVTX_EVENTS SELECT * FROM rangefinder_rows"
                                 : "INSERT INTO NVTX_EVENTS SELECT start, end, eventType, rangeId,"
                                   " category, color, text, globalTid, endGlobalTid, textId,"
                                   " domainId, uint64Value, int64Value, doubleValue, uint32Value,"
                                   " int32Value, floatValue, jsonTextId, jsonText"
                                   " FROM rangefinder_rows";
    int status = rf_nvtx_rows_init(&source->rows, out->rec, out->job->err);
    if (status == RF_OK &&
        sqlite3_create_module(out->db, "rangefinder_rows", &source_module, source) != SQLITE_OK)
        status = rf_sqlite_fail(out);
    if (status == RF_OK && sqlite3_exec(out->db, insert, NULL, NULL, NULL) != SQLITE_OK)
        status = source->status != RF_OK ? source->status : rf_sqlite_fail(out);
    rf_nvtx_rows_release(&source->rows);
    return status;
}

int rf_sqlite_write_events(struct rf_sqlite *out)
{
    struct source source = {.out = out};
    uint32_t n_threads = rf_n_threads(out->rec);
    source.global_tids = calloc((size_t)n_threads + 1, sizeof(*source.global_tids));
    if (source.global_tids == NULL)
        return rf_fail(out->job->err, RF_ERR_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < n_threads; i++)
        source.global_tids[i] = rf_global_tid_of(out, i);
    int status = insert_rows(&source);
    if (status == RF_OK && source.n_notes > 0)
        status = rf_sqlite_write_notes(out);
    free(source.global_tids);
    return status;
}
