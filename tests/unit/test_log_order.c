/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that go on while a session directory is read: rf_log_sort() leaves out what came into the
 * log out of order, and nothing else. */
#include "unit.h"

#include "log/log_order.h"
#include "log/reader.h"

#define MAX_PARTS 16

struct stream {
    uint32_t process, slot;
    const char *seqs; /* of the parts: one digit each; behind it '-': its end is not there */
};

/* Sorts the parts of streams, of which `moved` went on; compares what is left as "process.slot:seqs
 * ...". */
static void check(const struct stream *stream, size_t n, const struct rf_log_tail *moved,
                  size_t n_moved, const char *expected)
{
    struct rf_log_part part[MAX_PARTS];
    struct rf_log log = {.part = part, .moved = (struct rf_log_tail *)moved, .n_moved = n_moved};
    char left[256] = "";
    size_t used = 0;
    memset(part, 0, sizeof(part));
    for (size_t s = 0; s < n; s++)
        for (const char *seq = stream[s].seqs; *seq != '\0'; seq++) {
            if (*seq == '-') {
                part[log.n_parts - 1].is_cut = true;
                part[log.n_parts - 1].is_complete = false;
                continue;
            }
            struct rf_log_part *at = &part[log.n_parts++];
            at->process = stream[s].process;
            at->slot = stream[s].slot;
            at->seq = (uint64_t)(*seq - '0');
            at->is_complete = true;
        }
    rf_log_sort(&log);
    for (size_t i = 0; i < log.n_parts; i++) {
        bool is_first =
            i == 0 || part[i - 1].process != part[i].process || part[i - 1].slot != part[i].slot;
        if (is_first)
            used += (size_t)snprintf(left + used, sizeof(left) - used, "%s%u.%u:", i > 0 ? " " : "",
                                     part[i].process, part[i].slot);
        left[used++] = (char)('0' + part[i].seq);
        left[used] = '\0';
    }
    assert_string_equal(left, expected);
}

static void test_order(void **state)
{
    const struct stream streams[] = {{0, 0, "3124"}, {0, 1, "12"}, {2, 0, "542"}};
    (void)state;
    check(streams, 3, NULL, 0, "0.0:1234 0.1:12 2.0:245");
}

static void test_later_parts(void **state)
{
    const struct rf_log_tail moved[] = {{2, 0, 0, 0}, {4, 1, 1, 0}};
    const struct stream gap[] = {{0, 0, "1245"}, {0, 1, "13"}, {1, 1, "12347"}, {3, 0, "13"}};
    (void)state;
    /* 3 is being appended while 4 and 5 are there; the other streams did not go on */
    check(gap, 4, moved, 2, "0.0:12 0.1:13 1.1:1234 3.0:13");
    const struct stream whole[] = {{0, 0, "12345"}, {1, 1, "123456"}};
    check(whole, 2, moved, 2, "0.0:12345 1.1:123456");
}

/* The last part is being appended; one that was there before is damaged. */
static void test_cut_part(void **state)
{
    const struct rf_log_tail moved[] = {{2, 0, 0, 0}};
    const struct stream later[] = {{0, 0, "123-"}, {1, 0, "123-"}}, earlier[] = {{0, 0, "12-3"}};
    (void)state;
    check(later, 2, moved, 1, "0.0:12 1.0:123");
    check(earlier, 1, moved, 1, "0.0:123");
}

/* What is missing before the pool was read is lost, and stays to be counted. */
static void test_earlier_gap(void **state)
{
    const struct rf_log_tail moved[] = {{4, 0, 0, 0}};
    const struct stream early[] = {{0, 0, "1245"}}, both[] = {{0, 0, "12457"}};
    const struct stream next[] = {{0, 0, "1257"}};
    (void)state;
    check(early, 1, moved, 1, "0.0:1245");
    check(both, 1, moved, 1, "0.0:1245");
    check(next, 1, moved, 1, "0.0:125");
}

static void test_new_stream(void **state)
{
    const struct rf_log_tail moved[] = {{0, 0, 0, 0}};
    const struct stream begun[] = {{0, 0, "12"}}, gap[] = {{0, 0, "2"}, {1, 0, "2"}};
    (void)state;
    check(begun, 1, moved, 1, "0.0:12");
    check(gap, 2, moved, 1, "1.0:2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order), cmocka_unit_test(test_later_parts),
        cmocka_unit_test(test_cut_part), cmocka_unit_test(test_earlier_gap),
        cmocka_unit_test(test_new_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
