/* SPDX-License-Identifier: Apache-2.0 */
/* A table of results and the forms in which it is written. */
#ifndef RF_STATS_TABLE_H
#define RF_STATS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"
#include "model/sums/work_sums.h"
#include "stats/column_meanings.h"
#include "stats/durations.h"
#include "stats/quantiles.h"

#define RF_TABLE_MAX_COLUMNS 128

enum rf_column_type {
    RF_COLUMN_COUNT, /* whole numbers */
    RF_COLUMN_REAL,  /* numbers with one decimal; NAN: None */
    RF_COLUMN_SHARE, /* REAL from 0 to 100; on a terminal with a bar beside it */
    RF_COLUMN_TEXT,
    RF_COLUMN_LABEL,  /* TEXT that may be a number */
    RF_COLUMN_TREE,   /* TEXT with dashes of ours before it */
    RF_COLUMN_WORD,   /* text that lives as long as the recording */
    RF_COLUMN_ID,     /* numbers that name things: 1000 in every form; RF_NO_ID: None */
    RF_COLUMN_TIME,   /* times of the recording, which may be negative; RF_NO_TIME: None */
    RF_COLUMN_SIGNED, /* other whole numbers that may be negative; RF_NO_TIME: None */
    RF_COLUMN_MEGA,   /* millions, with three decimals; NAN: None */
    RF_COLUMN_SPAN,   /* COUNT of nanoseconds, for people "1.500 ms"; RF_NO_TIME: None */
    RF_COLUMN_FOLDED, /* COUNT that people do not see where it is 1 in all rows */
    RF_COLUMN_VALUE,  /* numbers with the digits that they need, seven on the console; NAN: None */
};

#define RF_NO_ID UINT64_MAX

static inline bool rf_column_is_text(enum rf_column_type type)
{
    return type == RF_COLUMN_TEXT || type == RF_COLUMN_LABEL || type == RF_COLUMN_TREE ||
           type == RF_COLUMN_WORD;
}

/* A unit stands in the title: "Avg (ns)". The meaning is what `rangefinder stats --explain` says:
 * what the column holds, how it is computed, and after "None: " when it is None. */
struct rf_column {
    const char *title;
    enum rf_column_type type;
    const char *meaning;
};

struct rf_cell {
    union {
        uint64_t count; /* COUNT, ID, SPAN, FOLDED */
        int64_t time;   /* TIME, SIGNED */
        struct {
            double real;
            int64_t whole; /* VALUE: 0, or of a whole number 1 + 2 * what it is more than real */
        };
        struct {
            const char *text; /* TEXT: owned by the table */
            size_t size;
        };
    };
};

/* Whose a row is, where an input is several recordings. */
struct rf_row_origin {
    const char *host; /* the summary's */
    int64_t rank;     /* -1: unknown */
};

/* Makes rows when they are looked at, where there are many: memory for all their cells would be
 * more than that of what they say. Their texts are of type WORD. */
struct rf_row_maker {
    void (*make)(const struct rf_row_maker *maker, size_t row, struct rf_cell *cells); /* zeroed */
    void (*free)(struct rf_row_maker *maker);
    size_t row; /* of `cells`; SIZE_MAX: none yet */
    struct rf_cell cells[RF_TABLE_MAX_COLUMNS];
};

struct rf_table {
    const char *title; /* "NVTX Range Summary" */
    const char *name;  /* of the report */
    const struct rf_column *columns;
    size_t n_columns;
    struct rf_cell *cells; /* row by row; NULL: maker makes them */
    struct rf_row_maker *maker;
    size_t n_rows;
    size_t capacity; /* rows */
    /* Set before the report fills the table: */
    bool by_process;        /* rf_report_options.by_process */
    bool marks_cut;         /* rf_report_options.marks_cut */
    bool has_fixed_columns; /* those of the report and no more */
    bool can_make_rows;     /* it is read by rf_table_row() alone: a report may give it a maker */
    bool is_approximate;    /* medians and quantiles come from a histogram */
    bool is_joined;       /* with tables of other recordings, which may have what this one lacks */
    const char *group_by; /* rf_report_options.group_by */
    struct rf_quantiles quantiles; /* rf_report_options.quantiles */
    const char *step;              /* rf_report_options.step */
    const char *collective;        /* rf_report_options.collective */
    int fold_numbers;              /* rf_report_options.fold_numbers */
    char *differing;               /* rf_report_options.differing */
    size_t differing_size;
    enum rf_kernel_naming kernel_naming;
    bool with_ranges;   /* names of kernels begin with that of the innermost range */
    uint64_t threshold; /* of ticks per millisecond, or of gaps; RF_NO_ID: the report's own */
    uint64_t max_pairs; /* of kernels and ranges around them, which are visited one by one; 0: the
                         * report's own limit, likewise the next one */
    uint64_t max_steps; /* where they are counted instead */
    uint8_t
        *is_missing; /* per row: it has no numbers, since its input could not be read; or NULL */
    size_t n_marked; /* rows that is_missing has */
    struct rf_row_origin *origin; /* per row; NULL: all are the input's */
    size_t origin_room;
    char **notes; /* lines under the table; the forms for programs leave them out */
    size_t n_notes, notes_room;
    struct rf_column *own_columns; /* columns, where they are not the report's */
    char *group_title;             /* of the last one of them */
    char *quantile_titles;         /* of others of them */
    size_t first_quantile;         /* column, until they are placed */
    unsigned width;                /* rf_report_options.width, likewise is_ascii */
    bool is_ascii;
    uint64_t n_captures, captured_ns; /* rf_table_set_captures() */
    void *words;                      /* what cells of type WORD point to, if it is the table's */
    void (*free_words)(void *words);
};

/* columns must outlive the table. */
void rf_table_init(struct rf_table *table, const char *title, const struct rf_column *columns,
                   size_t n_columns);

/* Notes the captures of a focused recording and how long they took together. */
void rf_table_set_captures(struct rf_table *table, const rf_recording *rec);

/* Adds a row of zeroed cells and returns it; NULL: out of memory. */
struct rf_cell *rf_table_add_row(struct rf_table *table);

/* Gives an empty table the rows of a maker, which is the table's now. No row is added, and none is
 * sorted. */
void rf_table_take_maker(struct rf_table *table, struct rf_row_maker *maker, size_t n_rows);

/* See rf_table_row(). */
const struct rf_cell *rf_table_make_row(const struct rf_table *table, size_t row);

/* The cells of a row, until the next one is looked at. */
static inline const struct rf_cell *rf_table_row(const struct rf_table *table, size_t row)
{
    return table->maker == NULL       ? &table->cells[row * table->n_columns]
           : table->maker->row == row ? table->maker->cells
                                      : rf_table_make_row(table, row);
}

/* Says whose the row is that was added last; of all rows, and none is sorted. false: out of memory.
 */
bool rf_table_set_origin(struct rf_table *table, const char *host, int64_t rank);

/* Copies text into a cell; false: out of memory. */
bool rf_cell_set_text(struct rf_cell *cell, const char *text, size_t size);

/* Makes :op_17 :op_#, in the cell's own text, whose last name_size bytes are the name. */
void rf_cell_fold_numbers(struct rf_cell *cell, size_t name_size);

/* word must outlive the table. */
void rf_cell_set_word(struct rf_cell *cell, const char *word);

/* A whole number, exactly, in a column of type VALUE. */
void rf_cell_set_whole(struct rf_cell *cell, __int128 value);

/* Whether a cell of type VALUE has one, and which. */
bool rf_cell_whole(const struct rf_cell *cell, __int128 *value);

/* A string of the recording in a column of type WORD, "(null)" for RF_NO_STRING. */
void rf_cell_set_model_string(struct rf_cell *cell, const rf_recording *rec, uint32_t string);

/* Sorts the rows by a column, the largest first; among equals by the other columns from the left,
 * numbers the largest first, texts by their bytes: the order is the same for every order of events.
 */
void rf_table_sort_by_total(struct rf_table *table, size_t column);

/* Sorts the rows by n columns, the first of them first: COLUMN, the smallest number first, or
 * ~COLUMN, the largest first; texts by their bytes. */
void rf_table_sort(struct rf_table *table, const int *columns, size_t n);

/* Says of the row that was added last that it has no numbers; no row is sorted after that. false:
 * out of memory. */
bool rf_table_mark_missing(struct rf_table *table);

/* Says which range is to be asked about next: rf_report_options.differing. false: nobody wants to
 * know, or the name cannot be given on a command line as it is. */
bool rf_table_set_differing(const struct rf_table *table, const char *name, size_t size);

/* Adds a line under the table, formatted as printf does. */
void rf_table_add_note(struct rf_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for what is to be looked at: the note says how to see the others. */
void rf_table_cut(struct rf_table *table, uint64_t n);

/* Leaves out the rows behind the first n, and says so in a note. */
void rf_table_keep_rows(struct rf_table *table, uint64_t n);

void rf_table_release(struct rf_table *table);

/* Fills the cells average, median, minimum, maximum and standard deviation, in this order. */
void rf_cells_set_durations(struct rf_cell *cell, const struct rf_durations *measured);

/* The first columns of a summary: share, total, number, and those of rf_cells_set_durations(). */
/* clang-format off */
#define RF_SUMMARY_COLUMNS(number, means)                                                              \
    {"Time (%)", RF_COLUMN_REAL, "share of the sum of all rows' Total Time"},                      \
    {"Total Time (ns)", RF_COLUMN_COUNT, "sum of the durations"},                                  \
    {number, RF_COLUMN_COUNT, means},                                                              \
    {"Avg (ns)", RF_COLUMN_REAL, "mean of the durations"},                                         \
    {"Med (ns)", RF_COLUMN_REAL,                                                                   \
     "median of the durations, of an even number the mean of both in the middle"},                 \
    {"Min (ns)", RF_COLUMN_COUNT, "shortest duration"},                                            \
    {"Max (ns)", RF_COLUMN_COUNT, "longest duration"},                                             \
    {"StdDev (ns)", RF_COLUMN_REAL, RF_MEANS_STDDEV}
/* clang-format on */

enum rf_summary_column {
    RF_SUMMARY_SHARE,
    RF_SUMMARY_TOTAL,
    RF_SUMMARY_NUMBER,
    RF_SUMMARY_FIGURES,
    RF_SUMMARY_N = RF_SUMMARY_FIGURES + 5
};

/* Fills these cells of a row. all_ns: the total of all rows. */
void rf_row_set_summary(struct rf_cell *row, const struct rf_durations *measured, size_t n,
                        double all_ns);

#endif
