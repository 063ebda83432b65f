/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank does by itself before a meeting is compared with the mean of the others there. Where
 * all ranks are alike the difference has the mean 0, whatever the distribution. The means over
 * parts of the run are nearly normal, and independent of each other where what disturbs a rank does
 * not last as long as a part: Student's t of them says what chance gives. */
#include "stats/ranks/lateness.h"

#include <math.h>
#include <stdlib.h>

#include "stats/add_up.h"
#include "stats/compare/students_t.h"

#define N_QUARTERS    4
#define QUARTER_LEAST 20 /* meetings of a quarter, with fewer it is not looked at */
#define MAX_ROUNDS    8  /* ranks that are named hide others, which are looked for again */

/* What the members of some meetings add up to, by rank and part. */
struct sums {
    double *late;
    uint64_t *n;
    size_t n_parts;
};

struct difference {
    double mean, error;
    uint64_t n;       /* meetings */
    uint32_t n_parts; /* with any */
    double chance;    /* of so much where all are alike */
};

struct measuring {
    const struct rf_meetings *meetings;
    struct rf_lateness *lateness;
    struct sums sums;
    struct difference *found; /* of each rank */
    double *value;            /* room for one of each rank */
    bool *is_candidate;       /* by rank */
};

/* ---- Differences ---- */

static bool value_of(const struct measuring *m, const struct rf_meeting *meeting,
                     const struct rf_member *member, double *value)
{
    const bool is_by_start = m->meetings->is_queued && !m->meetings->are_apart;
    if (is_by_start)
        *value = (double)((uint64_t)member->start_ns - (uint64_t)meeting->start_ns);
    else
        *value = (double)member->own_ns;
    return is_by_start || member->has_own;
}

static bool is_named(const struct measuring *m, const struct rf_member *member)
{
    return m->lateness->rank[member->rank].verdict == RF_LATE_ALWAYS;
}

/* Those that are named are compared with the others, which are not compared with them. */
static void add_meeting(struct measuring *m, const struct rf_meeting *meeting, size_t part)
{
    const struct rf_member *member = &m->meetings->member[meeting->first];
    double sum = 0, value;
    size_t n = 0;
    for (size_t i = 0; i < meeting->n; i++)
        if (!is_named(m, &member[i]) && value_of(m, meeting, &member[i], &value)) {
            sum += value;
            n++;
        }
    for (size_t i = 0; i < meeting->n; i++) {
        const bool is_other = !is_named(m, &member[i]);
        if (!value_of(m, meeting, &member[i], &value) || n < (is_other ? 2 : 1))
            continue;
        const double others = is_other ? (sum - value) / (double)(n - 1) : sum / (double)n;
        const size_t at = member[i].rank * m->sums.n_parts + part;
        m->sums.late[at] += value - others;
        m->sums.n[at]++;
    }
}

/* The meetings from one to before another one, in parts. */
static void add_meetings(struct measuring *m, size_t from, size_t to, size_t n_parts)
{
    m->sums.n_parts = n_parts;
    for (size_t i = 0; i < m->lateness->n * n_parts; i++) {
        m->sums.late[i] = 0;
        m->sums.n[i] = 0;
    }
    for (size_t i = from; i < to; i++)
        add_meeting(m, &m->meetings->meeting[i], (i - from) * n_parts / (to - from));
}

/* ---- Chance ---- */

static struct difference difference_of(const struct sums *sums, size_t rank)
{
    const double *late = &sums->late[rank * sums->n_parts];
    const uint64_t *n = &sums->n[rank * sums->n_parts];
    struct difference found = {.chance = 1, .error = NAN};
    double total = 0, middle = 0, squares = 0;
    for (size_t i = 0; i < sums->n_parts; i++) {
        total += late[i];
        found.n += n[i];
        if (n[i] > 0) {
            middle += late[i] / (double)n[i];
            found.n_parts++;
        }
    }
    if (found.n == 0)
        return found;
    found.mean = total / (double)found.n;
    middle /= found.n_parts;
    for (size_t i = 0; i < sums->n_parts; i++)
        if (n[i] > 0)
            squares += (late[i] / (double)n[i] - middle) * (late[i] / (double)n[i] - middle);
    if (found.n_parts < RF_LATE_LEAST)
        return found;
    found.error = sqrt(squares / (found.n_parts - 1) / found.n_parts);
    if (found.error > 0)
        found.chance = 1 - rf_students_t_below(middle / found.error, found.n_parts - 1);
    else if (middle > 0)
        found.chance = 0;
    return found;
}

/* How much of the time the rank is late. */
static double share_of(const struct difference *found, double span_ns)
{
    return span_ns > 0 ? found->mean * (double)found->n / span_ns : 0;
}

static bool is_late(const struct difference *found, double span_ns, double chance, double share)
{
    return found->chance < chance && share_of(found, span_ns) >= share;
}

/* ---- The whole run, and its quarters ---- */

static uint32_t count_late_parts(const struct sums *sums, size_t rank, double least_ns)
{
    uint32_t n = 0;
    for (size_t i = rank * sums->n_parts; i < (rank + 1) * sums->n_parts; i++)
        n += sums->n[i] > 0 && sums->late[i] >= least_ns * (double)sums->n[i];
    return n;
}

static size_t parts_of(size_t n_meetings, size_t most)
{
    return n_meetings < most ? n_meetings : most;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a rank in the middle is late by, of those that have meetings. */
static double middle_of(const struct measuring *m)
{
    size_t n = 0;
    for (size_t i = 0; i < m->lateness->n; i++)
        if (m->found[i].n > 0)
            m->value[n++] = m->found[i].mean;
    if (n > 0)
        qsort(m->value, n, sizeof(*m->value), by_value);
    return n > 0 ? (m->value[(n - 1) / 2] + m->value[n / 2]) / 2 : 0;
}

/* Marks those that are later than the rank in the middle by what counts: who is late beside the
 * fastest ranks alone is not named. */
static void find_candidates(struct measuring *m)
{
    const double middle_ns = middle_of(m);
    for (size_t i = 0; i < m->lateness->n; i++)
        m->is_candidate[i] =
            m->found[i].n > 0 && (m->found[i].mean - middle_ns) * (double)m->found[i].n >=
                                     RF_LATE_SHARE * (double)m->lateness->span_ns;
}

static void find_differences(struct measuring *m)
{
    for (size_t i = 0; i < m->lateness->n; i++)
        m->found[i] = difference_of(&m->sums, i);
}

static void set_differences(struct measuring *m)
{
    const double least_ns = RF_LATE_SHARE * m->lateness->period_ns;
    for (size_t i = 0; i < m->lateness->n; i++) {
        struct rf_late_rank *rank = &m->lateness->rank[i];
        rank->late_ns = m->found[i].n > 0 ? m->found[i].mean : (double)NAN;
        rank->error_ns = m->found[i].error;
        rank->n_parts = m->found[i].n_parts;
        rank->n_late = count_late_parts(&m->sums, i, least_ns);
    }
}

/* Names the candidates that chance does not give. Returns whether there is one. */
static bool name(struct measuring *m, double chance, enum rf_late_verdict verdict, uint32_t quarter)
{
    struct rf_lateness *lateness = m->lateness;
    const size_t before = lateness->n_named;
    for (size_t i = 0; i < lateness->n; i++) {
        struct rf_late_rank *rank = &lateness->rank[i];
        if (rank->verdict != RF_LATE_NOT || !m->is_candidate[i] ||
            !is_late(&m->found[i], (double)lateness->span_ns, chance, RF_LATE_SHARE))
            continue;
        rank->verdict = verdict;
        rank->quarter = quarter;
        lateness->n_named++;
    }
    return lateness->n_named > before;
}

/* Over the whole run, in rounds. */
static void find_always(struct measuring *m)
{
    const double chance = RF_LATE_CHANCE / 2 / (double)m->lateness->n;
    const size_t n_parts = parts_of(m->meetings->n, RF_LATE_PARTS);
    bool goes_on = n_parts > 0;
    for (unsigned round = 0; round < MAX_ROUNDS && goes_on; round++) {
        add_meetings(m, 0, m->meetings->n, n_parts);
        find_differences(m);
        set_differences(m);
        if (round == 0)
            find_candidates(m);
        goes_on = name(m, chance, RF_LATE_ALWAYS, 0);
    }
}

/* A quarter counts as much as the whole run: what the job loses by it. */
static void find_in_quarter(struct measuring *m, uint32_t quarter)
{
    const size_t n = m->meetings->n;
    const size_t from = n * quarter / N_QUARTERS, to = n * (quarter + 1) / N_QUARTERS;
    const double chance = RF_LATE_CHANCE / 2 / N_QUARTERS / (double)m->lateness->n;
    if (to - from < QUARTER_LEAST)
        return;
    add_meetings(m, from, to, RF_LATE_PARTS / 2);
    find_differences(m);
    find_candidates(m);
    (void)name(m, chance, RF_LATE_A_TIME, quarter);
}

/* ---- Who is last ---- */

static void add_last(struct rf_lateness *lateness, const struct rf_meetings *meetings,
                     const struct rf_meeting *meeting)
{
    uint64_t wait_ns = 0;
    for (size_t i = meeting->first; i < meeting->first + meeting->n; i++) {
        struct rf_late_rank *rank = &lateness->rank[meetings->member[i].rank];
        rank->n++;
        rank->wait_ns = rf_add_up(rank->wait_ns, meetings->member[i].wait_ns);
        wait_ns = rf_add_up(wait_ns, meetings->member[i].wait_ns);
    }
    if (meeting->last == RF_NO_INDEX)
        return;
    struct rf_late_rank *last = &lateness->rank[meeting->last];
    last->n_last++;
    last->cost_ns = rf_add_up(last->cost_ns, meeting->cost_ns);
    last->others_wait_ns = rf_add_up(last->others_wait_ns, wait_ns);
}

static bool get_room(struct measuring *m, size_t n)
{
    m->lateness->rank = calloc(n + 1, sizeof(*m->lateness->rank));
    m->sums.late = calloc(n * RF_LATE_PARTS + 1, sizeof(*m->sums.late));
    m->sums.n = calloc(n * RF_LATE_PARTS + 1, sizeof(*m->sums.n));
    m->found = calloc(n + 1, sizeof(*m->found));
    m->value = calloc(n + 1, sizeof(*m->value));
    m->is_candidate = calloc(n + 1, sizeof(*m->is_candidate));
    return m->lateness->rank != NULL && m->sums.late != NULL && m->sums.n != NULL &&
           m->found != NULL && m->value != NULL && m->is_candidate != NULL;
}

static void measure(struct measuring *m)
{
    const struct rf_meetings *meetings = m->meetings;
    if (meetings->n > 1) {
        m->lateness->span_ns = (uint64_t)meetings->meeting[meetings->n - 1].start_ns -
                               (uint64_t)meetings->meeting[0].start_ns;
        m->lateness->period_ns = (double)m->lateness->span_ns / (double)(meetings->n - 1);
    }
    for (size_t i = 0; i < meetings->n; i++)
        add_last(m->lateness, meetings, &meetings->meeting[i]);
    find_always(m);
    for (uint32_t i = 0; i < N_QUARTERS; i++)
        find_in_quarter(m, i);
}

int rf_lateness_init(struct rf_lateness *lateness, const struct rf_meetings *meetings,
                     const struct rf_job_ranks *job)
{
    struct measuring m = {.meetings = meetings, .lateness = lateness};
    *lateness = (struct rf_lateness){.n = job->n, .period_ns = NAN};
    const bool has_room = get_room(&m, job->n);
    if (has_room)
        measure(&m);
    free(m.sums.late);
    free(m.sums.n);
    free(m.found);
    free(m.value);
    free(m.is_candidate);
    return has_room ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_lateness_release(struct rf_lateness *lateness)
{
    free(lateness->rank);
    *lateness = (struct rf_lateness){.n = 0};
}
