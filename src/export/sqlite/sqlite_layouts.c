/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sqlite/sqlite_layouts.h"

#include <stdlib.h>

#include "model/extra.h"
#include "model/payload/payload_layouts.h"

#define MAX_COLUMNS 16

struct layout_tables {
    struct rf_sqlite_table schema, entry, enumeration, enum_entry;
};

/* The table of a kind of struct rf_extra, with one more column: nsys does not say whose a layout
 * is. */
static void make_table(struct rf_sqlite *out, struct rf_sqlite_table *table, int kind)
{
    const struct rf_extra_table *from = rf_extra_table(kind);
    sqlite3_str *columns = sqlite3_str_new(out->db);
    for (int i = 0; i < from->n_columns; i++) {
        bool is_text =
            from->column[i].role == RF_ROLE_MESSAGE || from->column[i].role == RF_ROLE_TEXT;
        sqlite3_str_appendf(columns, "%s %s, ", from->column[i].name, is_text ? "TEXT" : "INTEGER");
    }
    sqlite3_str_appendall(columns, "globalPid INTEGER");
    table->name = from->name;
    rf_sqlite_create_with(out, table, columns);
}

/* ---- Schemas and enums ---- */

static struct rf_sqlite_value text_at(const struct rf_nvtx_definition *definition, uint32_t offset)
{
    return rf_sqlite_text(rf_nvtx_text(definition, offset));
}

/* As nsys does: NULL where the program gave nothing. */
static struct rf_sqlite_value number(uint64_t value)
{
    return rf_sqlite_int_unless((int64_t)value, 0);
}

static struct rf_sqlite_value process_of(const struct rf_sqlite *out,
                                         const struct rf_payload_layout *layout)
{
    return layout->process != RF_NO_INDEX ? rf_sqlite_int(out->global_pids[layout->process])
                                          : rf_sqlite_null();
}

static void write_schema(struct rf_sqlite *out, struct layout_tables *tables,
                         const struct rf_payload_layout *layout)
{
    const struct rf_nvtx_definition *from = layout->definition;
    const struct rf_sqlite_value domain = rf_sqlite_int(layout->domain),
                                 id = rf_sqlite_int((int64_t)from->id),
                                 process = process_of(out, layout);
    struct rf_schema_def head;
    struct rf_schema_entry entry;
    if (!rf_nvtx_read(from, 0, &head, sizeof(head)))
        return;
    if (tables->schema.name == NULL) {
        make_table(out, &tables->schema, RF_EXTRA_PAYLOAD_SCHEMA);
        make_table(out, &tables->entry, RF_EXTRA_PAYLOAD_ENTRY);
    }
    RF_SQLITE_INSERT(out, &tables->schema, domain, id, text_at(from, head.name),
                     rf_sqlite_int(head.type), number(head.flags), rf_sqlite_int(head.n_entries),
                     number(head.static_size), number(head.pack_align), process);
    for (uint32_t i = 0;
         i < head.n_entries &&
         rf_nvtx_read(from, sizeof(head) + (uint64_t)i * sizeof(entry), &entry, sizeof(entry));
         i++)
        RF_SQLITE_INSERT(out, &tables->entry, domain, id, rf_sqlite_int(i), number(entry.flags),
                         number(entry.type), text_at(from, entry.name),
                         text_at(from, entry.description), number(entry.detail),
                         number(entry.offset), process);
}

static void write_enum(struct rf_sqlite *out, struct layout_tables *tables,
                       const struct rf_payload_layout *layout)
{
    const struct rf_nvtx_definition *from = layout->definition;
    const struct rf_sqlite_value domain = rf_sqlite_int(layout->domain),
                                 id = rf_sqlite_int((int64_t)from->id),
                                 process = process_of(out, layout);
    struct rf_enum_def head;
    struct rf_enum_entry entry;
    if (!rf_nvtx_read(from, 0, &head, sizeof(head)))
        return;
    if (tables->enumeration.name == NULL) {
        make_table(out, &tables->enumeration, RF_EXTRA_PAYLOAD_ENUM);
        make_table(out, &tables->enum_entry, RF_EXTRA_PAYLOAD_ENUM_ENTRY);
    }
    RF_SQLITE_INSERT(out, &tables->enumeration, domain, id, text_at(from, head.name),
                     rf_sqlite_int(head.n_entries), number(head.size), process);
    for (uint32_t i = 0;
         i < head.n_entries &&
         rf_nvtx_read(from, sizeof(head) + (uint64_t)i * sizeof(entry), &entry, sizeof(entry));
         i++)
        RF_SQLITE_INSERT(out, &tables->enum_entry, domain, id, rf_sqlite_int(i),
                         text_at(from, entry.name), rf_sqlite_int((int64_t)entry.value),
                         rf_sqlite_int(entry.is_flag != 0), process);
}

/* ---- Sizes, strings ---- */

static void write_sizes(struct rf_sqlite *out, const struct rf_payload_layouts *layouts)
{
    struct rf_sqlite_table table = {
        .name = "RANGEFINDER_NVTX_TYPE_SIZES",
        .columns = "globalPid INTEGER NOT NULL, type INTEGER NOT NULL, size INTEGER NOT NULL,"
                   " alignment INTEGER NOT NULL"};
    struct rf_type_size size;
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && layouts->source != NULL; i++)
        for (uint32_t type = 0; type < RF_PAYLOAD_C_TYPES; type++)
            if (rf_payload_other_size(out->rec, layouts->source[i], type, &size))
                RF_SQLITE_INSERT(out, &table, rf_sqlite_int(out->global_pids[i]),
                                 rf_sqlite_int(type), rf_sqlite_int(size.size),
                                 rf_sqlite_int(size.align));
}

/* The strings of a process, and before them those of the processes that it was forked from. */
static void write_strings_of(struct rf_sqlite *out, struct rf_sqlite_table *table, uint32_t process,
                             const struct rf_payload_strings *strings, uint32_t source)
{
    char handle[20];
    uint32_t line[RF_PAYLOAD_FORK_DEPTH];
    for (uint32_t k = rf_payload_line_of(out->rec, source, line); k > 0; k--) {
        size_t n;
        const struct rf_payload_string *string = rf_payload_strings_of(strings, line[k - 1], &n);
        for (size_t i = 0; i < n && out->status == RF_OK; i++)
            RF_SQLITE_INSERT(out, table, rf_sqlite_int(out->global_pids[process]),
                             rf_sqlite_hex(handle, string[i].handle),
                             rf_sqlite_name(out, string[i].string));
    }
}

static void write_strings(struct rf_sqlite *out, const struct rf_payload_layouts *layouts)
{
    struct rf_sqlite_table table = {
        .name = "RANGEFINDER_NVTX_STRINGS",
        .columns = "globalPid INTEGER NOT NULL, handle TEXT NOT NULL, text TEXT"};
    struct rf_payload_strings strings;
    if (rf_payload_strings_list(&strings, out->rec) != RF_OK)
        rf_sqlite_fail_memory(out);
    for (uint32_t i = 0; i < rf_n_processes(out->rec) && strings.n > 0; i++)
        write_strings_of(out, &table, i, &strings, layouts->source[i]);
    free(strings.string);
}

/* Whether the recording has rows of the tables, as an import keeps them. */
static bool has_rows(const rf_recording *rec)
{
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++)
        if (extra[i].kind >= RF_EXTRA_PAYLOAD_SCHEMA &&
            extra[i].kind <= RF_EXTRA_PAYLOAD_ENUM_ENTRY)
            return true;
    return false;
}

void rf_sqlite_write_layouts(struct rf_sqlite *out)
{
    struct rf_payload_layouts layouts;
    struct layout_tables tables = {.schema.name = NULL};
    if (rf_payload_layouts_find(&layouts, out->rec) != RF_OK)
        rf_sqlite_fail_memory(out);
    bool is_written = layouts.n > 0 && has_rows(out->rec);
    for (uint32_t i = 0; i < layouts.n && !is_written && out->status == RF_OK; i++) {
        const struct rf_payload_layout *layout = &layouts.layout[i];
        if (layout->definition->kind == RF_NVTX_DEF_SCHEMA)
            write_schema(out, &tables, layout);
        else
            write_enum(out, &tables, layout);
    }
    if (out->status == RF_OK)
        write_sizes(out, &layouts);
    if (out->status == RF_OK && layouts.has_strings)
        write_strings(out, &layouts);
    rf_payload_layouts_release(&layouts);
}
