/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder scrub: a copy of a recording to give away. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/amounts.h"
#include "cli/command.h"
#include "cli/json_out.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/written.h"
#include "log/scrub.h"
#include "rangefinder/summary.h"

enum { OPT_OUTPUT = 1, OPT_FORCE, OPT_JSON };

static const struct cli_option options[] = {
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "OUT",
     "Write OUT, of a recording OUT.rf. Default: NAME-scrubbed.rf; of NAME.sqlite, "
     "NAME-scrubbed.sqlite.",
     NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite an existing file.", NULL},
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

/* An export of nsys, or of ours: the first bytes say so. */
static bool is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char bytes[sizeof(magic)] = "";
    struct stat st;
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return false;
    size_t n = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    return n == sizeof(bytes) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* Prints how to convert a report of nsys first: its format cannot be rewritten here. */
static int fail_report(const char *input, const char *base)
{
    cli_say("'%s' cannot be scrubbed as it is; first: nsys export -t sqlite -o %s.sqlite %s", input,
            base, input);
    return CLI_FAILED;
}

static int scrub_file(const char *input, const char *output, bool can_overwrite, bool is_export,
                      bool is_json)
{
    struct rf_err err;
    struct stat st;
    char size[32];
    if (cli_is_input(output, input))
        return CLI_FAILED;
    int status = is_export ? rf_scrub_export(input, output, can_overwrite, &err)
                           : rf_scrub(input, output, can_overwrite, &err);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    if (stat(output, &st) == 0)
        cli_say("wrote '%s': %s, without command lines, paths, environment and host name", output,
                rf_format_size(size, sizeof(size), (uint64_t)st.st_size));
    cli_say("the program's own names and messages are in it as they were");
    const struct cli_written_file file = {output, is_export ? "sqlite" : "rf", false};
    if (is_json)
        return cli_written_print("scrub", &file, 1, "info", output);
    cli_say_next("info", output);
    return CLI_OK;
}

static int scrub_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    char base[PATH_MAX], output[PATH_MAX + 32];
    const char *given = NULL;
    int id;
    bool can_overwrite = false, is_json = false;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0) {
        if (id == OPT_OUTPUT)
            given = parser.value;
        else if (id == OPT_JSON)
            is_json = parser.is_true;
        else
            can_overwrite = parser.is_true;
    }
    if (id < 0)
        return parser.status;
    const char *input = cli_parser_only_operand(&parser, "FILE");
    if (input == NULL)
        return CLI_USAGE;
    cli_recording_base(base, sizeof(base), input);
    if (cli_has_suffix(input, ".nsys-rep") || cli_has_suffix(input, ".qdrep"))
        return fail_report(input, base);
    if (rf_is_summary(input)) {
        cli_say("'%s' is a summary, which cannot be scrubbed: scrub the recordings that it is of",
                input);
        return CLI_FAILED;
    }
    bool is_export = is_database(input);
    if (given == NULL)
        (void)snprintf(output, sizeof(output), "%s-scrubbed.%s", base, is_export ? "sqlite" : "rf");
    else if (is_export)
        (void)snprintf(output, sizeof(output), "%s", given);
    else if (!cli_recording_name(output, sizeof(output), given))
        return CLI_USAGE;
    return scrub_file(input, output, can_overwrite, is_export, is_json);
}

const struct cli_command cli_cmd_scrub = {
    .name = "scrub",
    .summary = "copy a recording without what is private",
    .synopsis = "[options] FILE",
    .operands = "RECORDING",
    .description =
        "Copies the recording FILE (NAME.rf, a session directory, or a SQLite database of "
        "nsys or of ours)\nwithout command lines, paths, environment variables and the "
        "names of host and user. What the\nprogram itself put into names and messages "
        "stays.",
    .options = options,
    .run = scrub_run,
};
