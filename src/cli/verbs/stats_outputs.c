/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording_file.h"
#include "cli/usage_error.h"
#include "rangefinder/rangefinder.h"

#define MAX_FORMAT 400 /* with its options */

/* ---- Lists ---- */

/* The next word of a list, which it is moved behind; the caller frees it. */
static char *take_word(const char **list)
{
    char *word = malloc(strlen(*list) + 1), *end = word;
    const char *p = *list;
    if (word == NULL)
        return NULL;
    for (; *p != '\0' && *p != ','; p++) {
        p += p[0] == '\\' && p[1] == ',';
        *end++ = *p;
    }
    *end = '\0';
    *list = *p == ',' ? p + 1 : NULL;
    return word;
}

static int add_list(char **words, size_t *n, const char *list, const struct cli_command *command,
                    const char *what)
{
    while (list != NULL) {
        if (*n == STATS_MAX_OUTPUTS)
            return cli_usage_error(command, "more than %d %ss", STATS_MAX_OUTPUTS, what);
        char *word = take_word(&list);
        if (word == NULL)
            return CLI_FAILED;
        words[(*n)++] = word;
        if (word[0] == '\0')
            return cli_usage_error(command, "an empty %s in a list", what);
    }
    return CLI_OK;
}

int stats_add_formats(struct stats_outputs *outputs, const struct cli_command *command,
                      const char *list)
{
    return add_list(outputs->format, &outputs->n_formats, list, command, "format");
}

int stats_add_outputs(struct stats_outputs *outputs, const struct cli_command *command,
                      const char *list)
{
    return add_list(outputs->output, &outputs->n_outputs, list, command, "output");
}

void stats_outputs_release(struct stats_outputs *outputs)
{
    for (size_t i = 0; i < outputs->n_formats; i++)
        free(outputs->format[i]);
    for (size_t i = 0; i < outputs->n_outputs; i++)
        free(outputs->output[i]);
}

/* ---- The one of a report ---- */

/* Entry i of a list, or the last one. NULL: the list is empty. */
static const char *entry(char *const *words, size_t n, size_t i)
{
    return n > 0 ? words[i < n ? i : n - 1] : NULL;
}

static const char *output_of(const struct stats_outputs *outputs, size_t i)
{
    const char *output = entry(outputs->output, outputs->n_outputs, i);
    return output != NULL ? output : "-";
}

const char *stats_last_output(const struct stats_outputs *outputs)
{
    return output_of(outputs, STATS_MAX_OUTPUTS);
}

bool stats_is_named_like_input(const struct stats_outputs *outputs)
{
    for (size_t i = 0; i < outputs->n_outputs; i++)
        if (strcmp(outputs->output[i], ".") == 0)
            return true;
    return false;
}

/* The format whose files have the ending of an output, or NULL. */
static const char *format_of_name(const char *output)
{
    const char *name;
    for (size_t i = 0; (name = rf_report_format_at(i, NULL, NULL)) != NULL; i++) {
        char ending[16];
        (void)snprintf(ending, sizeof(ending), ".%s", rf_report_extension(name, NULL));
        if (output[0] != '@' && cli_has_suffix(output, ending))
            return name;
    }
    return NULL;
}

bool stats_output_is_file(const char *output)
{
    return format_of_name(output) != NULL;
}

/* The format with the unit of time before its own options, which come later and win. */
static void set_format(struct stats_target *target, const char *format, const char *time_unit)
{
    const size_t name = strcspn(format, ":");
    (void)snprintf(target->format, sizeof(target->format), "%.*s%s%s%s", (int)name, format,
                   time_unit != NULL ? ":time=" : "", time_unit != NULL ? time_unit : "",
                   format + name);
}

void stats_settle(const struct stats_outputs *outputs, size_t i, const char *report,
                  const char *input, struct stats_target *target)
{
    char base[PATH_MAX];
    const char *output = output_of(outputs, i);
    const char *named = format_of_name(output);
    const char *format = entry(outputs->format, outputs->n_formats, i);
    const bool is_stdout = strcmp(output, "-") == 0;
    if (format == NULL)
        format = is_stdout ? "column" : named != NULL ? named : "csv";
    set_format(target, format, outputs->time_unit);
    target->command = output[0] == '@' ? output + 1 : NULL;
    if (is_stdout || named != NULL) {
        (void)snprintf(target->path, sizeof(target->path), "%s", output);
        return;
    }
    char name[100]; /* as nsys has it: the arguments of the report behind underscores */
    (void)snprintf(name, sizeof(name), "%s", report);
    for (char *colon = name; (colon = strchr(colon, ':')) != NULL;)
        *colon = '_';
    cli_recording_base(base, sizeof(base), input != NULL ? input : "");
    (void)snprintf(target->path, sizeof(target->path), "%s_%s.%s",
                   strcmp(output, ".") == 0 ? base : output, name,
                   rf_report_extension(target->format, NULL));
    if (target->command != NULL)
        target->path[0] = '\0';
}

/* ---- Checks ---- */

int stats_check_formats(const struct stats_outputs *outputs, const struct cli_command *command)
{
    struct stats_target target;
    struct rf_err err;
    const char *time_unit = outputs->time_unit != NULL ? outputs->time_unit : "";
    for (size_t i = 0; i < outputs->n_formats || i == 0; i++) {
        const char *format = outputs->n_formats > 0 ? outputs->format[i] : "column";
        if (strlen(format) + strlen(time_unit) > MAX_FORMAT)
            return cli_usage_error(command, "the format '%.40s...' is too long", format);
        if (strcspn(time_unit, ":") < strlen(time_unit))
            return cli_usage_error(command, "unknown unit of time '%s'", time_unit);
        set_format(&target, format, outputs->time_unit);
        if (rf_report_extension(target.format, &err) == NULL)
            return cli_usage_error(command, "%s", err.text);
    }
    return CLI_OK;
}

int stats_check_outputs(const struct stats_outputs *outputs, const struct cli_command *command,
                        size_t n_reports)
{
    const char *last = stats_last_output(outputs);
    for (size_t i = 0; i < outputs->n_outputs; i++)
        if (strcmp(outputs->output[i], "@") == 0)
            return cli_usage_error(command, "'-o @' names no command");
    if (n_reports <= outputs->n_outputs || n_reports < 2 || !stats_output_is_file(last))
        return CLI_OK;
    return cli_usage_error(command, "'-o %s' is one file: choose one report with -r", last);
}
