/* SPDX-License-Identifier: Apache-2.0 */
/* The properties in CUDA definitions (docs/format.md, section 9): lines NAME=VALUE. A line without
 * '=' is ignored. */
#ifndef RF_MODEL_LOAD_PROPERTIES_H
#define RF_MODEL_LOAD_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_property {
    const char *name, *value; /* in the text, not NUL-ended */
    size_t name_size, value_size;
};

/* The rest of a text. */
struct rf_properties {
    const char *at, *end;
};

/* The next property; false: there are no more. */
bool rf_properties_next(struct rf_properties *properties, struct rf_property *property);

bool rf_property_is(const struct rf_property *property, const char *name);

/* The value as a number; false: it is not a number of 64 bits. */
bool rf_property_number(const struct rf_property *property, int64_t *number);

#endif
