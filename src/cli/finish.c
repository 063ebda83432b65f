/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/finish.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output_name.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "cli/why_empty.h"
#include "log/pack.h"

const char *finish_extension(const char *format)
{
    if (strcmp(format, "perfetto") == 0)
        return "pftrace";
    return strcmp(format, "text") == 0 ? "txt" : format;
}

static int is_regular(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void use_next_free(const struct finish_request *request, char *path, size_t size)
{
    char base[PATH_MAX];
    cli_say("'%s' was made by somebody else meanwhile", path);
    (void)snprintf(base, sizeof(base), "%s", request->base);
    cli_output_next_free(base, sizeof(base));
    (void)snprintf(path, size, "%s" CLI_RECORDING_SUFFIX, base);
}

static int fail_pack(const struct finish_request *request, char *path, const struct rf_err *err)
{
    path[0] = '\0';
    cli_say("%s", err->text);
    cli_say("the recording is in '%s', which every verb opens; to pack it where there is room: "
            "rangefinder recover -o NAME.rf '%s'",
            request->dir, request->dir);
    return CLI_PROFILE_FAILED;
}

static int pack_capture(const struct finish_request *request, char *path, size_t size)
{
    struct rf_err err;
    int status = rf_pack_capture(request->dir, path, request->can_overwrite, request->window, &err);
    if (status == RF_ERR_EXISTS) {
        use_next_free(request, path, size);
        status = rf_pack_capture(request->dir, path, 0, request->window, &err);
    }
    return status == RF_OK ? CLI_OK : fail_pack(request, path, &err);
}

/* Packs under the name asked for, or, where that was taken meanwhile, under the next free one:
 * the run may not be repeatable. path: the name it got. */
static int pack(const struct finish_request *request, char *path, size_t size)
{
    struct rf_err err;
    (void)snprintf(path, size, "%s" CLI_RECORDING_SUFFIX, request->base);
    if (request->is_capture)
        return pack_capture(request, path, size);
    /* a file that is renamed over another one is first written to the disk by some file systems:
     * with this one out of the way the run ends sooner, and its data is safe in the directory */
    if (request->can_overwrite && is_regular(path))
        (void)unlink(path);
    int status = rf_pack(request->dir, path, request->can_overwrite, &err);
    if (status == RF_ERR_EXISTS) {
        use_next_free(request, path, size);
        status = rf_pack(request->dir, path, 0, &err);
    }
    return status == RF_OK ? CLI_OK : fail_pack(request, path, &err);
}

/* The parts at the edges of a capture hold more than it; what lies in it the model says. */
static void count_capture(struct cli_summary *summary, const char *path)
{
    const uint64_t most_bytes = 256u << 20;
    rf_recording *rec = NULL;
    if (summary->size_bytes > most_bytes || rf_open(path, 0, &rec, NULL) != RF_OK)
        return;
    summary->n_ranges = rf_get_info(rec)->n_ranges;
    summary->n_marks = rf_get_info(rec)->n_marks;
    rf_close(rec);
}

static void say_summary(const struct finish_request *request, const char *path)
{
    struct cli_summary summary;
    struct rf_err err;
    if (cli_summary_read(&summary, path, &err) != RF_OK) {
        cli_say("%s", err.text);
        return;
    }
    if (request->options->is_quiet) {
        cli_summary_say_losses(&summary);
        return;
    }
    if (request->is_capture)
        count_capture(&summary, path);
    cli_summary_say(&summary, path);
    if (request->is_capture && summary.n_ranges + summary.n_marks == 0)
        cli_say("no annotation lies in this capture");
    else if (summary.n_ranges + summary.n_marks == 0 && summary.n_lost_records == 0 &&
             summary.n_failed_processes == 0)
        cli_say("no annotation was seen: %s",
                cli_why_empty(request->app_path, request->n_processes > 0));
    else
        cli_say("next: rangefinder stats %s", path);
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
                       finish_extension(options->exports[i]));
        cli_progress_begin(&progress, "exporting");
        const struct rf_export_options request_export = {
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
        } else if (!options->is_quiet) {
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
        if (!rf_report_is_default(rec, i))
            continue;
        const struct rf_report_options report = {.report = name, .format = "table", .output = "-"};
        if (rf_report(rec, &report, &err) == RF_OK)
            continue;
        cli_say("%s", err.text);
        status = CLI_PROFILE_FAILED;
    }
    return status;
}

int finish_recording(const struct finish_request *request, char *path, size_t size)
{
    const struct profile_options *options = request->options;
    rf_recording *rec = NULL;
    struct rf_err err;
    int status = pack(request, path, size);
    if (status != CLI_OK)
        return status;
    say_summary(request, path);
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
