/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t distribution, to about 12 digits. */
#ifndef RF_STATS_COMPARE_STUDENTS_T_H
#define RF_STATS_COMPARE_STUDENTS_T_H

/* The probability that t is at most a value. freedom: degrees of freedom, above 0. */
double rf_students_t_below(double t, double freedom);

/* The t that is exceeded with a probability above 0 and up to 0.5. freedom: at least 1. */
double rf_students_t_exceeded(double probability, double freedom);

#endif
