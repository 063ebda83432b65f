/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/finish.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/doctor/cuda_machine.h"
#include "cli/drain/spares.h"
#include "cli/install.h"
#include "cli/output_name.h"
#include "cli/profile/cuda_run.h"
#include "cli/profile/how_to_annotate.h"
#include "cli/profile/run_facts.h"
#include "cli/profile/why_empty.h"
#include "cli/next.h"
#include "cli/progress.h"
#include "cli/recording_file.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "log/cuda.h"
#include "log/pack_capture.h"
#include "log/pack_piece.h"
#include "session/session_summary.h"

#define MOST_NAMES 100 /* that are tried: others may take them at the same time */

static bool is_regular(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void use_next_free(const struct finish_request *request, char *path, size_t size)
{
    char base[PATH_MAX];
    cli_say("'%s' was created by something else meanwhile", path);
    (void)snprintf(base, sizeof(base), "%s", request->base);
    cli_output_next_free(base, sizeof(base));
    (void)snprintf(path, size, "%s" CLI_RECORDING_SUFFIX, base);
}

static int fail_pack(const struct finish_request *request, char *path, const struct rf_err *err)
{
    path[0] = '\0';
    cli_say("%s", err->text);
    if (access(request->dir, F_OK) != 0)
        return CLI_PROFILE_FAILED; /* the program removed it */
    cli_say("the recording is in '%s', which every verb opens; to pack it where there is room: "
            "rangefinder recover -o NAME.rf '%s'",
            request->dir, request->dir);
    return CLI_PROFILE_FAILED;
}

static int pack_capture(const struct finish_request *request, char *path, size_t size,
                        struct rf_packed *packed)
{
    struct rf_err err;
    int status = rf_pack_capture(request->captures, request->dir, path, request->can_overwrite,
                                 request->window, packed, &err);
    for (int i = 0; status == RF_ERR_EXISTS && i < MOST_NAMES; i++) {
        use_next_free(request, path, size);
        status = rf_pack_capture(request->captures, request->dir, path, 0, request->window, packed,
                                 &err);
    }
    return status == RF_OK ? CLI_OK : fail_pack(request, path, &err);
}

/* Packs the next piece. One that is complete, and whose name was taken meanwhile, gets another. */
static int pack_piece(const struct finish_request *request, char *path, size_t size,
                      struct rf_packed *packed)
{
    struct rf_control *control = request->piece_of;
    const uint32_t number = control->pieces.n_pieces + 1;
    struct rf_err err;
    bool is_empty;
    (void)snprintf(path, size, "%s.%" PRIu32 CLI_RECORDING_SUFFIX, request->base, number);
    int status =
        rf_pack_piece(request->dir, control, path, request->can_overwrite, packed, &is_empty, &err);
    for (int i = 0; status == RF_ERR_EXISTS && i < MOST_NAMES; i++) {
        use_next_free(request, path, size);
        status = control->pieces.n_pieces == number
                     ? rf_name_piece(request->dir, number, path, false, &err)
                     : rf_pack_piece(request->dir, control, path, false, packed, &is_empty, &err);
    }
    if (status == RF_OK && is_empty)
        path[0] = '\0';
    if (status == RF_OK)
        return CLI_OK;
    path[0] = '\0';
    if (!request->is_retry)
        cli_say("%s; the program runs on, and what it records stays in '%s'", err.text,
                request->dir);
    return CLI_PROFILE_FAILED;
}

/* Packs under the name asked for, or, where that was taken meanwhile, under the next free one:
 * the run may not be repeatable. path: the name it got. */
static int pack(const struct finish_request *request, char *path, size_t size,
                struct rf_packed *packed)
{
    struct rf_err err;
    (void)snprintf(path, size, "%s" CLI_RECORDING_SUFFIX, request->base);
    if (request->is_capture)
        return pack_capture(request, path, size, packed);
    if (request->piece_of != NULL)
        return pack_piece(request, path, size, packed);
    /* some file systems write a file to the disk before it replaces another one: without the old
     * file the run ends sooner, and its data is safe in the directory meanwhile */
    if (request->can_overwrite && is_regular(path))
        (void)unlink(path);
    int status = rf_pack(request->dir, path, request->can_overwrite, packed, &err);
    for (int i = 0; status == RF_ERR_EXISTS && i < MOST_NAMES; i++) {
        use_next_free(request, path, size);
        status = rf_pack(request->dir, path, 0, packed, &err);
    }
    return status == RF_OK ? CLI_OK : fail_pack(request, path, &err);
}

static void count_cuda(struct rf_counts *counts, const rf_recording *rec)
{
    uint64_t n_ops[256] = {0};
    size_t n;
    memset(counts->n_cuda, 0, sizeof(counts->n_cuda));
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        (void)rf_thread_calls(rec, i, &n);
        counts->n_cuda[RF_CUDA_API] += n;
    }
    const struct rf_gpu_op *ops = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++)
        n_ops[ops[i].kind]++;
    for (int kind = 0; kind < 256; kind++)
        counts->n_cuda[session_cuda_kind_of_work(rf_gpu_op_kind_name(kind))] += n_ops[kind];
}

/* The parts at the edges of a capture hold more than the capture; the model counts what lies in it.
 * That takes too long for a large file. */
static void count_capture(struct cli_summary *summary, const char *path)
{
    const uint64_t most_bytes = 256u << 20;
    struct rf_counts *counts = &summary->packed.counts;
    rf_recording *rec = NULL;
    summary->is_estimate = summary->packed.size_bytes > most_bytes ||
                           rf_open(path, RF_OPEN_NO_SAMPLES, &rec, NULL) != RF_OK;
    if (summary->is_estimate)
        return;
    counts->n_ranges = rf_get_info(rec)->n_ranges;
    counts->n_marks = rf_get_info(rec)->n_marks;
    count_cuda(counts, rec);
    counts->n_cuda_untimed = rf_get_info(rec)->n_bad_times;
    rf_close(rec);
}

/* Prints which CUDA work may be missing, and why there is none where -t names it. */
static void say_about_cuda(const struct finish_request *request, const struct cli_summary *summary,
                           const struct cuda_run *run)
{
    const struct rf_control *control = request->control;
    if ((control->cuda & RF_CUDA_IS_WANTED) == 0 || request->is_capture)
        return;
    if (run->n_killed > 0)
        cli_say("%" PRIu32
                " process%s that used CUDA ended without exit(): what the GPU did in the "
                "last %" PRIu32 " ms before may be missing",
                run->n_killed, run->n_killed == 1 ? "" : "es", cuda_run_flush_ms(control));
    if (request->options->trace.is_cuda_explicit && !request->options->is_quiet &&
        session_summary_n_cuda(&summary->packed.counts) == 0 && control->n_messages == 0)
        cli_say("no CUDA was seen: %s", run->n_used > 0
                                            ? "it was initialised, but nothing was done with it"
                                            : cuda_machine_why_nothing(request->app_path));
}

/* A program that root started may have become a user who cannot read the recorder. */
static void say_who_cannot_load(const char *app_path)
{
    char path[PATH_MAX];
    if (geteuid() == 0 && cli_can_change_user(app_path) &&
        cli_install_library(CLI_INJECT_NAME, path, sizeof(path), NULL) == RF_OK &&
        !cli_install_is_for_all(path))
        cli_say("'%s' cannot be read by other users: a program that becomes one before its first "
                "annotation is not recorded",
                path);
}

static void offer_stats(const struct finish_request *request, const char *path)
{
    run_facts_set_next(request->options->facts, "stats", path);
    if (!request->options->is_quiet)
        cli_say_next("stats", path);
}

/* Why the run has no annotation, and how it would get some. */
static void explain_empty(const struct finish_request *request, const struct cuda_run *run)
{
    const bool is_loaded = cli_spares_n_started(request->control) > run->n_used;
    const char *reason = request->ended_in_tool
                             ? "the program ended while a tool of --chain was beginning"
                             : cli_why_empty(request->app_path, is_loaded);
    run_facts_set_empty(request->options->facts, reason);
    if (request->options->is_quiet)
        return;
    cli_say("no annotation was seen: %s", reason);
    say_who_cannot_load(request->app_path);
    if (!is_loaded && !request->ended_in_tool && cli_why_not_loaded(request->app_path) == NULL &&
        !cli_uses_nvtx(request->app_path))
        cli_say_how_to_annotate(request->app_path, request->options);
}

/* Says what the file lacks, or the next command. */
static void say_next(const struct finish_request *request, const struct cli_summary *summary,
                     const struct cuda_run *run, const char *path)
{
    const struct trace_options *trace = &request->options->trace;
    const struct rf_packed *packed = &summary->packed;
    const bool is_empty = session_summary_is_empty(&packed->counts);
    if (request->control->pieces.n_pieces > 0)
        offer_stats(request,
                    is_empty && request->piece_before != NULL ? request->piece_before : path);
    else if (is_empty && request->is_capture && !request->options->is_quiet)
        cli_say("no %s lies in this capture", trace->has_nvtx ? "annotation" : "CUDA work");
    else if (!is_empty || packed->n_lost_records > 0 || packed->n_failed_processes > 0)
        offer_stats(request, path);
    else if (!request->is_capture && trace->has_nvtx)
        explain_empty(request, run);
}

static enum run_file kind_of(const struct finish_request *request)
{
    return request->is_capture             ? RUN_FILE_CAPTURE
           : request->options->split.is_on ? RUN_FILE_PIECE
                                           : RUN_FILE_WHOLE;
}

/* From 1; of the whole run 0. The control page counts a piece when it has been written. */
static uint32_t number_of(const struct finish_request *request)
{
    const uint32_t n_pieces = request->control->pieces.n_pieces;
    return request->is_capture              ? request->window + 1
           : !request->options->split.is_on ? 0
           : request->piece_of != NULL      ? n_pieces
                                            : n_pieces + 1;
}

static void say_summary(const struct finish_request *request, const char *path,
                        const struct rf_packed *packed)
{
    struct cli_summary summary = {.packed = *packed};
    struct run_facts *facts = request->options->facts;
    const bool is_told = !request->options->is_quiet || facts != NULL;
    struct cuda_run run;
    if (request->is_capture && is_told)
        count_capture(&summary, path);
    run_facts_add_recording(facts, kind_of(request), number_of(request), path, &summary);
    if (request->piece_of != NULL) {
        if (request->options->is_quiet)
            cli_summary_say_losses(&summary);
        else
            cli_summary_say(&summary, path);
        return;
    }
    cuda_run_count(&run, request->control, request->dir);
    if (request->options->is_quiet)
        cli_summary_say_losses(&summary);
    else
        cli_summary_say(&summary, path);
    say_about_cuda(request, &summary, &run);
    if (is_told)
        say_next(request, &summary, &run, path);
}

static int write_exports(const struct finish_request *request, const rf_recording *rec,
                         const char *path)
{
    const struct profile_options *options = request->options;
    int status = CLI_OK;
    for (size_t i = 0; i < options->n_exports; i++) {
        char output[PATH_MAX + 32];
        struct rf_err err;
        struct cli_progress progress;
        (void)snprintf(output, sizeof(output), "%.*s.%s",
                       (int)(strlen(path) - strlen(CLI_RECORDING_SUFFIX)), path,
                       rf_export_extension(options->exports[i]));
        cli_progress_begin(&progress, "exporting");
        const struct rf_export_options request_export = {
            .size = sizeof(request_export),
            .format = options->exports[i],
            .output = output,
            .can_overwrite = request->can_overwrite,
            .progress = cli_progress_update,
            .progress_context = &progress,
        };
        int result = rf_export(rec, &request_export, &err);
        cli_progress_end(&progress);
        if (result != RF_OK) {
            cli_say("%s", err.text);
            status = CLI_PROFILE_FAILED;
        } else {
            run_facts_add_export(options->facts, output, options->exports[i]);
            if (!options->is_quiet)
                cli_say("wrote '%s'", output);
        }
    }
    return status;
}

static int write_reports(const rf_recording *rec)
{
    int status = CLI_OK;
    const char *name;
    for (size_t i = 0; (name = rf_report_at(i, NULL)) != NULL; i++) {
        struct rf_err err;
        if (rf_report_is_default(rec, i) != 1)
            continue;
        const struct rf_report_options report = {.size = sizeof(report),
                                                 .report = rf_report_for_people(name),
                                                 .max_rows =
                                                     cli_output_width() ? CLI_TERMINAL_ROWS : 0,
                                                 .format = "column",
                                                 .output = "-",
                                                 .width = cli_output_width(),
                                                 .is_ascii = cli_is_ascii()};
        if (rf_report(rec, &report, &err) == RF_OK)
            continue;
        cli_say("%s", err.text);
        status = CLI_PROFILE_FAILED;
    }
    return status;
}

int finish_recording(struct finish_request *request, char *path, size_t size)
{
    const struct profile_options *options = request->options;
    rf_recording *rec = NULL;
    struct rf_err err;
    int status = pack(request, path, size, &request->packed);
    if (status != CLI_OK || path[0] == '\0')
        return status;
    say_summary(request, path, &request->packed);
    if (options->n_exports == 0 && !options->shows_stats)
        return CLI_OK;
    if (rf_open(path, 0, &rec, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_PROFILE_FAILED;
    }
    status = write_exports(request, rec, path);
    if (options->shows_stats && write_reports(rec) != CLI_OK)
        status = CLI_PROFILE_FAILED;
    rf_close(rec);
    return status;
}
