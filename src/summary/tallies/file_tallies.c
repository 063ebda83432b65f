/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/tallies/file_tallies.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/file_histogram.h"
#include "summary/file_values.h"

static uint32_t kind_named(const char *name)
{
    uint32_t kind = 0;
    while (kind < RF_TALLY_N_KINDS && strcmp(rf_tally_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

/* ---- tally_inputs ---- */

static void write_inputs(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    for (uint32_t i = 0; i < file->out->n_inputs; i++)
        for (uint32_t kind = 0; kind < RF_TALLY_N_KINDS && file->status == RF_OK; kind++) {
            const struct rf_searched searched =
                rf_searched_of(&file->out->tallies.searched[kind], i);
            if (searched.n_searched == 0)
                continue;
            (void)sqlite3_bind_int64(insert, 1, i + (int64_t)1);
            (void)sqlite3_bind_text(insert, 2, rf_tally_kind_name(kind), -1, SQLITE_STATIC);
            (void)sqlite3_bind_int64(insert, 3, (int64_t)searched.n_searched);
            (void)sqlite3_bind_int64(insert, 4, (int64_t)searched.n_left_out);
            rf_summary_file_insert(file, insert);
        }
}

/* Kinds of a newer version are left out. */
static void read_input(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 0, 1);
    const uint32_t kind = kind_named(rf_file_text(file, row, 1));
    const struct rf_searched read = {(uint64_t)rf_file_number(file, row, 2, 1),
                                     (uint64_t)rf_file_number(file, row, 3, 0)};
    if (file->status != RF_OK || kind == RF_TALLY_N_KINDS)
        return;
    if (input > (int64_t)file->summary->n_inputs ||
        read.n_searched > file->summary->input[input - 1].n_inputs) {
        rf_summary_file_damaged(file, "a row of tally_inputs");
        return;
    }
    struct rf_searched *searched =
        rf_searched_at(&file->summary->tallies.searched[kind], (uint32_t)input - 1);
    if (searched == NULL)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    else
        *searched = read;
}

const struct rf_summary_table rf_table_tally_inputs = {
    "CREATE TABLE tally_inputs ("
    "input INTEGER NOT NULL, kind TEXT NOT NULL, n_searched INTEGER NOT NULL,"
    " n_left_out INTEGER NOT NULL, PRIMARY KEY (input, kind)) WITHOUT ROWID",
    "INSERT INTO tally_inputs VALUES (?,?,?,?)",
    write_inputs,
    "SELECT input, kind, n_searched, n_left_out FROM main.tally_inputs ORDER BY input, kind",
    read_input,
    "tally_inputs"};

/* ---- tally_texts: numbered as tallies, and counters in ranges, first have them ---- */

static void write_text(struct rf_summary_file *file, sqlite3_stmt *insert, uint32_t string)
{
    if (string >= file->out->strings.n || file->text[string] != 0 || file->status != RF_OK)
        return;
    file->text[string] = (uint32_t)++file->n_texts;
    (void)sqlite3_bind_int64(insert, 1, (int64_t)file->n_texts);
    rf_file_bind_string(file, insert, 2, string);
    rf_summary_file_insert(file, insert);
}

static void write_texts(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_tallies *all = &file->out->tallies;
    const struct rf_counter_ranges *ranges = &file->out->counter_ranges;
    file->text = calloc((size_t)file->out->strings.n + 1, sizeof(*file->text));
    if (file->text == NULL)
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_tally_key *key = &all->item[i].key;
        write_text(file, insert, key->domain);
        write_text(file, insert, key->name);
        write_text(file, insert, key->style);
        write_text(file, insert, key->detail);
    }
    for (size_t i = 0; i < ranges->n && file->status == RF_OK; i++) {
        const struct rf_counter_range *item = &ranges->item[i];
        write_text(file, insert, item->domain);
        write_text(file, insert, item->name);
        write_text(file, insert, item->counter_domain);
        write_text(file, insert, item->counter_name);
        write_text(file, insert, item->unit);
    }
}

static void read_text(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t number = rf_file_number(file, row, 0, 1);
    const uint32_t string = rf_file_string(file, row, 1);
    if (number != (int64_t)file->n_texts + 1 || string == RF_NO_STRING)
        rf_summary_file_damaged(file, "a text of tallies");
    if (file->status == RF_OK)
        rf_summary_file_fail(
            file, rf_grow_array(&file->text, file->n_texts, &file->text_room, sizeof(*file->text)));
    if (file->status == RF_OK)
        file->text[file->n_texts++] = string;
}

const struct rf_summary_table rf_table_tally_texts = {
    "CREATE TABLE tally_texts (text INTEGER PRIMARY KEY, value TEXT NOT NULL)",
    "INSERT INTO tally_texts VALUES (?,?)",
    write_texts,
    "SELECT text, value FROM main.tally_texts ORDER BY text",
    read_text,
    "tally_texts"};

void rf_file_bind_tally_text(const struct rf_summary_file *file, sqlite3_stmt *insert, int i,
                             uint32_t string)
{
    if (string < file->out->strings.n)
        (void)sqlite3_bind_int64(insert, i, file->text[string]);
    else
        (void)sqlite3_bind_null(insert, i);
}

uint32_t rf_file_tally_text(struct rf_summary_file *file, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL)
        return RF_NO_STRING;
    const int64_t number = rf_file_number(file, row, column, 1);
    if (number <= (int64_t)file->n_texts)
        return file->text[number - 1];
    rf_summary_file_damaged(file, sqlite3_column_name(row, column));
    return RF_NO_STRING;
}

/* ---- tallies ---- */

enum { FIRST_SUM = 18 };

static void write_tallies(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_tallies *all = &file->out->tallies;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        const struct rf_tally_key *key = &all->item[i].key;
        const struct rf_summary_row *values = &all->item[i].values;
        (void)sqlite3_bind_int64(insert, 1, (int64_t)i + 1);
        (void)sqlite3_bind_int64(insert, 2, key->input + (int64_t)1);
        (void)sqlite3_bind_text(insert, 3, rf_tally_kind_name(key->kind), -1, SQLITE_STATIC);
        rf_file_bind_tally_text(file, insert, 4, key->domain);
        rf_file_bind_tally_text(file, insert, 5, key->name);
        (void)sqlite3_bind_int64(insert, 6, key->name == RF_REST_OF_NAMES);
        rf_file_bind_tally_text(file, insert, 7, key->style);
        rf_file_bind_tally_text(file, insert, 8, key->detail);
        (void)sqlite3_bind_int64(insert, 9, key->pid);
        (void)sqlite3_bind_int64(insert, 10, key->tid);
        (void)sqlite3_bind_int64(insert, 11, key->device);
        (void)sqlite3_bind_int64(insert, 12, (int64_t)values->n);
        (void)sqlite3_bind_int64(insert, 13, (int64_t)values->total);
        rf_file_bind_squares(insert, 14, values->squares);
        (void)sqlite3_bind_int64(insert, 16, (int64_t)values->min.value);
        (void)sqlite3_bind_int64(insert, 17, (int64_t)values->max.value);
        for (int k = 0; k < RF_TALLY_SUMS; k++)
            (void)sqlite3_bind_int64(insert, FIRST_SUM + k, (int64_t)all->item[i].sum[k]);
        rf_summary_file_insert(file, insert);
    }
}

/* A number below UINT32_MAX, or -1. */
static int64_t read_id(struct rf_summary_file *file, sqlite3_stmt *row, int column)
{
    const int64_t id = rf_file_number(file, row, column, -1);
    if (id >= UINT32_MAX)
        rf_summary_file_damaged(file, sqlite3_column_name(row, column));
    return id;
}

static struct rf_tally_key read_key(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t input = rf_file_number(file, row, 1, 1);
    struct rf_tally_key key = {.input = (uint32_t)(input - 1),
                               .kind = kind_named(rf_file_text(file, row, 2)),
                               .domain = rf_file_tally_text(file, row, 3),
                               .name = rf_file_tally_text(file, row, 4),
                               .style = rf_file_tally_text(file, row, 6),
                               .detail = rf_file_tally_text(file, row, 7),
                               .pid = read_id(file, row, 8),
                               .tid = read_id(file, row, 9),
                               .device = read_id(file, row, 10)};
    if (rf_file_number(file, row, 5, 0) != 0)
        key.name = RF_REST_OF_NAMES;
    if (input > (int64_t)file->summary->n_inputs)
        rf_summary_file_damaged(file, "input");
    return key;
}

static struct rf_summary_row read_values(struct rf_summary_file *file, sqlite3_stmt *row)
{
    return (struct rf_summary_row){.n = (uint64_t)rf_file_number(file, row, 11, 0),
                                   .total = (uint64_t)rf_file_number(file, row, 12, 0),
                                   .squares = rf_file_squares(file, row, 13),
                                   .min.value = (uint64_t)rf_file_number(file, row, 15, 0),
                                   .max.value = (uint64_t)rf_file_number(file, row, 16, 0)};
}

static bool is_possible(const struct rf_summary_row *values)
{
    return values->n > 0 ? rf_summary_row_is_possible(values)
                         : values->total == 0 && values->squares == 0 && values->min.value == 0 &&
                               values->max.value == 0;
}

/* Its number is kept for the buckets that follow. */
static void add_tally(struct rf_summary_file *file, int64_t number, const struct rf_tally *tally)
{
    struct rf_tallies *all = &file->summary->tallies;
    const size_t before = all->n;
    struct rf_tally *added = rf_tally_of(all, &tally->key);
    if (added == NULL) {
        rf_summary_file_fail(file, RF_ERR_NO_MEMORY);
    } else if (all->n == before) {
        rf_summary_file_damaged(file, "a tally that comes twice");
    } else {
        *added = *tally;
        added->values.path = (uint32_t)number;
    }
}

/* Kinds of a newer version are left out: numbers may be missing. */
static void read_tally(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const struct rf_tallies *all = &file->summary->tallies;
    const int64_t number = rf_file_number(file, row, 0, 1);
    struct rf_tally tally = {.key = read_key(file, row), .values = read_values(file, row)};
    for (int k = 0; k < RF_TALLY_SUMS; k++)
        tally.sum[k] = (uint64_t)rf_file_number(file, row, FIRST_SUM - 1 + k, 0);
    if (tally.key.kind == RF_TALLY_N_KINDS)
        file->has_later_tallies = true;
    if (file->status != RF_OK || tally.key.kind == RF_TALLY_N_KINDS)
        return;
    if (number >= UINT32_MAX ||
        rf_searched_of(&all->searched[tally.key.kind], tally.key.input).n_searched == 0 ||
        !is_possible(&tally.values))
        rf_summary_file_damaged(file, "a tally");
    else
        add_tally(file, number, &tally);
}

const struct rf_summary_table rf_table_tallies = {
    "CREATE TABLE tallies ("
    "tally INTEGER PRIMARY KEY, input INTEGER NOT NULL, kind TEXT NOT NULL, domain INTEGER,"
    " name INTEGER, is_rest INTEGER NOT NULL, style INTEGER, detail INTEGER, pid INTEGER NOT NULL,"
    " tid INTEGER NOT NULL, device INTEGER NOT NULL, n INTEGER NOT NULL, total INTEGER NOT NULL,"
    " squares_high INTEGER NOT NULL, squares_low INTEGER NOT NULL, min INTEGER NOT NULL,"
    " max INTEGER NOT NULL, sum1 INTEGER NOT NULL, sum2 INTEGER NOT NULL, sum3 INTEGER NOT NULL,"
    " sum4 INTEGER NOT NULL)",
    "INSERT INTO tallies VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    write_tallies,
    "SELECT tally, input, kind, domain, name, is_rest, style, detail, pid, tid, device, n, total,"
    " squares_high, squares_low, min, max, sum1, sum2, sum3, sum4 FROM main.tallies ORDER BY tally",
    read_tally,
    "tallies"};

/* ---- tally_histograms ---- */

static void write_histograms(struct rf_summary_file *file, sqlite3_stmt *insert)
{
    const struct rf_tallies *all = &file->out->tallies;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++)
        if (all->item[i].values.histogram.n > 0)
            rf_file_insert_histogram(file, insert, i + 1, &all->item[i].values.histogram);
}

/* The tally of a number; NULL: it is of a kind that is not known, or there is none. */
static struct rf_tally *tally_numbered(struct rf_tallies *all, int64_t number)
{
    size_t low = 0, high = all->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all->item[middle].values.path < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->n && all->item[low].values.path == number ? &all->item[low] : NULL;
}

static void read_histogram(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t number = rf_file_number(file, row, 0, 1);
    struct rf_tally *tally = tally_numbered(&file->summary->tallies, number);
    if (file->status == RF_OK && tally != NULL)
        rf_file_read_histogram(file, row, &tally->values.histogram);
    else if (!file->has_later_tallies)
        rf_summary_file_damaged(file, "the tally of a histogram");
}

const struct rf_summary_table rf_table_tally_histograms = {
    "CREATE TABLE tally_histograms (tally INTEGER PRIMARY KEY, buckets TEXT NOT NULL)",
    "INSERT INTO tally_histograms VALUES (?,?)",
    write_histograms,
    "SELECT tally, buckets FROM main.tally_histograms ORDER BY tally",
    read_histogram,
    "tally_histograms"};

/* ---- tally_buckets, of version 1 ---- */

static void read_bucket(struct rf_summary_file *file, sqlite3_stmt *row)
{
    const int64_t number = rf_file_number(file, row, 0, 1),
                  bucket = rf_file_number(file, row, 1, 0), n = rf_file_number(file, row, 2, 1);
    struct rf_tally *tally = tally_numbered(&file->summary->tallies, number);
    if (file->status == RF_OK && tally != NULL)
        rf_file_add_bucket(file, &tally->values.histogram, bucket, n);
    else if (!file->has_later_tallies)
        rf_summary_file_damaged(file, "the tally of a bucket");
}

const struct rf_summary_table rf_table_tally_buckets = {
    NULL,        NULL,
    NULL,        "SELECT tally, bucket, n FROM main.tally_buckets ORDER BY tally, bucket",
    read_bucket, "tally_buckets"};

/* ---- When all is read ---- */

void rf_file_check_tallies(struct rf_summary_file *file)
{
    struct rf_tallies *all = &file->summary->tallies;
    for (size_t i = 0; i < all->n && file->status == RF_OK; i++) {
        all->item[i].values.path = 0;
        if (!rf_summary_row_has_buckets(&all->item[i].values))
            rf_summary_file_damaged(file, "the buckets of a tally");
    }
}
