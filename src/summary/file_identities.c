/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_identities.h"

#include <stdlib.h>

#include "summary/file_boots.h"
#include "summary/file_values.h"
#include "summary/identities.h"

static void write_identities(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_summary_identities *all = &file->out->identities;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_summary_identity *item = &all->item[i];
        const int64_t numbers[] = {item->rank, item->pid, item->start_utc_ns,
                                   (int64_t)item->duration_ns, (int64_t)item->n_events};
        char boot[RF_BOOT_TEXT_SIZE] = "";
        if (rf_boot_is_known(item->boot_id))
            rf_boot_text(item->boot_id, boot);
        (void)sqlite3_bind_int64(insert, 1, item->input + (int64_t)1);
        rf_file_bind_string(file, insert, 2, item->host);
        (void)sqlite3_bind_text(insert, 3, boot, -1, SQLITE_TRANSIENT);
        for (int k = 0; k < 5; k++)
            (void)sqlite3_bind_int64(insert, 4 + k, numbers[k]);
        rf_file_bind_string(file, insert, 9, item->filter);
        rf_file_bind_string(file, insert, 10, item->path);
        rf_summary_file_insert(file, insert);
    }
}

static void read_identity(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const char *boot = rf_file_text(file, row, 2);
    struct rf_summary_identity item = {
        .input = (uint32_t)(input - 1),
        .rank = rf_file_number(file, row, 3, -1),
        .pid = rf_file_number(file, row, 4, 0),
        .start_utc_ns = rf_file_number(file, row, 5, INT64_MIN),
        .duration_ns = (uint64_t)rf_file_number(file, row, 6, 0),
        .n_events = (uint64_t)rf_file_number(file, row, 7, 0),
        .path = rf_file_string(file, row, 9),
        .file = RF_NO_STRING,
    };
    if (file->status == RF_OK && (input > (int64_t)file->summary->n_inputs ||
                                  (boot[0] != '\0' && !rf_boot_read(item.boot_id, boot))))
        rf_summary_file_damaged(file, "a row of identities");
    item.host = rf_file_string(file, row, 1);
    item.filter = rf_file_string(file, row, 8);
    if (item.host == RF_NO_STRING || item.filter == RF_NO_STRING)
        rf_summary_file_damaged(file, "a row of identities");
    if (file->status == RF_OK)
        rf_summary_file_fail(file, rf_summary_identity_add(file->summary, &item));
}

const struct rf_summary_table rf_table_identities = {
    "CREATE TABLE identities ("
    "input INTEGER NOT NULL, host TEXT NOT NULL, boot_id TEXT NOT NULL, rank INTEGER NOT NULL,"
    " pid INTEGER NOT NULL, start_utc_ns INTEGER NOT NULL, duration_ns INTEGER NOT NULL,"
    " n_events INTEGER NOT NULL, filter TEXT NOT NULL, path TEXT)",
    "INSERT INTO identities VALUES (?,?,?,?,?,?,?,?,?,?)",
    write_identities,
    "SELECT input, host, boot_id, rank, pid, start_utc_ns, duration_ns, n_events, filter, path"
    " FROM main.identities ORDER BY rowid",
    read_identity,
    "identities"};

void rf_file_check_identities(struct rf_summary_file *file)
{
    rf_summary *summary = file->summary;
    const struct rf_summary_identities *all = &summary->identities;
    if (file->status != RF_OK)
        return;
    uint64_t *n = calloc(summary->n_inputs + 1, sizeof(*n));
    if (n == NULL) {
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < all->n; i++)
        if (++n[all->item[i].input] > summary->input[all->item[i].input].n_inputs)
            rf_summary_file_damaged(file, "the identities of an input");
    for (uint32_t i = 0; i < summary->n_inputs && file->status == RF_OK; i++)
        if (n[i] == 0 && summary->input[i].n_inputs == 1)
            rf_summary_file_fail(file, rf_summary_identify(summary, i, 0, summary->input[i].rank));
    free(n);
}
