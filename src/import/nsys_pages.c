/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "import/paged_record.h"

/* The tables that can be large begin with these. */
static const char *const large[] = {"CUPTI_ACTIVITY_KIND_", "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                    "CUDA_GRAPH_",          "GPU_METRICS",
                                    "NVTX_EVENTS",          "OSRT_API",
                                    "SOC_METRICS",          "StringIds"};

static bool can_be_large(const char *name)
{
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++)
        if (sqlite3_strnicmp(name, large[i], (int)strlen(large[i])) == 0)
            return true;
    return false;
}

void nsys_pages_open(struct nsys_pages *pages, const char *path, unsigned flags)
{
    memset(pages, 0, sizeof(*pages));
    if ((flags & RF_OPEN_LIBRARY) != 0)
        pages->why = "it was asked for";
    else if ((flags & RF_OPEN_SALVAGE) != 0)
        pages->why = "what is damaged is to be read too";
    else
        pages->why = paged_file_open(&pages->file, path);
    pages->is_open = pages->why == NULL;
}

static void release_table(struct nsys_paged_table *table)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        free(table->column[i].name);
    free(table->column);
}

void nsys_pages_close(struct nsys_pages *pages)
{
    for (uint32_t i = 0; i < pages->n_tables; i++)
        release_table(&pages->table[i]);
    free(pages->table);
    if (pages->is_open)
        paged_file_close(&pages->file);
    memset(pages, 0, sizeof(*pages));
}

/* ---- What SQLite says of a table ---- */

/* A table while it is looked at. */
struct look {
    struct nsys_pages *pages;
    struct nsys_db *db;
    struct nsys_paged_table table;
    const char *why;
    uint32_t n_keys;
    uint32_t key; /* the last column of the primary key */
};

static bool contains(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (; *text != 0; text++)
        if (sqlite3_strnicmp(text, word, (int)n) == 0)
            return true;
    return false;
}

/* Whether a column of this type has the affinity REAL: section 3.1 of SQLite's page on types. */
static bool is_real_type(const char *type)
{
    static const char *const others[] = {"INT", "CHAR", "CLOB", "TEXT", "BLOB"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (contains(type, others[i]))
            return false;
    return contains(type, "REAL") || contains(type, "FLOA") || contains(type, "DOUB");
}

enum info { NAME, TYPE, DEFAULT, KEY, HIDDEN };

static int add_column(struct look *look, sqlite3_stmt *info)
{
    struct nsys_paged_table *table = &look->table;
    const char *name = (const char *)sqlite3_column_text(info, NAME);
    const char *type = (const char *)sqlite3_column_text(info, TYPE);
    if (rf_grow_array(&table->column, table->n_columns, &table->column_room,
                      sizeof(*table->column)) != RF_OK ||
        (name != NULL && (name = strdup(name)) == NULL))
        return nsys_db_no_memory(look->db);
    table->column[table->n_columns++] = (struct nsys_paged_column){
        .name = (char *)name, .is_real = type != NULL && is_real_type(type)};
    if (name == NULL)
        look->why = "a column has no name";
    else if (sqlite3_column_int(info, HIDDEN) != 0)
        look->why = "a column is generated or hidden";
    else if (sqlite3_column_type(info, DEFAULT) != SQLITE_NULL)
        look->why = "a column has a default value";
    else if (sqlite3_stricmp(name, NSYS_ROW_ID) == 0)
        look->why = "a column is called rowid";
    if (sqlite3_column_int(info, KEY) != 0) {
        look->n_keys++;
        look->key = table->n_columns - 1;
        table->column[look->key].is_id = type != NULL && sqlite3_stricmp(type, "INTEGER") == 0;
    }
    return RF_OK;
}

static int add_root(struct look *look, sqlite3_stmt *info)
{
    const int64_t root = sqlite3_column_int64(info, 0);
    if (root <= 0 || root > UINT32_MAX || look->table.root != 0)
        look->why = "a table has no single root page";
    else
        look->table.root = (uint32_t)root;
    return RF_OK;
}

/* A primary key with an index of its own is not the number of the row. */
static int note_index(struct look *look, sqlite3_stmt *info)
{
    (void)info;
    for (uint32_t i = 0; i < look->table.n_columns; i++)
        look->table.column[i].is_id = false;
    look->n_keys = 0;
    return RF_OK;
}

/* Calls add for each row of a statement about the table. What SQLite cannot tell is unusual. */
static int ask(struct look *look, const char *sql, int (*add)(struct look *, sqlite3_stmt *))
{
    sqlite3_stmt *stmt = NULL;
    int status = RF_OK, step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(look->db->db, sql, -1, &stmt, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_text(stmt, 1, look->table.name, -1, SQLITE_STATIC);
        while (status == RF_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW)
            status = add(look, stmt);
    }
    (void)sqlite3_finalize(stmt);
    if (status == RF_OK && step != SQLITE_DONE)
        look->why = "SQLite does not describe a table";
    return status;
}

/* Tables WITHOUT ROWID have trees of another kind. */
static void check_root(struct look *look)
{
    const struct paged_file *file = &look->pages->file;
    uint8_t kind;
    if (!paged_is_possible(file, look->table.root) ||
        !paged_file_read_bytes(file, paged_offset(file, look->table.root), &kind, 1))
        look->why = "the root page of a table cannot be read";
    else if (kind != PAGE_INTERIOR && kind != PAGE_LEAF)
        look->why = "a table has no row ids";
}

static int look_at(struct look *look)
{
    int status = ask(look,
                     "SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?1)"
                     " ORDER BY cid",
                     add_column);
    if (status == RF_OK)
        status = ask(look, "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1",
                     add_root);
    if (status == RF_OK)
        status = ask(look, "SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk'", note_index);
    if (status != RF_OK || look->why != NULL)
        return status;
    if (look->table.n_columns == 0 || look->table.n_columns >= PAGE_NO_COLUMN)
        look->why = "a table has no columns, or too many";
    else if (look->n_keys > 1 || (look->n_keys == 1 && !look->table.column[look->key].is_id))
        look->why = "a table has an unusual primary key";
    else
        check_root(look);
    return RF_OK;
}

static int plan_table(struct nsys_pages *pages, struct nsys_db *db, const char *name)
{
    struct look look = {.pages = pages, .db = db, .table = {.name = name}};
    int status = look_at(&look);
    if (status == RF_OK && look.why == NULL &&
        rf_grow_array(&pages->table, pages->n_tables, &pages->table_room, sizeof(*pages->table)) !=
            RF_OK)
        status = nsys_db_no_memory(db);
    if (status == RF_OK && look.why == NULL)
        pages->table[pages->n_tables++] = look.table;
    else
        release_table(&look.table);
    pages->why = look.why;
    return status;
}

int nsys_pages_plan(struct nsys_pages *pages, struct nsys_db *db)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < db->n_tables && pages->why == NULL && status == RF_OK; i++)
        if (can_be_large(db->table[i].name) && !db->table[i].is_left_out)
            status = plan_table(pages, db, db->table[i].name);
    if (status == RF_OK && pages->why == NULL)
        db->pages = pages;
    return status;
}

const struct nsys_paged_table *nsys_pages_find(const struct nsys_pages *pages, const char *name)
{
    for (uint32_t i = 0; pages != NULL && i < pages->n_tables; i++)
        if (strcmp(pages->table[i].name, name) == 0)
            return &pages->table[i];
    return NULL;
}

/* ---- Reading ---- */

static int fail_page(struct nsys_db *db, const char *table, const struct paged_fault *fault)
{
    __atomic_store_n(&db->pages->is_odd, true, __ATOMIC_RELAXED); /* read when threads are joined */
    return rf_fail_at(db->err, RF_ERR_DAMAGED, fault->offset,
                      "cannot read %s of '%s' by its pages: %s, at byte %llu", table, db->path,
                      fault->what, (unsigned long long)fault->offset);
}

/* Which columns go where, in the order of the table. The caller frees it; NULL: out of memory. */
static struct paged_use *list_uses(const struct nsys_pass *pass,
                                   const struct nsys_paged_table *table)
{
    const char *const *wanted = pass->reader->columns;
    struct paged_use *use = malloc((2 * (size_t)pass->n_columns + 1) * sizeof(*use));
    size_t n = 0;
    for (uint32_t c = 0; use != NULL && c < table->n_columns; c++) {
        const struct nsys_paged_column *column = &table->column[c];
        for (int i = 0; i < pass->n_columns; i++) {
            bool tests = nsys_is_test(wanted[i]);
            if (sqlite3_stricmp(column->name, wanted[i] + (tests ? 1 : 0)) != 0)
                continue;
            use[n++] = (struct paged_use){(uint16_t)c, (uint16_t)i,
                                          column->is_id     ? PAGE_ID
                                          : column->is_real ? PAGE_REAL
                                                            : PAGE_VALUE};
            if (tests)
                use[n - 1].how = column->is_id ? PAGE_ID_TEST : PAGE_TEST;
        }
    }
    if (use != NULL)
        use[n] = (struct paged_use){.column = PAGE_NO_COLUMN};
    return use;
}

/* The cell that has the number of the row, which is no column; or NULL. */
static struct nsys_value *id_cell(struct nsys_pass *pass)
{
    for (int i = 0; i < pass->n_columns; i++)
        if (strcmp(pass->reader->columns[i], NSYS_ROW_ID) == 0)
            return &pass->cell[i];
    return NULL;
}

static int read_rows(struct nsys_pass *pass, const struct nsys_paged_table *table,
                     struct paged_cursor *cursor, const struct paged_use *use)
{
    struct nsys_value *id = id_cell(pass);
    struct paged_row row;
    int status;
    while ((status = paged_cursor_next(cursor, &row)) > 0) {
        const char *what = paged_record_read(&row, use, table->n_columns, pass->cell);
        if (what != NULL)
            return fail_page(pass->row.db, pass->row.table, paged_cursor_fault(cursor, what));
        if (id != NULL)
            *id = (struct nsys_value){.type = SQLITE_INTEGER, .integer = row.id};
        if (nsys_pass_row(pass) != RF_OK)
            return pass->status;
    }
    if (status == RF_ERR_DAMAGED)
        return fail_page(pass->row.db, pass->row.table, &cursor->fault);
    return status == RF_OK ? RF_OK : nsys_db_no_memory(pass->row.db);
}

static int read_leaves(struct nsys_pass *pass, const struct nsys_paged_table *table,
                       struct paged_tree *tree, size_t first, size_t end)
{
    struct paged_cursor cursor;
    struct paged_use *use = list_uses(pass, table);
    int status = paged_cursor_init(&cursor, tree, first, end);
    if (use == NULL || status != RF_OK)
        status = nsys_db_no_memory(pass->row.db);
    else
        status = read_rows(pass, table, &cursor, use);
    paged_cursor_release(&cursor);
    free(use);
    return status;
}

int nsys_walk_init(struct nsys_walk *walk, struct nsys_db *db, const struct nsys_paged_table *table)
{
    struct paged_fault fault;
    walk->table = table;
    int status = paged_tree_init(&walk->tree, &db->pages->file, table->root, &fault);
    if (status == RF_ERR_DAMAGED)
        return fail_page(db, table->name, &fault);
    return status == RF_OK ? RF_OK : nsys_db_no_memory(db);
}

void nsys_walk_release(struct nsys_walk *walk)
{
    paged_tree_release(&walk->tree);
}

int nsys_walk_read(struct nsys_walk *walk, struct nsys_db *db, const struct nsys_reader *reader,
                   void *context, size_t first, size_t end)
{
    struct nsys_pass pass;
    int status = nsys_pass_init(&pass, db, walk->table->name, reader, context);
    if (status == RF_OK)
        status = read_leaves(&pass, walk->table, &walk->tree, first, end);
    nsys_pass_release(&pass);
    return status;
}

int nsys_pages_read(struct nsys_pass *pass, const struct nsys_paged_table *table)
{
    struct nsys_walk walk;
    int status = nsys_walk_init(&walk, pass->row.db, table);
    if (status == RF_OK)
        status = read_leaves(pass, table, &walk.tree, 0, walk.tree.n_leaves);
    nsys_walk_release(&walk);
    return status;
}
