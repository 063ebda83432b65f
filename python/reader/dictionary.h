/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_DICTIONARY_H
#define RF_READER_DICTIONARY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "texts.h"
#include "views.h"

/* The texts that a column has, by code. */
struct dictionary {
    atomic_size_t n_references;
    size_t n;      /* texts */
    int32_t *code; /* by id; -1: it does not occur */
    uint32_t *id;  /* by code */
    struct texts texts;
};

/* Of a column that column_has_ids(). Without the GIL. NULL: out of memory. */
struct dictionary *dictionary_new(const struct view *view, const struct column *column);
struct dictionary *dictionary_retain(struct dictionary *dictionary);
void dictionary_release(struct dictionary *dictionary); /* NULL is accepted */

#endif
