/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions that users write, searched for in names. The syntax is Perl's (PCRE2), and
 * Python's where it differs. Text is UTF-8; other bytes match nothing. A search that takes too many
 * steps, counted over all positions of a text, or too much memory is an error. */
#ifndef RF_MODEL_FILTER_EXPRESSION_H
#define RF_MODEL_FILTER_EXPRESSION_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

#define RF_EXPRESSION_MAX_SIZE  10000    /* bytes */
#define RF_EXPRESSION_MAX_STEPS 20000000 /* through a whole text: about half a second */
#define RF_EXPRESSION_MAX_KIB   20000    /* of memory, during a search */

struct rf_expression;

/* RF_ERR_USAGE: the expression is not valid; err says why and where. */
int rf_expression_new(struct rf_expression **out, const char *text, struct rf_err *err);

/* Searches a text: 1: found, 0: not found, RF_ERR_USAGE: the search takes too long, or
 * RF_ERR_NO_MEMORY. */
int rf_expression_find(const struct rf_expression *expression, const char *text, size_t size,
                       struct rf_err *err);

void rf_expression_free(struct rf_expression *expression); /* or NULL */

#endif
