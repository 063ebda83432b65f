/* SPDX-License-Identifier: Apache-2.0 */
/* Strings and lists of strings that live until all of them are freed; each is kept once. */
#ifndef RF_PMSAMPLING_PM_STRINGS_H
#define RF_PMSAMPLING_PM_STRINGS_H

#include <stddef.h>

struct pm_names {
    struct pm_names *next;
    size_t n;
    const char *name[];
};

struct pm_strings {
    char **slot; /* hash table; n_slots is a power of two */
    size_t n, n_slots;
    struct pm_names *lists;
};

/* The kept string of this text; NULL is "". NULL when out of memory. */
const char *pm_strings_add(struct pm_strings *strings, const char *text);

/* The kept list of these n texts, sorted; of each, skip characters at the front are left out. NULL
 * when out of memory. */
const struct pm_names *pm_strings_add_list(struct pm_strings *strings, const char *const *texts,
                                           size_t n, size_t skip);

/* Harmless on a zeroed struct. */
void pm_strings_release(struct pm_strings *strings);

#endif
