/* SPDX-License-Identifier: Apache-2.0 */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/pending.h"

static int fail_exists(const char *path, struct rf_err *err)
{
    return rf_fail(err, RF_ERR_EXISTS, "'%s' exists already; use -f to overwrite it", path);
}

static bool is_taken(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* The open descriptor that a path is another name of: /dev/stdout, /dev/fd/3, /proc/self/fd/3.
 * -1: it is none. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/proc/self/fd/", "/dev/fd/"};
    char target[64];
    const ssize_t n = readlink(path, target, sizeof(target) - 1);
    const char *names[] = {path, target};
    target[n > 0 ? n : 0] = '\0';
    for (size_t i = 0; i < 4; i++) {
        const char *folder = folders[i / 2], *name = names[i % 2];
        char *end;
        if (strncmp(name, folder, strlen(folder)) != 0)
            continue;
        const unsigned long number = strtoul(name + strlen(folder), &end, 10);
        if (end > name + strlen(folder) && *end == '\0' && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* Devices, pipes (/dev/null) and what is open already (/dev/stdout) are written directly: they
 * cannot be renamed over. */
static bool is_special(const char *path)
{
    struct stat st;
    return descriptor_of(path) >= 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

/* What is open goes on where it is: at its end, or behind what was written to it. */
static int open_special(const char *path)
{
    const int descriptor = descriptor_of(path);
    return descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                           : open(path, O_WRONLY | O_CLOEXEC);
}

const char *rf_write_error(int code)
{
    return code == EFBIG ? "the limit of file sizes is in the way (ulimit -f)" : strerror(code);
}

int rf_output_open(struct rf_output *out, const char *path, bool can_overwrite, struct rf_err *err)
{
    memset(out, 0, sizeof(*out));
    out->fd = -1;
    out->can_overwrite = can_overwrite;
    if (strcmp(path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        return RF_OK;
    }
    if (is_special(path)) {
        out->fd = open_special(path);
        if (out->fd < 0)
            return rf_fail(err, RF_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
        out->path = strdup(path);
        if (out->path != NULL)
            return RF_OK;
        rf_output_abandon(out);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    if (!can_overwrite && is_taken(path))
        return fail_exists(path, err);
    out->path = strdup(path);
    if (out->path == NULL || asprintf(&out->temporary, "%s.tmp-XXXXXX", path) < 0) {
        out->temporary = NULL;
        rf_output_abandon(out);
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    }
    out->fd = rf_pending_make_file(out->temporary);
    if (out->fd < 0) {
        int code = errno;
        free(out->temporary);
        out->temporary = NULL;
        rf_output_abandon(out);
        return rf_fail(err, RF_ERR_IO, "cannot write beside '%s': %s", path, strerror(code));
    }
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(out->fd, 0666 & ~mask);
    return RF_OK;
}

/* Whether a file can be linked to beside path: by doing it, for a moment. */
static bool can_link(const char *from, const char *path)
{
    char *trial = NULL;
    int can = 0;
    if (asprintf(&trial, "%s.tmp-%d", path, (int)getpid()) < 0)
        return false;
    if (link(from, trial) == 0)
        can = unlink(trial) == 0;
    free(trial);
    return can;
}

int rf_output_open_linked(struct rf_output *out, const char *path, bool can_overwrite,
                          const char *linked, uint64_t size, struct rf_err *err)
{
    struct stat st;
    memset(out, 0, sizeof(*out));
    out->fd = -1;
    out->can_overwrite = can_overwrite;
    if (strcmp(path, "-") != 0 && !is_special(path) && lstat(linked, &st) == 0 &&
        S_ISREG(st.st_mode) && st.st_nlink == 1 && (uint64_t)st.st_size == size &&
        can_link(linked, path))
        out->fd = open(linked, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (out->fd >= 0) {
        out->path = strdup(path);
        out->linked = strdup(linked);
    }
    if (out->path != NULL && out->linked != NULL)
        return RF_OK;
    rf_output_abandon(out);
    return rf_fail(err, RF_ERR_UNSUPPORTED, "'%s' can have no second name '%s'", linked, path);
}

void rf_output_open_function(struct rf_output *out,
                             int (*write)(void *context, const void *bytes, size_t size),
                             void *context)
{
    *out = (struct rf_output){.fd = -1, .write = write, .write_context = context};
}

int rf_output_write(struct rf_output *out, const void *data, size_t size, struct rf_err *err)
{
    const char *p = data;
    if (out->write != NULL)
        return out->write(out->write_context, data, size) == 0
                   ? RF_OK
                   : rf_fail(err, RF_ERR_IO, "the function that receives the output stopped it");
    while (size > 0) {
        ssize_t n = write(out->fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return rf_fail(err, RF_ERR_IO, "cannot write '%s': %s",
                           out->path != NULL ? out->path : "standard output",
                           rf_write_error(errno));
        p += n;
        size -= (size_t)n;
    }
    return RF_OK;
}

/* link() refuses a name that is taken; over one that may be overwritten the file is renamed. */
static int commit_linked(struct rf_output *out, struct rf_err *err)
{
    char *temporary = NULL;
    int status = RF_OK;
    if (link(out->linked, out->path) == 0)
        return RF_OK;
    if (errno != EEXIST)
        return rf_fail(err, RF_ERR_IO, "cannot make '%s': %s", out->path, strerror(errno));
    if (!out->can_overwrite)
        return fail_exists(out->path, err);
    if (asprintf(&temporary, "%s.tmp-%d", out->path, (int)getpid()) < 0)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (link(out->linked, temporary) != 0 || rename(temporary, out->path) != 0) {
        status = rf_fail(err, RF_ERR_IO, "cannot make '%s': %s", out->path, strerror(errno));
        (void)unlink(temporary);
    }
    free(temporary);
    return status;
}

int rf_output_commit(struct rf_output *out, struct rf_err *err)
{
    int status = RF_OK;
    if (out->linked != NULL) {
        status = commit_linked(out, err);
        rf_output_abandon(out);
        return status;
    }
    if (out->temporary == NULL) {
        rf_output_abandon(out);
        return RF_OK;
    }
    if (close(out->fd) != 0)
        status = rf_fail(err, RF_ERR_IO, "cannot write '%s': %s", out->path, strerror(errno));
    out->fd = -1;
    /* link() does what rename() cannot: it refuses a name that was taken meanwhile. */
    if (status == RF_OK && !out->can_overwrite) {
        if (link(out->temporary, out->path) == 0)
            (void)unlink(out->temporary);
        else if (errno == EEXIST)
            status = fail_exists(out->path, err);
        else if (rename(out->temporary, out->path) != 0)
            status =
                rf_fail(err, RF_ERR_IO, "cannot rename to '%s': %s", out->path, strerror(errno));
    } else if (status == RF_OK && rename(out->temporary, out->path) != 0) {
        status = rf_fail(err, RF_ERR_IO, "cannot rename to '%s': %s", out->path, strerror(errno));
    }
    if (status == RF_OK) {
        rf_pending_drop(out->temporary);
        free(out->temporary);
        out->temporary = NULL;
    }
    rf_output_abandon(out);
    return status;
}

void rf_output_abandon(struct rf_output *out)
{
    if (out->fd > STDERR_FILENO)
        (void)close(out->fd);
    out->fd = -1;
    if (out->temporary != NULL) {
        (void)unlink(out->temporary);
        rf_pending_drop(out->temporary);
    }
    free(out->temporary);
    free(out->linked);
    free(out->path);
    out->temporary = out->linked = out->path = NULL;
}
