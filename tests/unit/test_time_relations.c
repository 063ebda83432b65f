/* SPDX-License-Identifier: Apache-2.0 */
/* Time domains: whichever way they are related, times of one become those of another. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log/time_relations.h"
#include "rangefinder/rangefinder.h"

#define CLOCK(n) ((struct rf_time_domain){0, n})
#define OWN(n)   ((struct rf_time_domain){1, n})

static void points(struct rf_time_relations *all, struct rf_time_domain from,
                   struct rf_time_domain to, const struct rf_sync_point *point, size_t n)
{
    assert_int_equal(rf_time_relations_add(all, from, to, 0, point, n), RF_OK);
}

static void slope(struct rf_time_relations *all, struct rf_time_domain from,
                  struct rf_time_domain to, double by, int64_t from_time, int64_t to_time)
{
    const struct rf_sync_point point = {from_time, to_time};
    assert_int_equal(rf_time_relations_add(all, from, to, by, &point, 1), RF_OK);
}

static int64_t convert(const struct rf_time_relations *all, struct rf_time_domain from,
                       struct rf_time_domain to, int64_t time)
{
    struct rf_time_route route;
    assert_true(rf_time_route_find(all, from, &to, 1, &route));
    return rf_time_route_apply(all, &route, time);
}

static void test_points(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    const struct rf_sync_point p[] = {{300, 4000}, {100, 1000}, {200, 2000}};
    points(&all, OWN(1), CLOCK(14), p, 3);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 100), 1000);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 150), 1500);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 250), 3000);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 0), 0);      /* before the first */
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 400), 6000); /* behind the last */
    assert_int_equal(convert(&all, CLOCK(14), OWN(1), 3000), 250);
    assert_int_equal(convert(&all, CLOCK(14), OWN(1), 1500), 150);
    assert_int_equal(convert(&all, OWN(1), OWN(1), 77), 77);
    rf_time_relations_release(&all);
}

/* A point that lets time run backwards is left out, and so is one that is there twice. */
static void test_bad_points(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    const struct rf_sync_point p[] = {{100, 1000}, {150, 900}, {100, 1000}, {200, 2000}};
    points(&all, OWN(1), CLOCK(14), p, 4);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 150), 1500);
    rf_time_relations_release(&all);
}

/* One point: the domains run alike, by their resolutions. */
static void test_one_point(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    const struct rf_sync_point p = {1000, 5000000};
    points(&all, OWN(1), CLOCK(14), &p, 1);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 1001), 5000001);
    assert_int_equal(rf_time_relations_set_resolution(&all, OWN(1), 1000000), RF_OK);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 1001), 5001000);
    assert_int_equal(convert(&all, CLOCK(14), OWN(1), 5003000), 1003);
    rf_time_relations_release(&all);
}

static void test_slope(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    const struct rf_sync_point p[] = {{0, 0}, {1, 1}};
    points(&all, OWN(1), CLOCK(14), p, 2);
    slope(&all, OWN(1), CLOCK(14), 7, 0, 0);
    slope(&all, OWN(1), CLOCK(14), 2.5, 100, 1000); /* the last one, before any points */
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 104), 1010);
    assert_int_equal(convert(&all, CLOCK(14), OWN(1), 1010), 104);
    rf_time_relations_release(&all);
}

/* The shortest way, through other domains and backwards; a better target goes before a nearer one.
 */
static void test_routes(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    struct rf_time_route route;
    slope(&all, OWN(1), OWN(2), 2, 0, 0);
    slope(&all, OWN(3), OWN(2), 1, 0, -5);
    slope(&all, OWN(3), CLOCK(14), 1, 0, 100);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), 10), 125);
    slope(&all, OWN(1), CLOCK(12), 1, 0, 0);
    const struct rf_time_domain target[] = {CLOCK(14), CLOCK(12)};
    assert_true(rf_time_route_find(&all, OWN(1), target, 2, &route));
    assert_int_equal(route.target, 0);
    assert_int_equal(route.n, 3);
    assert_false(rf_time_route_find(&all, OWN(9), target, 2, &route));
    rf_time_relations_release(&all);
}

static void test_what_says_nothing(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    slope(&all, OWN(1), CLOCK(14), NAN, 0, 0);
    slope(&all, OWN(1), CLOCK(14), INFINITY, 0, 0);
    slope(&all, OWN(1), CLOCK(14), -1, 0, 0);
    slope(&all, OWN(1), OWN(1), 2, 0, 0);
    points(&all, OWN(1), CLOCK(14), NULL, 0);
    assert_int_equal(all.n, 0);
    rf_time_relations_release(&all);
}

/* Times as far apart as they can be stay in range. */
static void test_far(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    const struct rf_sync_point p[] = {{INT64_MIN, INT64_MIN}, {INT64_MAX, INT64_MAX}};
    points(&all, OWN(1), CLOCK(14), p, 2);
    slope(&all, OWN(2), CLOCK(14), 1e300, 0, 0);
    assert_int_equal(convert(&all, OWN(1), CLOCK(14), INT64_MIN), INT64_MIN);
    assert_true(convert(&all, OWN(1), CLOCK(14), INT64_MAX) > INT64_MAX - 1024);
    assert_int_equal(convert(&all, OWN(2), CLOCK(14), 5), INT64_MAX);
    assert_int_equal(convert(&all, OWN(2), CLOCK(14), -5), INT64_MIN);
    rf_time_relations_release(&all);
}

/* A registered domain is the clock of its type, unless it is that of another machine. */
static void test_types(void **state)
{
    (void)state;
    struct rf_time_relations all = {.n = 0};
    struct rf_time_route route;
    const struct rf_time_domain mono = CLOCK(14), tsc = CLOCK(10);
    assert_int_equal(rf_time_relations_add_type(&all, OWN(1), 0, 14), RF_OK);
    assert_int_equal(rf_time_relations_add_type(&all, OWN(2), (uint64_t)1 << 24, 14), RF_OK);
    assert_int_equal(rf_time_relations_add_type(&all, OWN(3), 0, 10), RF_OK);
    assert_int_equal(rf_time_relations_set_resolution(&all, OWN(3), 3000000000), RF_OK);
    assert_int_equal(convert(&all, OWN(1), mono, 12345), 12345);
    assert_int_equal(convert(&all, OWN(3), tsc, 12345), 12345);
    assert_false(rf_time_route_find(&all, OWN(2), &mono, 1, &route));
    rf_time_relations_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),    cmocka_unit_test(test_bad_points),
        cmocka_unit_test(test_one_point), cmocka_unit_test(test_slope),
        cmocka_unit_test(test_routes),    cmocka_unit_test(test_what_says_nothing),
        cmocka_unit_test(test_far),       cmocka_unit_test(test_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
