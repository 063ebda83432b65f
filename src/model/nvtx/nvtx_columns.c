/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_columns.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/arrays.h"
#include "model/sums/sample_sums.h"

static int compare_samples(const void *left, const void *right)
{
    const struct rf_nvtx_sample *a = left, *b = right;
    return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static int sort_samples(struct rf_nvtx_sample *sample, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (sample[i - 1].ns > sample[i].ns)
            return rf_sort_records(sample, n, sizeof(*sample), compare_samples);
    return RF_OK;
}

/* Gives samples without a change the value before; the first one has none. Returns whether there
 * are whole numbers, and flags. */
static void settle(struct rf_nvtx_sample *sample, size_t n, bool *has_integers, bool *has_flags)
{
    uint8_t kind = RF_NVTX_SAMPLE_NONE;
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        if (sample[i].kind == RF_NVTX_SAMPLE_UNCHANGED) {
            sample[i].kind = kind;
            sample[i].bits = bits;
        } else if (sample[i].kind != RF_NVTX_SAMPLE_NONE) {
            kind = sample[i].kind;
            bits = sample[i].bits;
        }
        if (sample[i].kind == RF_NVTX_SAMPLE_NONE)
            sample[i].flags |= RF_SAMPLE_NO_VALUE;
        *has_integers |= sample[i].kind == RF_NVTX_SAMPLE_INTEGER;
    }
    for (size_t i = 0; i < n; i++) {
        if (*has_integers && sample[i].kind == RF_NVTX_SAMPLE_REAL)
            sample[i].flags |= RF_SAMPLE_REAL;
        *has_flags |= sample[i].flags != 0;
    }
}

static double value_of(const struct rf_nvtx_sample *sample, uint8_t number)
{
    double real;
    if (sample->kind == RF_NVTX_SAMPLE_NONE)
        return (double)NAN;
    if (sample->kind == RF_NVTX_SAMPLE_INTEGER)
        return number == RF_COUNTER_UINT64 ? (double)sample->bits : (double)(int64_t)sample->bits;
    memcpy(&real, &sample->bits, sizeof(real));
    return real;
}

void rf_nvtx_sum_sample(struct rf_sample_sum *sum, const struct rf_nvtx_sample *sample,
                        uint8_t number)
{
    if (sample->kind == RF_NVTX_SAMPLE_INTEGER)
        rf_sample_sum_add_whole(sum, sample->ns,
                                number == RF_COUNTER_UINT64 ? (__int128)sample->bits
                                                            : (__int128)(int64_t)sample->bits);
    else if (sample->kind == RF_NVTX_SAMPLE_REAL)
        rf_sample_sum_add_real(sum, sample->ns, value_of(sample, number));
    else
        rf_sample_sum_add_none(sum);
}

struct rf_counter_limit rf_nvtx_limit(enum rf_counter_number number, uint64_t bits)
{
    struct rf_counter_limit limit = {.integer = (int64_t)bits, .number = number};
    if (number != RF_COUNTER_REAL) {
        limit.value = number == RF_COUNTER_UINT64 ? (double)bits : (double)limit.integer;
        return limit;
    }
    limit.integer = 0;
    memcpy(&limit.value, &bits, sizeof(limit.value));
    return limit;
}

void *rf_nvtx_columns_new(struct rf_counter *counter, const struct rf_nvtx_counter *has,
                          struct rf_nvtx_sample *sample, size_t n)
{
    bool has_integers = false, has_flags = false;
    if (sort_samples(sample, n) != RF_OK)
        return NULL;
    settle(sample, n, &has_integers, &has_flags);
    struct rf_nvtx_counter *nvtx =
        malloc(sizeof(*nvtx) + n * (sizeof(int64_t) + sizeof(double) + sizeof(int64_t) + 1));
    if (nvtx == NULL)
        return NULL;
    int64_t *ns = (int64_t *)(void *)(nvtx + 1), *integer = ns + n;
    double *value = (double *)(void *)(integer + n);
    uint8_t *flags = (uint8_t *)(value + n);
    for (size_t i = 0; i < n; i++) {
        ns[i] = sample[i].ns;
        integer[i] = sample[i].kind == RF_NVTX_SAMPLE_INTEGER ? (int64_t)sample[i].bits : 0;
        value[i] = value_of(&sample[i], has->number);
        flags[i] = sample[i].flags;
    }
    *nvtx = *has;
    nvtx->integer = has_integers && n > 0 ? integer : NULL;
    nvtx->flags = has_flags && n > 0 ? flags : NULL;
    counter->nvtx = nvtx;
    counter->ns = n > 0 ? ns : NULL;
    counter->value = n > 0 ? value : NULL;
    counter->n_samples = n;
    return nvtx;
}
