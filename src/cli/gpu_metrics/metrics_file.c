/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/say.h"
#include "log/file_header.h"
#include "log/metrics.h"
#include "log/ring_held.h"

int metrics_file_append(struct metrics_file *file, const void *data, size_t size)
{
    ssize_t n = file->fd >= 0 ? write(file->fd, data, size) : (ssize_t)size;
    int code = n < 0 ? errno : ENOSPC; /* a short write: the disk is full */
    if (n == (ssize_t)size) {
        rf_ring_add(file->control, file->fd >= 0 ? n : 0);
        return 0;
    }
    if (!__atomic_exchange_n(&file->has_reported_full, true, __ATOMIC_RELAXED))
        cli_say("cannot append to '" RF_METRICS_FILE "': %s; what does not fit of the GPU metrics "
                "is lost",
                rf_write_error(code));
    return -1;
}

int metrics_file_open(struct metrics_file *file, const struct session_dir *session)
{
    const struct rf_file_header header = rf_file_header_of(session->control);
    char path[PATH_MAX + 16];
    (void)snprintf(path, sizeof(path), "%s/" RF_METRICS_FILE, session->dir);
    file->control = session->control;
    file->clock_kind = session->control->clock_kind;
    file->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file->fd < 0) {
        cli_say("GPU metrics are not recorded: cannot write '%s': %s", path, rf_write_error(errno));
        return -1;
    }
    return metrics_file_append(file, &header, sizeof(header));
}

void metrics_file_close(struct metrics_file *file)
{
    if (file->fd >= 0)
        (void)close(file->fd);
    file->fd = -1;
}
