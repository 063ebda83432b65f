/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder recover: one good file from a session directory that was left behind, or from a
 * damaged recording. */
#include <inttypes.h>
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
#include "cli/progress_option.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "cli/waiting.h"
#include "cli/written.h"
#include "log/counts.h"
#include "log/liveness.h"
#include "log/log_order.h"
#include "log/pack.h"
#include "log/pack_piece.h"
#include "log/part_reader.h"
#include "log/reader.h"
#include "session/session_dir.h"

enum { OPT_OUTPUT = 1, OPT_FORCE, OPT_KEEP, OPT_COMPRESS, OPT_JSON };

static const struct cli_option options[] = {
    {OPT_OUTPUT, 'o', "output", CLI_ARG_VALUE, "NAME",
     "Write NAME.rf. Default: NAME.rf for NAME.rfdir, NAME-recovered.rf for NAME.rf.", NULL},
    {OPT_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite an existing file.", NULL},
    {OPT_KEEP, 'k', "keep", CLI_ARG_BOOL, NULL,
     "Keep the session directory. A session that is still being recorded can then be packed too, "
     "in its present state.",
     NULL},
    {OPT_COMPRESS, '\0', "compress", CLI_ARG_BOOL, NULL,
     "Compress events and names, or with =false expand them. Default: as they are.", NULL},
    CLI_PROGRESS_OPTION,
    JSON_OPTION(OPT_JSON),
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

struct recovery {
    char input[PATH_MAX]; /* without a slash at its end */
    char output[PATH_MAX];
    bool is_directory;
    bool is_split;     /* the directory is the rest of several files, */
    uint32_t n_pieces; /* of which so many are complete */
    bool can_overwrite;
    bool keeps, is_json;
    enum rf_pack_form form;
    char piece[PATH_MAX + 32]; /* that was complete, and got its name; "": none */
};

/* Whether a process that recorded into this directory still runs. */
static bool has_writer(const char *dir)
{
    struct rf_log log;
    if (rf_log_open(&log, dir, 0, NULL) != RF_OK)
        return false; /* packing will say what is wrong with it */
    bool is_running = rf_log_liveness(&log) == RF_LIVENESS_RUNNING;
    rf_log_close(&log);
    return is_running;
}

/* Removing a directory while processes write to it would lose their events. */
static int check_is_left_behind(const struct recovery *recovery)
{
    if (!recovery->is_directory || recovery->keeps)
        return CLI_OK;
    if (session_dir_is_live(recovery->input))
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
    if (recovery->is_split)
        (void)snprintf(base + strlen(base), sizeof(base) - strlen(base), ".%" PRIu32,
                       recovery->n_pieces + 1);
    (void)snprintf(recovery->output, sizeof(recovery->output), "%.*s%s.rf",
                   (int)(sizeof(recovery->output) - 32), base,
                   recovery->is_directory ? "" : "-recovered");
}

/* ---- What stands in the way ---- */

/* How much a recording holds, in bytes. */
static uint64_t count_records(const struct rf_log *log)
{
    struct rf_counts counts = {.n_records = 0};
    struct rf_part_reader parts;
    rf_part_reader_init(&parts, log);
    for (size_t i = 0; i < log->n_parts; i++) {
        const struct rf_part_view view = rf_part_view(&parts, &log->part[i]);
        (void)rf_counts_add(&counts, view.data + RF_PART_RECORDS_OFFSET,
                            view.size - RF_PART_RECORDS_OFFSET);
        rf_part_reader_drop(&parts, &log->part[i], &log->part[i + 1]);
    }
    rf_part_reader_release(&parts);
    return counts.n_records;
}

/* Whether a recording has every part of a session. */
static bool has_all_parts(const struct rf_log *recording, const struct rf_log *session)
{
    uint64_t before;
    for (size_t i = 0; i < session->n_parts; i++) {
        const struct rf_log_part *part = &session->part[i];
        const struct rf_log_tail key = {part->seq, part->process, part->slot, part->size};
        if (!rf_log_has_part(recording, &key, &before))
            return false;
    }
    return true;
}

enum contents {
    CONTENTS_OTHER,    /* another recording, or it cannot be told */
    CONTENTS_HOLD_ALL, /* of the input: it was recovered or packed before */
    CONTENTS_MORE,     /* more than the input, perhaps of the same session */
};

static enum contents compare(const struct rf_log *there, const struct rf_log *input,
                             uint64_t *n_there, uint64_t *n_input)
{
    static const uint8_t unknown[16];
    const uint8_t *id = input->control.session_id;
    bool is_known = memcmp(id, unknown, sizeof(unknown)) != 0;
    bool is_same = is_known && memcmp(id, there->control.session_id, sizeof(unknown)) == 0;
    *n_there = count_records(there);
    *n_input = count_records(input);
    if (is_same && *n_there >= *n_input && has_all_parts(there, input))
        return CONTENTS_HOLD_ALL;
    return *n_there > *n_input && (is_same || !is_known) ? CONTENTS_MORE : CONTENTS_OTHER;
}

/* Compares the existing output with the input. */
static enum contents compare_output(const struct recovery *recovery, uint64_t *n_there,
                                    uint64_t *n_input)
{
    struct rf_log there, input;
    enum contents contents = CONTENTS_OTHER;
    if (rf_log_open(&there, recovery->output, 0, NULL) != RF_OK)
        return CONTENTS_OTHER;
    if (rf_log_open(&input, recovery->input, RF_OPEN_SALVAGE, NULL) == RF_OK) {
        contents = compare(&there, &input, n_there, n_input);
        rf_log_close(&input);
    }
    rf_log_close(&there);
    return contents;
}

static int remove_directory(const struct recovery *recovery)
{
    struct rf_err err;
    if (session_dir_remove(recovery->input, &err) == RF_OK)
        return CLI_OK;
    cli_say("%s", err.text);
    return CLI_FAILED;
}

enum saved { SAVED_NOTHING, SAVED_BEFORE, SAVED_NOW };

/* Returns true where there is nothing to recover, with the exit status in *status. */
static bool is_settled(const struct recovery *recovery, enum saved *saved, int *status)
{
    uint64_t n_there = 0, n_input = 0;
    char there[32], input[32];
    *status = CLI_OK;
    *saved = SAVED_NOTHING;
    if (recovery->is_directory && session_dir_is_remnant(recovery->input)) {
        cli_say("'%s' is left over from the removal of a session that was saved completely%s",
                recovery->input, recovery->keeps ? "" : "; it is removed");
        if (!recovery->keeps)
            *status = remove_directory(recovery);
        return true;
    }
    enum contents contents = compare_output(recovery, &n_there, &n_input);
    if (contents == CONTENTS_HOLD_ALL && recovery->is_directory) {
        cli_say("'%s' already holds everything in '%s'%s", recovery->output, recovery->input,
                recovery->keeps ? "" : ", which is removed");
        if (!recovery->keeps)
            *status = remove_directory(recovery);
        *saved = SAVED_BEFORE;
        return true;
    }
    if (contents != CONTENTS_MORE || !recovery->can_overwrite)
        return false;
    cli_say(
        "'%s' holds more than '%s' (%s records, and %s): it is not replaced; to pack the directory "
        "to another file: -o NAME.rf",
        recovery->output, recovery->input, rf_format_count(there, sizeof(there), n_there),
        rf_format_count(input, sizeof(input), n_input));
    *status = CLI_FAILED;
    return true;
}

/* Which files there are beside the directory. */
static void find_pieces(struct recovery *recovery)
{
    struct rf_log log;
    if (!recovery->is_directory ||
        rf_log_open(&log, recovery->input, RF_OPEN_SALVAGE, NULL) != RF_OK)
        return;
    recovery->is_split = log.control.pieces.is_split != 0;
    recovery->n_pieces = log.control.pieces.n_pieces;
    rf_log_close(&log);
}

/* A piece that was complete when rangefinder was killed, and had no name yet, gets its name. */
static int name_piece(struct recovery *recovery)
{
    char base[PATH_MAX];
    struct rf_err err;
    const uint32_t number =
        recovery->is_split && !recovery->keeps ? rf_find_piece(recovery->input) : 0;
    if (number == 0)
        return CLI_OK;
    cli_recording_base(base, sizeof(base), recovery->input);
    char *path = recovery->piece;
    (void)snprintf(path, sizeof(recovery->piece), "%s.%" PRIu32 ".rf", base, number);
    if (rf_name_piece(recovery->input, number, path, recovery->can_overwrite, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    cli_say("wrote '%s', which was complete", path);
    return CLI_OK;
}

/* What the output is, for programs. */
static int print_written(const struct recovery *recovery, enum saved saved)
{
    struct cli_written_file file[2];
    size_t n = 0;
    if (!recovery->is_json)
        return CLI_OK;
    if (recovery->piece[0] != '\0')
        file[n++] = (struct cli_written_file){recovery->piece, "rf", false};
    if (saved != SAVED_NOTHING)
        file[n++] = (struct cli_written_file){recovery->output, "rf", saved == SAVED_BEFORE};
    return cli_written_print("recover", file, n, "info",
                             saved != SAVED_NOTHING ? recovery->output : NULL);
}

static int recover(struct recovery *recovery)
{
    struct cli_summary summary = {.is_estimate = false};
    struct cli_waiting waiting;
    struct rf_err err;
    enum saved saved;
    int status;
    if (name_piece(recovery) != CLI_OK)
        return CLI_FAILED;
    if (is_settled(recovery, &saved, &status))
        return status == CLI_OK ? print_written(recovery, saved) : status;
    cli_waiting_begin(&waiting, "recovering '%.80s'", recovery->input);
    status = rf_salvage(recovery->input, recovery->output, recovery->can_overwrite, recovery->form,
                        &summary.packed, &err);
    cli_waiting_end(&waiting);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return CLI_FAILED;
    }
    cli_summary_say(&summary, recovery->output);
    if (recovery->is_directory && !recovery->keeps)
        (void)remove_directory(recovery);
    if (!recovery->is_json)
        cli_say_next("info", recovery->output);
    return print_written(recovery, SAVED_NOW);
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
        else if (id == OPT_COMPRESS)
            recovery.form = parser.is_true ? RF_PACK_COMPRESSED : RF_PACK_EXPANDED;
        else if (id == OPT_JSON)
            recovery.is_json = parser.is_true;
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
    find_pieces(&recovery);
    name_output(&recovery);
    int status = check_is_left_behind(&recovery);
    return status == CLI_OK ? recover(&recovery) : status;
}

const struct cli_command cli_cmd_recover = {
    .name = "recover",
    .summary = "save a recording that was left behind or damaged",
    .synopsis = "[options] FILE",
    .operands = "RECORDING",
    .description = "Packs a session directory (NAME.rfdir) that a killed rangefinder or a run with "
                   "NVTX_INJECTION64_PATH\nset by hand left behind, and removes it; or writes what "
                   "can be read of a damaged NAME.rf to a new file.",
    .options = options,
    .run = recover_run,
};
