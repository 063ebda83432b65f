/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_many.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "cli/in_turn.h"
#include "cli/input_part.h"
#include "cli/input_sum.h"
#include "cli/say.h"
#include "cli/usage_error.h"
#include "rangefinder/summary.h"

struct many {
    struct stats_request *request;
    struct rf_report_options options[STATS_MAX_REPORTS];
    rf_joined_report *joined[STATS_MAX_REPORTS]; /* of each report */
    struct stats_target target[STATS_MAX_REPORTS];
    struct stats_pipe pipe[STATS_MAX_REPORTS];
    const struct cli_inputs *inputs;
    struct cli_sum_request sum_request;
    pthread_mutex_t lock;                                /* of missing and has_data */
    char missing[STATS_MAX_REPORTS][STATS_MISSING_SIZE]; /* what recordings lack for it */
    bool has_data[STATS_MAX_REPORTS];                    /* one of them lacks nothing */
    bool is_refused[STATS_MAX_REPORTS];                  /* a message said why */
    bool is_without_summaries[STATS_MAX_REPORTS];        /* likewise, of summaries */
    bool has_failed;                   /* an input, or a report that was asked for */
    rf_summary *sum;                   /* all inputs so far; NULL: no report is of all together */
    bool is_of_all[STATS_MAX_REPORTS]; /* --sum-inputs, or it compares inputs */
    bool compares_ranks, adds_up;      /* a report does */
    bool has_own, has_of_all;          /* there is a report of each input; of all together */
    size_t n_ranks;                    /* inputs with a rank */
    size_t n_read;                     /* that are there */
    bool has_summary;
    bool has_wanted; /* an input is of a rank that --filter-rank names */
};

/* Of one input: its tables, until those of the inputs before it are complete. */
struct one {
    size_t input;
    rf_joined_report *joined[STATS_MAX_REPORTS]; /* NULL: it has no rows */
    rf_summary *sum;                             /* what it adds up to; NULL: no report asks */
    int status;
    size_t n_ranks;  /* recordings with a rank */
    bool is_missing; /* it could not be read */
    bool has_failed; /* a report */
    bool is_wanted;  /* by its rank */
};

/* Begins a table per report. */
static int begin(struct many *m)
{
    struct stats_request *request = m->request;
    struct rf_err err;
    for (size_t i = 0; i < request->n_reports; i++) {
        stats_settle(&request->outputs, request->place[i], request->reports[i], NULL,
                     &m->target[i]);
        m->options[i] = stats_report_options(request, i, &m->target[i], &m->pipe[i]);
        m->is_of_all[i] = request->sums_inputs || rf_report_compares_inputs(request->reports[i]);
        m->has_of_all |= m->is_of_all[i];
        const bool is_of_job = rf_report_compares_inputs(request->reports[i]) == RF_COMPARES_JOB;
        m->compares_ranks |= is_of_job;
        m->adds_up |= m->is_of_all[i] && !is_of_job;
        m->has_own |= !m->is_of_all[i];
        if (m->is_of_all[i])
            m->options[i].step = NULL; /* the summary has its steps */
        int status = rf_joined_report_new(&m->options[i], &m->joined[i], &err);
        if (status != RF_OK) {
            cli_say("%s", err.text);
            return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
        }
    }
    return CLI_OK;
}

/* Whether a report is to have rows of a recording. */
static bool is_wanted(const struct stats_request *request, const rf_recording *rec, size_t report)
{
    return !request->is_default || !rf_report_missing(rec, request->reports[report], NULL, 0);
}

/* Returns CLI_OK, or an exit status where there is no point in going on. */
static int compute(const struct many *m, struct one *one, const rf_recording *rec)
{
    const char *path = m->inputs->input[one->input].path;
    int64_t rank = cli_input_rank(&m->request->rank_source, rec, path, one->input);
    one->n_ranks = rank >= 0;
    for (size_t i = 0; i < m->request->n_reports; i++) {
        struct rf_err err;
        if (m->is_of_all[i] || !is_wanted(m->request, rec, i))
            continue;
        int status = rf_joined_report_new(&m->options[i], &one->joined[i], &err);
        if (status == RF_OK)
            status = rf_joined_report_add(one->joined[i], rec, path, rank, &err);
        if (status == RF_OK)
            continue;
        cli_say("%s: %s", path, err.text);
        if (status != RF_ERR_UNSUPPORTED)
            return CLI_FAILED;
        one->has_failed |= !m->request->is_default;
    }
    return CLI_OK;
}

/* Notes for which reports a recording has data, and what it lacks for the others. What compares
 * recordings is made of their sum. */
static void note_missing(struct many *m, const rf_recording *whole)
{
    (void)pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < m->request->n_reports; i++)
        if (!rf_report_compares_inputs(m->request->reports[i]))
            m->has_data[i] |= !rf_report_missing(whole, m->request->reports[i], m->missing[i],
                                                 sizeof(m->missing[i]));
    (void)pthread_mutex_unlock(&m->lock);
}

/* Notes whether an input of a summary has data for a report, or what it lacks. */
static void note_missing_in_summary(struct many *m, size_t report, const rf_summary *summary,
                                    uint32_t input)
{
    char *missing = m->missing[report];
    (void)pthread_mutex_lock(&m->lock);
    m->has_data[report] |= !rf_report_missing_in_summary(
        summary, input, m->request->reports[report], missing, sizeof(m->missing[report]));
    (void)pthread_mutex_unlock(&m->lock);
}

/* A report that summaries cannot give has rows of recordings alone. */
static void refuse_summaries(struct many *m)
{
    const struct stats_request *request = m->request;
    size_t n_summaries = 0;
    for (size_t i = 0; i < m->inputs->n; i++)
        n_summaries += rf_is_summary(m->inputs->input[i].path) != 0;
    for (size_t i = 0; i < request->n_reports && n_summaries > 0 && !request->is_default; i++) {
        char why[300];
        if (!rf_report_missing_in_summary(NULL, 0, request->reports[i], why, sizeof(why)))
            continue;
        cli_say("%s", why);
        m->is_without_summaries[i] = m->has_failed = true;
        m->is_refused[i] = n_summaries == m->inputs->n;
    }
}

/* Returns CLI_OK, or an exit status where there is no point in going on. */
static int compute_summary(struct many *m, struct one *one, const rf_summary *summary,
                           uint32_t input, bool is_of_all)
{
    for (size_t i = 0; i < m->request->n_reports; i++) {
        struct rf_err err;
        int status = RF_OK;
        if (m->is_of_all[i] != is_of_all || m->is_without_summaries[i] ||
            rf_report_compares_inputs(m->request->reports[i]) == RF_COMPARES_JOB)
            continue;
        if (one->joined[i] == NULL)
            status = rf_joined_report_new(&m->options[i], &one->joined[i], &err);
        if (status == RF_OK)
            status = rf_joined_report_add_summary(one->joined[i], summary, input, &err);
        if (status == RF_OK)
            note_missing_in_summary(m, i, summary, input);
        if (status == RF_OK || (status == RF_ERR_UNSUPPORTED && m->request->is_default))
            continue;
        const char *path = rf_summary_input_at(summary, input)->path;
        if (strncmp(err.text, path, strlen(path)) == 0)
            cli_say("%s", err.text);
        else
            cli_say("%s: %s", path, err.text);
        if (status != RF_ERR_UNSUPPORTED)
            return CLI_FAILED;
        one->has_failed = true;
    }
    return CLI_OK;
}

/* The reports that compare the inputs of a summary, which is of all. */
static int compute_job(struct many *m, struct one *one, const rf_summary *summary)
{
    for (size_t i = 0; i < m->request->n_reports; i++) {
        struct rf_err err;
        if (rf_report_compares_inputs(m->request->reports[i]) != RF_COMPARES_JOB)
            continue;
        int status = rf_joined_report_new(&m->options[i], &one->joined[i], &err);
        if (status == RF_OK)
            status = rf_joined_report_add_job(one->joined[i], summary, &err);
        for (uint32_t k = 0; k < rf_summary_n_inputs(summary) && status == RF_OK; k++)
            note_missing_in_summary(m, i, summary, k);
        if (status == RF_OK)
            continue;
        cli_say("%s", err.text);
        if (status != RF_ERR_UNSUPPORTED)
            return CLI_FAILED;
        rf_joined_report_free(one->joined[i]);
        one->joined[i] = NULL;
        m->is_refused[i] = one->has_failed = true;
    }
    return CLI_OK;
}

static size_t count_ranks(const rf_summary *summary)
{
    size_t n = 0;
    for (uint32_t i = 0; i < rf_summary_n_inputs(summary); i++)
        n += rf_summary_input_at(summary, i)->rank >= 0;
    return n;
}

static void read_summary(struct many *m, struct one *one, const char *path)
{
    rf_summary *summary = NULL;
    struct rf_err err;
    int status = rf_summary_new(&summary, &err);
    if (status == RF_OK)
        status = cli_read_summary(&m->request->rank_source, summary, path, one->input,
                                  m->request->filter.options.ranks, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    one->is_missing = status != RF_OK && status != RF_ERR_EXISTS && status != RF_ERR_USAGE;
    if (status == RF_ERR_USAGE)
        one->status = CLI_USAGE;
    one->is_wanted = status == RF_OK && rf_summary_n_inputs(summary) > 0;
    one->n_ranks = count_ranks(summary);
    for (uint32_t i = 0; i < rf_summary_n_inputs(summary) && one->status == CLI_OK; i++)
        one->status = compute_summary(m, one, summary, i, false);
    rf_summary_free(summary);
}

static void read_recording(struct many *m, struct one *one)
{
    struct cli_part part;
    const struct cli_part_request of = {m->inputs->input[one->input].path, one->input,
                                        stats_open_flags(m->request),      &m->request->filter,
                                        &m->request->rank_source,          NULL};
    one->status = cli_input_part_open(&part, &of, NULL);
    one->is_wanted = one->status == CLI_OK && part.shown != NULL;
    if (one->is_wanted) {
        note_missing(m, part.whole);
        one->status = compute(m, one, part.shown);
        cli_part_close(&part);
    } else if (one->status == CLI_FAILED) { /* a filter that is wrong is wrong for all */
        one->is_missing = true;
        one->status = CLI_OK;
    }
}

/* What the input adds up to, beside its own tables. */
static void read_sum(const struct many *m, struct one *one, const char *path)
{
    struct rf_err err;
    if (rf_summary_new(&one->sum, &err) != RF_OK) {
        cli_say("%s", err.text);
        one->status = CLI_FAILED;
        return;
    }
    one->status = cli_sum_add(&m->sum_request, one->sum, path, one->input, &one->is_missing);
    one->is_wanted = rf_summary_n_inputs(one->sum) > 0;
    one->n_ranks = count_ranks(one->sum);
}

static void read_input(void *context, size_t input, void *item)
{
    struct many *m = context;
    struct one *one = item;
    const char *path = m->inputs->input[input].path;
    one->input = input;
    if (m->sum != NULL)
        read_sum(m, one, path);
    if (one->is_missing || one->status != CLI_OK || !m->has_own)
        return;
    if (rf_is_summary(path))
        read_summary(m, one, path);
    else
        read_recording(m, one);
}

/* ---- In the order of the inputs ---- */

/* A row in each table that names what could not be read. */
static int add_missing(struct many *m, const char *path)
{
    struct rf_err err;
    m->has_failed = true;
    for (size_t i = 0; i < m->request->n_reports; i++)
        if (rf_joined_report_add_missing(m->joined[i], path, "the message on stderr says why",
                                         &err) != RF_OK) {
            cli_say("%s", err.text);
            return CLI_FAILED;
        }
    return CLI_OK;
}

static int add_tables(struct many *m, struct one *one)
{
    struct rf_err err;
    m->has_failed |= one->has_failed;
    for (size_t i = 0; i < m->request->n_reports; i++)
        if (one->joined[i] != NULL &&
            rf_joined_report_append(m->joined[i], one->joined[i], &err) != RF_OK) {
            cli_say("%s", err.text);
            return CLI_FAILED;
        }
    return CLI_OK;
}

static void release_one(void *context, void *item)
{
    const struct many *m = context;
    const struct one *one = item;
    for (size_t i = 0; i < m->request->n_reports; i++)
        rf_joined_report_free(one->joined[i]);
    rf_summary_free(one->sum);
}

/* What an input adds up to. One that comes again is counted once. */
static int add_sum(struct many *m, struct one *one)
{
    struct rf_err err;
    int status = rf_summary_append(m->sum, one->sum, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
    return status == RF_OK || status == RF_ERR_EXISTS ? CLI_OK : CLI_FAILED;
}

static int use_input(void *context, size_t input, void *item)
{
    struct many *m = context;
    struct one *one = item;
    m->has_wanted |= one->is_wanted || one->is_missing;
    m->n_ranks += one->n_ranks;
    m->n_read += !one->is_missing;
    m->has_summary |= rf_is_summary(m->inputs->input[input].path);
    if (one->status != CLI_OK)
        return one->status;
    if (one->is_missing)
        return add_missing(m, m->inputs->input[input].path);
    const int status = add_tables(m, one);
    return status == CLI_OK && one->sum != NULL ? add_sum(m, one) : status;
}

static int add_inputs(struct many *m)
{
    const struct cli_in_turn work = {
        m->inputs->n, m->request->n_jobs, sizeof(struct one), m, read_input, use_input, release_one,
    };
    (void)pthread_mutex_init(&m->lock, NULL);
    int status = cli_in_turn(&work);
    (void)pthread_mutex_destroy(&m->lock);
    return status;
}

/* The rows of all inputs added up. */
static int add_sum_rows(struct many *m)
{
    struct one all = {.status = CLI_OK};
    struct rf_err err;
    if (rf_summary_n_inputs(m->sum) == 0)
        return CLI_OK;
    if (m->compares_ranks)
        (void)rf_summary_rank_by_path(m->sum);
    int status = compute_job(m, &all, m->sum);
    if (status == CLI_OK && m->adds_up && rf_summary_merge(m->sum, &err) != RF_OK) {
        cli_say("%s", err.text);
        status = CLI_FAILED;
    }
    if (status == CLI_OK && m->request->sums_inputs && m->adds_up && !m->request->is_quiet)
        cli_sum_say_programs(m->sum);
    if (status == CLI_OK && m->adds_up)
        status = compute_summary(m, &all, m->sum, 0, true);
    if (status == CLI_OK)
        status = add_tables(m, &all);
    release_one(m, &all);
    return status;
}

static bool shows(const struct stats_request *request, const char *report)
{
    for (size_t i = 0; i < request->n_reports; i++)
        if (strcmp(rf_report_find(request->reports[i]), report) == 0)
            return true;
    return false;
}

static bool compares_inputs(const struct stats_request *request)
{
    for (size_t i = 0; i < request->n_reports; i++)
        if (rf_report_compares_inputs(request->reports[i]))
            return true;
    return false;
}

static int begin_sum(struct many *m)
{
    struct rf_err err;
    m->sum_request.options = (struct rf_summary_options)RF_SUMMARY_OPTIONS_INIT;
    m->sum_request.options.fold_numbers = m->request->fold_numbers > 0;
    m->sum_request.needs_steps = shows(m->request, "steps") ||
                                 shows(m->request, "breakdown_steps") ||
                                 compares_inputs(m->request);
    m->sum_request.needs_samples =
        shows(m->request, "nvtx_gpu_metrics_sum") || shows(m->request, "nvtx_counter_ranges");
    m->sum_request.needs_collectives = compares_inputs(m->request);
    m->sum_request.options.without_steps = !m->sum_request.needs_steps;
    m->sum_request.options.step = m->request->step;
    m->sum_request.options.collective = m->request->collective;
    m->sum_request.is_quiet = m->request->is_quiet;
    cli_sum_init(&m->sum_request, &m->request->filter, &m->request->rank_source);
    if (rf_summary_new(&m->sum, &err) == RF_OK)
        return CLI_OK;
    cli_say("%s", err.text);
    return CLI_FAILED;
}

/* Whether a table that was asked for has no rows since no recording has data for it. */
static bool is_missing(const struct many *m, size_t i)
{
    const struct stats_request *request = m->request;
    if (request->is_default || m->has_data[i] || rf_joined_report_n_rows(m->joined[i]) > 0 ||
        m->missing[i][0] == '\0')
        return false;
    if (!request->can_be_empty || !request->is_quiet)
        cli_say("%s", m->missing[i]);
    return !request->can_be_empty;
}

static int write_all(struct many *m)
{
    bool is_first = true;
    for (size_t i = 0; i < m->request->n_reports; i++) {
        struct rf_err err;
        if (m->is_refused[i] ||
            (m->request->is_default && rf_joined_report_n_rows(m->joined[i]) == 0))
            continue;
        if (is_missing(m, i)) {
            m->has_failed = true;
            is_first = false;
            continue;
        }
        stats_begin_table(&m->target[i], is_first);
        is_first = false;
        stats_say_empty(m->request, m->request->reports[i], rf_joined_report_n_rows(m->joined[i]));
        stats_say_approximate(m->request, &m->target[i],
                              rf_joined_report_is_approximate(m->joined[i]) != 0);
        int status = rf_joined_report_write(m->joined[i], &err);
        if (stats_end_table(m->request, &m->target[i], &m->pipe[i], status, &err) != RF_OK)
            return CLI_FAILED;
    }
    if (is_first && !m->has_failed)
        cli_say("there are no ranges, calls, GPU work or counters to make tables of");
    return m->has_failed ? CLI_FAILED : CLI_OK;
}

static void add_default_reports(struct stats_request *request)
{
    const char *name;
    request->is_default = true;
    for (size_t i = 0; (name = rf_report_at(i, NULL)) != NULL; i++)
        if (rf_report_is_default(NULL, i) > 0)
            (void)stats_add_report(request, stats_default_report(request, name, i, NULL), i);
}

int stats_many(const struct cli_parser *parser, struct stats_request *request,
               const struct cli_inputs *inputs)
{
    const struct cli_command *command = parser->command;
    static struct many m;
    const char *last = stats_last_output(&request->outputs);
    if (stats_is_named_like_input(&request->outputs))
        return cli_usage_error(command,
                               "'-o .' is named like one FILE: name the output of several");
    if (request->n_reports == 0 && stats_output_is_file(last))
        return cli_usage_error(command, "'-o %s' is one file: choose one report with -r", last);
    if (request->n_reports == 0)
        add_default_reports(request);
    m.request = request;
    m.inputs = inputs;
    int status = begin(&m);
    if (status == CLI_OK)
        refuse_summaries(&m);
    if (status == CLI_OK && m.has_of_all)
        status = begin_sum(&m);
    if (status == CLI_OK)
        status = add_inputs(&m);
    if (status == CLI_OK && !m.has_wanted && request->filter.options.ranks != NULL)
        status = cli_say_no_rank(&request->filter);
    if (status == CLI_OK && request->filter.options.ranks == NULL)
        status =
            cli_rank_source_check(&request->rank_source, m.n_ranks, m.n_read, request->is_quiet);
    if (status == CLI_OK && m.sum != NULL)
        status = add_sum_rows(&m);
    if (status == CLI_OK)
        status = write_all(&m);
    if (status == CLI_OK)
        stats_say_next_of(request, parser->argv, (size_t)parser->n_operands, m.n_ranks,
                          m.has_summary);
    cli_sum_release(&m.sum_request);
    rf_summary_free(m.sum);
    for (size_t i = 0; i < request->n_reports; i++)
        rf_joined_report_free(m.joined[i]);
    return status;
}
