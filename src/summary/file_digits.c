/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/file_digits.h"

#include "summary/file_values.h"

#define BASE (INT64_C(1) << RF_EXACT_BITS)

void rf_file_write_digits(struct rf_summary_file *file, sqlite3_stmt *insert, size_t number,
                          const struct rf_summary_digits *all, const struct rf_digit_range *of)
{
    for (size_t k = 0; k < of->n && file->status == RF_OK; k++) {
        const struct rf_summary_digit *digit = &all->digit[of->first + k];
        (void)sqlite3_bind_int64(insert, 1, (int64_t)number);
        (void)sqlite3_bind_int64(insert, 2, (int64_t)digit->place - RF_EXACT_POINT);
        (void)sqlite3_bind_int64(insert, 3, digit->value);
        rf_summary_file_insert(file, insert);
    }
}

void rf_file_read_digit(struct rf_summary_file *file, sqlite3_stmt *row,
                        struct rf_summary_digits *all, struct rf_digit_range *of)
{
    const int64_t place = rf_file_number(file, row, 1, -RF_EXACT_POINT) + RF_EXACT_POINT,
                  value = rf_file_number(file, row, 2, -BASE + 1);
    if (file->status != RF_OK)
        return;
    const struct rf_summary_digit *before =
        of != NULL && of->n > 0 ? &all->digit[all->n - 1] : NULL;
    if (of == NULL || place >= RF_EXACT_DIGITS || value == 0 || value >= BASE ||
        (before != NULL && (of->first + of->n != all->n || before->place >= place ||
                            (before->value < 0) != (value < 0))))
        rf_summary_file_damaged(file, "a digit");
    else
        rf_summary_file_fail(file, rf_digits_add(all, of, (unsigned)place, value));
}

int rf_exact_sum_compare(const struct rf_exact_sum *sum, const struct rf_exact_number *many,
                         const struct rf_exact_number *one, uint64_t n)
{
    struct rf_exact_sum rest = *sum;
    rf_exact_subtract(&rest, many, n - 1);
    rf_exact_subtract(&rest, one, 1);
    rf_exact_settle(&rest);
    return rf_exact_sign(&rest);
}
