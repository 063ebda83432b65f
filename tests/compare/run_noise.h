/* SPDX-License-Identifier: Apache-2.0 */
/* How runs of one program on one machine differ. */
#ifndef TESTS_COMPARE_RUN_NOISE_H
#define TESTS_COMPARE_RUN_NOISE_H

#include <stddef.h>
#include <stdint.h>

struct run_noise {
    uint64_t seed;
    double spread;    /* standard deviation of a run's logarithm */
    double follows;   /* correlation of a run with the one before it: the machine drifts */
    double disturbed; /* probability that something else slows a run down, by 5 % to 30 % */
};

/* From 0 up to, but not including, 1. */
double noise_uniform(struct run_noise *noise);

/* Of mean 0 and variance 1. */
double noise_normal(struct run_noise *noise);

/* Logarithms of the factors of n runs of each side, which take turns. */
void noise_runs(struct run_noise *noise, double *a, double *b, size_t n);

#endif
