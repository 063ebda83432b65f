/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/properties.h"

#include <stdbool.h>
#include <string.h>

static bool split(const char *line, size_t size, struct rf_property *property)
{
    const char *sign = memchr(line, '=', size);
    if (sign == NULL)
        return false;
    property->name = line;
    property->name_size = (size_t)(sign - line);
    property->value = sign + 1;
    property->value_size = size - property->name_size - 1;
    return true;
}

bool rf_properties_next(struct rf_properties *properties, struct rf_property *property)
{
    while (properties->at < properties->end) {
        const char *line = properties->at;
        const char *newline = memchr(line, '\n', (size_t)(properties->end - line));
        const char *end = newline != NULL ? newline : properties->end;
        properties->at = newline != NULL ? newline + 1 : end;
        if (split(line, (size_t)(end - line), property))
            return true;
    }
    return false;
}

bool rf_property_is(const struct rf_property *property, const char *name)
{
    return property->name_size == strlen(name) &&
           memcmp(property->name, name, property->name_size) == 0;
}

bool rf_property_number(const struct rf_property *property, int64_t *number)
{
    size_t i = property->value_size > 0 && property->value[0] == '-';
    bool is_negative = i > 0;
    uint64_t value = 0;
    if (i == property->value_size)
        return false;
    for (; i < property->value_size; i++) {
        unsigned digit = (unsigned)(unsigned char)property->value[i] - '0';
        if (digit > 9 || value > (uint64_t)INT64_MAX / 10)
            return false;
        value = 10 * value + digit;
        if (value > INT64_MAX)
            return false;
    }
    *number = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}
