/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears under its name only when it is complete: it is written beside it, then
 * renamed. */
#ifndef RF_BASE_OUTPUT_H
#define RF_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

struct rf_output {
    char *path;      /* final name; NULL: standard output */
    char *temporary; /* name while it is written */
    char *linked;    /* instead: a file that keeps its name, and gets path as another one */
    int fd;          /* open for writing; -1 after rf_output_close_fd() */
    bool can_overwrite;
    int (*write)(void *context, const void *bytes, size_t size); /* instead of a file; or NULL */
    void *write_context;
};

/* Begins an output. path "-" is standard output. RF_ERR_EXISTS where the name is taken and
 * can_overwrite is 0; checked again at commit. The temporary file is made by this call. */
int rf_output_open(struct rf_output *out, const char *path, bool can_overwrite, struct rf_err *err);

/* Begins an output that is the file `linked` under a second name: what is written is appended to
 * it. RF_ERR_UNSUPPORTED where it can have none: another file system, no hard links, another name
 * already, or another size than expected. */
int rf_output_open_linked(struct rf_output *out, const char *path, bool can_overwrite,
                          const char *linked, uint64_t size, struct rf_err *err);

/* Begins an output whose bytes a function receives: rf_export_options.write. */
void rf_output_open_function(struct rf_output *out,
                             int (*write)(void *context, const void *bytes, size_t size),
                             void *context);

/* Writes all bytes. */
int rf_output_write(struct rf_output *out, const void *data, size_t size, struct rf_err *err);

/* strerror(), but that it names the limit that is behind EFBIG. */
const char *rf_write_error(int code);

/* Makes it visible under its name and releases *out. On failure nothing is left either. */
int rf_output_commit(struct rf_output *out, struct rf_err *err);

/* Removes what was written and releases *out. Harmless after commit, and on a zeroed struct. */
void rf_output_abandon(struct rf_output *out);

#endif
