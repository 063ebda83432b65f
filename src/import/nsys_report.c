/* SPDX-License-Identifier: Apache-2.0 */
/* A report of nsys, .nsys-rep or .qdrep. Only nsys can read it: it is run to export it. */
#include "import/nsys_report.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/pending.h"
#include "import/nsys_sqlite.h"
#include "model/recording.h"

extern char **environ;

/* Runs nsys without its output. Returns its exit status, or -1 with errno. */
static int run_nsys(const char *path, const char *output)
{
    /* nsys takes a leading '-' for an option; ./ in front is the same file */
    char *input = NULL;
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;
    if (asprintf(&input, "%s%s", path[0] == '-' ? "./" : "", path) < 0)
        return -1;
    char *argv[] = {"nsys", "export", "--type=sqlite", "--force-overwrite=true",
                    "-o",   NULL,     (char *)input,   NULL};
    argv[5] = (char *)output;
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        code = posix_spawnp(&pid, "nsys", &actions, NULL, argv, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    free(input);
    errno = code;
    if (code != 0)
        return -1;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int export_report(const char *path, const char *output, struct rf_err *err)
{
    int status = run_nsys(path, output);
    if (status == 0)
        return RF_OK;
    if (status < 0 && errno == ENOENT)
        return rf_fail(err, RF_ERR_UNSUPPORTED,
                       "'%s' is a report that only nsys can read, and nsys is not on the PATH; run "
                       "'nsys export -t sqlite' on it where nsys is, and open what that writes",
                       path);
    if (status < 0)
        return rf_fail(err, RF_ERR_IO, "cannot run nsys to export '%s': %s", path, strerror(errno));
    return rf_fail(err, RF_ERR_FORMAT,
                   "nsys cannot export '%s' (status %d); run 'nsys export -t sqlite' on it to see "
                   "why",
                   path, status);
}

/* Gives the recording the path of the report: the export is deleted. */
static int rename_recording(rf_recording *rec, const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL)
        return RF_ERR_NO_MEMORY;
    free(rec->path);
    rec->path = copy;
    rec->info.path = copy;
    return RF_OK;
}

int rf_nsys_report_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    const char *folder = getenv("TMPDIR");
    char *made = NULL, *output = NULL;
    *out = NULL;
    if (asprintf(&made, "%s/rangefinder-XXXXXX",
                 folder != NULL && folder[0] != 0 ? folder : "/tmp") < 0)
        return rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    if (rf_pending_make_folder(made) == NULL) {
        int status = rf_fail(err, RF_ERR_IO, "cannot make a folder '%s' to export '%s': %s", made,
                             path, strerror(errno));
        free(made);
        return status;
    }
    int status = RF_OK;
    if (asprintf(&output, "%s/report.sqlite", made) < 0) {
        output = NULL;
        status = rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    } else {
        rf_pending_add(output);
        status = export_report(path, output, err);
    }
    if (status == RF_OK)
        status = rf_nsys_open(output, flags, out, err);
    if (status == RF_OK && rename_recording(*out, path) != RF_OK) {
        rf_close(*out);
        *out = NULL;
        status = rf_fail(err, RF_ERR_NO_MEMORY, "cannot read '%s': out of memory", path);
    }
    if (output != NULL) {
        (void)unlink(output);
        rf_pending_drop(output);
    }
    (void)rmdir(made);
    rf_pending_drop(made);
    free(output);
    free(made);
    return status;
}
