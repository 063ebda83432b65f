/* SPDX-License-Identifier: Apache-2.0 */
#include "model/filter/filter_event.h"

#include "model/fields/event_names.h"
#include "model/filter/activities.h"
#include "model/filter/filter_windows.h"
#include "model/private_access.h"

/* Events that name or create something are kept: later events may refer to it. */
bool rf_filter_has_event(const struct rf_filter *filter, const struct rf_event *event)
{
    if ((filter->activities & RF_ACTIVITY_NVTX) == 0)
        return false;
    switch (event->kind) {
    case RF_EVENT_PUSH_POP:
    case RF_EVENT_START_END:
        return !(filter->has_no_cut && rf_is_cut(event)) &&
               rf_filter_has_time(filter, event->start_ns, event->end_ns);
    case RF_EVENT_MARK:
    case RF_EVENT_DOMAIN_DESTROY:
    case RF_EVENT_RESOURCE_DESTROY:
    case RF_EVENT_SYNC_DESTROY:
        return rf_filter_has_time(filter, event->start_ns, event->start_ns);
    default:
        return !rf_event_is_instant(event) ||
               rf_filter_has_time(filter, event->start_ns, event->start_ns);
    }
}
