/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/summary_texts.h"

#include <stdbool.h>
#include <string.h>

#include "summary/summary_data.h"

const char *rf_summary_text(const rf_summary *summary, uint32_t string, size_t *size)
{
    bool is_there = string < summary->strings.n;
    *size = is_there ? summary->strings.entry[string].size : 0;
    return is_there ? summary->strings.entry[string].text : NULL;
}

int rf_summary_compare_texts(const rf_summary *summary, uint32_t a, uint32_t b)
{
    size_t a_size, b_size;
    const char *x = rf_summary_text(summary, a, &a_size), *y = rf_summary_text(summary, b, &b_size);
    if (x == NULL || y == NULL)
        return x == NULL && y == NULL ? (a > b) - (a < b) : (x != NULL) - (y != NULL);
    size_t size = a_size < b_size ? a_size : b_size;
    int order = memcmp(x, y, size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}
