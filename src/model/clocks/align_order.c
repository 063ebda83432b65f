/* SPDX-License-Identifier: Apache-2.0 */
/* What synchronises ends nowhere before it has begun everywhere. Where it seems to, the two
 * machines are turned and shifted by as little as sets that one meeting right; again and again,
 * this leads to a place that suits all meetings, if there is one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/clocks/align_data.h"
#include "model/clocks/fit_line.h"

#define MAX_PASSES 1000
#define MAX_WORK   200000000 /* meetings that are looked at: a second or so */
#define LIMIT      2         /* times its uncertainty: no machine is moved further */
#define FURTHER    1.5       /* than to where it is right: so there are fewer passes */
#define MARGIN     4         /* ns, for what is rounded */

/* How far a machine was moved: shift + turn * u, where u is -1 at its first meeting and 1 at its
 * last. */
struct move {
    double middle_ns, half_ns; /* half_ns is 0: it is not turned */
    double shift_ns, turn_ns;
    bool is_fixed;
};

/* The last start and the first end of an operation on the timeline, among the machines that were
 * found from the same root as the first one of it. */
struct extremes {
    int64_t start_ns, end_ns;
    size_t last, first; /* meetings */
};

static bool is_beside(const struct rf_align *align, size_t i, size_t k)
{
    return align->machine[align->meeting[i].machine].root ==
           align->machine[align->meeting[k].machine].root;
}

static struct extremes find_extremes(const struct rf_align *align, size_t i, size_t next)
{
    struct extremes x = {INT64_MIN, INT64_MAX, i, i};
    for (size_t k = i; k < next; k++) {
        const struct rf_align_meeting *meeting = &align->meeting[k];
        const struct rf_machine *machine = &align->machine[meeting->machine];
        if (!is_beside(align, i, k))
            continue;
        const int64_t start_ns = rf_machine_ns(machine, meeting->last_start_ns);
        const int64_t end_ns = rf_machine_ns(machine, meeting->first_end_ns);
        if (start_ns > x.start_ns) {
            x.start_ns = start_ns;
            x.last = k;
        }
        if (end_ns < x.end_ns) {
            x.end_ns = end_ns;
            x.first = k;
        }
    }
    return x;
}

/* Counts what ends on each machine before it has begun on another. */
static void count(struct rf_align *align)
{
    for (size_t m = 0; m < align->n_machines; m++) {
        align->machine[m].n_left = 0;
        align->machine[m].violation_ns = 0;
    }
    for (size_t i = 0, next; i < align->n_meetings; i = next) {
        next = rf_align_next_key(align, i);
        const struct extremes x = find_extremes(align, i, next);
        for (size_t k = i; k < next && x.end_ns < x.start_ns; k++) {
            if (!is_beside(align, i, k))
                continue;
            struct rf_machine *machine = &align->machine[align->meeting[k].machine];
            const int64_t early_ns =
                x.start_ns - rf_machine_ns(machine, align->meeting[k].first_end_ns);
            machine->n_left += early_ns > 0;
            machine->violation_ns =
                early_ns > machine->violation_ns ? early_ns : machine->violation_ns;
        }
    }
}

/* ---- Moving ---- */

static void init_moves(const struct rf_align *align, struct move *move)
{
    for (uint32_t m = 0; m < align->n_machines; m++) {
        const struct rf_machine *machine = &align->machine[m];
        move[m] = (struct move){INFINITY, -INFINITY, 0, 0,
                                machine->root == m || machine->uncertainty_ns < 0};
    }
    for (size_t i = 0; i < align->n_meetings; i++) { /* as first and last, to begin with */
        struct move *of = &move[align->meeting[i].machine];
        of->middle_ns = fmin(of->middle_ns, (double)align->meeting[i].end_ns);
        of->half_ns = fmax(of->half_ns, (double)align->meeting[i].end_ns);
    }
    for (size_t m = 0; m < align->n_machines; m++) {
        const double first_ns = move[m].middle_ns, last_ns = move[m].half_ns;
        const bool has_any = first_ns <= last_ns;
        move[m].middle_ns = has_any ? (first_ns + last_ns) / 2 : 0;
        move[m].half_ns =
            align->machine[m].n_anchors >= RF_FIT_SLOPE_POINTS ? (last_ns - first_ns) / 2 : 0;
    }
}

static double place_in(const struct move *move, int64_t at_ns)
{
    return move->half_ns > 0 ? ((double)at_ns - move->middle_ns) / move->half_ns : 0;
}

/* false: out of all time, which is damage. */
static bool apply(struct rf_machine *machine, struct move *move, double by_ns, double u)
{
    const double turn = move->half_ns > 0 ? by_ns * u / move->half_ns : 0;
    const double more_ns = by_ns - turn * move->middle_ns;
    if (!(fabs((double)machine->offset_ns + more_ns) < (double)RF_ALIGN_MAX_NS))
        return false;
    move->shift_ns += by_ns;
    move->turn_ns += by_ns * u;
    machine->drift += turn;
    machine->offset_ns += llrint(more_ns);
    return true;
}

/* Sets one meeting right. false: that is not to be. */
static bool set_right(struct rf_align *align, struct move *move, const struct extremes *x)
{
    const struct rf_align_meeting *early = &align->meeting[x->first],
                                  *late = &align->meeting[x->last];
    struct rf_machine *forward = &align->machine[early->machine];
    struct rf_machine *back = &align->machine[late->machine];
    struct move *to = &move[early->machine], *fro = &move[late->machine];
    const double ns = FURTHER * (double)(x->start_ns - x->end_ns) + MARGIN;
    const double u = place_in(to, early->first_end_ns), v = place_in(fro, late->last_start_ns);
    const double weight = (to->is_fixed ? 0 : 1 + u * u) + (fro->is_fixed ? 0 : 1 + v * v);
    const double limit_ns =
        LIMIT * ((double)forward->uncertainty_ns + (double)back->uncertainty_ns) + MARGIN;
    if (weight == 0 || !(ns <= limit_ns))
        return false;
    const bool has_gone = !to->is_fixed && apply(forward, to, ns / weight, u);
    const bool has_come = !fro->is_fixed && apply(back, fro, -ns / weight, v);
    return has_gone || has_come;
}

static bool pass(struct rf_align *align, struct move *move)
{
    bool has_moved = false;
    for (size_t i = 0, next; i < align->n_meetings; i = next) {
        next = rf_align_next_key(align, i);
        const struct extremes x = find_extremes(align, i, next);
        if (x.end_ns < x.start_ns)
            has_moved |= set_right(align, move, &x);
    }
    return has_moved;
}

/* A machine that would have to go far stays where its anchors put it. */
static void finish(struct rf_machine *machine, const struct rf_machine *before,
                   const struct move *move)
{
    const double far_ns = fabs(move->shift_ns) + fabs(move->turn_ns);
    if (far_ns > LIMIT * (double)machine->uncertainty_ns + MARGIN)
        *machine = *before;
    else
        machine->moved_ns = llrint(move->shift_ns);
}

static uint64_t n_left(const struct rf_align *align)
{
    uint64_t n = 0;
    for (size_t m = 0; m < align->n_machines; m++)
        n += align->machine[m].n_left;
    return n;
}

/* Moves the machines; if that sets nothing right, they stay where they were. */
static void repair(struct rf_align *align, struct move *move, const struct rf_machine *before)
{
    const uint64_t n_before = n_left(align);
    const size_t most = MAX_WORK / (align->n_meetings + 1) + 1;
    init_moves(align, move);
    for (size_t i = 0; i < most && i < MAX_PASSES && pass(align, move); i++)
        ;
    for (size_t m = 0; m < align->n_machines; m++)
        finish(&align->machine[m], &before[m], &move[m]);
    count(align);
    if (n_left(align) < n_before)
        return;
    memcpy(align->machine, before, align->n_machines * sizeof(*before));
    count(align);
}

int rf_align_keep_order(struct rf_align *align)
{
    const size_t n = align->n_machines;
    struct move *move = calloc(n + 1, sizeof(*move));
    struct rf_machine *before = calloc(n + 1, sizeof(*before));
    int status = move != NULL && before != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        count(align);
    for (size_t m = 0; m < n && status == RF_OK; m++) {
        align->machine[m].n_violations = align->machine[m].n_left;
        before[m] = align->machine[m];
    }
    if (status == RF_OK && n_left(align) > 0)
        repair(align, move, before);
    for (size_t m = 0; m < n && status == RF_OK; m++) {
        struct rf_machine *machine = &align->machine[m];
        if (machine->uncertainty_ns >= 0 && machine->uncertainty_ns < machine->violation_ns)
            machine->uncertainty_ns = machine->violation_ns;
    }
    free(move);
    free(before);
    return status;
}
