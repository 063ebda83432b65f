/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/extra_values.h"

#include <string.h>

const struct rf_extra *rf_extra_next(const rf_recording *rec, struct rf_extra_kinds kinds,
                                     size_t *i)
{
    size_t n = 0;
    const struct rf_extra *extra = rf_extras(rec, &n);
    while (*i < n) {
        const struct rf_extra *row = &extra[(*i)++];
        if (row->kind >= kinds.first && row->kind <= kinds.last)
            return row;
    }
    return NULL;
}

uint64_t rf_extra_duration_ns(const struct rf_extra *extra)
{
    bool is_moment = extra->start_ns == RF_NO_TIME || extra->end_ns == RF_NO_TIME;
    return is_moment ? 0 : (uint64_t)extra->end_ns - (uint64_t)extra->start_ns;
}

int64_t rf_extra_number(const rf_recording *rec, const struct rf_extra *extra, const char *name,
                        int64_t missing)
{
    const char *found;
    int64_t value;
    for (unsigned i = 0; (found = rf_extra_value_name(extra->kind, i)) != NULL; i++)
        if (strcmp(found, name) == 0)
            return rf_extra_value(rec, extra, i, &value) != RF_VALUE_NONE ? value : missing;
    return missing;
}
