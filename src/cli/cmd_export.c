/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder export: a recording in another format. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/finish.h"
#include "cli/recording_file.h"
#include "cli/say.h"

enum { OPT_TYPE = 1, OPT_OUTPUT, OPT_FORCE, OPT_QUIET, OPT_IGNORED };

static const struct cli_option options[] = {
    {OPT_TYPE, 't', "type", CLI_ARG_VALUE, "FORMAT,...",
     "sqlite (nsys's schema), json (Chrome trace, for Perfetto and chrome://tracing), jsonl, csv, "
     "text. Default: by the ending of -o, else sqlite.",
     NULL},
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT",
     "Write OUT; - is standard output; an ending .gz compresses. With several formats their "
     "endings are added to it. Default: FILE with another ending.",
     NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite existing files.", NULL},
    {OPT_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "No progress bar, no messages but errors.", NULL},
    {OPT_IGNORED, 'l', "lazy", CLI_ARG_BOOL, NULL, NULL, NULL},
    {OPT_IGNORED, '\0', "separate-strings", CLI_ARG_BOOL, NULL, NULL, NULL},
    {OPT_IGNORED, '\0', "include-blobs", CLI_ARG_BOOL, NULL, NULL, NULL},
    {OPT_IGNORED, '\0', "include-json", CLI_ARG_BOOL, NULL, NULL, NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

#define MAX_FORMATS 16

struct export_request {
    const char *formats[MAX_FORMATS]; /* names that the library owns */
    size_t n_formats;
    const char *output; /* NULL: beside the input */
    int can_overwrite;
    int is_quiet;
};

static const char *find_format(const char *name)
{
    const char *known;
    for (size_t i = 0; (known = rf_export_format_at(i, NULL)) != NULL; i++)
        if (strcmp(known, name) == 0)
            return known;
    return NULL;
}

static int fail_format(const struct cli_command *command, const char *name)
{
    const char *known[MAX_FORMATS];
    size_t n = 0;
    for (; n < MAX_FORMATS && (known[n] = rf_export_format_at(n, NULL)) != NULL; n++)
        ;
    const char *near = rf_nearest_name(name, known, n);
    return cli_usage_error(command, "unknown format '%s'%s%s%s", name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
}

static int add_formats(struct export_request *request, const struct cli_parser *parser)
{
    for (const char *p = parser->value; *p != '\0';) {
        char word[64];
        size_t length = strcspn(p, ",");
        (void)snprintf(word, sizeof(word), "%.*s", (int)length, p);
        p += length + (p[length] == ',');
        const char *format = find_format(word);
        if (format == NULL)
            return fail_format(parser->command, word);
        if (request->n_formats < MAX_FORMATS)
            request->formats[request->n_formats++] = format;
    }
    return CLI_OK;
}

/* The format that a file name asks for, or "sqlite". */
static const char *format_of_name(const char *output)
{
    char name[PATH_MAX], ending[40];
    const char *format;
    (void)snprintf(name, sizeof(name), "%s", output);
    if (cli_has_suffix(name, ".gz"))
        name[strlen(name) - strlen(".gz")] = '\0';
    for (size_t i = 0; (format = rf_export_format_at(i, NULL)) != NULL; i++) {
        (void)snprintf(ending, sizeof(ending), ".%s", finish_extension(format));
        if (cli_has_suffix(name, ending))
            return format;
    }
    return "sqlite";
}

static void name_output(const struct export_request *request, const char *input, const char *format,
                        char *path, size_t size)
{
    char base[PATH_MAX];
    if (request->output != NULL && request->n_formats == 1) {
        (void)snprintf(path, size, "%s", request->output);
        return;
    }
    cli_recording_base(base, sizeof(base), input);
    (void)snprintf(path, size, "%s.%s", request->output != NULL ? request->output : base,
                   finish_extension(format));
}

static int export_one(const struct export_request *request, const rf_recording *rec,
                      const char *format, const char *path)
{
    struct cli_progress progress;
    struct rf_err err;
    struct stat st;
    char size[32];
    cli_progress_begin(&progress, "exporting");
    progress.is_terminal &= !request->is_quiet;
    const struct rf_export_options export_options = {format, path, request->can_overwrite,
                                                     cli_progress_update, &progress};
    int status = rf_export(rec, &export_options, &err);
    cli_progress_end(&progress);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return status == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
    }
    if (!request->is_quiet && strcmp(path, "-") != 0 && stat(path, &st) == 0)
        cli_say("wrote '%s': %s", path, cli_format_size(size, sizeof(size), (uint64_t)st.st_size));
    return CLI_OK;
}

static int parse(struct export_request *request, struct cli_parser *parser)
{
    int id;
    while ((id = cli_parser_next(parser)) > 0) {
        if (id == OPT_TYPE) {
            parser->status = add_formats(request, parser);
            if (parser->status != CLI_OK)
                return -1;
        } else if (id == OPT_OUTPUT) {
            request->output = parser->value;
        } else if (id == OPT_FORCE) {
            request->can_overwrite = parser->is_true;
        } else if (id == OPT_QUIET) {
            request->is_quiet = parser->is_true;
        }
    }
    return id;
}

static int export_run(const struct cli_command *command, int argc, char **argv)
{
    struct export_request request;
    struct cli_parser parser;
    memset(&request, 0, sizeof(request));
    cli_parser_init(&parser, command, argc, argv);
    if (parse(&request, &parser) != 0)
        return parser.status;
    const char *input = cli_parser_only_operand(&parser, "FILE");
    if (input == NULL)
        return CLI_USAGE;
    if (request.n_formats == 0)
        request.formats[request.n_formats++] =
            format_of_name(request.output != NULL ? request.output : "");
    if (request.n_formats > 1 && request.output != NULL && strcmp(request.output, "-") == 0)
        return cli_usage_error(command, "'-o -' takes one format only");
    rf_recording *rec = cli_open_recording(input);
    if (rec == NULL)
        return CLI_FAILED;
    int status = CLI_OK;
    for (size_t i = 0; i < request.n_formats && status == CLI_OK; i++) {
        char path[PATH_MAX + 64];
        name_output(&request, input, request.formats[i], path, sizeof(path));
        status = export_one(&request, rec, request.formats[i], path);
    }
    rf_close(rec);
    return status;
}

const struct cli_command cli_cmd_export = {
    .name = "export",
    .summary = "write a recording in another format",
    .synopsis = "[options] FILE",
    .description = "Writes the recording FILE (NAME.rf, or a session directory) in other formats.",
    .options = options,
    .run = export_run,
};
