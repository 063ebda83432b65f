/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_FILTER_NAME_PATTERN_H
#define RF_MODEL_FILTER_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter/expression.h"
#include "rangefinder/rangefinder.h"

/* A name, in which * stands for any bytes, or /REGEX/. */
struct rf_name_pattern {
    const char *text;                 /* NULL: every name */
    struct rf_expression *expression; /* or NULL */
    struct rf_err failed;             /* an error of searching: nothing fits then */
    uint8_t *known;                   /* by string: 0 not searched yet, 1 it fits, 2 it does not */
};

/* Reads a pattern. text lives as long as the pattern. Returns RF_OK, RF_ERR_USAGE or
 * RF_ERR_NO_MEMORY. */
int rf_name_pattern_init(struct rf_name_pattern *pattern, const rf_recording *rec, const char *text,
                         struct rf_err *err);

/* Whether a text fits: 1, 0, or the error of a search that failed. */
int rf_name_search(const struct rf_name_pattern *pattern, const char *text, size_t size,
                   struct rf_err *err);

/* Whether a string fits a pattern. rf_filter_check() has the error if the search failed. */
bool rf_name_fits(struct rf_name_pattern *pattern, const rf_recording *rec, uint32_t name);

#endif
