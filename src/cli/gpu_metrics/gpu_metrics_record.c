/* SPDX-License-Identifier: Apache-2.0 */
/* rangefinder gpu-metrics record: samples GPUs, whatever runs on them, until a signal or a given
 * time. The recording is like one of `profile`, without processes. */
#include "cli/gpu_metrics/gpu_metrics_record.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/drain/drain.h"
#include "cli/gpu_metrics/gpu_metrics_options.h"
#include "cli/gpu_metrics/gpu_sampler.h"
#include "cli/next.h"
#include "cli/option_parser.h"
#include "cli/output_name.h"
#include "cli/profile/profile_option_table.h"
#include "cli/profile/profile_options.h"
#include "cli/say.h"
#include "cli/seconds_option.h"
#include "cli/usage_error.h"
#include "log/pack.h"
#include "log/ticks.h"
#include "session/session_dir.h"

static const struct cli_option record_options[] = {
    {PROFILE_OUTPUT, 'o', "output", CLI_ARG_VALUE, "NAME",
     "Write NAME.rf; %h, %p, %r, %q{VAR}, %n as for 'profile'. Default: report%n.", NULL},
    {PROFILE_FORCE, 'f', "force-overwrite", CLI_ARG_BOOL, NULL, "Overwrite an existing file.",
     NULL},
    {PROFILE_DURATION, 'd', "duration", CLI_ARG_VALUE, "SECONDS",
     "End after this time. Default: at Ctrl-C.", NULL},
    GPU_METRICS_OPTIONS("all|ID,...", "Which GPUs, as CUDA numbers them. Default: all."),
    {PROFILE_QUIET, 'q', "quiet", CLI_ARG_BOOL, NULL, "Print only warnings and errors.", NULL},
    {0, '\0', NULL, CLI_ARG_NONE, NULL, NULL, NULL},
};

const struct cli_command gpu_metrics_record_command = {
    .name = "gpu-metrics record",
    .synopsis = "[options]",
    .description = "Samples the hardware counters of GPUs, whatever runs on them, and writes one "
                   "file, NAME.rf.\nIt needs the right to read counters (docs/gpu-metrics.md).",
    .epilog = "'rangefinder profile --gpu-metrics-devices=all PROGRAM' samples while it records a "
              "program.",
    .options = record_options,
};

struct recording {
    struct profile_options options;
    char base[PATH_MAX];
    struct session_dir session;
    struct cli_drain *drain;
    struct cli_gpu_sampler *sampler;
};

/* ---- Options ---- */

static int apply_option(struct profile_options *options, const struct cli_parser *parser)
{
    switch (parser->option->id) {
    case PROFILE_OUTPUT:
        options->output = parser->value;
        return CLI_OK;
    case PROFILE_FORCE:
        options->can_overwrite = parser->is_true;
        return CLI_OK;
    case PROFILE_QUIET:
        options->is_quiet = parser->is_true;
        return CLI_OK;
    case PROFILE_DURATION:
        return cli_parse_seconds(&options->focus.duration_ns, parser);
    default:
        return gpu_metrics_option(&options->metrics, parser);
    }
}

/* 0, or -1 when the verb is to return *status. */
static int parse(struct profile_options *options, int argc, char **argv, int *status)
{
    struct cli_parser parser;
    int id;
    *status = CLI_OK;
    options->output = "report%n";
    gpu_metrics_options_init(&options->metrics);
    options->metrics.devices = "all";
    options->metrics.is_wanted = options->metrics.is_all = true;
    cli_parser_init(&parser, &gpu_metrics_record_command, argc, argv);
    while ((id = cli_parser_next(&parser)) > 0 && *status == CLI_OK)
        *status = apply_option(options, &parser);
    if (id < 0)
        *status = parser.status;
    else if (*status == CLI_OK && parser.n_operands > 0)
        *status = cli_usage_error(&gpu_metrics_record_command,
                                  "'%s': no program is started; 'rangefinder "
                                  "profile' does that",
                                  argv[0]);
    else if (*status == CLI_OK && !options->metrics.is_wanted)
        *status = cli_usage_error(&gpu_metrics_record_command,
                                  "'--gpu-metrics-devices=none' leaves nothing "
                                  "to record");
    return id < 0 || *status != CLI_OK ? -1 : 0;
}

/* ---- Recording ---- */

static int fail(const struct rf_err *err)
{
    cli_say("%s", err->text);
    return err->code == RF_ERR_USAGE ? CLI_USAGE : CLI_FAILED;
}

static int make_session(struct recording *r)
{
    char absolute[PATH_MAX] = "";
    struct rf_err err;
    size_t at = 0;
    if (cli_output_base(r->base, sizeof(r->base), r->options.output, getpid(), &err) != RF_OK ||
        cli_output_check_folder(r->base, &err) != RF_OK)
        return fail(&err);
    cli_output_warn(r->options.output);
    if (!r->options.can_overwrite && cli_output_is_recorded(r->base)) {
        cli_say("'%s" CLI_RECORDING_SUFFIX "' exists already; use -f to overwrite it, or name "
                "another output with -o",
                r->base);
        return CLI_FAILED;
    }
    if (r->base[0] != '/' && getcwd(absolute, sizeof(absolute) - 1) != NULL) {
        at = strlen(absolute);
        absolute[at++] = '/';
    }
    if (snprintf(absolute + at, sizeof(absolute) - at, "%s", r->base) >=
        (int)(sizeof(absolute) - at)) {
        cli_say("'%s': the path is too long", r->base);
        return CLI_FAILED;
    }
    return session_dir_create(&r->session, absolute, &r->options.config, &err) == RF_OK
               ? CLI_OK
               : fail(&err);
}

/* Under nohup the end of the terminal must not end the recording. */
static void hold_signals(sigset_t *set)
{
    struct sigaction hang_up;
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hang_up) != 0 || hang_up.sa_handler != SIG_IGN)
        (void)sigaddset(set, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, set, NULL);
}

/* Waits for one of the signals, or for the duration that was asked for. */
static void wait_for_end(const sigset_t *set, int64_t duration_ns)
{
    int64_t end = rf_clock_ns(CLOCK_MONOTONIC) + duration_ns;
    for (;;) {
        int64_t left = end - rf_clock_ns(CLOCK_MONOTONIC);
        const struct timespec rest = {left / 1000000000, left % 1000000000};
        if (duration_ns > 0 && left <= 0)
            return;
        if ((duration_ns > 0 ? sigtimedwait(set, NULL, &rest) : sigwaitinfo(set, NULL)) > 0)
            return;
    }
}

static int save(struct recording *r)
{
    char path[PATH_MAX + 8];
    struct rf_err err;
    (void)snprintf(path, sizeof(path), "%s" CLI_RECORDING_SUFFIX, r->base);
    if (rf_pack(r->session.dir, path, r->options.can_overwrite, NULL, &err) != RF_OK) {
        cli_say("%s", err.text);
        cli_say("the recording is in '%s'; to pack it where there is room: rangefinder recover -o "
                "NAME.rf '%s'",
                r->session.dir, r->session.dir);
        return CLI_FAILED;
    }
    if (!r->options.is_quiet)
        cli_say("wrote '%s'", path);
    if (!r->options.is_quiet)
        cli_say_next("stats", path);
    return session_dir_remove(r->session.dir, &err) == RF_OK ? CLI_OK : fail(&err);
}

static int record(struct recording *r)
{
    sigset_t set;
    int status = cli_gpu_sampler_open(&r->sampler, &r->options);
    if (status != CLI_OK || r->sampler == NULL)
        return status != CLI_OK ? status : CLI_FAILED;
    status = make_session(r);
    if (status != CLI_OK)
        return status;
    hold_signals(&set);
    r->drain = cli_drain_start(r->session.control, r->session.dir);
    cli_gpu_sampler_start(r->sampler, &r->session);
    if (!r->options.is_quiet && r->options.focus.duration_ns == 0)
        cli_say("sampling until Ctrl-C");
    wait_for_end(&set, r->options.focus.duration_ns);
    cli_gpu_sampler_stop(r->sampler);
    r->sampler = NULL;
    cli_drain_add_clock(r->drain);
    cli_drain_stop(r->drain);
    __atomic_store_n(&r->session.control->is_finished, 1, __ATOMIC_RELEASE);
    return save(r);
}

int gpu_metrics_record(int argc, char **argv)
{
    struct recording r;
    int status;
    memset(&r, 0, sizeof(r));
    r.session.control_fd = -1;
    if (parse(&r.options, argc, argv, &status) < 0)
        return status;
    status = record(&r);
    cli_gpu_sampler_stop(r.sampler);
    session_dir_release(&r.session);
    return status;
}
