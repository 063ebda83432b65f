/* SPDX-License-Identifier: Apache-2.0 */
/* Below each process a track for every scope that is no thread, which is the track of the default
 * domain; those of other domains are below it. Push/pop ranges nest, start/end ranges lie on as
 * many tracks of the same name as are open at once. */
#include "export/perfetto/export_perfetto_scopes.h"

#include <stdlib.h>

#include "export/perfetto/export_perfetto_domains.h"
#include "export/perfetto/export_perfetto_nvtx.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/scoped_events.h"

#define FIRST_RANK ((uint32_t)3 << 20) /* behind the threads and domains of the process */

static int put_event(struct pf_writer *to, struct pf_domains *nested, struct pf_domains *apart,
                     const struct rf_scoped_event *scoped)
{
    const struct rf_event *event = scoped->event;
    const bool is_apart = event->kind == RF_EVENT_START_END;
    struct pf_track *track = pf_domain_track(to, is_apart ? apart : nested, event);
    if (track == NULL)
        return to->status;
    if (event->kind == RF_EVENT_MARK)
        return pf_put_annotation(to, PF_INSTANT, pf_track_instant(to, track, event->start_ns),
                                 scoped->thread, event);
    uint64_t uuid = is_apart ? pf_track_place_apart(to, track, event->start_ns, event->end_ns)
                             : pf_track_place(to, track, event->start_ns, event->end_ns);
    if (uuid == 0)
        return to->status;
    (void)pf_put_annotation(to, PF_BEGIN, uuid, scoped->thread, event);
    if (is_apart)
        pf_put_end(to, event->end_ns, uuid);
    return to->status;
}

static void put_scope(struct pf_writer *to, const struct rf_scoped_event *event, size_t n,
                      uint32_t number)
{
    struct pf_scope scope = {
        .parent = pf_process_uuid(to, event->process),
        .name = {.string = event->scope, .rank = (FIRST_RANK + number) & INT32_MAX}};
    struct pf_domains nested = {.thread = RF_NO_INDEX, .scope = &scope};
    struct pf_domains apart = nested;
    scope.uuid = pf_describe(to, scope.parent, &scope.name);
    for (size_t i = 0; i < n && to->status == RF_OK; i++)
        (void)put_event(to, &nested, &apart, &event[i]);
    pf_domains_finish(to, &nested);
    pf_domains_finish(to, &apart);
}

int pf_write_scopes(struct pf_writer *to)
{
    struct rf_scoped_events scoped;
    uint32_t number = 0;
    if (!to->has_scopes || to->status != RF_OK)
        return to->status;
    if (rf_find_scoped_events(to->rec, false, &scoped) != RF_OK)
        (void)pf_fail_memory(to);
    for (size_t i = 0, end; i < scoped.n && to->status == RF_OK; i = end) {
        end = rf_scoped_track_end(&scoped, i);
        put_scope(to, &scoped.event[i], end - i, number++);
    }
    free(scoped.event);
    return to->status;
}
