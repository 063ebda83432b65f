/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nvtx/nvtx_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/load/load.h"
#include "model/payload/nvtx_definitions.h"

#define MOST_HZ 1e18 /* of a file that makes sense */

/* NVTX_TIMESTAMP_TYPE_ */
enum {
    STAMP_NONE = 0,
    STAMP_TOOL = 1,
    STAMP_TSC = 10,
    STAMP_REALTIME = 12,
    STAMP_REALTIME_COARSE = 13,
    STAMP_MONOTONIC = 14,
    STAMP_MONOTONIC_COARSE = 16,
};

#define HOUR_NS ((int64_t)3600 * 1000000000)

/* ---- Which clock a time domain is ---- */

/* A domain is the same one wherever it is inherited: it has the place of its definition. */
static struct rf_time_domain domain_of(const struct rf_nvtx_clocks *clocks, uint32_t domain,
                                       uint64_t id)
{
    const rf_recording *rec = clocks->load->rec;
    if (id < RF_NVTX_STATIC_IDS)
        return (struct rf_time_domain){0, id != STAMP_TOOL ? id : STAMP_NONE};
    const uint32_t definition = rf_nvtx_find(rec, RF_NVTX_DEF_TIME_DOMAIN, domain, id);
    return (struct rf_time_domain){
        definition != RF_NO_INDEX ? 1 + (uint64_t)definition : ~(uint64_t)domain, id};
}

static int add_registered(struct rf_nvtx_clocks *clocks, const struct rf_nvtx_definition *d)
{
    struct rf_time_domain_def def;
    if (!rf_nvtx_read(d, 0, &def, sizeof(def)))
        return RF_OK;
    const struct rf_time_domain domain = domain_of(clocks, d->domain, d->id);
    int status = rf_time_relations_set_resolution(&clocks->relations, domain, def.resolution);
    return status == RF_OK
               ? rf_time_relations_add_type(&clocks->relations, domain, def.scope,
                                            def.type == STAMP_TOOL ? STAMP_NONE : def.type)
               : status;
}

static int add_relation(struct rf_nvtx_clocks *clocks, const struct rf_nvtx_definition *d)
{
    struct rf_time_relation_def def;
    if (!rf_nvtx_read(d, 0, &def, sizeof(def)))
        return RF_OK;
    const size_t room = (d->size - sizeof(def)) / sizeof(struct rf_sync_point);
    const size_t n = def.n_points < room ? def.n_points : room;
    struct rf_sync_point *point = n > 0 ? malloc(n * sizeof(*point)) : NULL;
    if (n == 0)
        return RF_OK;
    if (point == NULL)
        return RF_ERR_NO_MEMORY;
    memcpy(point, d->bytes + sizeof(def), n * sizeof(*point));
    const int status =
        rf_time_relations_add(&clocks->relations, domain_of(clocks, d->domain, def.from),
                              domain_of(clocks, d->domain, def.to), def.slope, point, n);
    free(point);
    return status;
}

static void read_relations(struct rf_nvtx_clocks *clocks)
{
    const struct rf_nvtx_definitions *all = clocks->load->rec->nvtx;
    if (clocks->has_relations)
        return;
    clocks->has_relations = true;
    if (!clocks->load->rec->control.is_written) {
        const double rate = clocks->load->timeline.hz;
        const int64_t hz = rate >= 1 && rate < MOST_HZ ? (int64_t)rate : 0; /* 0: not known */
        const struct rf_time_domain own = {0, STAMP_NONE}, tsc = {0, STAMP_TSC};
        clocks->status = rf_time_relations_set_resolution(&clocks->relations, own, hz);
        if (clocks->status == RF_OK)
            clocks->status = rf_time_relations_set_resolution(&clocks->relations, tsc, hz);
    }
    for (uint32_t i = 0; all != NULL && i < all->n && clocks->status == RF_OK; i++) {
        const struct rf_nvtx_definition *d = &all->definition[i];
        if (d->kind == RF_NVTX_DEF_TIME_DOMAIN)
            clocks->status = add_registered(clocks, d);
        else if (d->kind == RF_NVTX_DEF_TIME_RELATION)
            clocks->status = add_relation(clocks, d);
    }
}

/* The clocks that can be read, best first: those of the recording itself; but what NVTXW has
 * written has its own clock only where no other one is known. */
static size_t list_known(const struct rf_nvtx_clocks *clocks, struct rf_time_domain *known)
{
    const struct rf_control *control = &clocks->load->rec->control;
    size_t n = 0;
    if (!control->is_written) {
        known[n++].id = STAMP_NONE;
        if (control->clock_kind == RF_CLOCK_TSC)
            known[n++].id = STAMP_TSC;
    }
    known[n++].id = STAMP_MONOTONIC;
    known[n++].id = STAMP_MONOTONIC_COARSE;
    known[n++].id = STAMP_REALTIME;
    known[n++].id = STAMP_REALTIME_COARSE;
    if (control->is_written)
        known[n++].id = STAMP_NONE;
    return n;
}

static void find_route(struct rf_nvtx_clocks *clocks, struct rf_nvtx_clock *clock)
{
    struct rf_time_domain known[6] = {{0, 0}};
    const struct rf_time_domain from = domain_of(clocks, clock->domain, clock->id);
    const size_t n = list_known(clocks, known);
    const bool has_own = !clocks->load->rec->control.is_written || from.id != STAMP_NONE;
    read_relations(clocks);
    for (size_t i = 0; i < n && has_own; i++)
        if (from.place == 0 && from.id == known[i].id) { /* whatever it is related to */
            clock->is_known = true;
            clock->type = from.id;
            return;
        }
    clock->is_known = rf_time_route_find(&clocks->relations, from, known, n, &clock->route);
    clock->type = clock->is_known ? known[clock->route.target].id : 0;
}

/* NULL: out of memory. */
static const struct rf_nvtx_clock *find_clock(struct rf_nvtx_clocks *clocks, uint32_t domain,
                                              uint64_t id)
{
    if (id < RF_NVTX_STATIC_IDS)
        domain = 0; /* the same clock in all of them */
    for (size_t i = clocks->last, n = 0; n < clocks->n; n++, i = i + 1 < clocks->n ? i + 1 : 0)
        if (clocks->clock[i].id == id && clocks->clock[i].domain == domain) {
            clocks->last = i;
            return &clocks->clock[i];
        }
    if (rf_grow_array(&clocks->clock, clocks->n, &clocks->room, sizeof(*clocks->clock)) != RF_OK) {
        clocks->status = RF_ERR_NO_MEMORY;
        return NULL;
    }
    struct rf_nvtx_clock *clock = &clocks->clock[clocks->n];
    *clock = (struct rf_nvtx_clock){.id = id, .domain = domain};
    find_route(clocks, clock);
    clocks->last = clocks->n++;
    return clock;
}

bool rf_nvtx_knows_clock(struct rf_nvtx_clocks *clocks, uint32_t domain, uint64_t id)
{
    const struct rf_nvtx_clock *clock = find_clock(clocks, domain, id);
    return clock != NULL && clock->is_known;
}

/* ---- Times ---- */

static uint64_t ticks_of_real(struct rf_nvtx_clocks *clocks, int64_t real_ns, int *status)
{
    struct rf_load *load = clocks->load;
    if (!clocks->has_real)
        *status = rf_cuda_clock_finish(&clocks->real, &load->rec->control, load->timeline.hz);
    clocks->has_real = *status == RF_OK;
    return clocks->has_real ? rf_cuda_ticks(&clocks->real, real_ns > 0 ? (uint64_t)real_ns : 0) : 0;
}

static int64_t since_epoch(int64_t mono_ns, int64_t epoch_ns)
{
    __int128 ns = (__int128)mono_ns - epoch_ns;
    ns = ns > RF_TIMELINE_MAX ? RF_TIMELINE_MAX : ns;
    return (int64_t)(ns < -RF_TIMELINE_MAX ? -RF_TIMELINE_MAX : ns);
}

int64_t rf_nvtx_ns(struct rf_nvtx_clocks *clocks, uint32_t domain, uint64_t id, int64_t timestamp,
                   int *status)
{
    const struct rf_load *load = clocks->load;
    const struct rf_timeline *timeline = &load->timeline;
    const struct rf_nvtx_clock *clock = find_clock(clocks, domain, id);
    if (clocks->status != RF_OK)
        *status = clocks->status;
    if (clock == NULL)
        return 0;
    if (clock->route.n > 0)
        timestamp = rf_time_route_apply(&clocks->relations, &clock->route, timestamp);
    const bool is_own = clock->type == STAMP_NONE && load->rec->control.is_written;
    if (is_own || clock->type == STAMP_MONOTONIC || clock->type == STAMP_MONOTONIC_COARSE)
        return since_epoch(timestamp, timeline->epoch_mono_ns);
    uint64_t ticks = (uint64_t)timestamp;
    if (clock->type == STAMP_REALTIME || clock->type == STAMP_REALTIME_COARSE)
        ticks = ticks_of_real(clocks, timestamp, status);
    return rf_timeline_ns(timeline, &clocks->line, ticks);
}

static int64_t find_last(const struct rf_load *load)
{
    int64_t last_ns = load->timeline.last_pair_ns;
    for (uint32_t i = 0; i < load->rec->n_processes; i++)
        if (load->process[i].last_ns > last_ns)
            last_ns = load->process[i].last_ns;
    for (uint32_t i = 0; i < load->n_threads; i++)
        if (load->thread[i]->last_ns > last_ns)
            last_ns = load->thread[i]->last_ns;
    return last_ns;
}

bool rf_nvtx_is_near(struct rf_nvtx_clocks *clocks, int64_t ns)
{
    if (clocks->load->rec->control.is_written)
        return ns > -RF_TIMELINE_MAX && ns < RF_TIMELINE_MAX;
    if (!clocks->has_last)
        clocks->last_ns = find_last(clocks->load);
    clocks->has_last = true;
    const int64_t most_ns = clocks->last_ns > HOUR_NS ? clocks->last_ns : HOUR_NS;
    return ns >= -most_ns && ns - most_ns <= clocks->last_ns;
}

void rf_nvtx_clocks_release(struct rf_nvtx_clocks *clocks)
{
    rf_cuda_clock_release(&clocks->real);
    rf_time_relations_release(&clocks->relations);
    free(clocks->clock);
}
