/* SPDX-License-Identifier: Apache-2.0 */
/* One page of HTML about recordings. All of it is in one file: it loads nothing, and asks nobody.
 */
#ifndef RF_PAGE_PAGE_H
#define RF_PAGE_PAGE_H

#include <stdbool.h>

#include "base/sink.h"
#include "rangefinder/rangefinder.h"

struct rf_page;

/* NULL: out of memory. */
struct rf_page *rf_page_new(void);
void rf_page_free(struct rf_page *page);

/* Adds a recording, which may be closed afterwards. rank: -1: what the recording says. is_alone:
 * there will be no other one. */
int rf_page_add(struct rf_page *page, const rf_recording *rec, const char *path, int64_t rank,
                bool is_alone, struct rf_err *err);

/* Writes the page, once. rec: the recording, if there is one alone, for tables that are made of its
 * events; NULL: they are left out. */
int rf_page_write(struct rf_page *page, const rf_recording *rec, struct rf_sink *sink,
                  struct rf_err *err);

#endif
