/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_BASE_WILDCARD_H
#define RF_BASE_WILDCARD_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text of `size` bytes fits a pattern, in which * stands for any bytes. folds_case:
 * letters of ASCII may differ by case. */
bool rf_wildcard_fits(const char *pattern, const char *text, size_t size, bool folds_case);

#endif
