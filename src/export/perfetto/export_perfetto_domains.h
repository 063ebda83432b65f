/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of domains, and, where that is asked for, below them those of their categories. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_DOMAINS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_DOMAINS_H

#include "base/map.h"
#include "export/perfetto/export_perfetto_tracks.h"

/* A place below a process, whose track is described already. */
struct pf_scope {
    uint64_t parent, uuid;
    struct pf_track_name name;
    bool is_used; /* by the default domain: what does not fit goes to others of that name */
};

struct pf_domains {
    uint32_t thread;         /* whose they are; RF_NO_INDEX: of start/end ranges of processes, or */
    struct pf_scope *scope;  /* of a scope; NULL: of none */
    struct rf_map number_of; /* (domain, pf_category_key()) */
    struct pf_track *track;
    uint32_t n;
    size_t capacity;
    uint32_t last; /* number of the one used last */
    uint32_t last_domain;
    uint64_t last_key;
};

/* What the tracks of a domain, of its start/end ranges, and of an event's category are called. */
void pf_name_domain(struct pf_writer *to, struct pf_track_name *name,
                    const struct rf_domain *domain, const char *prefix);
void pf_name_start_ends(struct pf_writer *to, struct pf_track_name *name,
                        const struct rf_domain *domain);
void pf_name_category(const struct pf_writer *to, struct pf_track_name *name,
                      const struct rf_event *event);

/* Makes the track for events of a domain and key. NULL on failure, which is in to->status. */
struct pf_track *pf_find_domain_track(struct pf_writer *to, struct pf_domains *domains,
                                      const struct rf_event *event, uint64_t key);

/* Finishes the tracks and frees them. */
void pf_domains_finish(struct pf_writer *to, struct pf_domains *domains);

/* Which of a domain's tracks an event lies on; 0: the domain's own. */
static inline uint64_t pf_category_key(const struct pf_writer *to, const struct rf_event *event)
{
    bool has_own = to->by_category && event->kind <= RF_EVENT_MARK &&
                   (event->flags & RF_EVENT_HAS_CATEGORY) != 0;
    return has_own ? (uint64_t)event->category + 1 : 0;
}

/* The track of an event; see pf_find_domain_track(). */
static inline struct pf_track *pf_domain_track(struct pf_writer *to, struct pf_domains *domains,
                                               const struct rf_event *event)
{
    uint64_t key = pf_category_key(to, event);
    if (domains->n > 0 && domains->last_domain == event->domain && domains->last_key == key)
        return &domains->track[domains->last];
    return pf_find_domain_track(to, domains, event, key);
}

#endif
