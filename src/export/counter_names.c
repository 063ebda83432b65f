/* SPDX-License-Identifier: Apache-2.0 */
#include "export/counter_names.h"

#include <string.h>

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

uint32_t rf_counter_domain(const rf_recording *rec, const struct rf_counter *counter)
{
    return counter->nvtx != NULL ? rf_domain_at(rec, counter->nvtx->domain)->name : RF_NO_STRING;
}

uint32_t rf_counter_scope(const rf_recording *rec, const struct rf_counter *counter)
{
    static const char *const usual[] = {"process", "thread", "software"};
    const uint32_t scope = counter->nvtx != NULL ? counter->nvtx->scope : RF_NO_STRING;
    const char *text = rf_string(rec, scope, NULL);
    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && text != NULL; i++)
        if (strcmp(text, usual[i]) == 0)
            return RF_NO_STRING;
    return scope;
}

void rf_sink_counter_name(struct rf_sink *sink, const rf_recording *rec,
                          const struct rf_counter *counter, bool has_sets,
                          rf_sink_string_fn *put_string)
{
    const bool is_nvtx = counter->nvtx != NULL;
    const uint32_t domain = rf_counter_domain(rec, counter);
    const uint32_t set = is_nvtx    ? rf_counter_scope(rec, counter)
                         : has_sets ? counter->set
                                    : RF_NO_STRING;
    if (domain != RF_NO_STRING) {
        (void)put_string(sink, rec, domain);
        rf_sink_char(sink, ':');
    }
    if (rf_string(rec, counter->name, NULL) != NULL)
        (void)put_string(sink, rec, counter->name);
    else
        rf_sink_text(sink, "(null)");
    if (is_nvtx && counter->nvtx->thread != RF_NO_INDEX) {
        rf_sink_text(sink, " (thread ");
        rf_sink_u64(sink, rf_thread_at(rec, counter->nvtx->thread)->tid);
        rf_sink_char(sink, ')');
    }
    if (rf_string(rec, set, NULL) != NULL) {
        rf_sink_text(sink, " (");
        (void)put_string(sink, rec, set);
        rf_sink_char(sink, ')');
    }
}
