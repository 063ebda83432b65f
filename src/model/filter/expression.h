/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions from people, looked for in names: Perl's, by PCRE2, and of Python's what Perl
 * writes otherwise. Text is UTF-8; bytes that are none fit nothing. What would look for too long
 * ends with an error: the steps through a text are counted, over all positions of it, and the
 * memory. */
#ifndef RF_MODEL_FILTER_EXPRESSION_H
#define RF_MODEL_FILTER_EXPRESSION_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

#define RF_EXPRESSION_MAX_SIZE  10000    /* bytes */
#define RF_EXPRESSION_MAX_STEPS 20000000 /* through a whole text: about half a second */
#define RF_EXPRESSION_MAX_KIB   20000    /* of memory, while it looks */

struct rf_expression;

/* RF_ERR_USAGE: it is not valid; err says what and where. */
int rf_expression_new(struct rf_expression **out, const char *text, struct rf_err *err);

/* Whether it is found in a text: 1 or 0, or RF_ERR_USAGE: that cannot be told, for it takes too
 * long, RF_ERR_NO_MEMORY. */
int rf_expression_find(const struct rf_expression *expression, const char *text, size_t size,
                       struct rf_err *err);

void rf_expression_free(struct rf_expression *expression); /* or NULL */

#endif
