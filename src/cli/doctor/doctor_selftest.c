/* SPDX-License-Identifier: Apache-2.0 */
/* Records the hidden verb `selftest` in a child process, as `profile` would, and reads it back. */
#include "cli/doctor/doctor_selftest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/doctor/doctor_finding.h"
#include "cli/doctor/selftest.h"
#include "cli/drain/drain.h"
#include "cli/install.h"
#include "session/session_dir.h"

/* Runs the program into a session; its standard output goes to *text. Returns its wait status, or
 * -1. */
static int run_program(const struct session_dir *session, char *text, size_t size)
{
    char self[PATH_MAX], inject[PATH_MAX];
    struct rf_err err;
    int fds[2];
    if (cli_install_self(self, sizeof(self), &err) != RF_OK ||
        cli_install_library(CLI_INJECT_NAME, inject, sizeof(inject), &err) != RF_OK ||
        pipe(fds) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(fds[1], STDOUT_FILENO);
        (void)setenv("NVTX_INJECTION64_PATH", inject, 1);
        (void)setenv("RANGEFINDER_SESSION", session->dir, 1);
        (void)execl(self, "rangefinder", "selftest", (char *)NULL);
        _exit(127);
    }
    (void)close(fds[1]);
    ssize_t n = pid > 0 ? read(fds[0], text, size - 1) : 0;
    text[n > 0 ? n : 0] = '\0';
    (void)close(fds[0]);
    int status = -1;
    if (pid > 0 && waitpid(pid, &status, 0) != pid)
        status = -1;
    return status;
}

static void judge(struct doctor_finding *finding, const char *dir, const char *cost)
{
    rf_recording *rec = NULL;
    struct rf_err err;
    if (rf_open(dir, 0, &rec, &err) != RF_OK) {
        doctor_report(finding, DOCTOR_FAIL, "what was recorded cannot be read: %s", err.text);
        return;
    }
    const struct rf_info *info = rf_get_info(rec);
    const char *message = rf_message_at(rec, 0);
    if (info->n_ranges == (uint64_t)SELFTEST_ROUNDS * SELFTEST_RANGES && info->n_marks == 1)
        doctor_report(finding, DOCTOR_OK,
                      "a program was recorded and read back; a range costs it %s "
                      "ns",
                      cost);
    else
        doctor_report(finding, DOCTOR_FAIL,
                      "%llu of %d ranges of the test program were recorded%s%s",
                      (unsigned long long)info->n_ranges, SELFTEST_ROUNDS * SELFTEST_RANGES,
                      message != NULL ? ": " : "", message != NULL ? message : "");
    rf_close(rec);
}

void doctor_check_recording(struct doctor_finding *finding)
{
    static const struct session_dir_config config;
    struct session_dir session;
    struct rf_err err;
    char base[PATH_MAX], cost[64] = "";
    const char *folder = getenv("TMPDIR");
    (void)snprintf(base, sizeof(base), "%s/rangefinder-doctor-%ld",
                   folder != NULL && folder[0] == '/' ? folder : "/tmp", (long)getpid());
    if (session_dir_create(&session, base, &config, &err) != RF_OK) {
        doctor_report(finding, DOCTOR_FAIL, "%s", err.text);
        return;
    }
    (void)fflush(stdout);
    struct cli_drain *drain = cli_drain_start(session.control, session.dir);
    int status = run_program(&session, cost, sizeof(cost));
    cli_drain_add_clock(drain);
    cli_drain_stop(drain);
    cost[strcspn(cost, "\n")] = '\0';
    __atomic_store_n(&session.control->is_finished, 1, __ATOMIC_RELEASE);
    if (status == 0)
        judge(finding, session.dir, cost);
    else
        doctor_report(finding, DOCTOR_FAIL, "the test program failed (wait status 0x%x)",
                      (unsigned)status);
    (void)session_dir_remove(session.dir, NULL);
    session_dir_release(&session);
}
