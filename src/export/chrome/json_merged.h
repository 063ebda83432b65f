/* SPDX-License-Identifier: Apache-2.0 */
/* Several recordings in one trace: what is said about them stands behind their events. */
#ifndef RF_EXPORT_CHROME_JSON_MERGED_H
#define RF_EXPORT_CHROME_JSON_MERGED_H

#include "export/chrome/json_writer.h"

/* Chooses to->base_ns. begin_ns: rf_shown_begin_ns(). */
int json_merged_base(struct json_writer *to, int64_t begin_ns);

/* Writes what stands before the events of an input, and keeps what is said about it. */
int json_merged_begin(struct json_writer *to);

/* Writes what stands behind all events. */
int json_merged_end(struct rf_merging *merging, struct rf_sink *sink, struct rf_err *err);

#endif
