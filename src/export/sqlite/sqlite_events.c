/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX_EVENTS. The rows are offered to SQLite as a virtual table and taken with one INSERT ...
 * SELECT, which costs two thirds of a statement per row. */
#include "export/sqlite/sqlite_events.h"

#include <stdlib.h>

#include "model/fields/event_names.h"
#include "model/payload/payload_binary.h"
#include "model/payload/payload_json.h"
#include "export/sqlite/sqlite_notes.h"
#include "export/sqlite/sqlite_rows.h"
#include "export/sqlite/sqlite_schema.h"

/* The virtual table has the columns of NVTX_EVENTS. */
#define COLUMN_NUMBER(word, text) COLUMN_##word,
enum column { RF_NVTX_COLUMNS(COLUMN_NUMBER) COLUMN_BINARY };

#define COLUMNS RF_NVTX_COLUMNS(RF_NVTX_COLUMN_TEXT)

/* What the virtual table reads from: the module's client data. One cursor at a time reads it. */
struct source {
    struct rf_sqlite *out;
    int64_t *global_tids; /* by thread */
    struct rf_nvtx_rows rows;
    bool has_row; /* rows.at is one */
    sqlite3_int64 rowid;
    struct rf_nvtx_notes notes;
    uint64_t n_notes; /* rows that rf_nvtx_has_note() is true for */
    bool has_binary;
    struct rf_json_text *json;
    struct rf_payload_binary *binary;
};

struct source_table {
    sqlite3_vtab base;
    struct source *source;
};

/* ---- Values ---- */

static int give_int(sqlite3_context *context, int64_t value)
{
    sqlite3_result_int64(context, value);
    return SQLITE_OK;
}

/* A row has NULL where nothing is given. */
static int give_int_if(sqlite3_context *context, bool is_given, int64_t value)
{
    return is_given ? give_int(context, value) : SQLITE_OK;
}

static int give_string_if(sqlite3_context *context, bool is_given, const rf_recording *rec,
                          uint32_t string)
{
    size_t size;
    const char *text = is_given ? rf_string(rec, string, &size) : NULL;
    if (text != NULL)
        sqlite3_result_text64(context, text, size, SQLITE_STATIC, SQLITE_UTF8);
    return SQLITE_OK;
}

static bool is_registered(const struct rf_event *event)
{
    return (event->flags & (RF_EVENT_REGISTERED | RF_EVENT_BAD_HANDLE)) == RF_EVENT_REGISTERED &&
           event->name != RF_NO_STRING;
}

/* 0 is NVTX's "no category", but can be given a name. */
static bool has_category(const struct rf_event *event)
{
    return event->kind == RF_EVENT_CATEGORY ||
           ((event->flags & RF_EVENT_HAS_CATEGORY) != 0 && event->category != 0);
}

/* The payload stands in the column of its type; in the others nothing. */
static int give_payload(sqlite3_context *context, const struct rf_event *event, int column)
{
    double real;
    float single;
    uint32_t low = (uint32_t)event->payload;
    if (event->payload_type == RF_TYPE_NONE || event->kind == RF_EVENT_THREAD_NAME ||
        column - COLUMN_UINT64 != event->payload_type - 1)
        return SQLITE_OK;
    switch (column) {
    case COLUMN_DOUBLE:
        memcpy(&real, &event->payload, sizeof(real));
        sqlite3_result_double(context, real);
        return SQLITE_OK;
    case COLUMN_UINT32:
        return give_int(context, low);
    case COLUMN_INT32:
        return give_int(context, (int32_t)low);
    case COLUMN_FLOAT:
        memcpy(&single, &low, sizeof(single));
        sqlite3_result_double(context, (double)single);
        return SQLITE_OK;
    default:
        return give_int(context, (int64_t)event->payload);
    }
}

static int64_t thread_of(const struct source *source, const struct rf_event_at *at)
{
    const rf_recording *rec = source->out->rec;
    if (at->thread == RF_NO_INDEX) {
        uint32_t process = rf_domain_at(rec, at->event->domain)->process;
        return rf_global_tid(source->out, process, rf_process_at(rec, process)->pid);
    }
    int64_t id = source->global_tids[at->thread];
    if (at->event->kind != RF_EVENT_THREAD_NAME)
        return id;
    /* nvtxNameOsThread can name any thread: the row is that thread's. */
    return (id & ~(int64_t)0xffffff) | (int64_t)(at->event->named_tid & 0xffffff);
}

static int give_end_thread(sqlite3_context *context, const struct source *source,
                           const struct rf_event_at *at)
{
    if (at->event->kind != RF_EVENT_START_END)
        return SQLITE_OK;
    uint32_t end_thread = rf_start_end_at(source->out->rec, at->event->link)->end_thread;
    bool is_other = end_thread != at->thread && end_thread != RF_NO_INDEX;
    return is_other ? give_int(context, source->global_tids[end_thread]) : SQLITE_OK;
}

static int give_extended(sqlite3_context *context, const struct source *source,
                         const struct rf_event *event)
{
    size_t size;
    const char *text = rf_json_text_of(source->json, source->out->rec, event, 0, &size);
    if (text == NULL)
        return SQLITE_NOMEM;
    sqlite3_result_text64(context, text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
    return SQLITE_OK;
}

static int give_binary(sqlite3_context *context, const struct source *source,
                       const struct rf_event *event)
{
    struct rf_payload_binary *binary = source->binary;
    const rf_recording *rec = source->out->rec;
    const uint64_t domain = rf_domain_at(rec, event->domain)->id;
    if (rf_payload_binary_write(binary, rec, event, domain) != RF_OK)
        return SQLITE_NOMEM;
    if (binary->n > 0)
        sqlite3_result_blob64(context, binary->bytes, binary->n, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static int give_column(sqlite3_context *context, const struct source *source, int column)
{
    const struct rf_event_at *at = &source->rows.at;
    const struct rf_event *event = at->event;
    const rf_recording *rec = source->out->rec;
    switch (column) {
    case COLUMN_START:
        return give_int(context, event->start_ns);
    case COLUMN_END:
        return give_int_if(context, event->end_ns != RF_NO_TIME, event->end_ns);
    case COLUMN_EVENT_TYPE:
        return give_int(context, rf_nvtx_event_types[event->kind]);
    case COLUMN_RANGE_ID:
        return event->kind == RF_EVENT_START_END
                   ? give_int(context, (int64_t)rf_start_end_at(rec, event->link)->number)
                   : SQLITE_OK;
    case COLUMN_CATEGORY:
        return give_int_if(context, has_category(event), event->category);
    case COLUMN_COLOR:
        return give_int_if(context, (event->flags & RF_EVENT_HAS_COLOR) != 0, event->color);
    case COLUMN_TEXT:
        return give_string_if(context,
                              !is_registered(event) && event->kind != RF_EVENT_DOMAIN_DESTROY, rec,
                              event->name);
    case COLUMN_GLOBAL_TID:
        return give_int(context, thread_of(source, at));
    case COLUMN_END_GLOBAL_TID:
        return give_end_thread(context, source, at);
    case COLUMN_TEXT_ID:
        return is_registered(event) ? give_int(context, rf_sqlite_string(source->out, event->name))
                                    : SQLITE_OK;
    case COLUMN_DOMAIN_ID:
        return give_int(context, rf_domain_at(rec, event->domain)->id);
    case COLUMN_JSON_ID:
        return SQLITE_OK;
    case COLUMN_JSON:
        if (event->payload_type == RF_TYPE_EXTENDED)
            return give_extended(context, source, event);
        return give_string_if(context, event->payload_type == RF_TYPE_JSON, rec,
                              rf_payload_string(event));
    case COLUMN_BINARY:
        if (event->payload_type == RF_TYPE_EXTENDED)
            return give_binary(context, source, event);
        return give_string_if(context, event->payload_type == RF_TYPE_BINARY, rec,
                              rf_payload_string(event));
    default:
        return give_payload(context, event, column);
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
    return sqlite3_declare_vtab(db, made->source->has_binary ? "CREATE TABLE rows(" COLUMNS
                                                               ", " RF_NVTX_LATE_COLUMN ")"
                                                             : "CREATE TABLE rows(" COLUMNS ")");
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
    (void)table;
    *cursor = sqlite3_malloc(sizeof(**cursor));
    return *cursor != NULL ? SQLITE_OK : SQLITE_NOMEM;
}

static int source_close(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static struct source *source_of(const sqlite3_vtab_cursor *cursor)
{
    return ((struct source_table *)cursor->pVtab)->source;
}

static int source_next(sqlite3_vtab_cursor *cursor)
{
    struct source *source = source_of(cursor);
    source->has_row = rf_nvtx_rows_next(&source->rows);
    if (!source->has_row)
        return SQLITE_OK;
    source->rowid++;
    source->n_notes += rf_nvtx_has_note(&source->notes, source->out->rec, &source->rows.at);
    rf_sqlite_step(source->out);
    return source->out->status == RF_OK ? SQLITE_OK : SQLITE_ABORT;
}

static int source_filter(sqlite3_vtab_cursor *cursor, int index, const char *name, int argc,
                         sqlite3_value **argv)
{
    (void)index;
    (void)name;
    (void)argc;
    (void)argv;
    return source_next(cursor);
}

static int source_eof(sqlite3_vtab_cursor *cursor)
{
    return !source_of(cursor)->has_row;
}

static int source_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    return give_column(context, source_of(cursor), column);
}

static int source_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
    *rowid = source_of(cursor)->rowid;
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

static bool has_binary(const rf_recording *rec)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            if (event[i].payload_type == RF_TYPE_BINARY ||
                event[i].payload_type == RF_TYPE_EXTENDED)
                return true;
    }
    return false;
}

static void insert_rows(struct source *source)
{
    struct rf_sqlite *out = source->out;
    rf_nvtx_rows_init(&source->rows, out);
    if (source->has_binary)
        rf_sqlite_run(out, "ALTER TABLE NVTX_EVENTS ADD COLUMN " RF_NVTX_LATE_COLUMN);
    if (sqlite3_create_module(out->db, "rangefinder_rows", &source_module, source) != SQLITE_OK)
        rf_sqlite_fail(out);
    rf_sqlite_run(out, "INSERT INTO NVTX_EVENTS SELECT * FROM rangefinder_rows");
    rf_nvtx_rows_release(&source->rows);
}

void rf_sqlite_write_events(struct rf_sqlite *out)
{
    uint32_t n_threads = rf_n_threads(out->rec);
    struct rf_json_text json = {.text = NULL};
    struct rf_payload_binary binary = {.bytes = NULL};
    struct source source = {
        .out = out, .has_binary = has_binary(out->rec), .json = &json, .binary = &binary};
    source.global_tids = rf_sqlite_alloc(out, n_threads, sizeof(*source.global_tids));
    if (source.global_tids == NULL)
        return;
    for (uint32_t i = 0; i < n_threads; i++)
        source.global_tids[i] = rf_global_tid_of(out, i);
    rf_nvtx_notes_init(&source.notes);
    insert_rows(&source);
    if (source.n_notes > 0)
        rf_nvtx_notes_write(&source.notes, out);
    rf_json_text_release(&json);
    rf_payload_binary_release(&binary);
    free(source.global_tids);
}
