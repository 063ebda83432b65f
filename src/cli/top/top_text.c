/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "base/escape.h"
#include "base/width.h"
#include "log/capture.h"

#define FRAME_LINES 16u /* that are no rows of tables */

struct writing {
    struct rf_sink *sink;
    struct rf_sink printable; /* of one name, into `text` */
    char text[8 * TOP_TEXT_BYTES];
    size_t n_text;
    const struct top_page *page;
    const struct top_figures *f;
    size_t column; /* of the line being written */
};

/* ---- Pieces of lines ---- */

static int take_printable(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct writing *w = context;
    const size_t room = sizeof(w->text) - w->n_text;
    (void)err;
    memcpy(w->text + w->n_text, data, size < room ? size : room);
    w->n_text += size < room ? size : room;
    return RF_OK;
}

static size_t room_left(const struct writing *w)
{
    if (w->page->width == 0)
        return SIZE_MAX;
    return w->page->width > w->column ? w->page->width - w->column : 0;
}

/* Writes printable text, as far as the line has room. */
static void put(struct writing *w, const char *text, size_t size)
{
    const size_t room = room_left(w);
    size_t columns = rf_utf8_columns(text, size);
    if (columns > room && room > 0) {
        size = rf_utf8_fitting(text, size, room - 1, &columns);
        rf_sink_bytes(w->sink, text, size);
        rf_sink_text(w->sink, "\xe2\x80\xa6"); /* an ellipsis */
        rf_sink_pad(w->sink, room - 1 - columns);
        columns = room;
    } else if (room > 0) {
        rf_sink_bytes(w->sink, text, size);
    }
    w->column += columns;
}

/* Writes what may be anything, as tables do. */
static void put_any(struct writing *w, const char *text, size_t size)
{
    w->n_text = 0;
    rf_sink_printable(&w->printable, text, size);
    rf_sink_drain(&w->printable);
    put(w, w->text, w->n_text);
}

static void put_format(struct writing *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_format(struct writing *w, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    put(w, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

static void end_line(struct writing *w)
{
    rf_sink_char(w->sink, '\n');
    w->column = 0;
}

static void put_name(struct writing *w, const struct top_text *domain, const struct top_text *name)
{
    if (domain->size > 0) {
        put_any(w, domain->bytes, domain->size);
        put(w, ":", 1);
    }
    if (name->size == 0)
        put(w, "(no message)", strlen("(no message)"));
    else
        put_any(w, name->bytes, name->size);
}

/* ---- The head ---- */

static const char *count_of(char *text, size_t size, double n)
{
    return rf_format_count(text, size, (uint64_t)(n + 0.5));
}

static void put_title(struct writing *w)
{
    const struct top_session *s = w->f->session;
    char since[32];
    put(w, "rangefinder top: ", strlen("rangefinder top: "));
    put_any(w, w->page->title, strlen(w->page->title));
    put_format(w, ", for %s, interval %.1f s",
               rf_format_duration(since, sizeof(since), w->f->time_ns), w->f->seconds);
    if (s->is_silent)
        put_format(w, "; rangefinder profile does not answer");
    if (w->page->is_paused)
        put_format(w, " [paused]");
    end_line(w);
}

static void put_rates(struct writing *w)
{
    const struct top_counts *counts = &w->f->counts;
    const double s = w->f->seconds;
    char all[32], ranges[32], marks[32], bytes[32];
    put_format(w, "events    %s/s: %s ranges, %s marks",
               count_of(all, sizeof(all), (double)top_n_events(counts) / s),
               count_of(ranges, sizeof(ranges), (double)counts->n_ranges / s),
               count_of(marks, sizeof(marks), (double)counts->n_marks / s));
    if (counts->n_counters > 0)
        put_format(w, ", %s samples",
                   count_of(marks, sizeof(marks), (double)counts->n_counters / s));
    if (counts->n_cuda > 0)
        put_format(w, ", %s of CUDA", count_of(marks, sizeof(marks), (double)counts->n_cuda / s));
    put_format(w, "; %s/s",
               rf_format_size(bytes, sizeof(bytes), (uint64_t)((double)counts->n_bytes / s)));
    end_line(w);
}

static void put_tasks(struct writing *w)
{
    char processes[32], threads[32], open[32];
    put_format(w, "running   %s process%s, %s thread%s; %s range%s open",
               rf_format_count(processes, sizeof(processes), w->f->n_all_processes),
               w->f->n_all_processes == 1 ? "" : "es",
               rf_format_count(threads, sizeof(threads), w->f->n_all_threads),
               w->f->n_all_threads == 1 ? "" : "s",
               rf_format_count(open, sizeof(open), w->f->n_all_open),
               w->f->n_all_open == 1 ? "" : "s");
    if (w->f->session->reading.is_cut)
        put_format(w, " of those that began lately");
    end_line(w);
}

static void put_memory(struct writing *w)
{
    const struct rf_ring *ring = &w->f->session->control.ring;
    char pool[32], log[32], size[32], gone[32];
    put_format(w, "memory    %s for threads, %s recorded",
               rf_format_size(pool, sizeof(pool), w->f->pool_bytes),
               rf_format_size(log, sizeof(log), w->f->log_bytes));
    if (ring->size > 0)
        put_format(w, " in a ring of %s, %s gone", rf_format_size(size, sizeof(size), ring->size),
                   rf_format_size(gone, sizeof(gone), ring->n_bytes));
    end_line(w);
}

static void put_losses(struct writing *w)
{
    const struct top_session *s = w->f->session;
    const struct rf_control *c = &s->control;
    char text[32], bytes[32];
    put_format(w, "lost      ");
    if (c->lost_records + c->lost_defs + c->n_failed_processes == 0)
        put_format(w, "nothing");
    if (c->lost_records > 0)
        put_format(w, "%s events (%s)", rf_format_count(text, sizeof(text), c->lost_records),
                   rf_format_size(bytes, sizeof(bytes), c->lost_bytes));
    if (c->lost_defs > 0)
        put_format(w, "%s%s definitions", c->lost_records > 0 ? ", " : "",
                   rf_format_count(text, sizeof(text), c->lost_defs));
    if (c->n_failed_processes > 0)
        put_format(w, "%s%s processes", c->lost_records + c->lost_defs > 0 ? ", " : "",
                   rf_format_count(text, sizeof(text), c->n_failed_processes));
    if (c->n_stalls > 0)
        put_format(w, "; threads waited %s times, %s",
                   rf_format_count(text, sizeof(text), c->n_stalls),
                   rf_format_duration(bytes, sizeof(bytes), (int64_t)c->stall_ns));
    if (s->reading.missed_bytes > 0)
        put_format(w, "; not seen here: %s",
                   rf_format_size(bytes, sizeof(bytes), s->reading.missed_bytes));
    end_line(w);
}

static void put_capture(struct writing *w)
{
    const struct top_session *s = w->f->session;
    const uint64_t word = s->control.capture.word;
    const uint32_t n = (rf_capture_phase(word) + 1) / 2;
    char since[32];
    if (s->control.records_all != 0)
        return;
    put_format(w, "capture   ");
    if (rf_capture_is_on(word))
        put_format(w, "%" PRIu32 " is on since %s", n,
                   rf_format_duration(since, sizeof(since),
                                      w->f->time_ns - top_session_time(s, s->reading.since)));
    else if (word & RF_CAPTURE_OVER)
        put_format(w, "none will follow; there were %" PRIu32, n);
    else
        put_format(w, "waiting for the next one; there were %" PRIu32, n);
    end_line(w);
}

/* ---- Tables ---- */

static void put_heading(struct writing *w, const char *text)
{
    if (w->page->is_screen)
        rf_sink_text(w->sink, "\033[7m");
    put(w, text, strlen(text));
    if (w->page->is_screen) {
        const size_t left = room_left(w);
        rf_sink_pad(w->sink, left != SIZE_MAX ? left : 0);
        rf_sink_text(w->sink, "\033[m");
    }
    end_line(w);
}

/* ---- The table of ranges ---- */

#define NAME_ROOM 28u /* columns that names have, at least */

enum column { C_SELF, C_TOTAL, C_ENDS, C_MEAN, C_P50, C_P99, C_MAX, C_OPEN, N_COLUMNS };

static const struct {
    const char *heading;
    unsigned width;
} column_table[N_COLUMNS] = {
    [C_SELF] = {"SELF%", 7}, [C_TOTAL] = {"TOTAL%", 7}, [C_ENDS] = {"ENDS/S", 10},
    [C_MEAN] = {"MEAN", 10}, [C_P50] = {"P50", 10},     [C_P99] = {"P99", 10},
    [C_MAX] = {"MAX", 10},   [C_OPEN] = {"OPEN", 7},
};

static enum column sorted_column(enum top_sort sort)
{
    static const uint8_t columns[TOP_N_SORTS] = {
        [TOP_BY_SELF] = C_SELF, [TOP_BY_TOTAL] = C_TOTAL, [TOP_BY_COUNT] = C_ENDS,
        [TOP_BY_MEAN] = C_MEAN, [TOP_BY_P99] = C_P99,     [TOP_BY_MAX] = C_MAX};
    return (enum column)columns[sort];
}

/* Which columns there is room for beside the names: a bit for each. */
static unsigned choose_columns(const struct writing *w)
{
    static const uint8_t least_first[] = {C_P50, C_MAX, C_MEAN, C_P99, C_OPEN, C_TOTAL, C_ENDS};
    const enum column sorted = sorted_column(w->page->sort);
    unsigned shown = (1u << N_COLUMNS) - 1, width = NAME_ROOM + 1;
    for (unsigned i = 0; i < N_COLUMNS; i++)
        width += column_table[i].width + 1;
    for (size_t i = 0; i < sizeof(least_first); i++)
        if (w->page->width != 0 && width > w->page->width && least_first[i] != sorted) {
            shown &= ~(1u << least_first[i]);
            width -= column_table[least_first[i]].width + 1;
        }
    return shown;
}

static const char *duration_of(char *text, size_t size, int64_t ns, bool is_known)
{
    return is_known ? rf_format_duration(text, size, ns) : "-";
}

static const char *share_of(char *text, size_t size, const struct writing *w, int64_t ns)
{
    (void)snprintf(text, size, "%.1f", (double)ns / (w->f->seconds * 1e7));
    return text;
}

static const char *cell_of(char *text, size_t size, const struct writing *w,
                           const struct top_range_figures *range, enum column column)
{
    const bool has_ended = range->n > 0;
    switch (column) {
    case C_SELF:
        return range->style == TOP_PUSH_POP ? share_of(text, size, w, range->self_ns) : "-";
    case C_TOTAL:
        return share_of(text, size, w, range->total_ns);
    case C_ENDS:
        return count_of(text, size, (double)range->n / w->f->seconds);
    case C_MEAN:
        return duration_of(text, size, range->mean_ns, has_ended);
    case C_P50:
        return duration_of(text, size, range->p50_ns, has_ended);
    case C_P99:
        return duration_of(text, size, range->p99_ns, has_ended);
    case C_MAX:
        return duration_of(text, size, range->max_ns, has_ended);
    case C_OPEN:
    case N_COLUMNS:
    default:
        (void)snprintf(text, size, "%" PRIu32, range->n_open);
        return text;
    }
}

/* range NULL: the heading. Returns how many bytes of text that is. */
static size_t write_cells(char *line, size_t size, const struct writing *w, unsigned shown,
                          const struct top_range_figures *range)
{
    char text[32];
    size_t n = 0;
    for (unsigned i = 0; i < N_COLUMNS; i++)
        if (shown & (1u << i))
            n += (size_t)snprintf(line + n, size - n, "%*s ", (int)column_table[i].width,
                                  range == NULL
                                      ? column_table[i].heading
                                      : cell_of(text, sizeof(text), w, range, (enum column)i));
    return n + (size_t)snprintf(line + n, size - n, " ");
}

static void put_ranges(struct writing *w)
{
    char line[320];
    const unsigned shown = choose_columns(w);
    const size_t n = write_cells(line, sizeof(line), w, shown, NULL);
    (void)snprintf(line + n, sizeof(line) - n, "RANGE (by %s)", top_sort_words[w->page->sort]);
    put_heading(w, line);
    for (size_t i = 0; i < w->f->n_ranges; i++) {
        put(w, line, write_cells(line, sizeof(line), w, shown, &w->f->range[i]));
        put_name(w, w->f->range[i].domain, w->f->range[i].name);
        end_line(w);
    }
}

/* ---- The other tables ---- */

static void put_who(struct writing *w, const struct top_who *who)
{
    size_t columns;
    put_format(w, " %9" PRIu32 " %9" PRIu32 "  ", who->pid, who->tid);
    w->n_text = 0;
    rf_sink_printable(&w->printable, who->thread, strlen(who->thread));
    rf_sink_drain(&w->printable);
    const size_t n = rf_utf8_fitting(w->text, w->n_text, 15, &columns);
    put(w, w->text, n);
    put_format(w, "%*s  ", (int)(15 - columns), "");
}

static void put_instances(struct writing *w, const char *title,
                          const struct top_instance_figures *instance, size_t n)
{
    char heading[96];
    (void)snprintf(heading, sizeof(heading), "%15s %9s %9s  %-15s  RANGE", title, "PID", "TID",
                   "THREAD");
    put_heading(w, heading);
    for (size_t i = 0; i < n; i++) {
        char text[32];
        put_format(w, "%15s", rf_format_duration(text, sizeof(text), instance[i].ns));
        put_who(w, &instance[i].who);
        put_name(w, instance[i].domain, instance[i].name);
        end_line(w);
    }
}

static void put_threads(struct writing *w)
{
    char heading[96];
    (void)snprintf(heading, sizeof(heading), "%15s %9s %9s  %-15s  %10s  IN", "EVENTS/S", "PID",
                   "TID", "THREAD", "BYTES/S");
    put_heading(w, heading);
    for (size_t i = 0; i < w->f->n_threads; i++) {
        const struct top_thread_figures *t = &w->f->thread[i];
        char text[32], since[32];
        put_format(w, "%15s",
                   count_of(text, sizeof(text), (double)top_n_events(&t->counts) / w->f->seconds));
        put_who(w, &t->who);
        put_format(w, "%10s  ",
                   rf_format_size(text, sizeof(text),
                                  (uint64_t)((double)t->counts.n_bytes / w->f->seconds)));
        if (t->name != NULL) {
            put_name(w, t->domain, t->name);
            put_format(w, " for %s", rf_format_duration(since, sizeof(since), t->in_ns));
        }
        end_line(w);
    }
}

static void put_processes(struct writing *w)
{
    char heading[96];
    (void)snprintf(heading, sizeof(heading), "%15s %9s %9s  %10s  PROCESS", "EVENTS/S", "PID",
                   "THREADS", "BYTES/S");
    put_heading(w, heading);
    for (size_t i = 0; i < w->f->n_processes; i++) {
        const struct top_process_figures *p = &w->f->process[i];
        char text[32], bytes[32];
        put_format(w, "%15s %9" PRIu32 " %9" PRIu32 "  %10s  ",
                   count_of(text, sizeof(text), (double)top_n_events(&p->counts) / w->f->seconds),
                   p->pid, p->n_threads,
                   rf_format_size(bytes, sizeof(bytes),
                                  (uint64_t)((double)p->counts.n_bytes / w->f->seconds)));
        put_any(w, p->name->bytes, p->name->size);
        end_line(w);
    }
}

static void put_page(struct writing *w)
{
    put_title(w);
    put_rates(w);
    put_tasks(w);
    put_memory(w);
    put_losses(w);
    put_capture(w);
    end_line(w);
    put_ranges(w);
    end_line(w);
    put_instances(w, "OPEN FOR", w->f->open, w->f->n_open);
    end_line(w);
    put_instances(w, "SLOWEST", w->f->slowest, w->f->n_slowest);
    end_line(w);
    put_threads(w);
    if (w->f->n_all_processes > 1 && !w->page->is_screen) {
        end_line(w);
        put_processes(w);
    }
}

void top_text_fit(size_t height, bool has_capture_line, struct top_wanted *wanted)
{
    const size_t frame = FRAME_LINES + has_capture_line;
    const size_t left = height > frame ? height - frame : 4;
    wanted->n_others = left / 6 > 0 ? left / 6 : 1;
    wanted->n_others = wanted->n_others < 8 ? wanted->n_others : 8;
    wanted->n_ranges = left > 3 * wanted->n_others ? left - 3 * wanted->n_others : 1;
}

int top_text_write(struct rf_sink *sink, const struct top_figures *figures,
                   const struct top_page *page)
{
    struct writing w = {.sink = sink, .page = page, .f = figures};
    const int status = rf_sink_init(&w.printable, take_printable, &w, NULL);
    if (status == RF_OK) {
        put_page(&w);
        if (page->keys != NULL)
            put(&w, page->keys, strlen(page->keys));
    }
    rf_sink_release(&w.printable);
    return status == RF_OK ? rf_sink_status(sink) : status;
}
