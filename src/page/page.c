/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/text_sink.h"
#include "model/private_access.h"
#include "page/page_assets.h"
#include "page/page_html.h"
#include "page/page_lanes.h"
#include "page/page_ranks.h"
#include "page/page_steps.h"
#include "page/page_tables.h"
#include "page/page_tree.h"
#include "stats/add_up.h"
#include "stats/advise/advise.h"
#include "summary/summary_data.h"
#include "summary/collect.h"

/* What is kept of each rank, so that a thousand of them have room. */
#define MAX_STEPS       400
#define MAX_COLLECTIVES 1000
#define MAX_INSTANCES   500000 /* that `why` is asked about, of all recordings */

struct rf_page {
    rf_summary *summary; /* an input for each recording */
    rf_advice *advice;
    struct rf_text_sink pictures; /* of the first recording */
    char *program;                /* its command line; NULL: not known */
    uint64_t n_processes, n_threads;
    uint64_t n_captures, captured_ns; /* of all recordings */
};

static int no_memory(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

struct rf_page *rf_page_new(void)
{
    struct rf_page *page = calloc(1, sizeof(*page));
    if (page != NULL && rf_summary_new(&page->summary, NULL) == RF_OK &&
        rf_advice_new(&page->advice, NULL) == RF_OK &&
        rf_text_sink_init(&page->pictures) == RF_OK) {
        rf_advice_set_limit(page->advice, MAX_INSTANCES);
        return page;
    }
    rf_page_free(page);
    return NULL;
}

void rf_page_free(struct rf_page *page)
{
    if (page == NULL)
        return;
    rf_summary_free(page->summary);
    rf_advice_free(page->advice);
    rf_text_sink_release(&page->pictures);
    free(page->program);
    free(page);
}

/* ---- Adding ---- */

/* What is made beside the steps. */
struct beside {
    struct rf_page *page;
    const rf_recording *rec;
    struct rf_summary_options options;
    bool is_first;
    struct rf_page_lanes lanes; /* of the first recording */
    struct rf_err err;
    int status;
};

static void *sum_up(void *context)
{
    struct beside *beside = context;
    beside->status = rf_summary_collect(beside->page->summary, beside->rec, &beside->options, NULL,
                                        &beside->err);
    if (beside->status == RF_OK && beside->is_first)
        beside->status = rf_page_lanes_init(&beside->lanes, beside->rec);
    return NULL;
}

static int put_beside(struct beside *beside, const struct rf_steps *steps)
{
    struct rf_sink *sink = &beside->page->pictures.sink;
    if (beside->status != RF_OK || !beside->is_first)
        return beside->status;
    rf_page_lanes_put(&beside->lanes, sink);
    return rf_page_steps_put(beside->rec, steps, sink);
}

static int add_all(struct beside *beside, struct rf_err *err)
{
    const struct rf_steps_options options = {.folds_numbers = true};
    struct rf_page *page = beside->page;
    struct rf_steps steps;
    pthread_t thread;
    const bool is_beside = pthread_create(&thread, NULL, sum_up, beside) == 0;
    int status = rf_steps_init(&steps, beside->rec, &options, err);
    if (status == RF_OK)
        status = rf_advice_add_steps(page->advice, beside->rec, beside->options.path, &steps, err);
    if (is_beside)
        (void)pthread_join(thread, NULL);
    else
        (void)sum_up(beside);
    if (status == RF_OK) {
        status = put_beside(beside, &steps);
        if (beside->status != RF_OK && err != NULL)
            *err = beside->err;
    }
    rf_steps_release(&steps);
    rf_page_lanes_release(&beside->lanes);
    return status == RF_ERR_NO_MEMORY ? no_memory(err) : status;
}

int rf_page_add(struct rf_page *page, const rf_recording *rec, const char *path, int64_t rank,
                bool is_alone, struct rf_err *err)
{
    struct beside beside = {.page = page,
                            .rec = rec,
                            .options = RF_SUMMARY_OPTIONS_INIT,
                            .is_first = rf_summary_n_inputs(page->summary) == 0};
    beside.options.path = path;
    beside.options.rank = rank >= 0 ? rank : RF_NO_TIME;
    beside.options.fold_numbers = 1;
    beside.options.without_steps = is_alone;
    beside.options.max_steps = is_alone ? 0 : MAX_STEPS;
    beside.options.max_collectives = is_alone ? 0 : MAX_COLLECTIVES;
    int status = add_all(&beside, err);
    const struct rf_process *process = rf_process_at(rec, 0);
    const char *command = process != NULL ? rf_string(rec, process->command, NULL) : NULL;
    if (page->program == NULL && command != NULL)
        page->program = strdup(command);
    page->n_processes += rf_n_processes(rec);
    page->n_threads += rf_n_threads(rec);
    page->n_captures += rf_n_captures(rec);
    page->captured_ns = rf_add_up(page->captured_ns, rf_captured_ns(rec));
    return status;
}

/* ---- What was recorded ---- */

static void put_fact(struct rf_sink *sink, const char *name, const char *text)
{
    rf_sink_format(sink, "<div><dt>%s</dt><dd>", name);
    rf_html_put_text(sink, text);
    rf_sink_text(sink, "</dd></div>\n");
}

static void put_count(struct rf_sink *sink, const char *name, uint64_t n)
{
    char text[40];
    put_fact(sink, name, rf_format_count(text, sizeof(text), n));
}

static void put_date(struct rf_sink *sink, int64_t utc_ns)
{
    char text[64];
    struct tm tm;
    const time_t seconds = (time_t)(utc_ns / 1000000000);
    if (utc_ns <= 0 || gmtime_r(&seconds, &tm) == NULL ||
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
        return;
    put_fact(sink, "began", text);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void put_name(struct rf_sink *sink, const struct rf_page *page)
{
    const uint32_t n = rf_summary_n_inputs(page->summary);
    if (n == 1)
        rf_html_put_text(sink, last_part(rf_summary_input_at(page->summary, 0)->path));
    else
        rf_sink_format(sink, "%u recordings", n);
}

/* Of all recordings. */
static struct rf_summary_input add_up(const rf_summary *summary)
{
    struct rf_summary_input all = *rf_summary_input_at(summary, 0);
    for (uint32_t i = 1; i < rf_summary_n_inputs(summary); i++) {
        const struct rf_summary_input *input = rf_summary_input_at(summary, i);
        all.n_events = rf_add_up(all.n_events, input->n_events);
        all.n_lost = rf_add_up(all.n_lost, input->n_lost);
        all.n_cut = rf_add_up(all.n_cut, input->n_cut);
        if (input->start_utc_ns < all.start_utc_ns)
            all.start_utc_ns = input->start_utc_ns;
        if (input->duration_ns > all.duration_ns)
            all.duration_ns = input->duration_ns;
        if (strcmp(input->host, all.host) != 0)
            all.host = "";
    }
    return all;
}

/* Of a recording of captures these, without what was before them and between them. */
static void put_duration(struct rf_sink *sink, const struct rf_page *page, uint64_t longest_ns)
{
    const bool is_one = rf_summary_n_inputs(page->summary) == 1;
    const bool has_captures = is_one && page->n_captures > 0;
    char text[40];
    put_fact(sink,
             !is_one                ? "the longest took"
             : !has_captures        ? "took"
             : page->n_captures > 1 ? "the captures took"
                                    : "the capture took",
             rf_format_duration(text, sizeof(text),
                                (int64_t)(has_captures ? page->captured_ns : longest_ns)));
}

static void put_facts(struct rf_sink *sink, const struct rf_page *page)
{
    const struct rf_summary_input all = add_up(page->summary);
    rf_sink_text(sink, "<dl>\n");
    if (page->program != NULL)
        put_fact(sink, "program", page->program);
    if (all.host[0] != '\0')
        put_fact(sink, "machine", all.host);
    put_date(sink, all.start_utc_ns);
    put_duration(sink, page, all.duration_ns);
    put_count(sink, "processes", page->n_processes);
    put_count(sink, "threads", page->n_threads);
    put_count(sink, "ranges and marks", all.n_events);
    rf_sink_text(sink, "</dl>\n");
    if (all.n_lost > 0)
        rf_sink_format(
            sink,
            "<p class=\"bad\">%llu events could not be recorded: what follows is without "
            "them.</p>\n",
            (unsigned long long)all.n_lost);
    else
        rf_sink_text(sink, "<p class=\"good\">Nothing was lost.</p>\n");
    if (all.n_events == 0)
        rf_sink_text(sink,
                     "<p class=\"bad\">In this recording there are no annotations: only calls and "
                     "GPU work can be shown.</p>\n");
    if (all.n_cut > 0)
        rf_sink_format(sink,
                       "<p class=\"note\">The ends of %llu ranges were not recorded; they count "
                       "up to where they were cut.</p>\n",
                       (unsigned long long)all.n_cut);
}

static void put_inputs(struct rf_sink *sink, const rf_summary *summary)
{
    enum { MAX_INPUTS = 1000 };
    const uint32_t n = rf_summary_n_inputs(summary);
    char text[40];
    if (n < 2)
        return;
    rf_sink_text(sink,
                 "<section id=\"recordings\"><h2>Recordings</h2>\n<div class=\"table\"><table>"
                 "<thead><tr><th>Recording</th><th>Machine</th><th>Rank</th><th>Duration</th>"
                 "<th>Events</th><th>Lost</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < n && i < MAX_INPUTS; i++) {
        const struct rf_summary_input *input = rf_summary_input_at(summary, i);
        rf_sink_text(sink, "<tr><td>");
        rf_html_put_text(sink, input->path);
        rf_sink_text(sink, "</td><td>");
        rf_html_put_text(sink, input->host);
        rf_sink_text(sink, "</td><td align=\"right\">");
        if (input->rank >= 0)
            rf_sink_i64(sink, input->rank);
        rf_sink_format(sink, "</td><td align=\"right\">%s</td>",
                       rf_format_duration(text, sizeof(text), (int64_t)input->duration_ns));
        rf_sink_format(sink, "<td align=\"right\">%s</td>",
                       rf_format_count(text, sizeof(text), input->n_events));
        rf_sink_format(sink, "<td align=\"right\">%s</td></tr>\n",
                       rf_format_count(text, sizeof(text), input->n_lost));
    }
    rf_sink_text(sink, "</tbody></table></div>\n");
    if (n > MAX_INPUTS)
        rf_sink_format(sink, "<p class=\"note\">%u more are not listed.</p>\n", n - MAX_INPUTS);
    rf_sink_text(sink, "</section>\n");
}

/* ---- Findings ---- */

static void put_finding(struct rf_sink *sink, const struct rf_finding *finding)
{
    char gain[40];
    rf_sink_text(sink, "<li><h3>");
    rf_html_put_text(sink, finding->title);
    rf_sink_text(sink, "</h3>\n");
    if (finding->gain_ns > 0) {
        rf_sink_format(sink, "<p class=\"gain\">to gain: at most <b>%s</b>, %.1f %% of ",
                       rf_format_duration(gain, sizeof(gain), (int64_t)finding->gain_ns),
                       100 * (double)finding->gain_ns / (double)finding->of_ns);
        rf_html_put_text(sink, finding->of);
        rf_sink_text(sink, "</p>\n");
    }
    rf_sink_text(sink, "<p>");
    rf_html_put_text(sink, finding->evidence);
    rf_sink_text(sink, ".</p>\n<p>");
    rf_html_put_text(sink, finding->advice);
    rf_sink_text(sink, ".</p>\n<pre>");
    rf_html_put_text(sink, finding->command);
    rf_sink_text(sink, "</pre></li>\n");
}

static int put_findings(struct rf_sink *sink, struct rf_page *page, struct rf_err *err)
{
    struct rf_finding finding = RF_FINDING_INIT;
    size_t n = 0;
    rf_advice_set_job(page->advice, page->summary);
    const size_t n_left_out = rf_advice_n_left_out(page->advice);
    int status = rf_advice_find(page->advice, &n, err);
    if (status != RF_OK)
        return status;
    rf_sink_text(sink, "<section id=\"findings\"><h2>What would make it faster</h2>\n");
    rf_sink_text(sink,
                 n > 0 ? "<ol>\n" : "<p>No rule of <code>rangefinder advise</code> applies.</p>\n");
    for (size_t i = 0; rf_advice_finding_at(page->advice, i, &finding) == RF_OK; i++)
        put_finding(sink, &finding);
    rf_sink_text(sink, n > 0 ? "</ol>\n" : "");
    if (n_left_out > 0)
        rf_sink_format(sink,
                       "<p class=\"note\">The slow steps of %zu recordings were not looked into: "
                       "<code>rangefinder advise</code> does.</p>\n",
                       n_left_out);
    rf_sink_text(sink, "</section>\n");
    return RF_OK;
}

/* ---- The page ---- */

/* The policy lets the page load nothing, whatever a name could smuggle in. */
static void put_head(struct rf_sink *sink, const struct rf_page *page)
{
    rf_sink_text(sink,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                 "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                 "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
                 "form-action 'none'\">\n<meta name=\"viewport\" "
                 "content=\"width=device-width,initial-scale=1\">\n<meta name=\"generator\" "
                 "content=\"rangefinder " RF_PRODUCT_VERSION "\">\n<link rel=\"icon\" "
                 "href=\"data:,\">\n<title>");
    put_name(sink, page);
    rf_sink_text(sink, " - rangefinder</title>\n<style>\n");
    rf_sink_bytes(sink, rf_page_css, rf_page_css_size);
    rf_sink_text(sink, "</style>\n</head>\n<body>\n<header><h1>");
    put_name(sink, page);
    rf_sink_text(sink, "</h1>\n");
    put_facts(sink, page);
    rf_sink_text(sink, "</header>\n<main>\n");
}

static void put_foot(struct rf_sink *sink)
{
    rf_sink_text(sink, "</main>\n<footer><p>Made by rangefinder " RF_PRODUCT_VERSION
                       ". <code>rangefinder open</code> shows the recording event by event.</p>"
                       "</footer>\n<script>\n");
    rf_sink_bytes(sink, rf_page_js, rf_page_js_size);
    rf_sink_text(sink, "</script>\n</body>\n</html>\n");
}

static int put_pictures(struct rf_sink *sink, struct rf_page *page)
{
    char *pictures = rf_text_sink_take(&page->pictures);
    if (pictures != NULL)
        rf_sink_text(sink, pictures);
    free(pictures);
    return pictures != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_page_write(struct rf_page *page, const rf_recording *rec, struct rf_sink *sink,
                  struct rf_err *err)
{
    if (rf_summary_n_inputs(page->summary) == 0)
        return rf_fail(err, RF_ERR_USAGE, "there is no recording to write a page of");
    const bool are_many = rf_summary_n_inputs(page->summary) > 1;
    put_head(sink, page);
    int status = put_findings(sink, page, err);
    if (status == RF_OK && !are_many)
        status = put_pictures(sink, page);
    if (status == RF_OK && are_many)
        status = rf_page_ranks_put(page->summary, sink, err);
    put_inputs(sink, page->summary);
    if (status == RF_OK && are_many)
        status = rf_summary_merge(page->summary, err);
    if (status == RF_OK)
        status = rf_page_tree_put(page->summary, 0, sink);
    if (status == RF_OK)
        status = rf_page_tables_put(page->summary, 0, are_many ? NULL : rec, sink, err);
    put_foot(sink);
    return status == RF_ERR_NO_MEMORY ? no_memory(err) : status;
}
