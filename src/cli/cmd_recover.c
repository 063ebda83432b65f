/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder recover: one good file from a session directory that was left behind, or from a
 * damaged recording. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/session_dir.h"
#include "cli/summary.h"
#include "log/liveness.h"
#include "log/pack.h"

enum { OPT_OUTPUT = 1, OPT_FORCE, OPT_KEEP };

static const struct cli_option options[] = {
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "NAME",
     "Write NAME.rf. Default: NAME.rf for NAME.rfdir, NAME-recovered.rf for NAME.rf.", NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite an existing file.", NULL},
    {OPT_KEEP, 'k', "keep", CLI_ARG_BOOL, NULL,
     "Leave the session directory where it is. With this one that is still being recorded can be "
     "packed too, as it is now.",
     NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct recovery {
    char input[PATH_MAX]; /* without a slash at its end */
    char output[PATH_MAX];
    int is_directory;
    int can_overwrite;
    int keeps;
};

/* Whether a process that recorded into this directory still runs. */
static int has_writer(const char *dir)
{
    struct rf_log log;
    if (rf_log_open(&log, dir, 0, NULL) != RF_OK)
        return 0; /* packing will say what is wrong with it */
    int is_running = rf_log_liveness(&log) == RF_LIVENESS_RUNNING;
    rf_log_close(&log);
    return is_running;
}

/* Taking a directory away from those who write there would lose what they write. */
static int check_is_left_behind(const struct recovery *recovery)
{
    if (!recovery->is_directory || recovery->keeps)
        return CLI_OK;
    if (cli_session_is_live(recovery->input))
        cli_say("'%s' is still being recorded, and will be packed at its end; to pack a copy of "
                "its state now: --keep",
                recovery->input);
    else if (has_writer(recovery->input))
        cli_say("a program still records into '%s'; recover it when that has ended, or pack a copy "
                "of its state now: --keep",
                recovery->input);
    else
        return CLI_OK;
    return CLI_FAILED;
}

static void name_output(struct recovery *recovery)
{
    char base[PATH_MAX];
    if (recovery->output[0] != '\0')
        return;
    cli_recording_base(base, sizeof(base), recovery->input);
    (void)snprintf(recovery->output, sizeof(recovery->output), "%.*s%s.rf",
                   (int)(sizeof(recovery->output) - 32), base,
                   recovery->is_directory ? "" : "-recovered");
}

static int recover(const struct recovery *recovery)
{
    struct cli_summary summary = {.is_estimate = 0};
    struct rf_err err;
    int status = rf_salvage(recovery->input, recovery->output, recovery->can_overwrite,
                            &summary.packed, &err);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    cli_summary_say(&summary, recovery->output);
    if (recovery->is_directory && !recovery->keeps &&
        cli_session_remove(recovery->input, &err) != RF_OK)
        cli_say("%s", err.text);
    cli_say_next("info", recovery->output);
    return CLI_OK;
}

static int recover_run(const struct cli_command *command, int argc, char **argv)
{
    struct recovery recovery;
    struct cli_parser parser;
    struct stat st;
    int id;
    memset(&recovery, 0, sizeof(recovery));
    cli_parser_init(&parser, command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0) {
        if (id == OPT_OUTPUT) {
            if (!cli_recording_name(recovery.output, sizeof(recovery.output), parser.value))
                return CLI_USAGE;
        } else if (id == OPT_FORCE)
            recovery.can_overwrite = parser.is_true;
        else
            recovery.keeps = parser.is_true;
    }
    if (id < 0)
        return parser.status;
    const char *input = cli_parser_only_operand(&parser, "FILE");
    if (input == NULL)
        return CLI_USAGE;
    (void)snprintf(recovery.input, sizeof(recovery.input), "%s", input);
    for (size_t n = strlen(recovery.input); n > 1 && recovery.input[n - 1] == '/'; n--)
        recovery.input[n - 1] = '\0';
    recovery.is_directory = stat(recovery.input, &st) == 0 && S_ISDIR(st.st_mode);
    name_output(&recovery);
    int status = check_is_left_behind(&recovery);
    return status == CLI_OK ? recover(&recovery) : status;
}

const struct cli_command cli_cmd_recover = {
    .name = "recover",
    .summary = "save a recording that was left behind or damaged",
    .synopsis = "[options] FILE",
    .description = "Packs a session directory (NAME.rfdir) that a killed rangefinder or a run with "
                   "NVTX_INJECTION64_PATH\nset by hand left behind, and removes it; or writes what "
                   "can be read of a damaged NAME.rf to a new file.",
    .options = options,
    .run = recover_run,
};
