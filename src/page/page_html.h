/* SPDX-License-Identifier: Apache-2.0 */
/* Writing HTML. */
#ifndef RF_PAGE_PAGE_HTML_H
#define RF_PAGE_PAGE_HTML_H

#include "base/sink.h"

#define RF_HTML_MAX_NAME 300

/* How many bytes of a name a page shows: at most RF_HTML_MAX_NAME, and whole characters. */
size_t rf_html_cut(const char *name, size_t size);

/* Text that may be anything: what controls a terminal or turns the direction of text stands as
 * rf_sink_printable() writes it, and no markup begins in it. */
void rf_html_put_text(struct rf_sink *sink, const char *text);
void rf_html_put_bytes(struct rf_sink *sink, const char *text, size_t size);

/* The same as a string of JSON inside a script element. */
void rf_html_put_json(struct rf_sink *sink, const char *text, size_t size);

#endif
