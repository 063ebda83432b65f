/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/digits.h"

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

int rf_digits_add(struct rf_summary_digits *all, struct rf_digit_range *of, unsigned place,
                  int64_t value)
{
    int status = rf_grow_array(&all->digit, all->n, &all->room, sizeof(*all->digit));
    if (status != RF_OK)
        return status;
    if (of->n++ == 0)
        of->first = all->n;
    all->digit[all->n++] = (struct rf_summary_digit){place, value};
    return RF_OK;
}

int rf_digits_add_sum(struct rf_summary_digits *all, struct rf_digit_range *of,
                      const struct rf_exact_sum *sum)
{
    int status = RF_OK;
    *of = (struct rf_digit_range){0, 0};
    for (unsigned i = 0; i < RF_EXACT_DIGITS && status == RF_OK; i++)
        if (sum->digit[i] != 0)
            status = rf_digits_add(all, of, i, sum->digit[i]);
    return status;
}

int rf_digits_copy(struct rf_summary_digits *all, struct rf_digit_range *of,
                   const struct rf_summary_digits *from, const struct rf_digit_range *from_of)
{
    const struct rf_digit_range source = *from_of; /* it may be *of */
    int status = RF_OK;
    *of = (struct rf_digit_range){0, 0};
    for (size_t i = 0; i < source.n && status == RF_OK; i++) {
        const struct rf_summary_digit *digit = &from->digit[source.first + i];
        status = rf_digits_add(all, of, digit->place, digit->value);
    }
    return status;
}

void rf_digits_sum(const struct rf_summary_digits *all, const struct rf_digit_range *of,
                   struct rf_exact_sum *sum)
{
    for (size_t i = 0; i < of->n; i++) {
        const struct rf_summary_digit *digit = &all->digit[of->first + i];
        rf_exact_add_digit(sum, digit->place, digit->value);
    }
}
