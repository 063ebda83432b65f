/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_boots.h"

#include <stdio.h>
#include <string.h>

#include "summary/file_values.h"

/* ---- The text of an id ---- */

bool rf_boot_is_known(const uint8_t id[RF_BOOT_SIZE])
{
    static const uint8_t unknown[RF_BOOT_SIZE];
    return memcmp(id, unknown, RF_BOOT_SIZE) != 0;
}

void rf_boot_text(const uint8_t id[RF_BOOT_SIZE], char text[RF_BOOT_TEXT_SIZE])
{
    for (size_t k = 0; k < RF_BOOT_SIZE; k++)
        (void)snprintf(text + 2 * k, 3, "%02x", id[k]);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool rf_boot_read(uint8_t id[RF_BOOT_SIZE], const char *text)
{
    bool is_good = strlen(text) == 2 * (size_t)RF_BOOT_SIZE;
    for (size_t k = 0; k < RF_BOOT_SIZE && is_good; k++) {
        const int high = digit(text[2 * k]), low = digit(text[2 * k + 1]);
        is_good = high >= 0 && low >= 0;
        id[k] = (uint8_t)(high << 4 | low);
    }
    return is_good;
}

/* ---- The table ---- */

static void write_boots(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (size_t i = 0; i < file->out->n_inputs && file->status == RF_OK; i++) {
        const uint8_t *id = file->out->input[i].boot_id;
        char text[RF_BOOT_TEXT_SIZE];
        if (!rf_boot_is_known(id))
            continue;
        rf_boot_text(id, text);
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_text(insert, 2, text, -1, SQLITE_TRANSIENT);
        rf_summary_file_insert(file, insert);
    }
}

static void read_boot(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const char *text = rf_file_text(file, row, 1);
    uint8_t id[RF_BOOT_SIZE];
    if (file->status == RF_OK && input <= (int64_t)file->summary->n_inputs &&
        rf_boot_read(id, text))
        memcpy(file->summary->input[input - 1].boot_id, id, sizeof(id));
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
