/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder scrub: a copy of a recording to give away. */
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "log/pack.h"

enum { OPT_OUTPUT = 1, OPT_FORCE };

static const struct cli_option options[] = {
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "NAME.rf", "Default: NAME-scrubbed.rf.", NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite an existing file.", NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

static int scrub_run(const struct cli_command *command, int argc, char **argv)
{
    struct cli_parser parser;
    struct rf_err err;
    struct stat st;
    char base[PATH_MAX], output[PATH_MAX + 32] = "", size[32];
    int id, can_overwrite = 0;
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0) {
        if (id == OPT_OUTPUT)
            (void)snprintf(output, sizeof(output), "%s", parser.value);
        else
            can_overwrite = parser.is_true;
    }
    if (id < 0)
        return parser.status;
    const char *input = cli_parser_only_operand(&parser, "FILE");
    if (input == NULL)
        return CLI_USAGE;
    cli_recording_base(base, sizeof(base), input);
    if (output[0] == '\0')
        (void)snprintf(output, sizeof(output), "%s-scrubbed.rf", base);
    if (rf_scrub(input, output, can_overwrite, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    if (stat(output, &st) == 0)
        cli_say("wrote '%s': %s, without command lines, paths, environment and host name", output,
                cli_format_size(size, sizeof(size), (uint64_t)st.st_size));
    cli_say("the program's own names and messages are in it as they were");
    return CLI_OK;
}

const struct cli_command cli_cmd_scrub = {
    .name = "scrub",
    .summary = "copy a recording without what is private",
    .synopsis = "[options] FILE",
    .description = "Copies the recording FILE (NAME.rf, or a session directory) without command "
                   "lines, paths, environment\nvariables and the host's name. What the program "
                   "itself put into names and messages stays.",
    .options = options,
    .run = scrub_run,
};
