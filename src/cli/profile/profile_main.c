/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can fail is done before the program starts; once it runs, nothing that happens to
 * the recording touches it. */
#include "cli/profile/profile_main.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/zstd_library.h"
#include "cli/capture/capture_manager.h"
#include "cli/capture/near_misses.h"
#include "cli/command.h"
#include "cli/drain/bus_guard.h"
#include "cli/drain/drain.h"
#include "cli/drain/handout.h"
#include "cli/gpu_metrics/gpu_sampler.h"
#include "cli/install.h"
#include "cli/output_name.h"
#include "cli/own_rank.h"
#include "cli/profile/finish.h"
#include "cli/profile/focus_options.h"
#include "cli/profile/injection.h"
#include "cli/profile/profile_options.h"
#include "cli/profile/program.h"
#include "cli/profile/pytorch.h"
#include "cli/profile/run_facts.h"
#include "cli/profile/summary_name.h"
#include "cli/profile/unrecorded.h"
#include "cli/ring/ring.h"
#include "cli/say.h"
#include "cli/session/session_mend.h"
#include "cli/session/session_server.h"
#include "cli/split/split.h"
#include "cli/terminal/hotkey.h"
#include "cli/terminal/terminal.h"
#include "session/session_dir.h"

/* One run, from the command line to the exit status. */
struct run {
    const struct profile_options *options;
    struct program_env env;
    bool records_cuda; /* no other tool records it */
    char app_path[PATH_MAX];
    char base[PATH_MAX]; /* output without its ending, as the user wrote it */
    struct program program;
    struct session_dir session;
    char socket[RF_ASK_NAME_SIZE]; /* processes that cannot open the session's files ask here */
    struct cli_handout *handout;
    struct cli_drain *drain;
    struct cli_ring *ring;         /* NULL: all is kept */
    struct cli_split *split;       /* NULL: one file is written at the end */
    struct cli_captures *captures; /* of a focused run */
    struct cli_gpu_sampler *sampler;
    struct session_server *server; /* NULL: this run cannot be controlled from outside */
    struct program_ending ending;
    char summary_path[PATH_MAX]; /* of --summary-json, which is written whatever happens from when
                                  * it is set; "": none */
};

/* ---- Before the program starts ---- */

/* Adds the library that detects cudaProfilerStart and Stop. */
static int preload_profiler(struct run *run)
{
    char path[PATH_MAX];
    struct rf_err err;
    if (cli_install_library(CLI_PROFILER_NAME, path, sizeof(path), &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_PROFILE_FAILED;
    }
    return program_env_preload(&run->env, path) == RF_OK ? CLI_OK : CLI_PROFILE_FAILED;
}

/* nsys's variable for programs that do not register the string. */
static bool wants_unregistered(const struct run *run)
{
    const char *only = program_env_get(&run->env, "NSYS_NVTX_PROFILER_REGISTER_ONLY");
    return only != NULL && strcmp(only, "0") == 0;
}

/* Tells the program where to ask for files that it cannot open. */
static int name_socket(struct run *run)
{
    char assignment[sizeof(RF_ASK_VARIABLE "=") + RF_ASK_NAME_SIZE];
    cli_handout_name(run->socket);
    (void)snprintf(assignment, sizeof(assignment), RF_ASK_VARIABLE "=%s", run->socket);
    if (program_env_set(&run->env, assignment) == RF_OK)
        return CLI_OK;
    cli_say("out of memory");
    return CLI_PROFILE_FAILED;
}

static int make_env(struct run *run)
{
    const struct profile_options *options = run->options;
    struct rf_err err;
    int status = program_env_init(&run->env, options->inherits_env);
    for (size_t i = 0; status == RF_OK && i < options->n_env; i++)
        status = program_env_set(&run->env, options->env[i]);
    if (status != RF_OK) {
        cli_say("out of memory");
        return CLI_PROFILE_FAILED;
    }
    if (!options->records)
        return CLI_OK;
    status = injection_set(&run->env, options, &run->records_cuda);
    if (status == CLI_OK)
        status = name_socket(run);
    if (status == CLI_OK && options->focus.triggers & RF_TRIGGER_PROFILER)
        status = preload_profiler(run);
    if (status == CLI_OK && cli_pytorch_set_env(&run->env, options->pytorch,
                                                options->python_functions, &err) != RF_OK) {
        cli_say("%s", err.text);
        status = CLI_PROFILE_FAILED;
    }
    return status;
}

static int check_is_free(const char *base, const char *suffix)
{
    char path[PATH_MAX + 32];
    struct stat st;
    (void)snprintf(path, sizeof(path), "%s%s", base, suffix);
    if (lstat(path, &st) != 0)
        return CLI_OK;
    cli_say("'%s' exists already; use -f to overwrite it, or name another output with -o", path);
    return CLI_PROFILE_FAILED;
}

/* Determines the output's name, which may contain the program's pid, and checks all files that will
 * be written. */
static int choose_output(struct run *run)
{
    const struct profile_options *options = run->options;
    struct rf_err err;
    int status =
        cli_output_base(run->base, sizeof(run->base), options->output, run->program.pid, &err);
    if (status == RF_OK)
        status = cli_output_check_folder(run->base, &err);
    if (status != RF_OK) {
        cli_say("%s", err.text);
        return status == RF_ERR_USAGE ? CLI_USAGE : CLI_PROFILE_FAILED;
    }
    if (!summary_name_is_free(options, run->base, run->summary_path)) {
        run->summary_path[0] = '\0';
        return CLI_PROFILE_FAILED;
    }
    if (options->split.is_on)
        return cli_split_check_names(run->base, options->can_overwrite);
    if (options->can_overwrite)
        return CLI_OK;
    const char *number = focus_makes_many(options) ? ".1" : "";
    char suffix[32];
    (void)snprintf(suffix, sizeof(suffix), "%s" CLI_RECORDING_SUFFIX, number);
    status = check_is_free(run->base, suffix);
    for (size_t i = 0; status == CLI_OK && i < options->n_exports; i++) {
        (void)snprintf(suffix, sizeof(suffix), "%s.%s", number,
                       rf_export_extension(options->exports[i]));
        status = check_is_free(run->base, suffix);
    }
    return status;
}

/* The date is not the kernel's in a test on purpose; the clocks of one event and the next are. */
static void say_faked_clock(const struct run *run)
{
    const unsigned faked = RF_CLOCK_FAKED_MONO | RF_CLOCK_FAKED_REAL;
    if (!run->options->is_quiet && (run->session.control->quality[0].status & faked) != 0)
        cli_say("programs are told another time than the kernel's (libfaketime?): %s",
                run->session.control->clock_kind == RF_CLOCK_MONO
                    ? "it is recorded as it is told"
                    : "durations are recorded by the kernel's clock, the date as it is told");
}

/* Found out before the program starts. */
static int check_compression(const struct run *run)
{
    struct rf_zstd zstd = {.handle = NULL};
    if (!run->options->config.compresses || rf_zstd_load(&zstd)) {
        rf_zstd_unload(&zstd);
        return CLI_OK;
    }
    cli_say("--compress: " RF_ZSTD_MISSING);
    return CLI_PROFILE_FAILED;
}

static int make_session(struct run *run)
{
    char absolute[PATH_MAX];
    struct session_dir_config config = run->options->config;
    struct rf_err err;
    int n;
    config.capture.takes_unregistered |= wants_unregistered(run);
    config.socket = run->socket;
    cli_own_job(&config.job, run->options->ranks);
    if (!run->records_cuda)
        config.cuda = 0;
    if (run->base[0] == '/') {
        n = snprintf(absolute, sizeof(absolute), "%s", run->base);
    } else {
        char cwd[PATH_MAX];
        if (getcwd(cwd, sizeof(cwd)) == NULL) {
            cli_say("cannot determine the current directory: %s", strerror(errno));
            return CLI_PROFILE_FAILED;
        }
        n = snprintf(absolute, sizeof(absolute), "%s/%s", cwd, run->base);
    }
    if (n >= (int)sizeof(absolute)) {
        cli_say("'%s': the path is too long", run->base);
        return CLI_PROFILE_FAILED;
    }
    if (session_dir_create(&run->session, absolute, &config, &err) != RF_OK) {
        cli_say("%s", err.text);
        return CLI_PROFILE_FAILED;
    }
    say_faked_clock(run);
    if (session_mend_begin(&run->session))
        return CLI_OK;
    cli_say("out of memory");
    (void)session_dir_remove(run->session.dir, NULL);
    return CLI_PROFILE_FAILED;
}

/* ---- While it runs ---- */

static void on_root_end(void *context, const struct program_ending *ending)
{
    struct run *run = context;
    struct rf_control *control = run->session.control;
    if (control == NULL)
        return;
    cli_drain_add_clock(run->drain);
    if (!ending->is_known)
        return;
    cli_ring_root_ended(run->ring, ending->status);
    bool is_signal = WIFSIGNALED(ending->status);
    control->root_status = is_signal ? WTERMSIG(ending->status) : WEXITSTATUS(ending->status);
    control->root_end = is_signal ? RF_ROOT_SIGNALED : RF_ROOT_EXITED;
}

static void on_lingering(void *context)
{
    struct run *run = context;
    if (!run->options->is_quiet)
        cli_say("'%s' has ended and left processes behind; recording goes on until they end or "
                "Ctrl-C is pressed (--wait=primary does not wait)",
                run->options->app[0]);
}

static int start_captures(struct run *run)
{
    const struct cli_captures_config config = {run->options,  &run->session,    run->base,
                                               run->app_path, run->program.pid, run->sampler};
    const char *reason = NULL;
    if (!focus_is_on(&run->options->focus))
        return CLI_OK;
    if (run->options->focus.triggers == RF_TRIGGER_PROFILER && !run->records_cuda)
        reason = near_misses_why_no_profiler(run->app_path);
    if (reason != NULL)
        cli_say("%s", reason);
    run->captures = cli_captures_start(&config);
    return run->captures != NULL ? CLI_OK : CLI_PROFILE_FAILED;
}

/* Opens the run's socket, then starts its captures. */
static int open_to_others(struct run *run)
{
    const struct session_server_config config = {.options = run->options,
                                                 .verb = run->options->focus.is_launch ? "launch"
                                                                                       : "profile",
                                                 .session = &run->session,
                                                 .app_path = run->app_path,
                                                 .root_pid = run->program.pid};
    int status = session_server_open(&run->server, &config);
    if (status == CLI_OK)
        status = start_captures(run);
    return status;
}

static void stop_sampler(struct run *run)
{
    cli_ring_set_sampler(run->ring, NULL);
    cli_gpu_sampler_stop(run->sampler);
    run->sampler = NULL;
}

/* Releases what open_to_others() made, where the program was never started. */
static void close_unused(struct run *run)
{
    (void)session_server_close(run->server);
    run->server = NULL;
    cli_captures_finish(run->captures, &(struct cli_captures_result){0});
    stop_sampler(run);
    cli_handout_stop(run->handout);
    cli_ring_stop(run->ring);
    cli_split_stop(run->split);
    cli_split_finish(run->split, "", NULL);
    cli_drain_stop(run->drain);
    (void)session_dir_remove(run->session.dir, NULL);
}

static void say_keys(const struct profile_options *options)
{
    char keys[128];
    cli_say("%s %s", hotkey_set_describe(&options->focus.key_set, keys, sizeof(keys)),
            options->ring.has_key ? "takes a snapshot" : "begins a capture, and ends it");
}

static void start_ring(struct run *run)
{
    const struct ring_options *options = &run->options->ring;
    const struct cli_ring_config config = {
        .snapshots = {.control = run->session.control,
                      .dir = run->session.dir,
                      .drain = run->drain,
                      .base = run->base,
                      .facts = run->options->facts,
                      .can_overwrite = run->options->can_overwrite,
                      .is_quiet = run->options->is_quiet,
                      .most = options->max_snapshots,
                      .quota = options->quota},
        .rules = &options->rules,
        .after_ns = options->after_ns,
        .cool_down_ns = options->cool_down_ns};
    run->ring = cli_ring_start(&config);
}

/* Starts the threads that serve the recorder while the program runs. */
static void start_service(struct run *run)
{
    struct rf_err err;
    run->session.control->root_pid = (uint32_t)run->program.pid;
    run->drain = cli_drain_start(run->session.control, run->session.dir);
    run->handout = cli_handout_start(&run->session, run->program.pid, &err);
    if (run->handout == NULL)
        cli_say("%s", err.text);
    const struct cli_split_config split = {.options = run->options,
                                           .control = run->session.control,
                                           .dir = run->session.dir,
                                           .drain = run->drain,
                                           .base = run->base,
                                           .app_path = run->app_path};
    if (run->options->ring.size != 0)
        start_ring(run);
    if (run->options->split.is_on)
        run->split = cli_split_start(&split);
}

/* Starts the program and waits for its end. Returns its exit status, or ours. */
static int run_app(struct run *run)
{
    const struct program_watch_hooks hooks = {run, on_root_end, on_lingering};
    struct program_ending *ending = &run->ending;
    int status = summary_name(run->options, run->program.pid, run->summary_path);
    if (status == CLI_OK)
        status = choose_output(run);
    if (status == CLI_OK)
        status = cli_gpu_sampler_open(&run->sampler, run->options);
    if (status == CLI_OK)
        status = check_compression(run);
    if (status == CLI_OK && run->options->records)
        status = make_session(run);
    if (status == CLI_OK && run->session.control != NULL)
        status = open_to_others(run);
    if (status != CLI_OK) {
        program_cancel(&run->program);
        ending->is_known = false;
        return status;
    }
    if (run->session.control != NULL)
        start_service(run);
    cli_gpu_sampler_start(run->sampler, &run->session);
    cli_ring_set_sampler(run->ring, run->sampler);
    if (run->captures != NULL)
        cli_captures_run(run->captures);
    if (run->program.terminal != NULL && !run->options->is_quiet)
        say_keys(run->options);
    int code = program_start(&run->program, run->session.dir);
    if (code != 0)
        cli_say("cannot execute '%s': %s%s", run->app_path, strerror(code),
                code == ENOENT ? " (of what its first line or its ELF header names)" : "");
    else
        session_server_run(run->server, run->captures, run->ring);
    program_watch(&run->program, run->options->waits_for_all, &hooks, ending);
    if (code == 0)
        return program_ending_status(ending);
    ending->is_known = false;
    return code == ENOENT ? CLI_APP_NOT_FOUND : CLI_APP_NOT_EXECUTABLE;
}

/* ---- Afterwards ---- */

/* Saves the last captures of a focused run. status: the program's exit status. */
static int finish_captures(struct run *run, int status)
{
    const struct program_ending *ending = &run->ending;
    struct cli_captures_result result;
    cli_captures_finish(run->captures, &result);
    run_facts_set_captures(run->options->facts, result.n_begun, result.n_saved);
    stop_sampler(run);
    near_misses_say_losses(run->session.control);
    if (!run->options->is_quiet)
        near_misses_say_uncaptured(run->session.control);
    if (!run->options->is_quiet)
        near_misses_say_steps(run->session.control);
    bool has_failed_to_start = result.n_begun == 0 && !run->options->focus.is_launch;
    if (has_failed_to_start || (result.n_begun == 0 && !run->options->is_quiet))
        near_misses_explain(run->options, run->session.control, run->app_path);
    if (result.ended_program != 0 && WIFSIGNALED(ending->status) &&
        WTERMSIG(ending->status) == result.ended_program)
        status = CLI_OK; /* as it was asked for */
    cli_drain_stop(run->drain);
    if (result.has_failed)
        return status != CLI_OK ? status : CLI_PROFILE_FAILED;
    if (session_dir_remove(run->session.dir, NULL) != RF_OK)
        cli_say("'%s' could not be removed", run->session.dir);
    return status == CLI_OK && has_failed_to_start ? CLI_NO_CAPTURE : status;
}

/* The program can write to the session's files; the parts that are sound are packed. */
static void say_spoiled(const struct run *run)
{
    const char *spoiled = session_mend(&run->session);
    uint32_t n_pages = bus_guard_n_pages();
    if (spoiled != NULL && run->captures != NULL)
        cli_captures_give_up(run->captures);
    else if (spoiled != NULL)
        cli_say("%s", spoiled);
    else if (n_pages > 0)
        cli_say("a file of the session was truncated while it ran (by the program?): the part "
                "that was cut off is lost");
}

/* The rest of a recording that was split is a piece too. */
static void name_last_piece(const struct run *run, char *base, size_t size,
                            struct finish_request *request)
{
    if (!run->options->split.is_on)
        return;
    (void)snprintf(base, size, "%s.%" PRIu32, run->base, run->session.control->pieces.n_pieces + 1);
    request->base = base;
}

/* Ends the session: completes the control page, then packs one file. */
static int finish_session(struct run *run, int status)
{
    char path[PATH_MAX + 32], last[PATH_MAX + 32];
    struct rf_err err;
    struct finish_request request = {.options = run->options,
                                     .base = run->base,
                                     .dir = run->session.dir,
                                     .can_overwrite = run->options->can_overwrite,
                                     .app_path = run->app_path};
    cli_drain_add_clock(run->drain);
    cli_handout_stop(run->handout);
    session_dir_count_refused(&run->session);
    request.ended_in_tool = session_dir_note_beginning(&run->session) > 0;
    if (!request.ended_in_tool)
        chain_note_crash(&run->env, run->session.control);
    say_spoiled(run);
    if (run->captures != NULL)
        return finish_captures(run, status);
    stop_sampler(run);
    cli_ring_stop(run->ring);
    cli_split_stop(run->split);
    cli_drain_add_clock(run->drain);
    cli_drain_stop(run->drain);
    run->drain = NULL;
    __atomic_store_n(&run->session.control->is_finished, 1, __ATOMIC_RELEASE);
    request.control = run->session.control;
    request.piece_before = cli_split_last(run->split);
    name_last_piece(run, last, sizeof(last), &request);
    int finished = finish_recording(&request, path, sizeof(path));
    cli_split_finish(run->split, path, &request.packed);
    if (path[0] != '\0' && session_dir_remove(run->session.dir, &err) != RF_OK)
        cli_say("%s", err.text);
    return status != CLI_OK ? status : finished;
}

/* The hotkey was pressed. */
static void on_key(void *context)
{
    struct run *run = context;
    struct rf_err err;
    if (run->ring != NULL) {
        cli_ring_press(run->ring);
        return;
    }
    bool is_on = cli_captures_state(run->captures) == CLI_CAPTURES_CAPTURING;
    int status = is_on ? cli_captures_end(run->captures, NULL, 0, &err)
                       : cli_captures_begin(run->captures, &(struct cli_capture_request){0}, &err);
    if (status != RF_OK)
        cli_say("%s", err.text);
}

/* Forks the program as a child that waits for program_start(). */
static int prepare(struct run *run)
{
    const struct profile_options *options = run->options;
    struct rf_err err;
    int status =
        program_find(options->app[0], &run->env, run->app_path, sizeof(run->app_path), &err);
    if (status == CLI_OK && (options->focus.has_key || options->ring.has_key) &&
        cli_terminal_new(&run->program.terminal, &options->focus.key_set, on_key, run, &err) !=
            RF_OK)
        status = err.code == RF_ERR_USAGE ? CLI_USAGE : CLI_PROFILE_FAILED;
    if (status == CLI_OK &&
        program_prepare(&run->program, run->app_path, options->app, &run->env, &err) != RF_OK)
        status = CLI_PROFILE_FAILED;
    if (status != CLI_OK)
        cli_say("%s", err.text);
    return status;
}

static int run_and_record(struct run *run)
{
    int status = make_env(run);
    if (status == CLI_OK)
        status = prepare(run);
    if (status != CLI_OK)
        return status;
    program_hold_signals(run->options->waits_for_all);
    status = run_app(run);
    if (run->session.control == NULL)
        return status;
    if (!run->ending.is_known) { /* nothing was recorded: the child's exec failed */
        close_unused(run);
        return status;
    }
    int signal_number = session_server_close(run->server);
    if (signal_number != 0 && WIFSIGNALED(run->ending.status) &&
        WTERMSIG(run->ending.status) == signal_number)
        status = CLI_OK; /* as it was asked for */
    return finish_session(run, status);
}

/* Writes the file of --summary-json. Returns the exit status, which it holds too. */
static int write_summary(struct run *run, int status)
{
    const struct profile_options *options = run->options;
    const bool is_started = run->ending.is_known;
    const struct run_end end = {
        .is_launch = options->focus.is_launch,
        .app_path = access(run->app_path, F_OK) == 0 ? run->app_path : "",
        .app = options->app,
        .pid = is_started ? run->program.pid : 0,
        .is_known = is_started,
        .wait_status = run->ending.status,
        .exit_status = status,
        .directory = access(run->session.dir, F_OK) == 0 ? run->session.dir : NULL,
        .control = is_started ? run->session.control : NULL,
    };
    struct rf_err err;
    if (run->program.pid <= 0) /* it was not found */
        (void)summary_name(options, 0, run->summary_path);
    if (run->summary_path[0] == '\0' ||
        run_facts_write(options->facts, run->summary_path, options->can_overwrite, &end, &err) ==
            RF_OK)
        return status;
    cli_say("%s", err.text);
    return status != CLI_OK ? status : CLI_PROFILE_FAILED;
}

static int record(struct run *run)
{
    const struct profile_options *options = run->options;
    if (options->not_done != NULL && !options->is_quiet)
        cli_say("not recorded by this version: %s", options->not_done);
    if (options->without_effect != NULL && !options->is_quiet)
        cli_say("without effect in this version: %s", options->without_effect);
    if (!options->records && !options->is_quiet)
        cli_say("nothing is recorded: --trace=%s", options->trace.given);
    return write_summary(run, run_and_record(run));
}

static int collect_and_record(struct run *run, struct profile_options *options)
{
    if (options->summary_json != NULL) {
        options->facts = run_facts_new();
        if (options->facts == NULL) {
            cli_say("out of memory");
            return CLI_PROFILE_FAILED;
        }
    }
    return record(run);
}

int profile_main(const struct cli_command *command, int argc, char **argv, bool is_launch)
{
    struct profile_options options;
    struct run run;
    int status;
    memset(&run, 0, sizeof(run));
    run.session.control_fd = -1;
    run.options = &options;
    if (profile_options_parse(&options, command, is_launch, argc, argv, &status) == 0)
        status =
            options.is_rank_wanted ? collect_and_record(&run, &options) : unrecorded_exec(&options);
    cli_gpu_sampler_stop(run.sampler); /* of a program that was never started */
    cli_terminal_free(run.program.terminal);
    session_mend_end();
    session_dir_release(&run.session);
    program_env_release(&run.env);
    profile_options_release(&options);
    return status;
}
