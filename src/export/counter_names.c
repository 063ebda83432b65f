/* SPDX-License-Identifier: Apache-2.0 */
#include "export/counter_names.h"

uint32_t rf_counters_end(const rf_recording *rec, uint32_t first, bool *has_sets)
{
    const struct rf_counter *counter = rf_counter_at(rec, first), *at;
    uint32_t end = first;
    *has_sets = false;
    for (; (at = rf_counter_at(rec, end)) != NULL; end++) {
        if (at->device != counter->device || at->process != counter->process)
            break;
        *has_sets |= at->set != counter->set;
    }
    return end;
}
