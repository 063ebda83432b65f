/* SPDX-License-Identifier: Apache-2.0 */
/* A straight line through points of which some are far off (Theil and Sen). */
#ifndef RF_MODEL_CLOCKS_FIT_LINE_H
#define RF_MODEL_CLOCKS_FIT_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct rf_point {
    double x, y;
};

struct rf_line {
    double at_zero, slope; /* y = at_zero + slope * x */
    double scatter;        /* of the points about it, as a standard deviation; -1: of one point */
    bool is_bent;          /* the points do not lie on one line: see rf_fit_line() */
    double bend;           /* how far stretches of the points lie beside it */
};

/* Fits it. Sorts the points by x; there is at least one. The slope is 0 unless the points prove
 * one: there are RF_FIT_SLOPE_POINTS or more, and it is three times its own uncertainty. A line is
 * bent if of eight stretches of the points one lies further beside it than its neighbours differ.
 * room: for n doubles. */
void rf_fit_line(struct rf_line *line, struct rf_point *point, size_t n, double *room);

#define RF_FIT_SLOPE_POINTS 5

/* Of n values, at least one, which it sorts. */
double rf_median(double *value, size_t n);

#endif
