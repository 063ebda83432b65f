/* SPDX-License-Identifier: Apache-2.0 */
#include "model/clocks/fit_line.h"

#include <math.h>
#include <stdlib.h>

#define MAX_BLOCKS  128 /* all pairs of so many points give a slope */
#define MAX_SLOPES  (MAX_BLOCKS * (MAX_BLOCKS - 1) / 2)
#define N_STRETCHES 8
#define MIN_STRETCH 4      /* points: their median stands beside one that is far off */
#define MAX_SLOPE   0.01   /* no clock is that far off */
#define TO_SIGMA    1.4826 /* a median distance as a standard deviation */

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int compare_points(const void *a, const void *b)
{
    const struct rf_point *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

double rf_median(double *value, size_t n)
{
    qsort(value, n, sizeof(*value), compare_numbers);
    return n % 2 == 1 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* The median slope from each point to that half of them further on. */
static double rough_slope(const struct rf_point *point, size_t n, double *room)
{
    const size_t half = n / 2;
    size_t n_slopes = 0;
    for (size_t i = 0; i + half < n; i++)
        if (point[i + half].x > point[i].x)
            room[n_slopes++] = (point[i + half].y - point[i].y) / (point[i + half].x - point[i].x);
    return n_slopes > 0 ? rf_median(room, n_slopes) : 0;
}

/* Blocks of neighbours: the middle x, and the median distance from a line through zero. */
static size_t make_blocks(struct rf_point *block, const struct rf_point *point, size_t n,
                          double slope, double *room)
{
    const size_t n_blocks = n < MAX_BLOCKS ? n : MAX_BLOCKS;
    for (size_t b = 0; b < n_blocks; b++) {
        const size_t from = b * n / n_blocks, to = (b + 1) * n / n_blocks;
        for (size_t i = from; i < to; i++)
            room[i - from] = point[i].y - slope * point[i].x;
        block[b] =
            (struct rf_point){(point[from].x + point[to - 1].x) / 2, rf_median(room, to - from)};
    }
    return n_blocks;
}

/* The median slope of all pairs of blocks, which is added to the rough one. */
static double fine_slope(const struct rf_point *point, size_t n, double *room)
{
    struct rf_point block[MAX_BLOCKS];
    const double rough = rough_slope(point, n, room);
    const size_t n_blocks = make_blocks(block, point, n, rough, room);
    double *slope = malloc(MAX_SLOPES * sizeof(*slope));
    size_t n_slopes = 0;
    if (slope == NULL)
        return rough; /* less exact, and sound */
    for (size_t a = 0; a < n_blocks; a++)
        for (size_t b = a + 1; b < n_blocks; b++)
            if (block[b].x > block[a].x)
                slope[n_slopes++] = (block[b].y - block[a].y) / (block[b].x - block[a].x);
    const double more = n_slopes > 0 ? rf_median(slope, n_slopes) : 0;
    free(slope);
    return rough + more;
}

/* Sets at_zero and scatter for a slope. */
static void settle(struct rf_line *line, double slope, const struct rf_point *point, size_t n,
                   double *room)
{
    line->slope = slope;
    for (size_t i = 0; i < n; i++)
        room[i] = point[i].y - slope * point[i].x;
    line->at_zero = rf_median(room, n);
    for (size_t i = 0; i < n; i++)
        room[i] = fabs(room[i] - line->at_zero);
    line->scatter = n > 1 ? TO_SIGMA * rf_median(room, n) : -1;
}

/* One standard deviation of the slope. */
static double slope_error(const struct rf_line *line, const struct rf_point *point, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += point[i].x / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (point[i].x - mean) * (point[i].x - mean);
    return squares > 0 ? line->scatter / sqrt(squares) : INFINITY;
}

/* The scatter that neighbours have, which a bend does not add to. */
static double neighbour_scatter(const struct rf_line *line, const struct rf_point *point, size_t n,
                                double *room)
{
    for (size_t i = 0; i + 1 < n; i++)
        room[i] = fabs(point[i + 1].y - point[i].y - line->slope * (point[i + 1].x - point[i].x));
    return TO_SIGMA / sqrt(2) * rf_median(room, n - 1);
}

static void find_bend(struct rf_line *line, const struct rf_point *point, size_t n, double *room)
{
    const double usual = neighbour_scatter(line, point, n, room);
    for (size_t s = 0; s < N_STRETCHES; s++) {
        const size_t from = s * n / N_STRETCHES, to = (s + 1) * n / N_STRETCHES;
        for (size_t i = from; i < to; i++)
            room[i - from] = point[i].y - line->at_zero - line->slope * point[i].x;
        line->bend = fmax(line->bend, fabs(rf_median(room, to - from)));
    }
    line->is_bent = line->bend > 4 * usual;
}

void rf_fit_line(struct rf_line *line, struct rf_point *point, size_t n, double *room)
{
    *line = (struct rf_line){.scatter = -1};
    qsort(point, n, sizeof(*point), compare_points);
    settle(line, n >= RF_FIT_SLOPE_POINTS ? fine_slope(point, n, room) : 0, point, n, room);
    if (fabs(line->slope) <= 3 * slope_error(line, point, n) || fabs(line->slope) > MAX_SLOPE)
        settle(line, 0, point, n, room);
    if (n >= (size_t)N_STRETCHES * MIN_STRETCH)
        find_bend(line, point, n, room);
}
