/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_boots.h"

#include <stdio.h>
#include <string.h>

#include "summary/file_values.h"

#define SIZE sizeof(((struct rf_summary_input *)NULL)->boot_id)

static void write_boots(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    static const uint8_t unknown[SIZE];
    for (size_t i = 0; i < file->out->n_inputs && file->status == RF_OK; i++) {
        const uint8_t *id = file->out->input[i].boot_id;
        char text[2 * SIZE + 1];
        if (memcmp(id, unknown, SIZE) == 0)
            continue;
        for (size_t k = 0; k < SIZE; k++)
            (void)snprintf(text + 2 * k, 3, "%02x", id[k]);
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_text(insert, 2, text, -1, SQLITE_TRANSIENT);
        rf_summary_file_insert(file, insert);
    }
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_boot(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const char *text = rf_file_text(file, row, 1);
    uint8_t id[SIZE];
    bool is_good = file->status == RF_OK && input <= (int64_t)file->summary->n_inputs &&
                   strlen(text) == 2 * SIZE;
    for (size_t k = 0; k < SIZE && is_good; k++) {
        const int high = digit(text[2 * k]), low = digit(text[2 * k + 1]);
        is_good = high >= 0 && low >= 0;
        id[k] = (uint8_t)(high << 4 | low);
    }
    if (is_good)
        memcpy(file->summary->input[input - 1].boot_id, id, SIZE);
    else
        rf_summary_file_damaged(file, "a row of boots");
}

const struct rf_summary_table rf_table_boots = {
    "CREATE TABLE boots (input INTEGER PRIMARY KEY, boot_id TEXT NOT NULL)",
    "INSERT INTO boots VALUES (?,?)",
    write_boots,
    "SELECT input, boot_id FROM main.boots ORDER BY input",
    read_boot,
    "boots"};
