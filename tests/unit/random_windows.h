/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of a recording at random. */
#ifndef TESTS_UNIT_RANDOM_WINDOWS_H
#define TESTS_UNIT_RANDOM_WINDOWS_H

#include "unit.h"

/* Up to 40 of them that begin before a time; the last one may be open, some are moments. */
static void add_windows(struct rfw *w, int64_t until_ns, uint64_t (*dice)(uint64_t))
{
    const uint64_t n = 1 + dice(dice(2) == 0 ? 3 : 40);
    const uint64_t each = (uint64_t)until_ns / n + 4;
    int64_t ns = (int64_t)dice(each);
    rfw_focus(w, dice(4) > 0);
    for (uint64_t i = 0; i < n; i++) {
        const int64_t begin_ns = ns, end_ns = ns + (int64_t)dice(dice(8) == 0 ? 2 : each);
        rfw_window(w, begin_ns, i + 1 == n && dice(3) == 0 ? RFW_OPEN : end_ns);
        ns = end_ns + 1 + (int64_t)dice(dice(8) == 0 ? 2 : each);
    }
}

#endif
