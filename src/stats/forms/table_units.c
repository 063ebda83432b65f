/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/forms/table_units.h"

#include <string.h>

#include "base/error.h"

static const struct rf_unit times[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
static const struct rf_unit sizes[] = {{"B", 0}, {"KB", 3}, {"MB", 6}, {"GB", 9}};

#define N_UNITS (sizeof(times) / sizeof(times[0]))

/* Per unit, the words that mean it. */
static const char *const words[N_UNITS][3] = {{"nsec", "nanoseconds", "ns"},
                                              {"usec", "microseconds", "us"},
                                              {"msec", "milliseconds", "ms"},
                                              {"seconds", "sec", "s"}};

const struct rf_unit *rf_unit_of_time(const char *name, size_t size, struct rf_err *err)
{
    const struct rf_unit *found = NULL;
    for (size_t i = 0; i < N_UNITS && size > 0; i++) {
        size_t w = 0;
        while (w < 3 && strncmp(words[i][w], name, size) != 0)
            w++;
        if (w == 3)
            continue;
        if (found != NULL) {
            (void)rf_fail(err, RF_ERR_USAGE, "the unit of time '%.*s' may be %s or %s", (int)size,
                          name, found->name, times[i].name);
            return NULL;
        }
        found = &times[i];
    }
    if (found == NULL)
        (void)rf_fail(err, RF_ERR_USAGE,
                      "unknown unit of time '%.*s': there is nsec (nanoseconds), usec "
                      "(microseconds), msec (milliseconds) and seconds",
                      (int)size, name);
    return found;
}

const struct rf_unit *rf_unit_of_size(const char *name, size_t size, struct rf_err *err)
{
    for (size_t i = 0; i < N_UNITS; i++)
        if (strlen(sizes[i].name) == size && memcmp(sizes[i].name, name, size) == 0)
            return &sizes[i];
    (void)rf_fail(err, RF_ERR_USAGE, "unknown unit of size '%.*s': there is B, KB, MB and GB",
                  (int)size, name);
    return NULL;
}
