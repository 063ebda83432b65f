/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of an interval as text for people. */
#ifndef RF_CLI_TOP_TOP_TEXT_H
#define RF_CLI_TOP_TOP_TEXT_H

#include <stdbool.h>

#include "base/sink.h"
#include "cli/top/top_figures.h"

/* What the text is made for, beside the figures. */
struct top_page {
    const char *title; /* of the session: its name or directory */
    enum top_sort sort;
    size_t width;   /* columns that there are; 0: any number */
    size_t height;  /* lines that there are; 0: any number */
    bool is_screen; /* headings are shown in reverse */
    bool is_paused;
    const char *keys; /* a last line; NULL: none */
};

/* How many rows of tables fit a page of so many lines: of the table of ranges, and of each other.
 */
void top_text_fit(size_t height, bool has_capture_line, struct top_wanted *wanted);

/* Writes the page. Returns RF_OK or RF_ERR_NO_MEMORY. */
int top_text_write(struct rf_sink *sink, const struct top_figures *figures,
                   const struct top_page *page);

#endif
