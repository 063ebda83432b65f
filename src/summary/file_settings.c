/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_settings.h"

#include "summary/file_values.h"

static void write_settings(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_settings *all = &file->out->settings;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        (void)sqlite3_bind_int64(insert, 1, all->item[i].input + (int64_t)1);
        rf_file_bind_string(file, insert, 2, all->item[i].name);
        rf_file_bind_string(file, insert, 3, all->item[i].value);
        rf_summary_file_insert(file, insert);
    }
}

static void read_setting(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const char *name = rf_file_text(file, row, 1), *value = rf_file_text(file, row, 2);
    if (file->status == RF_OK && input > (int64_t)file->summary->n_inputs)
        rf_summary_file_damaged(file, "the input of a setting");
    if (file->status == RF_OK)
        rf_summary_file_fail(
            file, rf_summary_setting_add(file->summary, (uint32_t)(input - 1), name, value));
}

const struct rf_summary_table rf_table_settings = {
    "CREATE TABLE settings (input INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL)",
    "INSERT INTO settings VALUES (?,?,?)",
    write_settings,
    "SELECT input, name, value FROM main.settings ORDER BY input, name, value",
    read_setting,
    "settings"};
