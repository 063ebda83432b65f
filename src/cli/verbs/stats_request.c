/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/stats_request.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/recording_file.h"
#include "cli/say.h"

/* Format, and the ending of its files. */
static const char *const formats[][2] = {{"table", "txt"}, {"csv", "csv"}, {"json", "json"}};
#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *stats_format_named(const char *name)
{
    const char *wanted = strcmp(name, "column") == 0 ? "table" : name;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i][0], wanted) == 0)
            return formats[i][0];
    return NULL;
}

/* The index in formats[] that an output name asks for, or N_FORMATS. */
static size_t format_of_name(const char *output)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        char ending[16];
        (void)snprintf(ending, sizeof(ending), ".%s", formats[i][1]);
        if (cli_has_suffix(output, ending))
            return i;
    }
    return N_FORMATS;
}

/* Settles format and file of one report. */
const char *stats_name_output(const struct stats_request *request, const char *input,
                              const char *report, char *path, size_t size)
{
    char base[PATH_MAX];
    bool is_stdout = strcmp(request->output, "-") == 0;
    size_t named = format_of_name(request->output);
    size_t format = is_stdout ? 0 : named < N_FORMATS ? named : 1;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (request->format == formats[i][0])
            format = i;
    if (is_stdout || named < N_FORMATS) {
        (void)snprintf(path, size, "%s", request->output);
        return formats[format][0];
    }
    cli_recording_base(base, sizeof(base), input != NULL ? input : "");
    (void)snprintf(path, size, "%s_%s.%s",
                   strcmp(request->output, ".") == 0 ? base : request->output, report,
                   formats[format][1]);
    return formats[format][0];
}

bool stats_output_is_file(const char *output)
{
    return format_of_name(output) < N_FORMATS;
}

unsigned stats_open_flags(const struct stats_request *request)
{
    unsigned flags = request->n_reports > 0 ? ~0u : 0;
    for (size_t i = 0; i < request->n_reports; i++)
        flags &= rf_report_open_flags(request->reports[i]);
    return request->group_by != NULL ? flags & ~(unsigned)RF_OPEN_SUMS : flags;
}

void stats_say_not_written(const char *path, int status, const struct rf_err *err)
{
    if (status == RF_ERR_EXISTS) /* -f is the format here, as in nsys */
        cli_say("'%s' exists already; use --force-overwrite to overwrite it", path);
    else
        cli_say("%s", err->text);
}
