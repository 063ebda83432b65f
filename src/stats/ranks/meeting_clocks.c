/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/meeting_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "model/clocks/anchors.h"
#include "rangefinder/clocks.h"

#define MAX_LEFT 20 /* one in so many operations may end too early on a host */

struct aligning {
    struct rf_meetings *meetings;
    const struct rf_job_ranks *job;
    const rf_summary *summary;
    rf_align *align;
    struct rf_anchor *anchor; /* those of one rank after the other */
    size_t *first;            /* by rank, and one for the end */
    int64_t base_ns;
};

bool rf_meeting_is_anchor(const struct rf_meeting *meeting, const rf_summary *summary)
{
    size_t size = 0;
    const char *name = rf_summary_text(summary, meeting->of->operation, &size);
    return rf_is_anchor(meeting->of->kind, name, size);
}

/* The first rank of the same host; itself where that is not known. */
static uint32_t first_of_host(const struct rf_job_ranks *job, uint32_t rank)
{
    uint32_t i = 0;
    while (i < rank && !rf_job_ranks_share_clock(&job->rank[i], &job->rank[rank]))
        i++;
    return i;
}

/* A time of a member behind the base; false: too far away. */
static bool behind(const struct aligning *a, int64_t ns, int64_t *out)
{
    return !__builtin_sub_overflow(ns, a->base_ns, out);
}

static void list_anchors(struct aligning *a)
{
    const struct rf_meetings *meetings = a->meetings;
    size_t *next = &a->first[a->job->n + 1];
    memcpy(next, a->first, a->job->n * sizeof(*next));
    for (size_t i = 0; i < meetings->n; i++) {
        const struct rf_meeting *meeting = &meetings->meeting[i];
        const bool is_anchor = rf_meeting_is_anchor(meeting, a->summary);
        for (size_t k = 0; k < meeting->n && is_anchor; k++) {
            const struct rf_member *member = &meetings->member[meeting->first + k];
            struct rf_anchor *to = &a->anchor[next[member->rank]];
            to->key = i;
            next[member->rank] += behind(a, member->start_ns, &to->start_ns) &&
                                  behind(a, member->end_ns, &to->end_ns);
        }
    }
}

static int add_ranks(struct aligning *a)
{
    const size_t *next = &a->first[a->job->n + 1];
    int status = rf_align_new(&a->align, NULL);
    for (uint32_t r = 0; r < a->job->n && status == RF_OK; r++) {
        struct rf_clock clock = RF_CLOCK_INIT;
        const uint32_t host = first_of_host(a->job, r) + 1;
        memcpy(clock.boot_id, &host, sizeof(host));
        status =
            rf_align_add(a->align, &clock, &a->anchor[a->first[r]], next[r] - a->first[r], NULL);
    }
    return status == RF_OK ? rf_align_solve(a->align, NULL) : status;
}

/* Whether every rank that meets others has a place; fills clocks. */
static bool is_good(struct aligning *a, struct rf_meeting_clocks *clocks)
{
    struct rf_alignment one = RF_ALIGNMENT_INIT;
    *clocks = (struct rf_meeting_clocks){.n_hosts = 0};
    for (uint32_t r = 0; r < a->job->n; r++) {
        if (a->first[r + 1] == a->first[r])
            continue; /* it meets nobody */
        if (rf_align_at(a->align, r, &one) != RF_OK || one.method == RF_ALIGN_NONE ||
            one.uncertainty_ns < 0 || one.is_bent || one.n_left * MAX_LEFT > one.n_anchors)
            return false;
        clocks->n_hosts += one.machine == r;
        if (one.uncertainty_ns > clocks->uncertainty_ns)
            clocks->uncertainty_ns = one.uncertainty_ns;
        if (one.residual_ns > clocks->residual_ns)
            clocks->residual_ns = one.residual_ns;
    }
    return clocks->n_hosts > 1;
}

int64_t rf_meeting_clocks_ns(const struct rf_meeting_clocks *clocks, uint32_t rank, int64_t ns)
{
    int64_t at_ns, sum_ns;
    if (clocks->place == NULL || __builtin_sub_overflow(ns, clocks->base_ns, &at_ns) ||
        __builtin_add_overflow(rf_aligned_ns(&clocks->place[rank], at_ns), clocks->base_ns,
                               &sum_ns))
        return ns;
    return sum_ns;
}

static void move_members(struct rf_meetings *meetings)
{
    const struct rf_meeting_clocks *clocks = &meetings->clocks;
    for (size_t i = 0; i < meetings->n_members; i++) {
        struct rf_member *member = &meetings->member[i];
        member->start_ns = rf_meeting_clocks_ns(clocks, member->rank, member->start_ns);
        member->end_ns = rf_meeting_clocks_ns(clocks, member->rank, member->end_ns);
    }
    for (size_t i = 0; i < meetings->n; i++) {
        struct rf_meeting *meeting = &meetings->meeting[i];
        const struct rf_member *member = &meetings->member[meeting->first];
        meeting->start_ns = member->start_ns;
        for (size_t k = 1; k < meeting->n; k++)
            if (member[k].start_ns < meeting->start_ns)
                meeting->start_ns = member[k].start_ns;
    }
}

static int move_all(struct aligning *a)
{
    struct rf_alignment *place = calloc(a->job->n + 1, sizeof(*place));
    if (place == NULL)
        return RF_ERR_NO_MEMORY;
    for (uint32_t r = 0; r < a->job->n; r++) {
        place[r] = (struct rf_alignment)RF_ALIGNMENT_INIT;
        (void)rf_align_at(a->align, r, &place[r]);
    }
    a->meetings->clocks.place = place;
    a->meetings->clocks.base_ns = a->base_ns;
    move_members(a->meetings);
    return RF_OK;
}

int rf_meetings_align(struct rf_meetings *meetings, const struct rf_job_ranks *job,
                      const rf_summary *summary)
{
    struct aligning a = {.meetings = meetings, .job = job, .summary = summary};
    struct rf_meeting_clocks clocks;
    if (meetings->n == 0)
        return RF_OK;
    a.base_ns = meetings->meeting[0].start_ns;
    a.anchor = calloc(meetings->n_members + 1, sizeof(*a.anchor));
    a.first = calloc(2 * job->n + 2, sizeof(*a.first));
    int status = a.anchor != NULL && a.first != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        for (size_t i = 0; i < meetings->n_members; i++)
            a.first[meetings->member[i].rank + 1]++;
        for (size_t r = 0; r < job->n; r++)
            a.first[r + 1] += a.first[r];
        list_anchors(&a);
        status = add_ranks(&a);
    }
    if (status == RF_OK && is_good(&a, &clocks)) {
        meetings->clocks = clocks;
        status = move_all(&a);
    }
    rf_align_free(a.align);
    free(a.anchor);
    free(a.first);
    return status;
}
