/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/facts.h"

#include <stdbool.h>
#include <string.h>

static bool split(const char *line, size_t size, struct rf_fact *fact)
{
    const char *sign = memchr(line, '=', size);
    if (sign == NULL)
        return false;
    fact->name = line;
    fact->name_size = (size_t)(sign - line);
    fact->value = sign + 1;
    fact->value_size = size - fact->name_size - 1;
    return true;
}

bool rf_facts_next(struct rf_facts *facts, struct rf_fact *fact)
{
    while (facts->at < facts->end) {
        const char *line = facts->at;
        const char *newline = memchr(line, '\n', (size_t)(facts->end - line));
        const char *end = newline != NULL ? newline : facts->end;
        facts->at = newline != NULL ? newline + 1 : end;
        if (split(line, (size_t)(end - line), fact))
            return true;
    }
    return false;
}

bool rf_fact_is(const struct rf_fact *fact, const char *name)
{
    return fact->name_size == strlen(name) && memcmp(fact->name, name, fact->name_size) == 0;
}

bool rf_fact_number(const struct rf_fact *fact, int64_t *number)
{
    size_t i = fact->value_size > 0 && fact->value[0] == '-';
    bool is_negative = i > 0;
    uint64_t value = 0;
    if (i == fact->value_size)
        return false;
    for (; i < fact->value_size; i++) {
        unsigned digit = (unsigned)(unsigned char)fact->value[i] - '0';
        if (digit > 9 || value > (uint64_t)INT64_MAX / 10)
            return false;
        value = 10 * value + digit;
        if (value > INT64_MAX)
            return false;
    }
    *number = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}
