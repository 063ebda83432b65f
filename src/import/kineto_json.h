/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a trace as JSON, also where the trace has what is none. */
#ifndef RF_IMPORT_KINETO_JSON_H
#define RF_IMPORT_KINETO_JSON_H

#include "import/kineto_scan.h"

/* Bytes that a value needs at most. */
static inline size_t kineto_value_room(const struct kineto_value *value)
{
    return (value->is_odd ? 6 : 1) * value->size + 2;
}

/* Writes a value as JSON has it: NaN and Infinity in quotes, control characters as escapes, escapes
 * that there are not without their backslash, numbers as they are written there, no comma before a
 * closing bracket. to: kineto_value_room(). Returns the end of what was written. */
char *kineto_put_value(char *to, const struct kineto_value *value);

#endif
