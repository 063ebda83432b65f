/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_DICTIONARY_H
#define RF_READER_DICTIONARY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"
#include "views.h"

/* The texts that a column has, by code. */
struct dictionary {
    atomic_size_t n_references;
    size_t n;                      /* texts */
    int32_t *code;                 /* by id; -1: it does not occur */
    uint32_t *id;                  /* by code */
    size_t n_bytes;                /* of all texts, as UTF-8 */
    struct buffer *offsets, *text; /* as Arrow has them, by dictionary_make_text() */
};

/* Without the GIL. NULL: out of memory. */
struct dictionary *dictionary_new(const struct view *view, const struct column *column);
int dictionary_make_text(struct dictionary *dictionary, const struct view *view,
                         const struct column *column);
struct dictionary *dictionary_retain(struct dictionary *dictionary);
void dictionary_release(struct dictionary *dictionary); /* NULL is accepted */

#endif
