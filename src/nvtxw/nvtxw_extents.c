/* SPDX-License-Identifier: Apache-2.0 */
#include "nvtxw/nvtxw_extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "log/layout.h"
#include "nvtxw/nvtxw_defs.h"
#include "nvtxw/nvtxw_stream.h"

/* Clocks whose times a reader knows, but for the session's own one, which is last. */
static const struct rf_time_domain known[] = {
    {0, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC},
    {0, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC_COARSE},
    {0, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME},
    {0, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME_COARSE},
    {0, NVTX_TIMESTAMP_TYPE_NONE},
};
enum { FIRST_REAL = 2, OWN = 4, N_KNOWN = 5 };

/* Predefined clocks whose times are nanoseconds. */
enum {
    FIRST_SYSTEM = NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME,
    LAST_SYSTEM = NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_THREAD_CPUTIME_ID,
};

#define MOST_NS (((int64_t)1 << 61) - 1) /* that a recording has */

static struct nvtxw_extent *find(struct nvtxw_extents *all, struct rf_time_domain of)
{
    const uint32_t i = rf_map_find(&all->index_of, of.place, of.id);
    if (i != RF_MAP_NONE)
        return &all->extent[i];
    if (rf_grow_array(&all->extent, all->n, &all->room, sizeof(*all->extent)) != RF_OK ||
        rf_map_set(&all->index_of, of.place, of.id, (uint32_t)all->n) != RF_OK)
        return NULL;
    all->extent[all->n] = (struct nvtxw_extent){.of = of, .first = INT64_MAX, .last = INT64_MIN};
    return &all->extent[all->n++];
}

static void add(struct nvtxw_extent *to, int64_t first, int64_t last)
{
    if (first < to->first)
        to->first = first;
    if (last > to->last)
        to->last = last;
}

/* Ticks per second of a registered time domain; 0: they are nanoseconds. */
static int64_t resolution_of(const struct nvtxw_stream *stream, uint64_t id)
{
    const struct rf_time_relations *all = &stream->session->relations;
    const struct rf_time_domain domain = nvtxw_time_domain(stream->domain, id);
    int64_t per_second = 0;
    (void)pthread_mutex_lock(&stream->session->lock);
    for (size_t i = 0; i < all->n_resolutions; i++)
        if (all->resolution[i].domain.place == domain.place &&
            all->resolution[i].domain.id == domain.id)
            per_second = all->resolution[i].per_second;
    (void)pthread_mutex_unlock(&stream->session->lock);
    return per_second > 0 ? per_second : 0;
}

/* Of a time domain that is new in a stream: its unit, and the skid in it, rounded up. */
static void measure_skid(const struct nvtxw_stream *stream, struct nvtxw_extent *extent)
{
    const uint64_t id = extent->of.id, ns = 1000000000, skid = (uint64_t)stream->order.skid;
    const int64_t per_second = id >= NVTXW_STATIC_IDS ? resolution_of(stream, id) : 0;
    extent->is_ns = per_second == 0 && (id >= NVTXW_STATIC_IDS || id == NVTX_TIMESTAMP_TYPE_NONE ||
                                        (id >= FIRST_SYSTEM && id <= LAST_SYSTEM));
    extent->is_ordered =
        skid == 0 || extent->is_ns || per_second > 0; /* others: no unit is known */
    const unsigned __int128 ticks =
        per_second > 0 ? ((unsigned __int128)skid * (uint64_t)per_second + ns - 1) / ns : skid;
    extent->skid = ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX;
}

/* Times that no recording has: they are placed, and move no other event. */
static bool is_far(const struct nvtxw_extent *extent, int64_t time)
{
    return extent->is_ns && (time > MOST_NS || time < -MOST_NS);
}

void nvtxw_extents_note(struct nvtxw_stream *stream, uint64_t time_domain, int64_t time)
{
    if (time_domain == 0)
        time_domain = stream->time_domain;
    if (time_domain == NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED)
        time_domain = 0;
    if (stream->extent == NULL || stream->extent->of.id != time_domain) {
        const size_t n = stream->extents.n;
        stream->extent = find(&stream->extents, (struct rf_time_domain){0, time_domain});
        if (stream->extents.n > n)
            measure_skid(stream, stream->extent);
    }
    if (stream->extent != NULL && !is_far(stream->extent, time))
        add(stream->extent, time, time);
}

void nvtxw_extents_release(struct nvtxw_extents *extents)
{
    free(extents->extent);
    rf_map_release(&extents->index_of);
    *extents = (struct nvtxw_extents){.n = 0};
}

bool nvtxw_extents_join(struct nvtxw_extents *to, const struct nvtxw_domain *domain,
                        const struct nvtxw_extents *from)
{
    for (size_t i = 0; i < from->n; i++) {
        if (from->extent[i].first > from->extent[i].last)
            continue; /* all of its times are far */
        struct nvtxw_extent *extent = find(to, nvtxw_time_domain(domain, from->extent[i].of.id));
        if (extent == NULL)
            return false;
        add(extent, from->extent[i].first, from->extent[i].last);
    }
    return true;
}

/* ---- The clock ---- */

static int64_t real_less_mono(const struct rf_control *control)
{
    return control->clock[0].real_ns - control->clock[0].mono_ns;
}

/* A time in nanoseconds of the session's clock: CLOCK_MONOTONIC, where that is known. */
static int64_t to_ns(const struct nvtxw_session *session, const struct rf_time_route *route,
                     int64_t time)
{
    const int64_t ns = rf_time_route_apply(&session->relations, route, time);
    const bool is_real = route->target >= FIRST_REAL && route->target < OWN;
    int64_t mono_ns = ns;
    if (is_real && __builtin_sub_overflow(ns, real_less_mono(session->dir.control), &mono_ns))
        mono_ns = ns;
    return mono_ns;
}

/* What of the times is on a clock that is known. Returns whether any is. */
static bool measure(const struct nvtxw_session *session, struct nvtxw_extent *all)
{
    *all = (struct nvtxw_extent){.first = INT64_MAX, .last = INT64_MIN};
    for (size_t i = 0; i < session->extents.n; i++) {
        const struct nvtxw_extent *extent = &session->extents.extent[i];
        struct rf_time_route route;
        if (rf_time_route_find(&session->relations, extent->of, known, N_KNOWN, &route))
            add(all, to_ns(session, &route, extent->first), to_ns(session, &route, extent->last));
    }
    return all->first <= all->last;
}

/* Relates the first time domain to the session's clock: from time to time, by its resolution. */
static int adopt(struct nvtxw_session *session, const struct nvtxw_extent *extent)
{
    const nvtxSyncPoint_t point = {0, 0};
    const struct rf_time_relation relation = {
        .from = extent->of.id, .to = NVTX_TIMESTAMP_TYPE_NONE, .n_points = 1, .point = &point};
    for (size_t i = 0; i < session->n_domains; i++)
        if (nvtxw_time_domain(session->domain[i], extent->of.id).place == extent->of.place)
            return nvtxw_relate(session->domain[i], &relation);
    return NVTXW_SUCCESS;
}

static int64_t limit(int64_t ns)
{
    return ns > MOST_NS ? MOST_NS : ns < -MOST_NS ? -MOST_NS : ns;
}

/* A pair with a real_ns of 0 would not be valid. */
static struct rf_clock_pair pair_at(int64_t begin_ns, int64_t mono_ns, int64_t difference_ns)
{
    const int64_t real_ns = mono_ns + difference_ns;
    return (struct rf_clock_pair){.ticks = NVTXW_TICKS + (uint64_t)(mono_ns - begin_ns),
                                  .mono_ns = mono_ns,
                                  .real_ns = real_ns != 0 ? real_ns : 1};
}

int nvtxw_extents_set_clock(struct nvtxw_session *session)
{
    struct rf_control *control = session->dir.control;
    struct nvtxw_extent all;
    int result = NVTXW_SUCCESS;
    bool is_known = measure(session, &all);
    if (!is_known && session->extents.n > 0) {
        result = adopt(session, &session->extents.extent[0]);
        is_known = measure(session, &all);
    }
    if (!is_known)
        all.first = all.last = control->clock[0].mono_ns;
    const int64_t begin_ns = limit(all.first), end_ns = limit(all.last);
    const int64_t difference_ns = real_less_mono(control);
    control->clock[0] = pair_at(begin_ns, begin_ns, difference_ns);
    control->clock[1] = pair_at(begin_ns, end_ns, difference_ns);
    control->n_clocks = 2;
    return result;
}
