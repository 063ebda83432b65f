/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles that a summary is to have, as "50,90,99.9" names them. The quantile p of some values is
 * the smallest of them that p percent do not exceed: a value that occurred. */
#ifndef RF_STATS_QUANTILES_H
#define RF_STATS_QUANTILES_H

#include <stddef.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

#define RF_MAX_QUANTILES 16

struct rf_quantiles {
    size_t n;
    uint64_t parts[RF_MAX_QUANTILES]; /* of 10^8 */
    char label[RF_MAX_QUANTILES][16]; /* "99.9" */
};

/* Reads a list of percentages from 0 to 100, with at most six decimals; text NULL: none. */
int rf_quantiles_parse(struct rf_quantiles *quantiles, const char *text, struct rf_err *err);

/* The rank, from 0, of quantile i among n values, at least one. */
uint64_t rf_quantile_rank(const struct rf_quantiles *quantiles, size_t i, uint64_t n);

#endif
