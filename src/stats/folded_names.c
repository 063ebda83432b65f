/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/folded_names.h"

void rf_folded_names_init(struct rf_folded_names *names, const rf_recording *rec)
{
    names->rec = rec;
    rf_folded_strings_init(&names->strings);
}

void rf_folded_names_release(struct rf_folded_names *names)
{
    rf_folded_strings_release(&names->strings);
}

bool rf_folded_names_find(struct rf_folded_names *names, uint32_t string, uint32_t *found)
{
    size_t size = 0;
    const char *text = rf_string(names->rec, string, &size);
    *found = string;
    return text == NULL || rf_folded_strings_find(&names->strings, string, text, size, found);
}

const char *rf_folded_names_text(const struct rf_folded_names *names, uint32_t string, size_t *size)
{
    return rf_folded_strings_text(&names->strings, string, size);
}

void rf_cell_fold_name(struct rf_cell *cell, const rf_recording *rec, uint32_t name)
{
    size_t size = 0;
    if (rf_string(rec, name, &size) != NULL)
        rf_cell_fold_numbers(cell, size);
}
