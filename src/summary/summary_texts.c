/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/summary_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fold_numbers.h"
#include "summary/summary_data.h"

const char *rf_summary_text(const rf_summary *summary, uint32_t string, size_t *size)
{
    bool is_there = string < summary->strings.n;
    *size = is_there ? summary->strings.entry[string].size : 0;
    return is_there ? summary->strings.entry[string].text : NULL;
}

bool rf_summary_copy_text(rf_summary *to, const rf_summary *from, uint32_t *string)
{
    size_t size;
    const char *text = rf_summary_text(from, *string, &size);
    if (text != NULL)
        *string = rf_strings_add(&to->strings, text, size);
    return text == NULL || *string != RF_NO_STRING;
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

uint32_t rf_summary_add_folded(struct rf_summary *summary, const char *text, size_t size)
{
    char *folded = malloc(size + 1);
    if (folded == NULL)
        return RF_NO_STRING;
    size_t n = rf_fold_numbers(folded, text, size);
    uint32_t string = rf_strings_add(&summary->strings, folded, n);
    free(folded);
    return string;
}
