/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/folded_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/fold_numbers.h"
#include "base/map.h"

bool rf_folded_names_init(struct rf_folded_names *names, const rf_recording *rec)
{
    const uint32_t n = rf_n_strings(rec);
    *names = (struct rf_folded_names){.rec = rec,
                                      .first = malloc((n + (size_t)1) * sizeof(*names->first)),
                                      .known = malloc((n + (size_t)1) * sizeof(*names->known)),
                                      .n_strings = n};
    rf_strings_init(&names->texts, rf_hash_seed());
    if (names->first == NULL || names->known == NULL)
        return false;
    memset(names->known, 0xff, n * sizeof(*names->known)); /* RF_NO_STRING */
    return true;
}

void rf_folded_names_release(struct rf_folded_names *names)
{
    rf_strings_release(&names->texts);
    free(names->first);
    free(names->known);
}

/* Gives a string its text, which is new or has a first string. */
static bool add(struct rf_folded_names *names, uint32_t string)
{
    size_t size = 0;
    const char *text = rf_string(names->rec, string, &size);
    char *folded = malloc(size + 1);
    const uint32_t n = names->texts.n;
    if (folded == NULL)
        return false;
    names->known[string] =
        rf_strings_add(&names->texts, folded, rf_fold_numbers(folded, text, size));
    free(folded);
    if (names->known[string] == RF_NO_STRING)
        return false;
    if (names->known[string] == n)
        names->first[n] = string;
    return true;
}

bool rf_folded_names_find(struct rf_folded_names *names, uint32_t string, uint32_t *found)
{
    *found = string;
    if (string >= names->n_strings)
        return true;
    if (names->known[string] == RF_NO_STRING && !add(names, string))
        return false;
    *found = names->first[names->known[string]];
    return true;
}

const char *rf_folded_names_text(const struct rf_folded_names *names, uint32_t string, size_t *size)
{
    if (string >= names->n_strings || names->known[string] == RF_NO_STRING)
        return NULL;
    const struct rf_string_entry *entry = &names->texts.entry[names->known[string]];
    *size = entry->size;
    return entry->text;
}

void rf_cell_fold_name(struct rf_cell *cell, const rf_recording *rec, uint32_t name)
{
    size_t size = 0;
    if (rf_string(rec, name, &size) != NULL)
        rf_cell_fold_numbers(cell, size);
}
