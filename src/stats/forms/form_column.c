/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/form_column.h"

#include <string.h>

#include "base/escape.h"
#include "base/width.h"

#define NARROWEST ((size_t)20) /* column of names, cut to fit a terminal */
#define BAR       ((size_t)10) /* columns of the bar of 100 % */

/* What stands around the cells of a row. */
struct frame {
    const char *begin, *between, *end;
    bool is_boxed; /* with lines above and below, too */
};

static const struct frame bare = {" ", "  ", "", false};
static const struct frame boxed = {"| ", " | ", " |", true};

struct measured_sink {
    struct rf_sink sink;
    size_t n_columns;
};

struct writing {
    const struct rf_view *view;
    const struct frame *frame;
    struct rf_sink *sink;
    struct measured_sink measured;
    size_t width[RF_TABLE_MAX_COLUMNS];
};

/* ---- Widths ---- */

static int measure(void *context, const void *data, size_t size, struct rf_err *err)
{
    (void)err;
    ((struct measured_sink *)context)->n_columns += rf_utf8_columns(data, size);
    return RF_OK;
}

/* The columns that text takes on a terminal, with its control characters escaped. */
static size_t printable_width(struct measured_sink *measured, const char *text, size_t size)
{
    measured->n_columns = 0;
    rf_sink_printable(&measured->sink, text, size);
    rf_sink_drain(&measured->sink);
    return measured->n_columns;
}

static size_t title_width(struct writing *w, size_t column)
{
    const char *title = w->view->column[column].title;
    return printable_width(&w->measured, title, strlen(title));
}

/* A number as the format has it. */
static size_t format_number(const struct writing *w, char out[RF_NUMBER_SIZE], size_t row,
                            size_t column)
{
    const bool is_grouped = (w->view->format->options & RF_FORM_NOFMT) == 0;
    return rf_view_number(out, w->view, row, column, is_grouped);
}

/* What stands beside the numbers of a column: on a terminal the bar of a share. */
static size_t bar_width(const struct writing *w, size_t column)
{
    return w->view->column[column].type == RF_COLUMN_SHARE && w->view->table->width > 0 ? BAR + 1
                                                                                        : 0;
}

static size_t cell_width(struct writing *w, size_t row, size_t column)
{
    char number[RF_NUMBER_SIZE];
    const struct rf_cell *cell = rf_view_cell(w->view, row, column);
    return rf_view_is_text(w->view, column)
               ? printable_width(&w->measured, cell->text, cell->size)
               : format_number(w, number, row, column) + bar_width(w, column);
}

/* The width that the format gives a column; RF_WIDTH_AUTO: none. */
static uint32_t given_width(const struct rf_view *view, size_t column)
{
    const size_t index = view->column[column].index;
    return index < view->format->n_widths ? view->format->width[index] : RF_WIDTH_AUTO;
}

/* Narrows the widest columns of text until a row fits or they are NARROWEST. */
static void fit(struct writing *w)
{
    const struct rf_view *view = w->view;
    size_t *widths = w->width;
    size_t all = strlen(w->frame->begin) + strlen(w->frame->end);
    for (size_t i = 0; i < view->n_columns; i++)
        all += widths[i] + (i > 0 ? strlen(w->frame->between) : 0);
    while (all > view->table->width) {
        size_t widest = view->n_columns;
        for (size_t i = 0; i < view->n_columns; i++)
            if (rf_view_is_text(view, i) && given_width(view, i) == RF_WIDTH_AUTO &&
                widths[i] > NARROWEST && (widest == view->n_columns || widths[i] > widths[widest]))
                widest = i;
        if (widest == view->n_columns)
            return;
        widths[widest]--;
        all--;
    }
}

static void find_widths(struct writing *w)
{
    const struct rf_view *view = w->view;
    const bool has_header = (view->format->options & RF_FORM_NOHDR) == 0;
    for (size_t i = 0; i < view->n_columns; i++)
        w->width[i] = has_header ? title_width(w, i) : 0;
    for (size_t row = 0; row < view->table->n_rows; row++)
        for (size_t i = 0; i < view->n_columns; i++) {
            size_t width = cell_width(w, row, i);
            w->width[i] = width > w->width[i] ? width : w->width[i];
        }
    for (size_t i = 0; i < view->n_columns; i++)
        if (given_width(view, i) != RF_WIDTH_AUTO)
            w->width[i] = given_width(view, i);
    if (view->table->width > 0 && (view->format->options & RF_FORM_NOLIMIT) == 0)
        fit(w);
}

/* ---- Cells ---- */

/* A sink that passes on the beginning of a text. */
struct cut_sink {
    struct rf_sink sink;
    struct rf_sink *to;
    size_t n_columns; /* that are left */
};

static int pass_on(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct cut_sink *cut = context;
    size_t columns, n = rf_utf8_fitting(data, size, cut->n_columns, &columns);
    (void)err;
    rf_sink_bytes(cut->to, data, n);
    cut->n_columns = n < size ? 0 : cut->n_columns - columns;
    return RF_OK;
}

/* Writes as much of a text as fits, and an ellipsis, since there is more. */
static void put_cut(struct rf_sink *sink, const char *text, size_t size, size_t width)
{
    struct cut_sink cut = {.to = sink, .n_columns = width - 1};
    if (rf_sink_init(&cut.sink, pass_on, &cut, sink->err) != RF_OK) {
        sink->status = RF_ERR_NO_MEMORY;
        return;
    }
    cut.sink.is_raw = sink->is_raw;
    rf_sink_printable(&cut.sink, text, size);
    rf_sink_drain(&cut.sink);
    rf_sink_release(&cut.sink);
    rf_sink_text(sink, "\xe2\x80\xa6"); /* an ellipsis */
    rf_sink_pad(sink, cut.n_columns);   /* where a wide character did not fit */
}

/* text takes `columns`, of which `left` in a hundred of what is over stand before it. */
static void put_padded(const struct writing *w, size_t column, const char *text, size_t size,
                       size_t columns, size_t left)
{
    const size_t width = w->width[column];
    const bool is_last = column + 1 == w->view->n_columns && !w->frame->is_boxed;
    if (columns > width) {
        put_cut(w->sink, text, size, width);
        return;
    }
    const size_t before = (width - columns) * left / 100;
    rf_sink_pad(w->sink, before);
    rf_sink_printable(w->sink, text, size);
    if (!is_last || left == 50) /* titles are centered, also the last one */
        rf_sink_pad(w->sink, width - columns - before);
}

/* A space, and blocks and an eighth of one for a share of 100. */
static void put_bar(struct rf_sink *sink, double share, bool is_ascii)
{
    static const char block[] = "\xe2\x96\x88"; /* a full one; one eighth has \x8f, and so on */
    const size_t eighths =
        share > 0 ? (size_t)((share < 100 ? share : 100) / 100 * 8 * BAR + 0.5) : 0;
    rf_sink_char(sink, ' ');
    for (size_t i = 0; i < (is_ascii ? (eighths + 7) / 8 : eighths / 8); i++)
        rf_sink_text(sink, is_ascii ? "#" : block);
    if (!is_ascii && eighths % 8 > 0) {
        const char part[] = {block[0], block[1], (char)(0x90 - eighths % 8), '\0'};
        rf_sink_text(sink, part);
    }
    rf_sink_pad(sink, BAR - (eighths + 7) / 8);
}

static void put_number(struct writing *w, size_t row, size_t column)
{
    char number[RF_NUMBER_SIZE];
    const size_t size = format_number(w, number, row, column), bar = bar_width(w, column);
    if (bar == 0 || size + bar > w->width[column]) {
        put_padded(w, column, number, size, size, 100);
        return;
    }
    rf_sink_pad(w->sink, w->width[column] - size - bar);
    rf_sink_bytes(w->sink, number, size);
    put_bar(w->sink,
            rf_view_is_none(w->view, row, column) ? 0 : rf_view_cell(w->view, row, column)->real,
            w->view->table->is_ascii);
}

static void put_cell(struct writing *w, size_t row, size_t column)
{
    const struct rf_cell *cell = rf_view_cell(w->view, row, column);
    if (rf_view_is_text(w->view, column)) {
        size_t columns = printable_width(&w->measured, cell->text, cell->size);
        put_padded(w, column, cell->text, cell->size, columns, 0);
    } else {
        put_number(w, row, column);
    }
}

/* ---- Rows ---- */

/* What stands before cell i of a row, or behind the last. */
static void put_frame(const struct writing *w, size_t i)
{
    rf_sink_text(w->sink, i == 0                    ? w->frame->begin
                          : i == w->view->n_columns ? w->frame->end
                                                    : w->frame->between);
}

static void put_dashes(struct rf_sink *sink, size_t n)
{
    for (size_t k = 0; k < n; k++)
        rf_sink_char(sink, '-');
}

/* "+-----+--+" */
static void put_line(const struct writing *w)
{
    if (!w->frame->is_boxed)
        return;
    for (size_t i = 0; i < w->view->n_columns; i++) {
        rf_sink_char(w->sink, '+');
        put_dashes(w->sink, w->width[i] + 2);
    }
    rf_sink_text(w->sink, "+\n");
}

static void put_underlines(const struct writing *w)
{
    if (w->frame->is_boxed) {
        put_line(w);
        return;
    }
    for (size_t i = 0; i < w->view->n_columns; i++) {
        put_frame(w, i);
        put_dashes(w->sink, w->width[i]);
    }
    rf_sink_char(w->sink, '\n');
}

static void put_header(struct writing *w)
{
    const struct rf_view *view = w->view;
    rf_sink_text(w->sink, " ** ");
    rf_sink_text(w->sink, view->table->title);
    rf_sink_text(w->sink, " (");
    rf_sink_text(w->sink, view->table->name);
    rf_sink_text(w->sink, "):\n\n");
    put_line(w);
    for (size_t i = 0; i < view->n_columns; i++) {
        const char *title = view->column[i].title;
        put_frame(w, i);
        put_padded(w, i, title, strlen(title), title_width(w, i), 50);
    }
    put_frame(w, view->n_columns);
    rf_sink_char(w->sink, '\n');
    put_underlines(w);
}

static void put_notes(const struct rf_table *table, struct rf_sink *sink)
{
    if (table->n_rows == 0)
        rf_sink_text(sink, " (no rows)\n");
    for (size_t i = 0; i < table->n_notes; i++) {
        rf_sink_text(sink, i == 0 ? "\n " : " ");
        rf_sink_safe(sink, table->notes[i], strlen(table->notes[i]));
        rf_sink_char(sink, '\n');
    }
}

static void put_rows(struct writing *w)
{
    find_widths(w);
    if ((w->view->format->options & RF_FORM_NOHDR) == 0)
        put_header(w);
    else
        put_line(w);
    for (size_t row = 0; row < w->view->table->n_rows; row++) {
        for (size_t i = 0; i < w->view->n_columns; i++) {
            put_frame(w, i);
            put_cell(w, row, i);
        }
        put_frame(w, w->view->n_columns);
        rf_sink_char(w->sink, '\n');
    }
    if (w->view->table->n_rows > 0)
        put_line(w);
    put_notes(w->view->table, w->sink);
}

static void write_framed(const struct rf_view *view, struct rf_sink *sink,
                         const struct frame *frame)
{
    struct writing w = {.view = view, .frame = frame, .sink = sink};
    if (rf_sink_init(&w.measured.sink, measure, &w.measured, sink->err) != RF_OK) {
        sink->status = RF_ERR_NO_MEMORY;
        return;
    }
    w.measured.sink.is_raw = sink->is_raw;
    put_rows(&w);
    rf_sink_release(&w.measured.sink);
}

void rf_write_column(const struct rf_view *view, struct rf_sink *sink)
{
    write_framed(view, sink, &bare);
}

void rf_write_boxed(const struct rf_view *view, struct rf_sink *sink)
{
    write_framed(view, sink, &boxed);
}
