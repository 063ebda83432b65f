/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto/export_perfetto_domains.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

/* Those of calls follow. */
#define MAX_RANK ((uint32_t)1 << 19)

/* ---- Names ---- */

void pf_name_domain(struct pf_writer *to, struct pf_track_name *name,
                    const struct rf_domain *domain, const char *prefix)
{
    char number[32]; /* stands for a name */
    (void)snprintf(number, sizeof(number), "domain %u", domain->id);
    *name = (struct pf_track_name){.string = domain->is_valid ? domain->name : RF_NO_STRING,
                                   .rank = domain->id};
    rf_sink_text(&to->words, prefix);
    if (!domain->is_valid)
        rf_sink_hex(&to->words, domain->handle);
    else if (rf_string(to->rec, domain->name, NULL) == NULL)
        rf_sink_text(&to->words, domain->id == 0 ? "NVTX" : number);
    (void)snprintf(name->text, sizeof(name->text), "%.*s", (int)to->words.used, to->words.buffer);
    to->words.used = 0;
}

void pf_name_start_ends(struct pf_writer *to, struct pf_track_name *name,
                        const struct rf_domain *domain)
{
    const struct rf_process *process = rf_process_at(to->rec, domain->process);
    bool is_one_of_many = rf_n_processes(to->rec) > 1 || to->job->merging != NULL;
    pf_name_domain(to, name, domain, "start/end: ");
    if (is_one_of_many && process != NULL)
        name->pid = process->pid;
}

void pf_name_category(const struct pf_writer *to, struct pf_track_name *name,
                      const struct rf_event *event)
{
    *name = (struct pf_track_name){
        .string = rf_category_name(to->rec, event->domain, event->category),
        .rank = event->category < MAX_RANK ? event->category : MAX_RANK,
    };
    if (rf_string(to->rec, name->string, NULL) == NULL)
        (void)snprintf(name->text, sizeof(name->text), "category %u", event->category);
}

/* ---- Tracks ---- */

static void begin_domain(struct pf_writer *to, const struct pf_domains *domains, uint32_t index,
                         struct pf_track *track)
{
    struct pf_track_name name;
    const struct rf_domain *domain = rf_domain_at(to->rec, index);
    bool is_of_thread = domains->thread != RF_NO_INDEX;
    uint64_t parent =
        is_of_thread ? pf_thread_uuid(to, domains->thread) : pf_process_uuid(to, domain->process);
    if (is_of_thread)
        pf_name_domain(to, &name, domain, "");
    else
        pf_name_start_ends(to, &name, domain);
    pf_track_begin(track, parent, &name);
    if (is_of_thread && domain->id == 0 && domain->is_valid)
        track->first_uuid = parent;
}

/* The track of the default domain is that of the scope. */
static void begin_in_scope(struct pf_writer *to, struct pf_scope *scope, uint32_t index,
                           struct pf_track *track)
{
    struct pf_track_name name;
    const struct rf_domain *domain = rf_domain_at(to->rec, index);
    if (domain->id != 0 || !domain->is_valid) {
        pf_name_domain(to, &name, domain, "");
        pf_track_begin(track, scope->uuid, &name);
        return;
    }
    pf_track_begin(track, scope->parent, &scope->name);
    if (!scope->is_used)
        track->first_uuid = scope->uuid;
    scope->is_used = true;
}

static bool make_room(struct pf_writer *to, struct pf_domains *domains, uint32_t domain,
                      uint64_t key)
{
    int status =
        rf_grow_array(&domains->track, domains->n, &domains->capacity, sizeof(*domains->track));
    if (status == RF_OK)
        status = rf_map_set(&domains->number_of, domain, key, domains->n);
    return status == RF_OK || pf_fail_memory(to) == RF_OK;
}

/* The number of a track, or RF_MAP_NONE. */
static uint32_t find(struct pf_writer *to, struct pf_domains *domains, const struct rf_event *event,
                     uint64_t key)
{
    struct pf_track_name name;
    uint64_t parent = 0;
    uint32_t number = rf_map_find(&domains->number_of, event->domain, key);
    if (number != RF_MAP_NONE)
        return number;
    if (key != 0) {
        uint32_t domain = find(to, domains, event, 0);
        parent = domain != RF_MAP_NONE ? pf_track_uuid(to, &domains->track[domain]) : 0;
        if (parent == 0)
            return RF_MAP_NONE;
    }
    if (!make_room(to, domains, event->domain, key))
        return RF_MAP_NONE;
    if (key == 0 && domains->scope != NULL) {
        begin_in_scope(to, domains->scope, event->domain, &domains->track[domains->n]);
    } else if (key == 0) {
        begin_domain(to, domains, event->domain, &domains->track[domains->n]);
    } else {
        pf_name_category(to, &name, event);
        pf_track_begin(&domains->track[domains->n], parent, &name);
    }
    return domains->n++;
}

struct pf_track *pf_find_domain_track(struct pf_writer *to, struct pf_domains *domains,
                                      const struct rf_event *event, uint64_t key)
{
    uint32_t number = find(to, domains, event, key);
    if (number == RF_MAP_NONE)
        return NULL;
    domains->last = number;
    domains->last_domain = event->domain;
    domains->last_key = key;
    return &domains->track[number];
}

void pf_domains_finish(struct pf_writer *to, struct pf_domains *domains)
{
    for (uint32_t i = 0; i < domains->n; i++)
        pf_track_finish(to, &domains->track[i]);
    free(domains->track);
    rf_map_release(&domains->number_of);
}
