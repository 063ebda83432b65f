/* SPDX-License-Identifier: Apache-2.0 */
/* For how many samples the command line has room: enough, never more than the most, and less again
 * when they come slower. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/gpu_metrics/sample_room.h"

static void test_usual(void **state)
{
    struct sample_room room;
    (void)state;
    for (uint64_t usual = 0; usual <= 40000; usual += 7) {
        sample_room_init(&room, usual, 10000);
        assert_int_equal(room.n & (room.n - 1), 0);
        assert_true(room.n >= 256 && room.n <= SAMPLE_ROOM_MOST);
        assert_true(4 * (uint64_t)room.n >= 5 * usual + 4000 || room.n == SAMPLE_ROOM_MOST);
        assert_true(room.n < 3 * usual + 2500);
    }
    sample_room_init(&room, 100, 1000);
    assert_int_equal(room.n, 256);
}

static void test_grows(void **state)
{
    struct sample_room room;
    (void)state;
    sample_room_init(&room, 512, 10000);
    sample_room_fit(&room, 500);
    assert_int_equal(room.n, 2048);
    sample_room_fit(&room, 900);
    assert_int_equal(room.n, 4096);
    sample_room_fit(&room, 1e12); /* after a stall */
    assert_int_equal(room.n, SAMPLE_ROOM_MOST);
}

/* A decode takes 6 us for each sample that it has room for and 42 us for each that came (measured
 * on an H200). After a stall it gets back to what is usual. */
static void test_recovers(void **state)
{
    const uint32_t hz[] = {1000, 5000, 10000};
    for (size_t i = 0; i < 3; i++) {
        struct sample_room room;
        const double period = 512.0 / hz[i];
        sample_room_init(&room, 512, hz[i]);
        sample_room_fit(&room, 200000);
        assert_int_equal(room.n, SAMPLE_ROOM_MOST);
        for (int n = 0; n < 1000; n++) {
            const double took = 6e-6 * room.n + 42e-6 * 512;
            sample_room_fit(&room, hz[i] * (took > period ? took : period));
        }
        assert_int_equal(room.n, room.least);
    }
    (void)state;
}

/* What comes now and then is no reason to get smaller: each size is prepared anew. */
static void test_is_steady(void **state)
{
    struct sample_room room;
    unsigned n_changes = 0;
    (void)state;
    sample_room_init(&room, 512, 10000);
    for (int n = 0; n < 1000; n++) {
        const uint32_t before = room.n;
        sample_room_fit(&room, n % 16 == 0 ? 1200 : 512);
        n_changes += room.n != before;
    }
    assert_int_equal(n_changes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual),
        cmocka_unit_test(test_grows),
        cmocka_unit_test(test_recovers),
        cmocka_unit_test(test_is_steady),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
