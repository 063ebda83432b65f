/* SPDX-License-Identifier: Apache-2.0 */
/* Keys twice in objects inside a value of args. */
#ifndef RF_IMPORT_KINETO_TWICE_H
#define RF_IMPORT_KINETO_TWICE_H

#include "import/kineto_scan.h"

/* Whether there can be any: it has an object. */
static inline bool kineto_may_have_twice(const struct kineto_value *value)
{
    return value->type == KINETO_NESTED && memchr(value->at, '{', value->size) != NULL;
}

/* Writes a value in which objects have keys twice: of each key the last member stands. to:
 * kineto_value_room(). Returns the end of what was written; `to`: it has none; NULL: out of memory.
 */
char *kineto_put_without_twice(char *to, const struct kineto_value *value);

#endif
