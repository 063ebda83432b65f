/* SPDX-License-Identifier: Apache-2.0 */
/* A sink whose output becomes texts in memory. */
#ifndef RF_BASE_TEXT_SINK_H
#define RF_BASE_TEXT_SINK_H

#include "base/sink.h"

struct rf_text_sink {
    struct rf_sink sink;
    char *text; /* what the sink handed over since the last text was taken */
    size_t n, room;
};

/* Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way. The struct is not to be moved. */
int rf_text_sink_init(struct rf_text_sink *to);
void rf_text_sink_release(struct rf_text_sink *to);

/* What was written since the last one, NUL-ended; the caller frees it. NULL: out of memory. */
char *rf_text_sink_take(struct rf_text_sink *to);

/* Copies a text of UTF-8 to room for size bytes, at least 1; "..." ends one that does not fit. */
void rf_cut_text(char *to, size_t size, const char *text);

#endif
