/* SPDX-License-Identifier: Apache-2.0 */
#include "model/private_access.h"

#include <string.h>

#include "model/payload/payload_sets.h"
#include "model/recording.h"

const struct rf_call *rf_recording_calls(const rf_recording *rec, uint32_t thread, size_t *n)
{
    size_t n_calls = rec->calls != NULL && thread < rec->n_threads ? rec->calls[thread].n : 0;
    if (n != NULL)
        *n = n_calls;
    return n_calls > 0 ? rec->calls[thread].call : NULL;
}

const struct rf_counter_origin *rf_counter_origin_at(const rf_recording *rec, uint32_t i)
{
    return rec->counter_origin != NULL && i < rec->n_counters ? &rec->counter_origin[i] : NULL;
}

const struct rf_sums *rf_recording_sums(const rf_recording *rec)
{
    return rec->sums;
}

const char *rf_recording_group_by(const rf_recording *rec)
{
    return rec->group_by != 0 ? rf_string(rec, rec->group_by - 1, NULL) : NULL;
}

const struct rf_work_sums *rf_recording_work_sums(const rf_recording *rec)
{
    return rec->work_sums;
}

const struct rf_launch_sums *rf_recording_launch_sums(const rf_recording *rec)
{
    return rec->launch_sums;
}

const struct rf_projected_sums *rf_recording_projected_sums(const rf_recording *rec)
{
    return rec->projected_sums;
}

const struct rf_sums *rf_recording_paths(const rf_recording *rec)
{
    return rec->paths;
}

const struct rf_sums *rf_recording_named_work(const rf_recording *rec)
{
    return rec->named_work;
}

static int64_t clock_spread_ns(const struct rf_control *control)
{
    int64_t least = INT64_MAX, most = INT64_MIN, spread = -1;
    size_t n = 0;
    for (size_t i = 0; i < RF_MAX_CLOCKS; i++) {
        const struct rf_clock_pair *pair = &control->clock[i];
        int64_t distance_ns;
        if (pair->real_ns == 0 ||
            __builtin_sub_overflow(pair->real_ns, pair->mono_ns, &distance_ns))
            continue;
        least = distance_ns < least ? distance_ns : least;
        most = distance_ns > most ? distance_ns : most;
        n++;
    }
    return n > 1 && !__builtin_sub_overflow(most, least, &spread) ? spread : -1;
}

void rf_recording_origin(const rf_recording *rec, struct rf_recording_origin *out)
{
    memcpy(out->session_id, rec->control.session_id, sizeof(out->session_id));
    memcpy(out->boot_id, rec->control.boot_id, sizeof(out->boot_id));
    out->clock_spread_ns = clock_spread_ns(&rec->control);
}

bool rf_has_scopes(const rf_recording *rec)
{
    for (uint32_t i = 0; rec->payloads != NULL && i < rec->payloads->n; i++)
        if (rec->payloads->set[i].scope != RF_NO_STRING)
            return true;
    return false;
}

uint32_t rf_event_scope(const rf_recording *rec, const struct rf_event *event)
{
    if (event->payload_type != RF_TYPE_EXTENDED)
        return RF_NO_STRING;
    const struct rf_payload_set *set = rf_payload_set_of(rec, event);
    return set != NULL ? set->scope : RF_NO_STRING;
}

bool rf_has_rank(const rf_recording *rec)
{
    bool is_known = rf_get_info(rec)->rank >= 0;
    for (uint32_t i = 0; i < rf_n_processes(rec) && !is_known; i++)
        is_known = rf_process_at(rec, i)->rank >= 0;
    return is_known;
}
