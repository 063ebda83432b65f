/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wildcard.h"

static char fold(char c, bool folds_case)
{
    return folds_case && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* On a mismatch the last * is given one more byte. */
bool rf_wildcard_fits(const char *pattern, const char *text, size_t size, bool folds_case)
{
    const char *star = NULL, *again = NULL, *end = text + size;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            again = text;
        } else if (text == end && *pattern == '\0') {
            return true;
        } else if (text < end && *pattern != '\0' &&
                   fold(*pattern, folds_case) == fold(*text, folds_case)) {
            pattern++;
            text++;
        } else if (star != NULL && again < end) {
            pattern = star;
            text = ++again;
        } else {
            return false;
        }
    }
}
