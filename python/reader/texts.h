/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as Arrow has them: one behind the other as UTF-8, and where each begins. */
#ifndef RF_READER_TEXTS_H
#define RF_READER_TEXTS_H

#include <stddef.h>

#include "buffer.h"

struct texts {
    struct buffer *offsets; /* int64_t; the last one is the end */
    struct buffer *bytes;
};

/* Copies n texts; get() gives text i of a context, or NULL. A byte that is no UTF-8 becomes U+FFFD.
 * Without the GIL. Returns 0, or -1 where memory is short. */
int texts_init(struct texts *texts, size_t n,
               const char *(*get)(const void *context, size_t i, size_t *size),
               const void *context);
void texts_release(struct texts *texts);

#endif
