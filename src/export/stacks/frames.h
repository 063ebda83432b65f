/* SPDX-License-Identifier: Apache-2.0 */
/* What ranges are called in programs that show stacks. */
#ifndef RF_EXPORT_STACKS_FRAMES_H
#define RF_EXPORT_STACKS_FRAMES_H

#include "export/export.h"

struct rf_frame_name {
    const char *domain; /* NULL: a domain without a name */
    size_t domain_size; /* 0: the default domain, too */
    const char *name;   /* NULL: none */
    size_t name_size;
};

/* "domain:name", the name alone in the default domain; as rf_sink_printable() has it, with a colon
 * for each semicolon, which separates frames. */
void rf_sink_folded_frame(struct rf_sink *sink, const struct rf_frame_name *frame);

/* The same as a JSON string, with its semicolons. */
void rf_sink_json_frame(struct rf_sink *sink, const struct rf_frame_name *frame);

#endif
