/* SPDX-License-Identifier: Apache-2.0 */
/* One string for all that differ from it by numbers alone: the first one that was asked for. */
#ifndef RF_MODEL_FOLDED_STRINGS_H
#define RF_MODEL_FOLDED_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/strings.h"

struct rf_folded_strings {
    struct rf_strings texts; /* folded */
    uint32_t *first;         /* by text: the first string */
    uint32_t *known;         /* by string: its text; RF_NO_STRING: not yet asked for */
    size_t n_known, first_room, known_room;
};

void rf_folded_strings_init(struct rf_folded_strings *f);
void rf_folded_strings_release(struct rf_folded_strings *f);

/* The string that stands for one, which has this text. false: out of memory. */
bool rf_folded_strings_find(struct rf_folded_strings *f, uint32_t string, const char *text,
                            size_t size, uint32_t *found);

/* The folded text of a string that was found; NULL: of another one. */
const char *rf_folded_strings_text(const struct rf_folded_strings *f, uint32_t string,
                                   size_t *size);

#endif
