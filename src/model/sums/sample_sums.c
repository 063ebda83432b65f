/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sums/sample_sums.h"

#include <math.h>

#include "base/add_count.h"
#include "model/private_access.h"

/* ---- Adding ---- */

void rf_sample_sum_add_none(struct rf_sample_sum *sum)
{
    sum->figures.n_samples++;
}

static void take_ends(struct rf_sample_figures *to, const struct rf_exact_number *min,
                      const struct rf_exact_number *max)
{
    if (to->n == 0 || rf_exact_compare(min, &to->min) < 0)
        to->min = *min;
    if (to->n == 0 || rf_exact_compare(max, &to->max) > 0)
        to->max = *max;
}

static void add_number(struct rf_sample_sum *sum, int64_t ns, const struct rf_exact_number *number)
{
    struct rf_sample_figures *figures = &sum->figures;
    take_ends(figures, number, number);
    if (figures->n == 0 || ns >= figures->last_ns) {
        figures->last = *number;
        figures->last_ns = ns;
    }
    figures->n_samples++;
    figures->n++;
    rf_exact_add(&sum->total, number, 1);
}

void rf_sample_sum_add_real(struct rf_sample_sum *sum, int64_t ns, double value)
{
    if (isfinite(value)) {
        const struct rf_exact_number number = rf_exact_of_real(value);
        add_number(sum, ns, &number);
        return;
    }
    sum->figures.n_samples++;
    sum->figures.n_not_finite++;
}

void rf_sample_sum_add_whole(struct rf_sample_sum *sum, int64_t ns, __int128 value)
{
    const struct rf_exact_number number = rf_exact_of_whole(value);
    add_number(sum, ns, &number);
}

/* ---- Merging ---- */

bool rf_sample_figures_merge(struct rf_sample_figures *to, const struct rf_sample_figures *from)
{
    if (from->n > 0) {
        take_ends(to, &from->min, &from->max);
        if (to->n == 0 || from->last_ns > to->last_ns ||
            (from->last_ns == to->last_ns && rf_exact_compare(&from->last, &to->last) > 0)) {
            to->last = from->last;
            to->last_ns = from->last_ns;
        }
    }
    return rf_add_count(&to->n_samples, from->n_samples) &&
           rf_add_count(&to->n_not_finite, from->n_not_finite) && rf_add_count(&to->n, from->n);
}

/* ---- Of a recording ---- */

bool rf_sample_number(const struct rf_counter *counter, size_t i, struct rf_exact_number *number)
{
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    const int flags = nvtx != NULL && nvtx->flags != NULL ? nvtx->flags[i] : 0;
    if (nvtx != NULL && nvtx->integer != NULL &&
        (flags & (RF_SAMPLE_NO_VALUE | RF_SAMPLE_REAL)) == 0)
        *number = rf_exact_of_whole(nvtx->number == RF_COUNTER_UINT64
                                        ? (__int128)(uint64_t)nvtx->integer[i]
                                        : (__int128)nvtx->integer[i]);
    else if (isfinite(counter->value[i]))
        *number = rf_exact_of_real(counter->value[i]);
    else
        return false;
    return true;
}

static const struct rf_sample_sum *known_sum(const rf_recording *rec, uint32_t counter)
{
    const struct rf_counter_origin *origin = rf_counter_origin_at(rec, counter);
    return origin != NULL ? origin->sum : NULL;
}

bool rf_has_sample_sum(const rf_recording *rec, uint32_t counter)
{
    const struct rf_counter *of = rf_counter_at(rec, counter);
    return of != NULL && (of->n_samples > 0 || known_sum(rec, counter) != NULL);
}

static bool has_no_value(const struct rf_counter *counter, size_t i)
{
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    return nvtx != NULL && nvtx->flags != NULL && (nvtx->flags[i] & RF_SAMPLE_NO_VALUE) != 0;
}

void rf_sample_sum_of(const rf_recording *rec, uint32_t counter, struct rf_sample_sum *out)
{
    const struct rf_counter *of = rf_counter_at(rec, counter);
    const struct rf_sample_sum *known = known_sum(rec, counter);
    struct rf_exact_number number;
    *out = (struct rf_sample_sum){.figures = {0}};
    if (known != NULL)
        *out = *known;
    for (size_t i = 0; known == NULL && i < of->n_samples; i++) {
        if (rf_sample_number(of, i, &number))
            add_number(out, of->ns[i], &number);
        else if (has_no_value(of, i))
            rf_sample_sum_add_none(out);
        else
            rf_sample_sum_add_real(out, of->ns[i], of->value[i]);
    }
    rf_exact_settle(&out->total);
}
