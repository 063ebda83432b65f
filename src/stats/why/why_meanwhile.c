/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_meanwhile.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/grow.h"

#define VISITS 8 /* per event of the recording */

/* Who is told of the time of a lane; add is NULL before an instance. */
struct told {
    int (*add)(void *context, uint32_t thread, const struct rf_event *range, uint64_t ns);
    void *context;
};

void rf_why_meanwhile_init(struct rf_why_meanwhile *m, const rf_recording *rec)
{
    *m = (struct rf_why_meanwhile){.rec = rec, .process = RF_NO_INDEX};
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        (void)rf_thread_events(rec, t, &n);
        m->n_visits += VISITS * (uint64_t)n;
    }
}

void rf_why_meanwhile_release(struct rf_why_meanwhile *m)
{
    for (size_t i = 0; i < RF_WHY_MAX_LANES; i++)
        free(m->lane[i].open);
}

/* ---- Lanes ---- */

static size_t count_events(const rf_recording *rec, uint32_t thread)
{
    size_t n = 0;
    (void)rf_thread_events(rec, thread, &n);
    return n;
}

/* Where a thread is to be put: behind the others, or for that with the fewest events if it has
 * more; NULL: nowhere. */
static uint32_t *place_for(struct rf_why_meanwhile *m, uint32_t thread)
{
    if (m->n_most < sizeof(m->most) / sizeof(m->most[0]))
        return &m->most[m->n_most++];
    uint32_t *least = &m->most[0];
    for (size_t i = 1; i < m->n_most; i++)
        if (count_events(m->rec, m->most[i]) < count_events(m->rec, *least))
            least = &m->most[i];
    return count_events(m->rec, thread) > count_events(m->rec, *least) ? least : NULL;
}

static void find_most(struct rf_why_meanwhile *m, uint32_t process)
{
    m->process = process;
    m->n_most = 0;
    for (uint32_t t = 0; t < rf_n_threads(m->rec); t++) {
        bool is_wanted = rf_thread_at(m->rec, t)->process == process && count_events(m->rec, t) > 0;
        uint32_t *place = is_wanted ? place_for(m, t) : NULL;
        if (place != NULL)
            *place = t;
    }
}

void rf_why_meanwhile_begin(struct rf_why_meanwhile *m, uint32_t thread)
{
    const uint32_t process = rf_thread_at(m->rec, thread)->process;
    if (process != m->process)
        find_most(m, process);
    m->n_lanes = 0;
    m->at_ns = INT64_MIN;
    for (size_t i = 0; i < m->n_most && m->n_lanes < RF_WHY_MAX_LANES; i++) {
        if (m->most[i] == thread)
            continue;
        struct rf_why_lane *lane = &m->lane[m->n_lanes++];
        lane->thread = m->most[i];
        lane->next = lane->n_open = 0;
        lane->at_ns = INT64_MIN;
    }
}

/* ---- Time ---- */

static int spend(struct rf_why_meanwhile *m, struct rf_why_lane *lane, int64_t until_ns,
                 const struct told *told)
{
    const int64_t from_ns = lane->at_ns;
    lane->at_ns = until_ns;
    if (told->add == NULL || lane->n_open == 0)
        return RF_OK;
    const struct rf_event *range =
        rf_thread_event_at(m->rec, lane->thread, lane->open[lane->n_open - 1].event);
    return told->add(told->context, lane->thread, range, (uint64_t)until_ns - (uint64_t)from_ns);
}

/* Gives the time up to until_ns to what was open. */
static int settle(struct rf_why_meanwhile *m, struct rf_why_lane *lane, int64_t until_ns,
                  const struct told *told)
{
    int status = RF_OK;
    while (status == RF_OK && lane->n_open > 0 && lane->open[lane->n_open - 1].end_ns <= until_ns) {
        if (lane->open[lane->n_open - 1].end_ns > lane->at_ns)
            status = spend(m, lane, lane->open[lane->n_open - 1].end_ns, told);
        lane->n_open--;
    }
    return status == RF_OK && until_ns > lane->at_ns ? spend(m, lane, until_ns, told) : status;
}

/* Goes on with a lane, up to a time. */
static int go_to(struct rf_why_meanwhile *m, struct rf_why_lane *lane, int64_t until_ns,
                 const struct told *told)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(m->rec, lane->thread, &n);
    int status = RF_OK;
    for (; lane->next < n && event[lane->next].start_ns < until_ns && m->n_visits > 0 &&
           status == RF_OK;
         lane->next++, m->n_visits--) {
        const struct rf_event *range = &event[lane->next];
        if (range->kind != RF_EVENT_PUSH_POP)
            continue;
        status = settle(m, lane, range->start_ns, told);
        if (rf_grow_array(&lane->open, lane->n_open, &lane->room, sizeof(*lane->open)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        lane->open[lane->n_open++] =
            (struct rf_why_open_range){range->end_ns, (uint32_t)lane->next};
    }
    return status == RF_OK ? settle(m, lane, until_ns, told) : status;
}

int rf_why_meanwhile_between(struct rf_why_meanwhile *m, int64_t start_ns, int64_t end_ns,
                             int (*add)(void *context, uint32_t thread,
                                        const struct rf_event *range, uint64_t ns),
                             void *context)
{
    const struct told before = {NULL, NULL}, inside = {add, context};
    int status = RF_OK;
    if (start_ns < m->at_ns)
        return RF_OK;
    m->at_ns = end_ns;
    for (size_t i = 0; i < m->n_lanes && status == RF_OK && m->n_visits > 0; i++) {
        status = go_to(m, &m->lane[i], start_ns, &before);
        if (status == RF_OK)
            status = go_to(m, &m->lane[i], end_ns, &inside);
    }
    return status;
}
