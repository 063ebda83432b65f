/* SPDX-License-Identifier: Apache-2.0 */
/* Where an export goes. */
#ifndef RF_EXPORT_EXPORT_OUTPUT_H
#define RF_EXPORT_EXPORT_OUTPUT_H

#include <stdbool.h>

#include "base/output.h"
#include "base/sink.h"
#include "export/export.h"

struct rf_gzip;

/* A file, standard output or a function, compressed where the file's name says so. It may not be
 * moved while it is open. */
struct rf_text_output {
    struct rf_output output;
    struct rf_gzip *gzip;
    struct rf_sink sink;
    bool is_open;
};

/* Close it after a failure too. */
int rf_text_output_open(struct rf_text_output *to, const struct rf_export_options *options,
                        struct rf_err *err);

/* Completes the output where status is RF_OK, and otherwise removes it. Returns the first error.
 * Harmless on one that is closed. */
int rf_text_output_close(struct rf_text_output *to, int status, struct rf_err *err);

/* Makes the empty file output->temporary, for formats that write files by their path. After a
 * failure there is nothing to abandon. */
int rf_file_output_open(struct rf_output *output, const struct rf_export_options *options,
                        const struct rf_export_format *format, struct rf_err *err);

#endif
