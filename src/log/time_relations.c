/* SPDX-License-Identifier: Apache-2.0 */
#include "log/time_relations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define NS_PER_SECOND 1000000000
#define REGISTERED    ((uint64_t)1 << 24) /* ids from here on are not predefined */
#define TYPE_TSC      10u                 /* NVTX_TIMESTAMP_TYPE_ */

struct rf_time_relation_found {
    struct rf_time_domain from, to;
    double slope;                /* 0: by the points */
    struct rf_sync_point anchor; /* of the slope */
    struct rf_sync_point *point; /* by `from`, each value of it once */
    size_t n, room;
    bool is_unsorted;
};

static bool is_same(struct rf_time_domain a, struct rf_time_domain b)
{
    return a.place == b.place && a.id == b.id;
}

int rf_time_relations_set_resolution(struct rf_time_relations *all, struct rf_time_domain domain,
                                     int64_t per_second)
{
    if (per_second <= 0)
        return RF_OK;
    if (rf_grow_array(&all->resolution, all->n_resolutions, &all->resolution_room,
                      sizeof(*all->resolution)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    all->resolution[all->n_resolutions++] = (struct rf_time_resolution){domain, per_second};
    return RF_OK;
}

static double resolution_of(const struct rf_time_relations *all, struct rf_time_domain domain)
{
    for (size_t i = all->n_resolutions; i-- > 0;)
        if (is_same(all->resolution[i].domain, domain))
            return (double)all->resolution[i].per_second;
    return NS_PER_SECOND;
}

static struct rf_time_relation_found *
find_or_add(struct rf_time_relations *all, struct rf_time_domain from, struct rf_time_domain to)
{
    for (size_t i = 0; i < all->n; i++)
        if (is_same(all->relation[i].from, from) && is_same(all->relation[i].to, to))
            return &all->relation[i];
    if (rf_grow_array(&all->relation, all->n, &all->room, sizeof(*all->relation)) != RF_OK)
        return NULL;
    all->relation[all->n] = (struct rf_time_relation_found){.from = from, .to = to};
    return &all->relation[all->n++];
}

int rf_time_relations_add(struct rf_time_relations *all, struct rf_time_domain from,
                          struct rf_time_domain to, double slope, const struct rf_sync_point *point,
                          size_t n)
{
    if (n == 0 || is_same(from, to) || !isfinite(slope) || slope < 0)
        return RF_OK;
    struct rf_time_relation_found *found = find_or_add(all, from, to);
    if (found == NULL)
        return RF_ERR_NO_MEMORY;
    if (slope > 0) {
        found->slope = slope;
        found->anchor = point[0];
        return RF_OK;
    }
    for (size_t i = 0; i < n; i++) {
        if (rf_grow_array(&found->point, found->n, &found->room, sizeof(*found->point)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        found->point[found->n++] = point[i];
    }
    found->is_unsorted = true;
    return RF_OK;
}

int rf_time_relations_add_type(struct rf_time_relations *all, struct rf_time_domain domain,
                               uint64_t scope, uint64_t type)
{
    const struct rf_sync_point zero = {0, 0};
    /* the ticks of a processor are what they are; other clocks are nanoseconds */
    const double slope = type == TYPE_TSC ? 1 : 0;
    if (scope >= REGISTERED || type == 0 || type >= REGISTERED)
        return RF_OK;
    return rf_time_relations_add(all, domain, (struct rf_time_domain){0, type}, slope, &zero, 1);
}

/* ---- Routes ---- */

static int compare_points(const void *left, const void *right)
{
    const struct rf_sync_point *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

/* Sorts the points. One that would let time run backwards says nothing. */
static void sort(struct rf_time_relation_found *r)
{
    size_t n = 0;
    if (!r->is_unsorted)
        return;
    qsort(r->point, r->n, sizeof(*r->point), compare_points);
    for (size_t i = 0; i < r->n; i++)
        if (n == 0 ||
            (r->point[i].from > r->point[n - 1].from && r->point[i].to > r->point[n - 1].to))
            r->point[n++] = r->point[i];
    r->n = n;
    r->is_unsorted = false;
}

struct search {
    const struct rf_time_relations *all;
    struct rf_time_domain *domain; /* that were reached, in the order of their distance */
    uint32_t *relation, *before;   /* by which, and from which of them */
    size_t n;
};

static bool was_reached(const struct search *s, struct rf_time_domain domain)
{
    for (size_t i = 0; i < s->n; i++)
        if (is_same(s->domain[i], domain))
            return true;
    return false;
}

static void go_on(struct search *s, size_t from)
{
    for (size_t i = 0; i < s->all->n; i++) {
        const struct rf_time_relation_found *r = &s->all->relation[i];
        const bool is_forward = is_same(r->from, s->domain[from]);
        if (!is_forward && !is_same(r->to, s->domain[from]))
            continue;
        const struct rf_time_domain next = is_forward ? r->to : r->from;
        if (was_reached(s, next))
            continue;
        s->domain[s->n] = next;
        s->relation[s->n] = (uint32_t)i;
        s->before[s->n++] = (uint32_t)from;
    }
}

/* Writes the way to the domain reached `at`. False: it is too long. */
static bool trace(const struct search *s, size_t at, struct rf_time_route *route)
{
    uint32_t n = 0;
    for (size_t i = at; i != 0; i = s->before[i])
        n++;
    if (n > RF_TIME_ROUTE_MOST)
        return false;
    route->n = n;
    for (size_t i = at; i != 0; i = s->before[i])
        route->step[--n] = (struct rf_time_step){
            s->relation[i], !is_same(s->all->relation[s->relation[i]].to, s->domain[i])};
    return true;
}

static bool find_target(const struct search *s, const struct rf_time_domain *target, size_t n,
                        struct rf_time_route *route)
{
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < s->n; i++)
            if (is_same(s->domain[i], target[t]) && trace(s, i, route)) {
                route->target = (uint32_t)t;
                return true;
            }
    return false;
}

bool rf_time_route_find(const struct rf_time_relations *all, struct rf_time_domain from,
                        const struct rf_time_domain *target, size_t n, struct rf_time_route *route)
{
    const size_t most = all->n + 1; /* every relation reaches one more domain at most */
    struct search s = {.all = all,
                       .domain = calloc(most, sizeof(*s.domain)),
                       .relation = calloc(most, sizeof(*s.relation)),
                       .before = calloc(most, sizeof(*s.before))};
    bool is_found = false;
    if (s.domain != NULL && s.relation != NULL && s.before != NULL) {
        for (size_t i = 0; i < all->n; i++)
            sort(&all->relation[i]);
        s.domain[s.n++] = from;
        for (size_t i = 0; i < s.n; i++)
            go_on(&s, i);
        is_found = find_target(&s, target, n, route);
    }
    free(s.domain);
    free(s.relation);
    free(s.before);
    return is_found;
}

/* ---- Times ---- */

static int64_t to_integer(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* a line with a slope through a point */
static int64_t by_slope(int64_t time, int64_t from, int64_t to, long double slope)
{
    const long double moved = ((long double)time - from) * slope + to;
    return moved >= (long double)INT64_MAX   ? INT64_MAX
           : moved <= (long double)INT64_MIN ? INT64_MIN
                                             : (int64_t)(moved + (moved < 0 ? -0.5L : 0.5L));
}

static int64_t value_of(const struct rf_sync_point *p, bool is_to)
{
    return is_to ? p->to : p->from;
}

/* Between two neighbouring points, and on beyond the first and the last ones. */
static int64_t by_points(const struct rf_time_relation_found *r, bool is_backward, int64_t time)
{
    size_t low = 0, high = r->n - 1; /* the line from low to low + 1 */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (value_of(&r->point[middle], is_backward) <= time)
            low = middle;
        else
            high = middle;
    }
    const struct rf_sync_point *a = &r->point[low], *b = &r->point[low + 1];
    const __int128 span = (__int128)value_of(b, is_backward) - value_of(a, is_backward);
    const __int128 rise = (__int128)value_of(b, !is_backward) - value_of(a, !is_backward);
    const __int128 gone = (__int128)time - value_of(a, is_backward);
    if (gone != 0 && (rise > INT64_MAX || gone > INT64_MAX || gone < INT64_MIN))
        return by_slope(time, value_of(a, is_backward), value_of(a, !is_backward),
                        (long double)rise / (long double)span);
    __int128 moved = gone * rise / span;
    moved -= gone * rise % span < 0; /* rounded down */
    return to_integer(value_of(a, !is_backward) + moved);
}

static int64_t apply(const struct rf_time_relations *all, const struct rf_time_step *step,
                     int64_t time)
{
    const struct rf_time_relation_found *r = &all->relation[step->relation];
    if (r->slope == 0 && r->n > 1)
        return by_points(r, step->is_backward, time);
    const struct rf_sync_point *at = r->slope > 0 ? &r->anchor : &r->point[0];
    const long double slope =
        r->slope > 0 ? r->slope
                     : (long double)resolution_of(all, r->to) / resolution_of(all, r->from);
    return step->is_backward ? by_slope(time, at->to, at->from, 1 / slope)
                             : by_slope(time, at->from, at->to, slope);
}

int64_t rf_time_route_apply(const struct rf_time_relations *all, const struct rf_time_route *route,
                            int64_t time)
{
    for (uint32_t i = 0; i < route->n; i++)
        time = apply(all, &route->step[i], time);
    return time;
}

void rf_time_relations_release(struct rf_time_relations *all)
{
    for (size_t i = 0; i < all->n; i++)
        free(all->relation[i].point);
    free(all->relation);
    free(all->resolution);
    memset(all, 0, sizeof(*all));
}
