/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder top: what a running session does now. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/number_option.h"
#include "cli/option_parser.h"
#include "cli/ring/amounts_option.h"
#include "cli/say.h"
#include "cli/session/session_client.h"
#include "cli/text_out.h"
#include "cli/top/top_json.h"
#include "cli/top/top_screen.h"
#include "cli/top/top_text.h"
#include "cli/usage_error.h"
#include "log/ticks.h"

#define LOOK_NS    100000000LL /* between looks: what is recorded meanwhile still is in the pool */
#define LEAST_NS   100000000LL
#define MOST_NS    3600000000000LL
#define BATCH_ROWS 10u
#define KEYS       "q quit  space pause  s self  t total  c count  a mean  9 p99  m max  + - interval"

enum {
    OPT_SESSION = 1,
    OPT_ITERATIONS,
    OPT_INTERVAL,
    OPT_SORT,
    OPT_ROWS,
    OPT_BATCH,
    OPT_JSON,
    OPT_FOLD
};

static const struct cli_option options[] = {
    {OPT_SESSION, '\0', "session", CLI_ARG_VALUE, "NAME|PID", SESSION_OPTION_HELP, NULL},
    {OPT_INTERVAL, 'i', "interval", CLI_ARG_VALUE, "TIME",
     "How much time each table is of (500ms, 2s, 1min). Default: 1s.", NULL},
    {OPT_ITERATIONS, 'n', "iterations", CLI_ARG_VALUE, "N",
     "End after N tables. Default: with the session.", NULL},
    {OPT_SORT, 's', "sort", CLI_ARG_VALUE, "self|total|count|mean|p99|max",
     "What ranges are sorted by. Default: self.", NULL},
    {OPT_ROWS, 'r', "rows", CLI_ARG_VALUE, "N",
     "Rows of each table. Default: 10; on a terminal as many as fit.", NULL},
    {OPT_FOLD, '\0', "fold-numbers", CLI_ARG_BOOL, NULL,
     "Take names for one that differ by numbers alone: op_17 and op_18 are op_#.", NULL},
    {OPT_BATCH, 'b', "batch", CLI_ARG_BOOL, NULL,
     "Print one table after another, as where standard output is no terminal.", NULL},
    {OPT_JSON, '\0', "json", CLI_ARG_BOOL, NULL, "Print a JSON object on a line per interval.",
     NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct top_request {
    const char *wanted; /* session; NULL: the only one */
    uint32_t n_tables;  /* 0: any number */
    uint32_t n_rows;    /* 0: not said */
    int64_t interval_ns;
    enum top_sort sort;
    bool is_batch, is_json, folds_numbers;
};

struct top {
    struct top_request request;
    char title[PATH_MAX];
    struct top_session session;
    struct top_screen screen;
    bool is_drawn; /* on a terminal */
    bool is_paused;
    bool session_is_over;
    uint32_t n_tables; /* so far */
    char *page;        /* what is drawn */
    size_t page_size, page_room;
};

/* ---- Output ---- */

static int add_to_page(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct top *top = context;
    (void)err;
    if (top->page_size + size > top->page_room) {
        char *grown = realloc(top->page, 2 * (top->page_size + size));
        if (grown == NULL)
            return RF_ERR_NO_MEMORY;
        top->page = grown;
        top->page_room = 2 * (top->page_size + size);
    }
    memcpy(top->page + top->page_size, data, size);
    top->page_size += size;
    return RF_OK;
}

static struct top_page page_of(const struct top *top)
{
    return (struct top_page){.title = top->title,
                             .sort = top->request.sort,
                             .width = top->is_drawn ? top->screen.width : 0,
                             .height = top->is_drawn ? top->screen.height : 0,
                             .is_screen = top->is_drawn,
                             .is_paused = top->is_paused,
                             .keys = top->is_drawn ? KEYS : NULL};
}

static int draw(struct top *top, const struct top_figures *figures)
{
    const struct top_page page = page_of(top);
    struct rf_sink sink;
    int status = rf_sink_init(&sink, add_to_page, top, NULL);
    top->page_size = 0;
    if (status == RF_OK)
        status = top_text_write(&sink, figures, &page);
    if (status == RF_OK)
        status = rf_sink_finish(&sink);
    rf_sink_release(&sink);
    if (status == RF_OK)
        top_screen_draw(&top->screen, top->page, top->page_size);
    return status;
}

static int print(struct top *top, const struct top_figures *figures, struct rf_err *err)
{
    if (top->request.is_json) {
        struct json_out json;
        int status = json_begin(&json, "top", err);
        if (status != RF_OK)
            return status;
        top_json_write(&json, figures, top->title);
        return json_end(&json, err);
    }
    const struct top_page page = page_of(top);
    struct text_out text;
    int status = text_begin(&text, err);
    if (status != RF_OK)
        return status;
    if (top->n_tables > 0)
        rf_sink_char(&text.sink, '\n');
    (void)top_text_write(&text.sink, figures, &page);
    return text_end(&text, err);
}

/* Shows the interval that has ended. Returns CLI_OK, or an exit status after a message. */
static int show(struct top *top)
{
    struct top_figures figures;
    struct top_wanted wanted = {top->request.sort, BATCH_ROWS, BATCH_ROWS};
    struct rf_err err = {.code = RF_OK};
    if (top->is_drawn)
        top_text_fit(top->screen.height, top->session.control.records_all == 0, &wanted);
    if (top->request.n_rows != 0)
        wanted.n_ranges = wanted.n_others = top->request.n_rows;
    int status = top_figures_make(&figures, &top->session, &wanted);
    if (status == RF_OK)
        status = top->is_drawn ? draw(top, &figures) : print(top, &figures, &err);
    top_figures_release(&figures);
    if (status == RF_OK)
        return CLI_OK;
    top_screen_close(&top->screen);
    cli_say("%s", err.code != RF_OK ? err.text : "out of memory");
    return CLI_FAILED;
}

/* ---- Keys ---- */

static void change_interval(struct top *top, bool is_longer)
{
    int64_t *ns = &top->request.interval_ns;
    *ns = is_longer ? *ns * 2 : *ns / 2;
    *ns = *ns < LEAST_NS ? LEAST_NS : *ns > MOST_NS ? MOST_NS : *ns;
}

/* Returns false where it ends. */
static bool take_key(struct top *top, char key)
{
    static const char sorts[] = "stca9m"; /* in the order of enum top_sort */
    const char *sort = key != '\0' ? strchr(sorts, key) : NULL;
    if (sort != NULL)
        top->request.sort = (enum top_sort)(sort - sorts);
    else if (key == ' ' || key == 'p')
        top->is_paused = !top->is_paused;
    else if (key == '+' || key == '=' || key == '-')
        change_interval(top, key != '-');
    return key != 'q' && key != 'Q';
}

/* Waits until until_ns for what people do. *is_over: they, or a signal, end us. */
static bool wait_for_people(struct top *top, int64_t until_ns, bool *is_over)
{
    char key = '\0';
    switch (top_screen_wait(&top->screen, until_ns, &key)) {
    case TOP_ENDED:
        *is_over = true;
        return true;
    case TOP_KEY:
        *is_over = !take_key(top, key);
        return true;
    case TOP_RESIZED:
        return top->is_drawn;
    case TOP_TIME_IS_UP:
    default:
        return false;
    }
}

/* ---- Time ---- */

/* Looks at the session until the interval is over. What people do ends it early, so that they see
 * what they asked for. */
static void wait_and_look(struct top *top, bool *is_over)
{
    const int64_t begin = top->session.interval_begin_ns;
    int64_t until = begin + top->request.interval_ns;
    while (!*is_over && top->session.now.mono_ns < until) {
        const int64_t next = rf_clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
        if (wait_for_people(top, next < until ? next : until, is_over))
            until = begin + LEAST_NS;
        if (!*is_over && top_session_look(&top->session) == TOP_IS_OVER)
            *is_over = top->session_is_over = true;
    }
}

/* Shows the same until people want more; what comes meanwhile is read and not counted. */
static int stay_paused(struct top *top, bool *is_over)
{
    int status = CLI_OK;
    top->session.ranges.is_counting = false;
    while (top->is_paused && !*is_over && status == CLI_OK) {
        if (wait_for_people(top, rf_clock_ns(CLOCK_MONOTONIC) + LOOK_NS, is_over) && !*is_over)
            status = show(top);
        if (!*is_over && top_session_look(&top->session) == TOP_IS_OVER)
            *is_over = top->session_is_over = true;
    }
    top->session.ranges.is_counting = true;
    return status;
}

static int watch(struct top *top)
{
    bool is_over = false;
    int status = CLI_OK;
    while (status == CLI_OK && !is_over) {
        wait_and_look(top, &is_over);
        if (is_over && (top->is_drawn || !top->session_is_over))
            break;
        top_session_end_interval(&top->session);
        status = show(top);
        top->n_tables++;
        if (top->request.n_tables != 0 && top->n_tables >= top->request.n_tables)
            break;
        if (top->is_paused && status == CLI_OK)
            status = stay_paused(top, &is_over);
        top_session_begin_interval(&top->session);
    }
    return status;
}

/* ---- The verb ---- */

static int open_session(struct top *top)
{
    const char *wanted = top->request.wanted, *path = wanted;
    struct session_message request, answer;
    struct session_info info;
    struct stat st;
    struct rf_err err;
    if (wanted != NULL && stat(wanted, &st) == 0 && S_ISREG(st.st_mode)) {
        cli_say("'%s' is no session: a recording that is complete is shown by 'rangefinder stats'",
                wanted);
        return CLI_FAILED;
    }
    (void)snprintf(top->title, sizeof(top->title), "%s", wanted != NULL ? wanted : "");
    if (wanted == NULL || stat(wanted, &st) != 0 || !S_ISDIR(st.st_mode)) {
        session_message_begin(&request, "status");
        int status = session_ask(wanted, &request, &answer, &info, NULL);
        if (status != CLI_OK)
            return status;
        path = info.dir;
        (void)snprintf(top->title, sizeof(top->title), "%s", info.name);
    }
    if (top_session_open(&top->session, path, top->request.folds_numbers, &err) == RF_OK)
        return CLI_OK;
    cli_say("%s", err.text);
    return CLI_FAILED;
}

static int run(struct top *top)
{
    struct rf_err err;
    int status = open_session(top);
    if (status == CLI_OK) {
        top->is_drawn = !top->request.is_batch && !top->request.is_json && isatty(STDOUT_FILENO);
        if (top_screen_open(&top->screen, top->is_drawn, &err) == RF_OK) {
            status = watch(top);
        } else {
            cli_say("%s", err.text);
            status = CLI_FAILED;
        }
        top_screen_close(&top->screen);
        if (status == CLI_OK && top->is_drawn && top->session_is_over)
            cli_say("the session has ended");
    }
    top_session_close(&top->session);
    free(top->page);
    return status;
}

static int parse_interval(struct top_request *request, const struct cli_parser *parser)
{
    double ns;
    if (!cli_parse_time(&ns, parser->value, strlen(parser->value)) || ns < (double)LEAST_NS ||
        ns > (double)MOST_NS)
        return cli_usage_error(parser->command,
                               "'--interval=%s': give a time from 100ms to 1h: 500ms, 2s, 1min",
                               parser->value);
    request->interval_ns = (int64_t)ns;
    return CLI_OK;
}

static int parse_sort(struct top_request *request, const struct cli_parser *parser)
{
    for (int i = 0; i < TOP_N_SORTS; i++)
        if (strcmp(parser->value, top_sort_words[i]) == 0) {
            request->sort = (enum top_sort)i;
            return CLI_OK;
        }
    return cli_usage_error(parser->command,
                           "'--sort=%s': the values are self, total, count, mean, p99, max",
                           parser->value);
}

static int apply(struct top_request *request, const struct cli_parser *parser, int id)
{
    switch (id) {
    case OPT_SESSION:
        request->wanted = parser->value;
        return CLI_OK;
    case OPT_ITERATIONS:
        return cli_set_number(&request->n_tables, "--iterations", parser);
    case OPT_INTERVAL:
        return parse_interval(request, parser);
    case OPT_SORT:
        return parse_sort(request, parser);
    case OPT_ROWS:
        return cli_set_number(&request->n_rows, "--rows", parser);
    case OPT_BATCH:
        request->is_batch = parser->is_true;
        return CLI_OK;
    case OPT_JSON:
        request->is_json = parser->is_true;
        return CLI_OK;
    case OPT_FOLD:
    default:
        request->folds_numbers = parser->is_true;
        return CLI_OK;
    }
}

static int top_run(const struct cli_command *command, int argc, char **argv)
{
    struct top *top = calloc(1, sizeof(*top));
    struct cli_parser parser;
    int id, status = CLI_OK, end_signal;
    if (top == NULL) {
        cli_say("out of memory");
        return CLI_FAILED;
    }
    top->request.interval_ns = 1000000000;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0 && status == CLI_OK)
        status = apply(&top->request, &parser, id);
    if (id < 0)
        status = parser.status;
    if (status == CLI_OK && id == 0 && parser.n_operands > (top->request.wanted == NULL))
        status = cli_usage_error(command, "'%s': only one session can be given",
                                 argv[parser.n_operands - 1]);
    if (status != CLI_OK || id < 0) {
        free(top);
        return status;
    }
    if (parser.n_operands > 0)
        top->request.wanted = argv[0];
    status = run(top);
    end_signal = top->screen.end_signal;
    free(top);
    if (end_signal != 0)
        (void)raise(end_signal); /* as if it had not been held */
    return status;
}

const struct cli_command cli_cmd_top = {
    .name = "top",
    .summary = "watch what a running session does",
    .synopsis = "[options] [SESSION]",
    .operands = "SESSION",
    .description =
        "Shows, once per interval, how many events a running session records, the ranges that "
        "took most time in\nthe interval, those that have been open for longest, the slowest ones, "
        "and what was lost. SESSION is a\nname as 'rangefinder sessions list' has it, a pid, or a "
        "directory NAME.rfdir. It reads each record once\nand changes nothing; it ends with the "
        "session.",
    .epilog =
        "Keys: q ends it, space pauses it; s, t, c, a, 9, m sort by self time, total time, count, "
        "mean (average),\np99, max; + and - change the interval.\n\nThe exit status is 1 where "
        "there "
        "is no such session or it cannot be read, 2 for wrong usage.",
    .options = options,
    .run = top_run,
};
