/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_db.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "import/paged_file.h"

#define TICK             10000 /* of SQLite's virtual machine */
#define TICKS_BEFORE_ALL 2000  /* that any file may cost */
#define STEPS_PER_BYTE   16

/* ---- Opening ---- */

/* Whether its journal is a write-ahead log: section 1.3.3 of SQLite's file format. */
static bool is_wal(const char *path)
{
    char header[20];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, header, sizeof(header)) : -1;
    if (fd >= 0)
        (void)close(fd);
    return n == (ssize_t)sizeof(header) && (header[18] == 2 || header[19] == 2);
}

/* The URI of a file. An immutable one is not locked, and no files are made beside it. */
static char *make_uri(const char *path, bool is_immutable)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
    size_t room = 3 * strlen(path) + 64;
    char *uri = malloc(room);
    if (uri == NULL)
        return NULL;
    size_t at = (size_t)snprintf(uri, room, "file:%s", path[0] == '/' ? "//" : "");
    for (const char *c = path; *c != 0; c++)
        at += (size_t)snprintf(uri + at, room - at, strchr(plain, *c) != NULL ? "%c" : "%%%02X",
                               (unsigned char)*c);
    (void)snprintf(uri + at, room - at, "?mode=ro%s", is_immutable ? "&immutable=1" : "");
    return uri;
}

static int on_progress(void *context)
{
    struct nsys_db *db = context;
    return ++db->n_ticks > TICKS_BEFORE_ALL + STEPS_PER_BYTE * db->size_bytes / TICK;
}

static void restrict_db(struct nsys_db *db)
{
    static const int limit[][2] = {
        {SQLITE_LIMIT_SQL_LENGTH, 1 << 20}, {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},    {SQLITE_LIMIT_EXPR_DEPTH, 100},
        {SQLITE_LIMIT_COMPOUND_SELECT, 4},  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(db->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++)
        (void)sqlite3_limit(db->db, limit[i][0], limit[i][1]);
    sqlite3_progress_handler(db->db, TICK, on_progress, db);
    (void)sqlite3_exec(db->db, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", NULL, NULL, NULL);
}

int nsys_db_no_memory(const struct nsys_db *db)
{
    return rf_fail(db->err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", db->path);
}

int nsys_db_fail(struct nsys_db *db, const char *what)
{
    int code = sqlite3_errcode(db->db) & 0xff;
    const char *says = sqlite3_errmsg(db->db);
    switch (code) {
    case SQLITE_NOMEM:
        return nsys_db_no_memory(db);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
        return rf_fail(db->err, RF_ERR_IO, "cannot read %s of '%s': SQLite says: %s", what,
                       db->path, says);
    case SQLITE_INTERRUPT:
        return rf_fail(db->err, RF_ERR_DAMAGED,
                       "cannot read %s of '%s': it holds more than its size can", what, db->path);
    case SQLITE_NOTADB:
        return rf_fail(db->err, RF_ERR_DAMAGED,
                       "'%s' begins as a SQLite database, and is none: SQLite says: %s", db->path,
                       says);
    default:
        return rf_fail(db->err, RF_ERR_DAMAGED,
                       "cannot read %s of '%s': SQLite says: %s; export it again with nsys", what,
                       db->path, says);
    }
}

/* Ordinary tables only: no views, and no virtual tables, which have no page. */
static int list_tables(struct nsys_db *db)
{
    sqlite3_stmt *stmt = NULL;
    int status = RF_OK, step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(db->db,
                           "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
                           " AND typeof(name) = 'text' ORDER BY name",
                           -1, &stmt, NULL) != SQLITE_OK)
        return nsys_db_fail(db, "the list of tables");
    while (status == RF_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        status = rf_grow_array(&db->table, db->n_tables, &db->table_room, sizeof(*db->table));
        char *name = status == RF_OK ? strdup((const char *)sqlite3_column_text(stmt, 0)) : NULL;
        if (name == NULL)
            status = nsys_db_no_memory(db);
        else
            db->table[db->n_tables++] = (struct nsys_table){.name = name};
    }
    if (status == RF_OK && step != SQLITE_DONE)
        status = nsys_db_fail(db, "the list of tables");
    (void)sqlite3_finalize(stmt);
    return status;
}

/* One of these is in every export; other profilers of CUDA have tables of the CUPTI names too. */
static bool is_export(struct nsys_db *db)
{
    static const char *const sure[] = {"NVTX_EVENTS",      "ENUM_NSYS_EVENT_TYPE",
                                       "META_DATA_EXPORT", "EXPORT_META_DATA",
                                       "ANALYSIS_DETAILS", "TARGET_INFO_SESSION_START_TIME"};
    for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++)
        if (nsys_db_find_table(db, sure[i]) != NULL)
            return true;
    return nsys_db_find_table(db, "StringIds") != NULL &&
           (nsys_db_find_table(db, "CUPTI_ACTIVITY_KIND_RUNTIME") != NULL ||
            nsys_db_find_table(db, "CUPTI_ACTIVITY_KIND_KERNEL") != NULL ||
            nsys_db_find_table(db, "OSRT_API") != NULL);
}

/* Opens the file and begins a read transaction. Its first statement takes the lock; if that fails,
 * so does the list of tables. Returns SQLite's code. */
static int open_file(struct nsys_db *db, bool is_immutable)
{
    char *uri = make_uri(db->path, is_immutable);
    if (uri == NULL)
        return SQLITE_NOMEM;
    db->is_unlocked = is_immutable;
    int code = sqlite3_open_v2(uri, &db->db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(uri);
    if (code == SQLITE_OK)
        restrict_db(db);
    return code;
}

static int take_lock(struct nsys_db *db)
{
    return sqlite3_exec(db->db, "BEGIN; SELECT 1 FROM sqlite_master", NULL, NULL, NULL) & 0xff;
}

/* Opens it once more, as one that does not change, where the file system has no locks. */
static int open_and_lock(struct nsys_db *db, bool is_immutable, bool is_alone)
{
    int code = open_file(db, is_immutable);
    int lock = code == SQLITE_OK ? take_lock(db) : SQLITE_OK;
    if (is_alone && (lock == SQLITE_IOERR || lock == SQLITE_PROTOCOL)) {
        (void)sqlite3_close(db->db);
        db->db = NULL;
        code = open_file(db, true);
        if (code == SQLITE_OK)
            (void)take_lock(db);
    }
    if (code != SQLITE_OK)
        return db->db == NULL ? nsys_db_no_memory(db) : nsys_db_fail(db, "the beginning");
    return RF_OK;
}

static void init(struct nsys_db *db, const char *path, unsigned flags, struct rf_err *err)
{
    *db = (struct nsys_db){.path = path, .err = err, .flags = flags};
    if (stat(path, &db->stat) == 0)
        db->size_bytes = (uint64_t)db->stat.st_size;
}

/* A database with a write-ahead log is locked by way of files beside it, which are not made: it is
 * opened as one that does not change, as long as there is no log. */
int nsys_db_open(struct nsys_db *db, const char *path, unsigned flags, struct rf_err *err)
{
    init(db, path, flags, err);
    const bool has_log = paged_file_has_sibling(path, "-wal"), is_wal_mode = is_wal(path);
    int status = open_and_lock(db, is_wal_mode && !has_log,
                               !has_log && !paged_file_has_sibling(path, "-journal"));
    db->has_log = is_wal_mode && has_log;
    if (status == RF_OK)
        status = list_tables(db);
    if (status == RF_OK && !is_export(db))
        status =
            rf_fail(err, RF_ERR_FORMAT, "'%s' is a SQLite database, but no export of nsys", path);
    return status;
}

/* No descriptor of the file is closed here: that would give up the lock. */
int nsys_db_open_beside(struct nsys_db *db, const struct nsys_db *of, struct rf_err *err)
{
    init(db, of->path, of->flags, err);
    int status = open_and_lock(db, of->is_unlocked, false);
    return status == RF_OK ? list_tables(db) : status;
}

void nsys_db_move(struct nsys_db *to, struct nsys_db *from)
{
    *to = *from;
    *from = (struct nsys_db){.db = NULL};
    sqlite3_progress_handler(to->db, TICK, on_progress, to);
}

bool nsys_db_is_unchanged(const struct nsys_db *db)
{
    struct stat now;
    const struct stat *then = &db->stat;
    if (db->has_log)
        return true;
    return stat(db->path, &now) == 0 && now.st_ino == then->st_ino && now.st_dev == then->st_dev &&
           now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == then->st_mtim.tv_nsec &&
           (!db->is_unlocked || !paged_file_has_sibling(db->path, "-wal"));
}

void nsys_db_close(struct nsys_db *db)
{
    for (uint32_t i = 0; i < db->n_tables; i++)
        free(db->table[i].name);
    free(db->table);
    free(db->skip);
    (void)sqlite3_close(db->db);
    db->db = NULL;
}

/* ---- Tables ---- */

long nsys_table_version(const char *name, const char *base)
{
    size_t size = strlen(base);
    char *end = NULL;
    if (sqlite3_strnicmp(name, base, (int)size) != 0)
        return -1;
    if (name[size] == 0)
        return 0;
    if (sqlite3_strnicmp(name + size, "_v", 2) != 0 || name[size + 2] < '0' || name[size + 2] > '9')
        return -1;
    long version = strtol(name + size + 2, &end, 10);
    return *end == 0 && version > 0 && version < 1000 ? version : -1;
}

struct nsys_table *nsys_db_find_table(struct nsys_db *db, const char *name)
{
    struct nsys_table *found = NULL;
    long best = -1;
    for (uint32_t i = 0; i < db->n_tables; i++) {
        long version = nsys_table_version(db->table[i].name, name);
        if (db->table[i].is_left_out)
            continue;
        if (version == 0)
            return &db->table[i];
        if (version > best) {
            best = version;
            found = &db->table[i];
        }
    }
    return found;
}

void nsys_db_skip(struct nsys_db *db, const char *table, const char *reason, uint64_t n_rows)
{
    for (uint32_t i = 0; i < db->n_skips; i++) {
        if (db->skip[i].table == table && db->skip[i].reason == reason) {
            db->skip[i].n_rows += n_rows;
            return;
        }
    }
    if (rf_grow_array(&db->skip, db->n_skips, &db->skip_room, sizeof(*db->skip)) == RF_OK)
        db->skip[db->n_skips++] = (struct nsys_skip){table, reason, n_rows};
}

int nsys_db_count(struct nsys_db *db, const char *table, uint64_t *n)
{
    /* count() walks the pages without asking the progress handler; sum() goes by row */
    char *text = sqlite3_mprintf("SELECT sum(1) FROM main.\"%w\"", table);
    sqlite3_stmt *stmt = NULL;
    int step = SQLITE_ERROR;
    *n = 0;
    if (text != NULL && sqlite3_prepare_v2(db->db, text, -1, &stmt, NULL) == SQLITE_OK)
        step = sqlite3_step(stmt);
    if (step == SQLITE_ROW)
        *n = (uint64_t)sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    sqlite3_free(text);
    return step == SQLITE_ROW ? RF_OK : RF_ERR_DAMAGED;
}
