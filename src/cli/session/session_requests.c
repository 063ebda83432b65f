/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session/session_requests.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/error.h"
#include "cli/capture/capture_manager.h"
#include "cli/output_name.h"
#include "cli/profile/end_program.h"
#include "cli/profile/focus_options.h"
#include "cli/profile/profile_options.h"
#include "cli/ring/ring.h"
#include "cli/say.h"
#include "cli/session/session_message.h"
#include "log/capture.h"
#include "log/clock_reading.h"

__attribute__((format(printf, 2, 3))) static int fail(struct session_message *answer,
                                                      const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    session_message_begin(answer, SESSION_ERROR);
    session_message_add(answer, "text", text);
    return 0;
}

static int fail_whole(const struct session_requests *requests, struct session_message *answer)
{
    return fail(answer,
                "session '%s' records the whole run, until its program ends; 'rangefinder launch' "
                "and 'rangefinder profile --start-later' make one that records between start and "
                "stop",
                requests->name);
}

/* An absolute path. */
static void make_absolute(char *out, size_t size, const char *path)
{
    char folder[PATH_MAX];
    if (path[0] != '/' && path[0] != '\0' && getcwd(folder, sizeof(folder)) != NULL)
        (void)snprintf(out, size, "%s/%s", folder, path);
    else
        (void)snprintf(out, size, "%s", path);
}

/* ---- status ---- */

/* How long ago that was. */
static int64_t ns_since(const struct rf_control *control, uint64_t ticks)
{
    const struct rf_clock_pair now = rf_clock_reading_take(control->clock_kind).pair;
    const struct rf_clock_pair *first = &control->clock[0];
    double ns_per_tick = 1;
    if (control->clock_kind != RF_CLOCK_MONO && now.ticks > first->ticks)
        ns_per_tick = (double)(now.mono_ns - first->mono_ns) / (double)(now.ticks - first->ticks);
    return ticks < now.ticks ? (int64_t)((double)(now.ticks - ticks) * ns_per_tick) : 0;
}

static void describe_waiting(const struct session_requests *requests, char *text, size_t size)
{
    const struct focus_options *focus = &requests->config.options->focus;
    const struct rf_control *control = requests->config.session->control;
    uint32_t n = cli_captures_count(requests->captures);
    char so_far[48] = "";
    if (n > 0)
        (void)snprintf(so_far, sizeof(so_far), " (%" PRIu32 " captured so far)", n);
    bool is_armed = (rf_capture_word(control) & RF_CAPTURE_ARMED) != 0;
    if ((focus->starts_by_hand || focus->is_launch) && (!is_armed || focus->triggers == 0))
        (void)snprintf(text, size, "waiting for 'rangefinder start'%s", so_far);
    else if (focus->triggers == RF_TRIGGER_NVTX && is_armed)
        (void)snprintf(text, size, "waiting for the range '%s'%s", focus->message, so_far);
    else if (focus->triggers == RF_TRIGGER_PROFILER && is_armed)
        (void)snprintf(text, size, "waiting for cudaProfilerStart%s", so_far);
    else if (focus->has_key)
        (void)snprintf(text, size, "waiting for the key%s", so_far);
    else
        (void)snprintf(text, size, "waiting for the end of the delay%s", so_far);
}

static const char *describe_capturing(const struct session_requests *requests, char *text,
                                      size_t size)
{
    struct rf_control *control = requests->config.session->control;
    uint64_t word = rf_capture_word(control);
    uint64_t begin =
        __atomic_load_n(&rf_capture_window_of(control, word)->begin_ticks, __ATOMIC_ACQUIRE);
    char since[32];
    (void)snprintf(text, size, "capturing since %s (capture %" PRIu32 ")",
                   rf_format_duration(since, sizeof(since), ns_since(control, begin)),
                   (rf_capture_phase(word) + 1) / 2);
    return SESSION_CAPTURING;
}

/* The session's state: a line in *text, and nsys's word for it. */
static const char *describe(const struct session_requests *requests, char *text, size_t size)
{
    char since[32];
    if (requests->captures == NULL) {
        int64_t ns = rf_clock_ns(CLOCK_MONOTONIC) - requests->begin_ns;
        (void)snprintf(text, size, "recording the %s since %s",
                       requests->ring != NULL ? "newest events" : "whole run",
                       rf_format_duration(since, sizeof(since), ns));
        return SESSION_CAPTURING;
    }
    switch (cli_captures_state(requests->captures)) {
    case CLI_CAPTURES_CAPTURING:
        return describe_capturing(requests, text, size);
    case CLI_CAPTURES_SAVING:
        (void)snprintf(text, size, "saving capture %" PRIu32,
                       cli_captures_count(requests->captures));
        return "Generation";
    case CLI_CAPTURES_OVER:
        (void)snprintf(text, size, "over: %" PRIu32 " captured; the program runs on",
                       cli_captures_count(requests->captures));
        return "Finished";
    case CLI_CAPTURES_WAITING:
    default:
        describe_waiting(requests, text, size);
        return requests->config.options->focus.starts_by_hand ? "Launched" : "DelayedCollection";
    }
}

static int answer_status(const struct session_requests *requests, struct session_message *answer)
{
    char text[1024];
    const char *state = describe(requests, text, sizeof(text));
    session_message_begin(answer, SESSION_OK);
    session_message_add(answer, "name", requests->name);
    session_message_add(answer, "verb", requests->config.verb);
    session_message_add_number(answer, "pid", requests->config.root_pid);
    session_message_add_number(answer, "owner", getpid());
    session_message_add_number(answer, "age_ms",
                               (rf_clock_ns(CLOCK_MONOTONIC) - requests->begin_ns) / 1000000);
    session_message_add(answer, "state", state);
    session_message_add(answer, "text", text);
    session_message_add(answer, "program", requests->config.app_path);
    session_message_add(answer, "dir", requests->config.session->dir);
    return 0;
}

/* ---- start, stop, cancel ---- */

/* An output that cannot be written is refused now, before anything is recorded. */
static int check_output(const struct session_requests *requests, const char *pattern,
                        bool can_overwrite, struct rf_err *err)
{
    char base[PATH_MAX];
    int status = cli_output_base(base, sizeof(base), pattern, requests->config.root_pid, err);
    if (status == RF_OK)
        status = cli_output_check_folder(base, err);
    if (status == RF_OK && !can_overwrite && cli_output_is_recorded(base))
        status = rf_fail(err, RF_ERR_EXISTS,
                         "'%s" CLI_RECORDING_SUFFIX "' exists already; use -f to overwrite it, or "
                         "name another output with -o",
                         base);
    return status;
}

static int answer_start(const struct session_requests *requests,
                        const struct session_message *request, struct session_message *answer)
{
    char output[PATH_MAX], text[1024];
    struct rf_err err;
    struct cli_capture_request wanted = {0};
    if (requests->captures == NULL)
        return fail_whole(requests, answer);
    wanted.can_overwrite = (int)session_message_number(request, "force", 0);
    wanted.duration_ns = session_message_number(request, "duration_ns", 0);
    if (session_message_get(request, "output", output, sizeof(output))) {
        wanted.output = output;
        if (check_output(requests, output, wanted.can_overwrite, &err) != RF_OK)
            return fail(answer, "%s", err.text);
    }
    if (cli_captures_begin(requests->captures, &wanted, &err) != RF_OK)
        return fail(answer, "%s", err.text);
    const char *state = describe(requests, text, sizeof(text));
    session_message_begin(answer, SESSION_OK);
    session_message_add_number(answer, "capture", cli_captures_count(requests->captures));
    session_message_add(answer, "state", state);
    session_message_add(answer, "text", text);
    return 0;
}

static int answer_stop(const struct session_requests *requests, struct session_message *answer)
{
    char path[PATH_MAX + 32], absolute[2 * PATH_MAX + 64];
    struct rf_err err;
    if (requests->captures == NULL)
        return fail_whole(requests, answer);
    uint32_t number = cli_captures_count(requests->captures);
    if (cli_captures_end(requests->captures, path, sizeof(path), &err) != RF_OK)
        return fail(answer, "%s", err.text);
    make_absolute(absolute, sizeof(absolute), path);
    session_message_begin(answer, SESSION_OK);
    session_message_add_number(answer, "capture", number);
    session_message_add(answer, "path", absolute);
    return 0;
}

static int answer_cancel(const struct session_requests *requests, struct session_message *answer)
{
    struct rf_err err;
    if (requests->captures == NULL)
        return fail_whole(requests, answer);
    uint32_t number = cli_captures_count(requests->captures);
    if (cli_captures_cancel(requests->captures, &err) != RF_OK)
        return fail(answer, "%s", err.text);
    session_message_begin(answer, SESSION_OK);
    session_message_add_number(answer, "capture", number);
    return 0;
}

/* ---- snapshot ---- */

static int answer_snapshot(const struct session_requests *requests,
                           const struct session_message *request, struct session_message *answer)
{
    char path[PATH_MAX + 48], absolute[2 * PATH_MAX + 64], text[128];
    struct snapshot_reason reason = {.text = text, .rule = "", .value_ns = -1};
    struct rf_err err;
    if (requests->ring == NULL)
        return fail(answer,
                    "session '%s' is no flight recorder: 'rangefinder profile --ring=64M' makes "
                    "one%s",
                    requests->name,
                    requests->captures != NULL ? "; 'rangefinder stop' saves a capture" : "");
    if (!session_message_get(request, "reason", text, sizeof(text)))
        (void)snprintf(text, sizeof(text), "asked for");
    if (cli_ring_snapshot(requests->ring, &reason, path, sizeof(path), &err) != RF_OK)
        return fail(answer, "%s", err.text);
    make_absolute(absolute, sizeof(absolute), path);
    session_message_begin(answer, SESSION_OK);
    session_message_add(answer, "path", absolute);
    return 0;
}

/* ---- shutdown ---- */

/* Nothing more is captured; the program runs on. */
static int let_run_on(const struct session_requests *requests, struct session_message *answer)
{
    if (requests->captures == NULL)
        return fail(answer,
                    "session '%s' records the whole run: it ends with its program, which "
                    "--kill=none lets run on",
                    requests->name);
    bool is_on = cli_captures_state(requests->captures) == CLI_CAPTURES_CAPTURING;
    cli_captures_shut_down(requests->captures, 0);
    session_message_begin(answer, SESSION_OK);
    session_message_add_number(answer, "runs_on", 1);
    session_message_add_number(answer, "was_on", is_on);
    return 0;
}

/* Returns 1: the connection stays open, and its end tells the client that the session has ended. */
static int answer_shutdown(struct session_requests *requests, const struct session_message *request,
                           struct session_message *answer)
{
    int number = (int)session_message_number(request, "signal", SIGTERM);
    if (number < 0 || number > SIGRTMAX)
        return fail(answer, "%d is not a signal", number);
    if (number == 0)
        return let_run_on(requests, answer);
    if (requests->captures != NULL) {
        cli_captures_shut_down(requests->captures, number);
    } else {
        __atomic_store_n(&requests->ended_program, number, __ATOMIC_RELEASE);
        if (!requests->config.options->is_quiet)
            cli_say("ending the program (signal %d)", number);
        (void)cli_end_program(requests->config.root_pid, number);
    }
    session_message_begin(answer, SESSION_OK);
    return 1;
}

/* ---- All ---- */

int session_requests_answer(struct session_requests *requests,
                            const struct session_message *request, struct session_message *answer,
                            void (*say_busy)(void *context), void *context)
{
    if (session_message_number(request, "protocol", 0) != SESSION_PROTOCOL)
        return fail(answer,
                    "this session was started by another version, rangefinder %s; control "
                    "it with that one",
                    rf_version());
    if (session_message_is(request, "status"))
        return answer_status(requests, answer);
    if (session_message_is(request, "start"))
        return answer_start(requests, request, answer);
    if (session_message_is(request, "shutdown"))
        return answer_shutdown(requests, request, answer);
    if (session_message_is(request, "cancel"))
        return answer_cancel(requests, answer);
    if (!session_message_is(request, "stop") && !session_message_is(request, "snapshot"))
        return fail(answer, "this session does not know such a request");
    say_busy(context);
    if (session_message_is(request, "snapshot"))
        return answer_snapshot(requests, request, answer);
    return answer_stop(requests, answer);
}
