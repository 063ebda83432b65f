/* SPDX-License-Identifier: Apache-2.0 */
/* How far a machine may be from where it was placed. What synchronises ends nowhere before it has
 * begun everywhere: each meeting with its root leaves it some room to both sides. Of all straight
 * lines that keep to the room of all meetings, the one that goes furthest counts. Scatter cannot
 * say it: if one machine always leaves later than the other, it does not scatter. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/clocks/align_data.h"
#include "model/clocks/fit_line.h"

#define MAX_DRIFT 1e-3 /* of a machine that was placed; kernels slew their clocks by half of it */
#define MARGIN    4    /* ns, for what is rounded */
#define N_STEPS   100  /* of a search, each of which leaves two thirds of what is searched */

/* By how much a machine may go to one side: at x, by y. */
struct limits {
    struct rf_point *point;
    size_t n;
};

struct bounds {
    struct limits forward, back;
};

/* ---- The meetings with the root ---- */

static const struct rf_align_meeting *of_machine(const struct rf_align *align, size_t i,
                                                 size_t next, uint32_t machine)
{
    for (; i < next; i++)
        if (align->meeting[i].machine == machine)
            return &align->meeting[i];
    return NULL;
}

static void add(struct limits *to, int64_t at_ns, int64_t room_ns)
{
    to->point[to->n++] = (struct rf_point){(double)at_ns, (double)room_ns + MARGIN};
}

static void add_meeting(const struct rf_align *align, struct bounds *bounds,
                        const struct rf_align_meeting *here, const struct rf_align_meeting *there)
{
    const struct rf_machine *machine = &align->machine[here->machine];
    const struct rf_machine *root = &align->machine[there->machine];
    struct bounds *of = &bounds[here->machine];
    add(&of->forward, here->last_start_ns,
        rf_machine_ns(root, there->first_end_ns) - rf_machine_ns(machine, here->last_start_ns));
    add(&of->back, here->first_end_ns,
        rf_machine_ns(machine, here->first_end_ns) - rf_machine_ns(root, there->last_start_ns));
}

static void add_meetings(const struct rf_align *align, struct bounds *bounds)
{
    for (size_t i = 0, next; i < align->n_meetings; i = next) {
        const struct rf_align_meeting *root = NULL;
        next = rf_align_next_key(align, i);
        for (size_t k = i; k < next; k++) {
            const uint32_t m = align->meeting[k].machine, of = align->machine[m].root;
            if (root == NULL || root->machine != of)
                root = of_machine(align, i, next, of);
            if (root != NULL && of != m)
                add_meeting(align, bounds, &align->meeting[k], root);
        }
    }
}

/* ---- The lines that keep to them ---- */

static int compare_points(const void *a, const void *b)
{
    const struct rf_point *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static bool is_below(const struct rf_point *a, const struct rf_point *b, const struct rf_point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x) > 0;
}

/* Only the lower hull limits lines. */
static void keep_hull(struct limits *limits)
{
    struct rf_point *point = limits->point;
    size_t n = 0;
    qsort(point, limits->n, sizeof(*point), compare_points);
    for (size_t i = 0; i < limits->n; i++) {
        while (n >= 2 && !is_below(&point[n - 2], &point[n - 1], &point[i]))
            n--;
        point[n++] = point[i];
    }
    limits->n = n;
}

/* How far a line with this slope may go to that side, at 0. */
static double room_of(const struct limits *limits, double slope)
{
    double room = INFINITY;
    for (size_t i = 0; i < limits->n; i++)
        room = fmin(room, limits->point[i].y - slope * limits->point[i].x);
    return room;
}

/* Whether there are lines with this slope: not negative. Concave, as all that is searched here. */
static double room_between(const struct bounds *bounds, double slope)
{
    return room_of(&bounds->forward, slope) + room_of(&bounds->back, -slope);
}

/* The slope from low to high at which lines have most room between the limits, or with at: go
 * furthest forward (at at), or back. */
static double best_slope(const struct bounds *bounds, double low, double high, double at,
                         int direction)
{
    for (int i = 0; i < N_STEPS; i++) {
        double slope[2] = {low + (high - low) / 3, high - (high - low) / 3}, worth[2];
        for (int k = 0; k < 2; k++)
            worth[k] = direction == 0  ? room_between(bounds, slope[k])
                       : direction > 0 ? room_of(&bounds->forward, slope[k]) + slope[k] * at
                                       : room_of(&bounds->back, -slope[k]) - slope[k] * at;
        if (worth[0] < worth[1])
            low = slope[0];
        else
            high = slope[1];
    }
    return (low + high) / 2;
}

/* The last slope from one that has lines towards one that may have none. */
static double edge_of(const struct bounds *bounds, double with, double without)
{
    if (room_between(bounds, without) >= 0)
        return without;
    for (int i = 0; i < N_STEPS; i++) {
        const double slope = (with + without) / 2;
        if (room_between(bounds, slope) >= 0)
            with = slope;
        else
            without = slope;
    }
    return with;
}

/* The meetings are at -1 to 1. Returns half of the time from the first to the last one. */
static double set_middle(struct bounds *bounds)
{
    struct limits *both[2] = {&bounds->forward, &bounds->back};
    double first = INFINITY, last = -INFINITY;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n; i++) {
            first = fmin(first, both[k]->point[i].x);
            last = fmax(last, both[k]->point[i].x);
        }
    const double half = fmax((last - first) / 2, 1), middle = (first + last) / 2;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n; i++)
            both[k]->point[i].x = (both[k]->point[i].x - middle) / half;
    return half;
}

/* -1: no line keeps to all of them. */
static int64_t furthest_ns(struct bounds *bounds)
{
    const double most = MAX_DRIFT * set_middle(bounds);
    double furthest = 0;
    keep_hull(&bounds->forward);
    keep_hull(&bounds->back);
    const double middle = best_slope(bounds, -most, most, 0, 0);
    if (room_between(bounds, middle) < 0)
        return -1;
    const double low = edge_of(bounds, middle, -most), high = edge_of(bounds, middle, most);
    for (int at = -1; at <= 1; at += 2) {
        const double forward = best_slope(bounds, low, high, at, 1);
        const double back = best_slope(bounds, low, high, at, -1);
        furthest = fmax(furthest, room_of(&bounds->forward, forward) + forward * at);
        furthest = fmax(furthest, room_of(&bounds->back, -back) - back * at);
    }
    return llrint(ceil(furthest));
}

/* ---- All of them ---- */

/* The points of all machines are in one piece. */
static void hand_out(const struct rf_align *align, struct bounds *bounds, struct rf_point *point)
{
    for (size_t i = 0; i < align->n_meetings; i++)
        bounds[align->meeting[i].machine].forward.n++;
    for (size_t m = 0; m < align->n_machines; m++) {
        const size_t n = bounds[m].forward.n;
        bounds[m] = (struct bounds){{point, 0}, {point + n, 0}};
        point += 2 * n;
    }
}

int rf_align_bound(struct rf_align *align)
{
    struct bounds *bounds = calloc(align->n_machines + 1, sizeof(*bounds));
    struct rf_point *point = calloc(2 * align->n_meetings + 1, sizeof(*point));
    const int status = bounds != NULL && point != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (status == RF_OK) {
        hand_out(align, bounds, point);
        add_meetings(align, bounds);
    }
    for (size_t m = 0; m < align->n_machines && status == RF_OK; m++) {
        struct rf_machine *machine = &align->machine[m];
        const int64_t ns =
            machine->is_bent || machine->uncertainty_ns < 0 || bounds[m].forward.n == 0
                ? -1
                : furthest_ns(&bounds[m]);
        if (ns >= 0)
            machine->uncertainty_ns = ns;
    }
    free(bounds);
    free(point);
    return status;
}
