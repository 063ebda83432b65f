/* SPDX-License-Identifier: Apache-2.0 */
/* Where each machine is on the timeline. First those that met the first machine are put beside it,
 * then those that met these, and so on; then each is fitted to the median of all others, which has
 * less noise than the first one's own ends. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/clocks/align_data.h"
#include "model/clocks/fit_line.h"

#define N_REFINEMENTS 2
#define MANY          32   /* machines at one meeting */
#define FEW           3    /* meetings: machines with more of them are placed first */
#define NO_BEND_NS    1000 /* clocks are not read better than that */
#define MAX_SLOPE     0.1  /* no clock is that wrong */

/* Machines of one job know the time of day better than this. Operations of two jobs may look alike.
 */
#define MAX_DAY_ERROR_NS 2500000000

struct placing {
    struct rf_align *align;
    double *room, *more_room; /* for as many numbers as there are meetings */
    struct rf_point *point;   /* by meeting: those of each machine together */
    size_t *first;            /* by machine, and one for the end: its first point */
    size_t *n;                /* by machine: how many points it has now */
    struct rf_machine *next;  /* by machine: where it is going to be */
};

static bool new_placing(struct placing *p, struct rf_align *align)
{
    const size_t n = align->n_meetings + 1, n_machines = align->n_machines + 1;
    *p = (struct placing){.align = align,
                          .room = calloc(n, sizeof(*p->room)),
                          .more_room = calloc(n, sizeof(*p->more_room)),
                          .point = calloc(n, sizeof(*p->point)),
                          .first = calloc(n_machines, sizeof(*p->first)),
                          .n = calloc(n_machines, sizeof(*p->n)),
                          .next = calloc(n_machines, sizeof(*p->next))};
    if (p->room == NULL || p->more_room == NULL || p->point == NULL || p->first == NULL ||
        p->n == NULL || p->next == NULL)
        return false;
    for (size_t i = 0; i < align->n_meetings; i++)
        p->first[align->meeting[i].machine + 1]++;
    for (size_t m = 1; m < n_machines; m++)
        p->first[m] += p->first[m - 1];
    return true;
}

static void release(struct placing *p)
{
    free(p->room);
    free(p->more_room);
    free(p->point);
    free(p->first);
    free(p->n);
    free(p->next);
}

/* ---- Points: how far the others' ends lie behind a machine's own ---- */

/* The ends of the meetings from i up to next on machines that were found from one root, but for one
 * of them, relative to base. */
static size_t ends_of_others(const struct placing *p, size_t i, size_t next, size_t but,
                             uint32_t root, int64_t base_ns)
{
    size_t n = 0;
    for (size_t k = i; k < next; k++) {
        const struct rf_align_meeting *meeting = &p->align->meeting[k];
        const struct rf_machine *machine = &p->align->machine[meeting->machine];
        if (k != but && machine->is_placed && machine->root == root)
            p->room[n++] = (double)(rf_machine_ns(machine, meeting->end_ns) - base_ns);
    }
    return n;
}

static void add_point(struct placing *p, const struct rf_align_meeting *meeting, double later)
{
    const uint32_t m = meeting->machine;
    p->point[p->first[m] + p->n[m]++] = (struct rf_point){(double)meeting->end_ns, later};
}

/* Of one operation, for the machines of a root, or for those that have none. With many of them the
 * median of all stands for that of the others. */
static void add_points_of(struct placing *p, size_t i, size_t next, uint32_t root, bool to_placed)
{
    const struct rf_align_meeting *meeting = p->align->meeting;
    const bool has_many = next - i > MANY;
    const size_t n_all = has_many ? ends_of_others(p, i, next, next, root, meeting[i].end_ns) : 0;
    const double all = n_all > 0 ? rf_median(p->room, n_all) : 0;
    for (size_t k = i; k < next; k++) {
        const struct rf_machine *machine = &p->align->machine[meeting[k].machine];
        if (machine->is_placed != to_placed || (to_placed && machine->root != root))
            continue;
        const int64_t base_ns = has_many ? meeting[i].end_ns : meeting[k].end_ns;
        const size_t n = has_many ? n_all : ends_of_others(p, i, next, k, root, base_ns);
        if (n == 0)
            continue;
        const double others = has_many ? all : rf_median(p->room, n);
        add_point(p, &meeting[k], others - (double)(meeting[k].end_ns - base_ns));
    }
}

/* Makes the points of the machines that were found from a root, or those of the ones that have no
 * place yet beside these. */
static void make_points(struct placing *p, uint32_t root, bool of_placed)
{
    for (size_t m = 0; m < p->align->n_machines; m++)
        p->n[m] = 0;
    for (size_t i = 0, next; i < p->align->n_meetings; i = next) {
        next = rf_align_next_key(p->align, i);
        add_points_of(p, i, next, root, of_placed);
    }
}

/* ---- One machine ---- */

/* One meeting has no scatter: what was waited there bounds how far it may be off. */
static int64_t slack_ns(const struct rf_align *align, uint32_t m)
{
    int64_t most_ns = -1;
    bool is_there = false;
    for (size_t i = 0, next; i < align->n_meetings && !is_there; i = next) {
        next = rf_align_next_key(align, i);
        most_ns = 0;
        for (size_t k = i; k < next; k++) {
            const struct rf_align_meeting *meeting = &align->meeting[k];
            const int64_t ns = meeting->first_end_ns - meeting->last_start_ns;
            most_ns = ns > most_ns ? ns : most_ns;
            is_there |= meeting->machine == m;
        }
    }
    return most_ns;
}

/* false: the points lie too far away, which is damage. */
static bool fit(struct placing *p, uint32_t m)
{
    struct rf_point *point = &p->point[p->first[m]];
    struct rf_machine *machine = &p->next[m];
    const double middle = point[p->n[m] / 2].x;
    struct rf_line line;
    for (size_t i = 0; i < p->n[m]; i++)
        point[i].x -= middle;
    rf_fit_line(&line, point, p->n[m], p->more_room);
    const double at_zero = line.at_zero - line.slope * middle;
    if (!(fabs(at_zero) < (double)RF_ALIGN_MAX_NS) || !(fabs(line.slope) < MAX_SLOPE))
        return false;
    machine->drift = line.slope;
    machine->offset_ns = llrint(at_zero);
    machine->n_anchors = p->n[m];
    machine->residual_ns = line.scatter < 0 ? -1 : llrint(line.scatter);
    machine->is_bent = line.is_bent && line.bend > NO_BEND_NS;
    machine->uncertainty_ns =
        line.scatter < 0 ? slack_ns(p->align, m)
                         : llrint(2 * line.scatter + (machine->is_bent ? line.bend : 0)) + 1;
    return true;
}

/* ---- The time of day ---- */

static int64_t sum_or_unknown(int64_t a, int64_t b)
{
    int64_t sum;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}

/* What the time of day says of a machine; false: nothing. */
static bool by_day(const struct rf_align *align, uint32_t m, int64_t *offset_ns, int64_t *error_ns)
{
    const struct rf_clock *first = &align->input[0].clock;
    const struct rf_clock *clock = &align->input[align->machine[m].first].clock;
    *error_ns = sum_or_unknown(first->utc_error_ns, clock->utc_error_ns);
    return first->utc_ns > 0 && clock->utc_ns > 0 &&
           !__builtin_sub_overflow(clock->utc_ns, first->utc_ns, offset_ns) &&
           *offset_ns > -RF_ALIGN_MAX_NS && *offset_ns < RF_ALIGN_MAX_NS;
}

/* Whether the time of day leaves room for where anchors put a machine. */
static bool is_likely(const struct rf_align *align, uint32_t m, const struct rf_machine *machine)
{
    int64_t by_day_ns, error_ns;
    if (align->trusts_anchors || !by_day(align, m, &by_day_ns, &error_ns))
        return true;
    return machine->offset_ns - by_day_ns <= MAX_DAY_ERROR_NS &&
           machine->offset_ns - by_day_ns >= -MAX_DAY_ERROR_NS;
}

/* ---- All of them ---- */

static void copy_machines(struct placing *p)
{
    for (size_t m = 0; m < p->align->n_machines; m++)
        p->next[m] = p->align->machine[m];
}

/* Places those that met placed ones, to which anchors lead from root; false: there are none. */
static bool place_next(struct placing *p, uint32_t root)
{
    struct rf_align *align = p->align;
    size_t most = 0, n_placed = 0;
    make_points(p, root, false);
    for (size_t m = 0; m < align->n_machines; m++)
        most = p->n[m] > most ? p->n[m] : most;
    copy_machines(p);
    for (uint32_t m = 0; m < align->n_machines; m++) {
        struct rf_machine *machine = &p->next[m];
        if (p->n[m] == 0 || (p->n[m] < FEW && most >= FEW) || !fit(p, m) ||
            !is_likely(align, m, machine))
            continue;
        machine->is_placed = true;
        machine->method = RF_ALIGN_ANCHORS;
        machine->root = root;
        n_placed++;
    }
    for (size_t m = 0; m < align->n_machines; m++)
        if (p->next[m].is_placed)
            align->machine[m] = p->next[m];
    return n_placed > 0;
}

/* Takes over how a machine fits the others. Its root does not move: where its own fit would put it,
 * all machines that were found from it are moved back. */
static void move_to(struct rf_machine *machine, const struct rf_machine *fitted,
                    const struct rf_machine *root, const struct rf_machine *fitted_root)
{
    const double speed = (1 + root->drift) / (1 + fitted_root->drift);
    const double behind = (double)(fitted->offset_ns - fitted_root->offset_ns);
    struct rf_machine moved = *fitted;
    moved.drift = (1 + fitted->drift) * speed - 1;
    moved.offset_ns = root->offset_ns + llrint(behind * speed);
    *machine = moved;
}

/* Fits each machine to all others that were found from the same root. */
static void refine(struct placing *p, uint32_t root)
{
    struct rf_align *align = p->align;
    make_points(p, root, true);
    copy_machines(p);
    if (p->n[root] == 0 || !fit(p, root))
        return;
    for (uint32_t m = 0; m < align->n_machines; m++)
        if (m != root && p->n[m] > 0 && fit(p, m))
            move_to(&align->machine[m], &p->next[m], &align->machine[root], &p->next[root]);
    align->machine[root].n_anchors = p->next[root].n_anchors;
    align->machine[root].residual_ns = p->next[root].residual_ns;
}

/* The first machine that has no place gets one, from which anchors lead on. */
static bool place_by_day(struct rf_align *align, uint32_t *root)
{
    uint32_t m = 0;
    while (m < align->n_machines && align->machine[m].is_placed)
        m++;
    if (m == align->n_machines)
        return false;
    struct rf_machine *machine = &align->machine[m];
    int64_t offset_ns, error_ns;
    machine->is_placed = true;
    machine->root = *root = m;
    machine->method = m == 0 ? RF_ALIGN_FIRST : RF_ALIGN_NONE;
    machine->uncertainty_ns = m == 0 ? 0 : -1;
    if (m > 0 && by_day(align, m, &offset_ns, &error_ns)) {
        machine->method = RF_ALIGN_REALTIME;
        machine->offset_ns = offset_ns;
        machine->uncertainty_ns = error_ns;
    }
    return true;
}

void rf_align_add_roots(struct rf_align *align)
{
    for (uint32_t m = 0; m < align->n_machines; m++) {
        struct rf_machine *machine = &align->machine[m];
        const struct rf_machine *root = &align->machine[machine->root];
        if (machine->root == m || machine->root == 0)
            continue;
        machine->method = root->method;
        machine->uncertainty_ns = sum_or_unknown(machine->uncertainty_ns, root->uncertainty_ns);
    }
}

int rf_align_place(struct rf_align *align)
{
    struct placing p;
    int status = new_placing(&p, align) ? RF_OK : RF_ERR_NO_MEMORY;
    uint32_t root;
    while (status == RF_OK && place_by_day(align, &root)) {
        while (place_next(&p, root))
            ;
        for (int i = 0; i < N_REFINEMENTS; i++)
            refine(&p, root);
    }
    release(&p);
    return status;
}
