/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_many.h"

#include <string.h>

#include "cli/filter_options.h"
#include "cli/say.h"
#include "cli/usage_error.h"

struct many {
    const struct stats_request *request;
    rf_joined_report *joined[STATS_MAX_REPORTS]; /* of each report */
    struct stats_target target[STATS_MAX_REPORTS];
    struct stats_pipe pipe[STATS_MAX_REPORTS];
    bool has_failed; /* an input, or a report that was asked for */
};

/* Begins a table per report. */
static int begin(struct many *m)
{
    const struct stats_request *request = m->request;
    struct rf_err err;
    for (size_t i = 0; i < request->n_reports; i++) {
        stats_settle(&request->outputs, request->place[i], request->reports[i], NULL,
                     &m->target[i]);
        const struct rf_report_options options =
            stats_report_options(request, i, &m->target[i], &m->pipe[i]);
        int status = rf_joined_report_new(&options, &m->joined[i], &err);
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
    const char *name;
    for (size_t i = 0; request->is_default && (name = rf_report_at(i, NULL)) != NULL; i++)
        if (strcmp(name, request->reports[report]) == 0)
            return rf_report_is_default(rec, i) > 0;
    return true;
}

/* Returns CLI_OK, or an exit status where there is no point in going on. */
static int add_recording(struct many *m, const rf_recording *rec, const char *path, size_t input)
{
    int64_t rank = cli_input_rank(&m->request->rank_source, rec, path, input);
    for (size_t i = 0; i < m->request->n_reports; i++) {
        struct rf_err err;
        if (!is_wanted(m->request, rec, i))
            continue;
        int status = rf_joined_report_add(m->joined[i], rec, path, rank, &err);
        if (status == RF_OK)
            continue;
        cli_say("%s: %s", path, err.text);
        if (status != RF_ERR_UNSUPPORTED)
            return CLI_FAILED;
        m->has_failed |= !m->request->is_default;
    }
    return CLI_OK;
}

/* The tables of the others, and a row in each that names it. */
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

static int add_inputs(struct many *m, const struct cli_inputs *inputs)
{
    int status = CLI_OK;
    for (size_t i = 0; i < inputs->n && status == CLI_OK; i++) {
        struct cli_part part;
        int opened = cli_part_open(&part, inputs->input[i].path, stats_open_flags(m->request),
                                   &m->request->filter);
        if (opened == CLI_USAGE)
            return opened; /* a filter that is wrong is wrong for all */
        if (opened != CLI_OK) {
            status = add_missing(m, inputs->input[i].path);
            continue;
        }
        status = add_recording(m, part.shown, inputs->input[i].path, i);
        cli_part_close(&part);
    }
    return status;
}

static int write_all(struct many *m)
{
    bool is_first = true;
    for (size_t i = 0; i < m->request->n_reports; i++) {
        struct rf_err err;
        if (m->request->is_default && rf_joined_report_n_rows(m->joined[i]) == 0)
            continue;
        stats_begin_table(&m->target[i], is_first);
        is_first = false;
        int status = rf_joined_report_write(m->joined[i], &err);
        if (stats_end_table(m->request, &m->target[i], &m->pipe[i], status, &err) != RF_OK)
            return CLI_FAILED;
    }
    if (is_first)
        cli_say("there are no ranges, calls, GPU work or counters to make tables of");
    return m->has_failed ? CLI_FAILED : CLI_OK;
}

static void add_default_reports(struct stats_request *request)
{
    const char *name;
    request->is_default = true;
    for (size_t i = 0; (name = rf_report_at(i, NULL)) != NULL; i++)
        if (rf_report_is_default(NULL, i) > 0)
            (void)stats_add_report(request, name, i);
}

int stats_many(const struct cli_command *command, struct stats_request *request,
               const struct cli_inputs *inputs)
{
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
    int status = begin(&m);
    if (status == CLI_OK)
        status = add_inputs(&m, inputs);
    if (status == CLI_OK)
        status = write_all(&m);
    for (size_t i = 0; i < request->n_reports; i++)
        rf_joined_report_free(m.joined[i]);
    return status;
}
