/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_rank.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/say.h"
#include "cli/usage_error.h"

void cli_rank_source_release(struct cli_rank_source *source)
{
    if (source->from == CLI_RANK_REGEX)
        regfree(&source->regex);
    source->from = CLI_RANK_KNOWN;
}

static bool is_variable(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return text[0] != '\0' && (text[0] < '0' || text[0] > '9') &&
           text[strspn(text, letters)] == '\0';
}

int cli_rank_source_set(struct cli_rank_source *source, const struct cli_parser *parser)
{
    const char *value = parser->value;
    cli_rank_source_release(source);
    if (strcmp(value, "order") == 0) {
        source->from = CLI_RANK_ORDER;
        return CLI_OK;
    }
    source->text = value;
    if (is_variable(value)) {
        source->from = CLI_RANK_VARIABLE;
        return CLI_OK;
    }
    int code = regcomp(&source->regex, value, REG_EXTENDED);
    if (code == 0 && source->regex.re_nsub == 0) {
        regfree(&source->regex);
        return cli_usage_error(parser->command,
                               "--rank-from: '%s' is no variable, and has no group such as "
                               "([0-9]+) for the number",
                               value);
    }
    if (code == 0) {
        source->from = CLI_RANK_REGEX;
        return CLI_OK;
    }
    char why[128];
    (void)regerror(code, &source->regex, why, sizeof(why));
    return cli_usage_error(parser->command, "--rank-from: '%s' is no regular expression: %s", value,
                           why);
}

static int64_t number_of(const char *text, size_t size)
{
    int64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' || number > INT32_MAX)
            return -1;
        number = number * 10 + (text[i] - '0');
    }
    return size > 0 && number <= INT32_MAX ? number : -1;
}

/* What all processes that have the variable agree on. */
static int64_t rank_in_environment(const rf_recording *rec, const char *variable)
{
    size_t length = strlen(variable);
    int64_t rank = -1;
    for (uint32_t p = 0; p < rf_n_processes(rec); p++) {
        const struct rf_process *process = rf_process_at(rec, p);
        for (uint32_t i = 0; i < process->n_env; i++) {
            const char *text = rf_string(rec, process->env[i], NULL);
            if (text == NULL || strncmp(text, variable, length) != 0 || text[length] != '=')
                continue;
            int64_t found = number_of(text + length + 1, strlen(text + length + 1));
            if (found < 0 || (rank >= 0 && rank != found))
                return -1;
            rank = found;
        }
    }
    return rank;
}

static int64_t rank_in_path(const regex_t *regex, const char *path)
{
    regmatch_t match[2];
    if (regexec(regex, path, 2, match, 0) != 0 || match[1].rm_so < 0)
        return -1;
    return number_of(path + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
}

int64_t cli_input_rank(const struct cli_rank_source *source, const rf_recording *rec,
                       const char *path, size_t i)
{
    switch (source->from) {
    case CLI_RANK_VARIABLE:
        return rank_in_environment(rec, source->text);
    case CLI_RANK_REGEX:
        return rank_in_path(&source->regex, path);
    case CLI_RANK_ORDER:
        return (int64_t)i;
    default:
        return rf_get_info(rec)->rank;
    }
}

int cli_rank_source_check(const struct cli_rank_source *source, size_t n_known, size_t n_inputs,
                          bool is_quiet)
{
    char which[64] = "no input has";
    if (source->from == CLI_RANK_KNOWN || source->from == CLI_RANK_ORDER || n_known >= n_inputs)
        return CLI_OK;
    if (n_known > 0)
        (void)snprintf(which, sizeof(which), "%zu of %zu inputs have not", n_inputs - n_known,
                       n_inputs);
    if (n_known == 0 || !is_quiet)
        cli_say(source->from == CLI_RANK_REGEX
                    ? "--rank-from: %s a number up to %d in the first group of '%s' in the path"
                    : "--rank-from: %s a number up to %d, the same in all processes, in the "
                      "variable %s",
                which, INT32_MAX, source->text);
    return n_known > 0 ? CLI_OK : CLI_USAGE;
}

/* ---- Summaries ---- */

static int64_t rank_of_input(const struct cli_rank_source *source, const rf_summary *summary,
                             uint32_t input, const char *path, size_t i)
{
    const bool is_one = rf_summary_n_inputs(summary) == 1;
    const char *value;
    int64_t rank = -1;
    switch (source->from) {
    case CLI_RANK_VARIABLE:
        value = rf_summary_setting(summary, input, source->text);
        return value != NULL ? number_of(value, strlen(value)) : -1;
    case CLI_RANK_REGEX:
        rank = is_one ? rank_in_path(&source->regex, path) : -1;
        return rank >= 0 ? rank
                         : rank_in_path(&source->regex, rf_summary_input_at(summary, input)->path);
    default:
        return (int64_t)i;
    }
}

/* RF_OK or RF_ERR_USAGE. */
static int check_inputs(const struct cli_rank_source *source, const rf_summary *summary,
                        const char *path, struct rf_err *err)
{
    const uint32_t n = rf_summary_n_inputs(summary);
    if (source->from == CLI_RANK_ORDER && n > 1)
        return rf_fail(err, RF_ERR_USAGE,
                       "--rank-from=order: '%s' is a summary of %u inputs, which are not in the "
                       "order of FILEs",
                       path, n);
    for (uint32_t i = 0; i < n; i++)
        if (rf_summary_input_at(summary, i)->n_inputs > 1)
            return rf_fail(err, RF_ERR_USAGE,
                           "--rank-from: '%s' has an input that was added up of %llu recordings: "
                           "'rangefinder summarize' without --merge keeps them apart",
                           path, (unsigned long long)rf_summary_input_at(summary, i)->n_inputs);
    return RF_OK;
}

int cli_read_summary(const struct cli_rank_source *source, rf_summary *summary, const char *path,
                     size_t i, const char *ranks, struct rf_err *err)
{
    rf_summary *read = NULL;
    if (source->from == CLI_RANK_KNOWN)
        return rf_summary_read_ranks(summary, path, ranks, err);
    int status = rf_summary_new(&read, err);
    if (status == RF_OK)
        status = rf_summary_read(read, path, err);
    if (status == RF_OK)
        status = check_inputs(source, read, path, err);
    for (uint32_t k = 0; status == RF_OK && k < rf_summary_n_inputs(read); k++)
        status = rf_summary_set_rank(read, k, rank_of_input(source, read, k, path, i), err);
    if (status == RF_OK)
        status = rf_summary_append_ranks(summary, read, ranks, err);
    rf_summary_free(read);
    return status;
}
