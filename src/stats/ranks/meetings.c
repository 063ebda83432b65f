/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/ranks/meetings.h"

#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/grow.h"
#include "model/collectives/collectives.h"
#include "stats/ranks/meeting_clocks.h"

/* One in so many meetings may seem out of order: clocks are read in turn. */
#define MAX_DISORDER 20

/* A collective of a rank that is known. */
struct item {
    const struct rf_summary_collective *of;
    uint32_t rank;
    bool has_own;
    uint64_t own_ns;
};

struct items {
    struct item *item;
    size_t n;
    const rf_summary *summary;
};

/* ---- Which ones tell when a rank comes ---- */

static const char *operation_of(const rf_summary *summary, const struct rf_summary_collective *of,
                                size_t *size)
{
    const char *text = rf_summary_text(summary, of->operation, size);
    return text != NULL ? text : "";
}

static bool is_queued(const rf_summary *summary, const struct rf_summary_collective *of)
{
    size_t size;
    const char *name = operation_of(summary, of, &size);
    return !rf_collective_waits(of->kind, name, size);
}

/* Those that wait, if there are any: otherwise calls that queue. */
static int list_items(struct items *items, const struct rf_job_ranks *job, bool *is_of_queued)
{
    const struct rf_summary_collectives *all = &items->summary->collectives;
    bool has_waiting = false;
    items->item = malloc((all->n + 1) * sizeof(*items->item));
    if (items->item == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < all->n && !has_waiting; i++)
        has_waiting = all->item[i].rank >= 0 && !is_queued(items->summary, &all->item[i]);
    *is_of_queued = !has_waiting;
    for (size_t i = 0; i < all->n; i++) {
        const struct rf_summary_collective *of = &all->item[i];
        if (of->rank >= 0 && is_queued(items->summary, of) != has_waiting)
            items->item[items->n++] = (struct item){of, rf_job_ranks_find(job, of->rank), false, 0};
    }
    return RF_OK;
}

/* ---- What a rank did by itself before ---- */

static int by_rank_start(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    const int64_t values[][2] = {{x->rank, y->rank},
                                 {x->of->start_utc_ns, y->of->start_utc_ns},
                                 {y->of->end_utc_ns, x->of->end_utc_ns},
                                 {(int64_t)x->of->number, (int64_t)y->of->number}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i][0] != values[i][1])
            return values[i][0] < values[i][1] ? -1 : 1;
    return 0;
}

static void find_own(struct items *items)
{
    int64_t end = 0;
    if (items->n > 0)
        qsort(items->item, items->n, sizeof(*items->item), by_rank_start);
    for (size_t i = 0; i < items->n; i++) {
        struct item *item = &items->item[i];
        const bool is_first = i == 0 || item[-1].rank != item->rank;
        item->has_own = !is_first && item->of->start_utc_ns >= end;
        if (item->has_own)
            item->own_ns = (uint64_t)item->of->start_utc_ns - (uint64_t)end;
        if (is_first || item->of->end_utc_ns > end)
            end = item->of->end_utc_ns;
    }
}

/* ---- Matching ---- */

static int compare_groups(const rf_summary *summary, const struct rf_summary_collective *a,
                          const struct rf_summary_collective *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = a->operation == b->operation
                    ? 0
                    : rf_summary_compare_texts(summary, a->operation, b->operation);
    if (order == 0)
        order = (a->communicator > b->communicator) - (a->communicator < b->communicator);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static int by_meeting(const void *a, const void *b, void *context)
{
    const struct item *x = a, *y = b;
    int order = compare_groups(context, x->of, y->of);
    if (order == 0)
        order = (x->rank > y->rank) - (x->rank < y->rank);
    return order != 0 ? order : by_rank_start(a, b);
}

static bool is_ambiguous(const struct item *item, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (item[i].rank == item[i - 1].rank)
            return true;
    return false;
}

static int add_meeting(struct rf_meetings *meetings, const struct item *item, size_t n)
{
    struct rf_meeting meeting = {.of = item->of, .first = meetings->n_members, .n = n};
    meeting.start_ns = item->of->start_utc_ns;
    int status =
        rf_grow_array(&meetings->meeting, meetings->n, &meetings->room, sizeof(*meetings->meeting));
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        status = rf_grow_array(&meetings->member, meetings->n_members, &meetings->members_room,
                               sizeof(*meetings->member));
        if (status != RF_OK)
            break;
        meetings->member[meetings->n_members++] =
            (struct rf_member){.rank = item[i].rank,
                               .has_own = item[i].has_own,
                               .start_ns = item[i].of->start_utc_ns,
                               .end_ns = item[i].of->end_utc_ns,
                               .own_ns = item[i].own_ns};
        if (item[i].of->start_utc_ns < meeting.start_ns)
            meeting.start_ns = item[i].of->start_utc_ns;
    }
    if (status == RF_OK)
        meetings->meeting[meetings->n++] = meeting;
    return status;
}

static int match(struct rf_meetings *meetings, struct items *items)
{
    int status = RF_OK;
    if (items->n > 0)
        qsort_r(items->item, items->n, sizeof(*items->item), by_meeting, (void *)items->summary);
    for (size_t begin = 0, end = 0; begin < items->n && status == RF_OK; begin = end) {
        const struct item *item = &items->item[begin];
        while (end < items->n && compare_groups(items->summary, item->of, items->item[end].of) == 0)
            end++;
        if (end - begin < 2)
            meetings->n_alone++;
        else if (is_ambiguous(item, end - begin))
            meetings->n_ambiguous++;
        else
            status = add_meeting(meetings, item, end - begin);
    }
    return status;
}

/* ---- Arrivals and waits ---- */

static uint64_t duration_of(const struct rf_member *member)
{
    return (uint64_t)member->end_ns - (uint64_t)member->start_ns;
}

/* How long before the last rank it came, up to a constant: the less, the later. */
static uint64_t earliness(const struct rf_member *member, int64_t last_start_ns,
                          enum rf_meeting_method method)
{
    return method == RF_MEETING_BY_CLOCK ? (uint64_t)last_start_ns - (uint64_t)member->start_ns
                                         : duration_of(member);
}

static int64_t find_last_start(const struct rf_member *member, size_t n)
{
    int64_t last = member->start_ns;
    for (size_t i = 1; i < n; i++)
        last = member[i].start_ns > last ? member[i].start_ns : last;
    return last;
}

static void compare_members(struct rf_meeting *meeting, struct rf_member *member,
                            enum rf_meeting_method method)
{
    const int64_t last_start = find_last_start(member, meeting->n);
    uint64_t least = UINT64_MAX, next = UINT64_MAX;
    for (size_t i = 0; i < meeting->n; i++) {
        const uint64_t early = earliness(&member[i], last_start, method);
        if (early < least) {
            next = least;
            least = early;
            meeting->last = member[i].rank;
            meeting->transfer_ns = duration_of(&member[i]);
        } else if (early < next) {
            next = early;
        }
    }
    for (size_t i = 0; i < meeting->n; i++)
        member[i].wait_ns = earliness(&member[i], last_start, method) - least;
    meeting->cost_ns = next - least;
    if (meeting->cost_ns == 0)
        meeting->last = RF_NO_INDEX;
}

static void compare_all(struct rf_meetings *meetings)
{
    for (size_t i = 0; i < meetings->n; i++)
        compare_members(&meetings->meeting[i], &meetings->member[meetings->meeting[i].first],
                        meetings->method);
}

/* ---- Whether clocks can be right ---- */

static bool ends_before_last(const struct rf_member *member, size_t n)
{
    const int64_t last_start = find_last_start(member, n);
    for (size_t i = 0; i < n; i++)
        if (member[i].end_ns < last_start)
            return true;
    return false;
}

static int by_member_start(const void *a, const void *b)
{
    const struct rf_member *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Whether no two members are there at one time. room: for n members. */
static bool are_one_by_one(const struct rf_member *member, size_t n, struct rf_member *room)
{
    memcpy(room, member, n * sizeof(*room));
    qsort(room, n, sizeof(*room), by_member_start);
    for (size_t i = 1; i < n; i++)
        if (room[i].start_ns <= room[i - 1].end_ns)
            return false;
    return true;
}

/* A range may end for a rank before the last one comes: it need not be where the ranks wait alone.
 * room: for all members. */
static void count_disorder(struct rf_meetings *meetings, const rf_summary *summary,
                           struct rf_member *room)
{
    for (size_t i = 0; i < meetings->n && !meetings->is_queued; i++) {
        const struct rf_meeting *meeting = &meetings->meeting[i];
        const struct rf_member *member = &meetings->member[meeting->first];
        if (meeting->of->kind == RF_COLLECTIVE_RANGE)
            meetings->n_disorder += are_one_by_one(member, meeting->n, room);
        else if (rf_meeting_is_anchor(meeting, summary))
            meetings->n_disorder += ends_before_last(member, meeting->n);
    }
}

/* From the first meeting of a rank to its last. */
struct span {
    int64_t start_ns, end_ns;
};

static void find_spans(const struct rf_meetings *meetings, struct span *span, size_t n_ranks)
{
    for (size_t i = 0; i < n_ranks; i++)
        span[i] = (struct span){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < meetings->n_members; i++) {
        const struct rf_member *member = &meetings->member[i];
        struct span *of = &span[member->rank];
        of->start_ns = member->start_ns < of->start_ns ? member->start_ns : of->start_ns;
        of->end_ns = member->end_ns > of->end_ns ? member->end_ns : of->end_ns;
    }
}

/* Looks for ranks that meet, but of which one ended before the other began. */
static void find_apart(struct rf_meetings *meetings, const struct span *span)
{
    for (size_t i = 0; i < meetings->n && !meetings->are_apart; i++) {
        const struct rf_member *member = &meetings->member[meetings->meeting[i].first];
        uint32_t first = member->rank, last = member->rank;
        for (size_t k = 1; k < meetings->meeting[i].n; k++) {
            const uint32_t rank = member[k].rank;
            first = span[rank].end_ns < span[first].end_ns ? rank : first;
            last = span[rank].start_ns > span[last].start_ns ? rank : last;
        }
        meetings->are_apart = span[first].end_ns < span[last].start_ns;
        meetings->apart[0] = first;
        meetings->apart[1] = last;
    }
}

static int check_clocks(struct rf_meetings *meetings, const rf_summary *summary,
                        const struct rf_job_ranks *job, bool has_clock)
{
    struct rf_member *room = malloc((meetings->n_members + 1) * sizeof(*room));
    struct span *span = malloc((job->n + 1) * sizeof(*span));
    int status = room != NULL && span != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        count_disorder(meetings, summary, room);
        find_spans(meetings, span, job->n);
        if (has_clock || meetings->is_queued) /* else nobody compares starts */
            find_apart(meetings, span);
    }
    free(room);
    free(span);
    return status;
}

static int by_start(const void *a, const void *b)
{
    const struct rf_meeting *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

int rf_meetings_init(struct rf_meetings *meetings, const rf_summary *summary,
                     const struct rf_job_ranks *job)
{
    struct items items = {.summary = summary};
    *meetings = (struct rf_meetings){.n = 0};
    int status = list_items(&items, job, &meetings->is_queued);
    if (status == RF_OK) {
        find_own(&items);
        meetings->n_found = items.n;
        status = match(meetings, &items);
    }
    free(items.item);
    if (status == RF_OK && job->host == NULL && !meetings->is_queued)
        status = rf_meetings_align(meetings, job, summary);
    if (status != RF_OK)
        return status;
    const bool has_clock = job->host != NULL || meetings->clocks.n_hosts > 0;
    status = check_clocks(meetings, summary, job, has_clock || !job->has_hosts);
    if (status != RF_OK)
        return status;
    meetings->was_clock =
        meetings->are_apart || (has_clock && meetings->n_disorder * MAX_DISORDER > meetings->n);
    meetings->method = !meetings->was_clock && (has_clock || meetings->is_queued)
                           ? RF_MEETING_BY_CLOCK
                           : RF_MEETING_BY_WAIT;
    compare_all(meetings);
    if (meetings->n > 0)
        qsort(meetings->meeting, meetings->n, sizeof(*meetings->meeting), by_start);
    return RF_OK;
}

void rf_meetings_release(struct rf_meetings *meetings)
{
    free(meetings->meeting);
    free(meetings->member);
    free(meetings->clocks.place);
    *meetings = (struct rf_meetings){.n = 0};
}

void rf_meeting_clocks_note(const struct rf_meeting_clocks *clocks, struct rf_table *table)
{
    char width[32], scatter[32];
    rf_table_add_note(table,
                      "ranks come by the clocks of %u hosts, put side by side by the ends of the "
                      "operations, which scatter by %s: to +-%s",
                      clocks->n_hosts,
                      rf_format_duration(scatter, sizeof(scatter), clocks->residual_ns),
                      rf_format_duration(width, sizeof(width), clocks->uncertainty_ns));
}

void rf_meetings_note_apart(const struct rf_meetings *meetings, const struct rf_job_ranks *job,
                            struct rf_table *table)
{
    rf_table_add_note(table,
                      "starts are not compared: the collectives of rank %lld end before those of "
                      "rank %lld begin; the recordings are of different runs, or their clocks "
                      "differ",
                      (long long)job->rank[meetings->apart[0]].rank,
                      (long long)job->rank[meetings->apart[1]].rank);
}

void rf_meetings_note(const struct rf_meetings *meetings, const struct rf_job_ranks *job,
                      struct rf_table *table)
{
    if (meetings->n == 0)
        rf_table_add_note(table, "no collective of NCCL or MPI has several ranks: "
                                 "--collective=NAME names ranges in which ranks wait for each "
                                 "other");
    else if (meetings->are_apart)
        rf_meetings_note_apart(meetings, job, table);
    else if (meetings->method == RF_MEETING_BY_WAIT)
        rf_table_add_note(table, "ranks come in the order of how long they wait: %s",
                          meetings->was_clock ? "operations seem to end before their last rank "
                                                "begins, so that clocks are not compared"
                                              : "their hosts have clocks of their own");
    else if (job->host != NULL)
        rf_table_add_note(table, "ranks come by the clock of %.80s", job->host);
    else if (meetings->clocks.n_hosts > 0)
        rf_meeting_clocks_note(&meetings->clocks, table);
    else
        rf_table_add_note(table, "ranks come by the clocks of several hosts as they are, since the "
                                 "calls of NCCL do not wait: kernels ('--trace=cuda') would tell");
    if (meetings->n_ambiguous > 0)
        rf_table_add_note(table,
                          "%zu operations were not compared: a rank has several threads or streams "
                          "of their name and communicator",
                          meetings->n_ambiguous);
    if (meetings->n_alone > 0 && meetings->n > 0)
        rf_table_add_note(table,
                          "%zu operations have one rank alone: others ended before, or were "
                          "not recorded",
                          meetings->n_alone);
}
