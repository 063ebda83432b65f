/* SPDX-License-Identifier: Apache-2.0 */
#include "model/folded_strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/fold_numbers.h"
#include "base/grow.h"
#include "base/map.h"
#include "rangefinder/rangefinder.h"

void rf_folded_strings_init(struct rf_folded_strings *f)
{
    memset(f, 0, sizeof(*f));
    rf_strings_init(&f->texts, rf_hash_seed());
}

void rf_folded_strings_release(struct rf_folded_strings *f)
{
    rf_strings_release(&f->texts);
    free(f->first);
    free(f->known);
}

/* Strings up to this one may be asked for. */
static bool reserve(struct rf_folded_strings *f, uint32_t string)
{
    if (string >= f->known_room && rf_reserve_array(&f->known, string + (size_t)string / 2 + 1,
                                                    &f->known_room, sizeof(*f->known)) != RF_OK)
        return false;
    for (; f->n_known <= string; f->n_known++)
        f->known[f->n_known] = RF_NO_STRING;
    return true;
}

/* Gives a string its text, which is new or has a first string. */
static bool add(struct rf_folded_strings *f, uint32_t string, const char *text, size_t size)
{
    char *folded = malloc(size + 1);
    const uint32_t n = f->texts.n;
    if (folded == NULL || rf_grow_array(&f->first, n, &f->first_room, sizeof(*f->first)) != RF_OK) {
        free(folded);
        return false;
    }
    f->known[string] = rf_strings_add(&f->texts, folded, rf_fold_numbers(folded, text, size));
    free(folded);
    if (f->known[string] == RF_NO_STRING)
        return false;
    if (f->known[string] == n)
        f->first[n] = string;
    return true;
}

bool rf_folded_strings_find(struct rf_folded_strings *f, uint32_t string, const char *text,
                            size_t size, uint32_t *found)
{
    *found = string;
    if (string >= f->n_known && !reserve(f, string))
        return false;
    if (f->known[string] == RF_NO_STRING && !add(f, string, text, size))
        return false;
    *found = f->first[f->known[string]];
    return true;
}

const char *rf_folded_strings_text(const struct rf_folded_strings *f, uint32_t string, size_t *size)
{
    if (string >= f->n_known || f->known[string] == RF_NO_STRING)
        return NULL;
    const struct rf_string_entry *entry = &f->texts.entry[f->known[string]];
    *size = entry->size;
    return entry->text;
}
