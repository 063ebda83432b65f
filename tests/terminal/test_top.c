/* SPDX-License-Identifier: Apache-2.0 */
/* What `top` counts of an interval, by times that are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/top/top_defs.h"
#include "cli/top/top_map.h"
#include "cli/top/top_ranges.h"

static uint32_t name(struct top_ranges *r, const char *text)
{
    return top_row_of(r, TOP_TEXT_NONE, top_texts_find(&r->texts, text, strlen(text)),
                      TOP_PUSH_POP);
}

static void begin(struct top_ranges *r, uint64_t ticks)
{
    memset(r, 0, sizeof(*r));
    assert_true(top_ranges_init(r));
    r->is_counting = true;
    top_interval_begin(r, ticks);
}

static void check_row(const struct top_ranges *r, uint32_t row, uint64_t n, uint64_t total,
                      uint64_t self)
{
    assert_int_equal(r->row[row].stamp, r->stamp);
    assert_int_equal(r->row[row].n, n);
    assert_int_equal(r->row[row].total, total);
    assert_int_equal(r->row[row].self, self);
}

/* The time in the interval, of ranges that began before it, end in it, or go on. */
static void test_times(void **state)
{
    struct top_ranges r;
    (void)state;
    begin(&r, 0);
    const uint32_t t = top_thread_of(&r, 0, 100, 1), outer = name(&r, "outer"),
                   inner = name(&r, "inner");
    top_push(&r, t, 0, outer, 10);
    top_push(&r, t, 0, inner, 40);
    top_interval_end(&r, 100);
    check_row(&r, outer, 0, 90, 30);
    check_row(&r, inner, 0, 60, 60);
    assert_int_equal(r.row[outer].n_open, 1);
    top_interval_begin(&r, 100);
    top_pop(&r, t, 0, 130);
    top_interval_end(&r, 200);
    check_row(&r, outer, 0, 100, 70);
    check_row(&r, inner, 1, 30, 30);
    assert_int_equal(r.row[inner].sum, 90); /* the whole duration */
    assert_int_equal(r.row[inner].n_open, 0);
    assert_int_equal(r.slowest[0].duration, 90);
    top_interval_begin(&r, 200);
    top_interval_end(&r, 300);
    assert_int_equal(r.n_active, 1); /* inner is not of this interval */
    check_row(&r, outer, 0, 100, 100);
    top_ranges_release(&r);
}

/* Stacks of domains may cross; what is popped is the innermost of its domain. */
static void test_domains(void **state)
{
    struct top_ranges r;
    (void)state;
    begin(&r, 0);
    const uint32_t t = top_thread_of(&r, 0, 100, 1), a = name(&r, "a"), b = name(&r, "b");
    top_push(&r, t, 7, a, 0);
    top_push(&r, t, 8, b, 10);
    top_pop(&r, t, 7, 30);
    top_pop(&r, t, 7, 35); /* begun before we looked */
    top_pop(&r, t, 8, 40);
    top_interval_end(&r, 50);
    check_row(&r, a, 1, 30, 10);
    check_row(&r, b, 1, 30, 30);
    assert_int_equal(r.n_unknown_ends, 1);
    assert_int_equal(r.thread[t].n_open, 0);
    top_ranges_release(&r);
}

/* Start/end ranges by their ids, also of those that were forgotten. */
static void test_starts(void **state)
{
    struct top_ranges r;
    (void)state;
    begin(&r, 0);
    const uint32_t t = top_thread_of(&r, 3, 100, 1), row = name(&r, "task");
    const uint64_t first = (uint64_t)1 << 54 | (uint64_t)6 << 40; /* process 1, slot 5 */
    for (uint64_t i = 1; i <= 3; i++)
        top_start(&r, t, first | i, row, 10 * i);
    top_start(&r, t, first | 2, row, 99); /* known already */
    top_end(&r, first | 2, 50);
    top_end(&r, first | 2, 51);
    assert_int_equal(r.row[row].n_open, 2);
    assert_int_equal(r.n_unknown_ends, 1);
    top_starts_forget(&r, 1, 4);
    assert_int_equal(r.row[row].n_open, 2);
    top_starts_forget(&r, 1, 5);
    assert_int_equal(r.row[row].n_open, 0);
    top_start(&r, t, first | 4, row, 60);
    top_interval_end(&r, 100);
    check_row(&r, row, 1, 30 + 40, 0);
    top_process_end(&r, 3);
    assert_int_equal(r.row[row].n_open, 0);
    assert_int_equal(r.n_live_threads, 0);
    top_ranges_release(&r);
}

/* Threads come and go, and their places are used again. */
static void test_threads(void **state)
{
    struct top_ranges r;
    (void)state;
    begin(&r, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t t = top_thread_of(&r, 0, 100 + i % 7, i);
        assert_int_equal(top_thread_of(&r, 0, 100 + i % 7, i), t);
        top_push(&r, t, 0, name(&r, "left open"), i);
        top_thread_end(&r, t);
    }
    assert_true(r.n_threads <= 2);
    assert_int_equal(r.row[name(&r, "left open")].n_open, 0);
    top_ranges_release(&r);
}

/* Percentiles are within 1/16 of the durations. */
static void test_percentiles(void **state)
{
    struct top_ranges r;
    (void)state;
    begin(&r, 0);
    const uint32_t t = top_thread_of(&r, 0, 100, 1), row = name(&r, "range");
    for (uint64_t i = 1; i <= 1000; i++) {
        top_push(&r, t, 0, row, 1000000 * i);
        top_pop(&r, t, 0, 1000000 * i + 1000 * i);
    }
    const uint64_t p50 = top_row_percentile(&r.row[row], 50),
                   p99 = top_row_percentile(&r.row[row], 99);
    assert_in_range(p50, 500000 - 500000 / 16, 500000 + 500000 / 16);
    assert_in_range(p99, 990000 - 990000 / 16, 1000000);
    assert_int_equal(top_row_percentile(&r.row[row], 100), 1000000);
    assert_int_equal(r.n_slowest, TOP_SLOWEST);
    for (size_t i = 0; i < TOP_SLOWEST; i++)
        assert_true(r.slowest[i].duration > (1000 - TOP_SLOWEST) * 1000);
    top_ranges_release(&r);
}

/* A program that makes ever new names: they are folded, and at last one. */
static void test_many_names(void **state)
{
    struct top_ranges r;
    char text[64];
    (void)state;
    begin(&r, 0);
    const uint32_t first = top_texts_find(&r.texts, "request 0", 9);
    for (int i = 0; i < 100000; i++) {
        const int n = snprintf(text, sizeof(text), "request %d", i);
        (void)top_texts_find(&r.texts, text, (size_t)n);
    }
    assert_true(r.texts.is_folded && r.texts.n < 20100);
    assert_int_equal(top_texts_find(&r.texts, "request 0", 9), first); /* as it was */
    const uint32_t folded = top_texts_find(&r.texts, "request 99999", 13);
    assert_string_equal(r.texts.text[folded].bytes, "request #");
    for (int i = 0; i < 100000; i++) {
        for (int k = 0; k < 8; k++)
            text[k] = (char)('a' + (i >> (2 * k)) % 26);
        (void)top_texts_find(&r.texts, text, 8);
    }
    assert_true(r.texts.n <= 40000);
    top_ranges_release(&r);
}

/* Appends a definition to a .defs file. */
static void define(int fd, unsigned type, uint32_t index, uint64_t value, const char *text)
{
    char bytes[64] = {0};
    const struct rf_def def = {.head = type,
                               .index = index,
                               .value = value,
                               .n_words = (sizeof(def) + 16) / 8,
                               .text_size = (uint32_t)strlen(text)};
    memcpy(bytes, &def, sizeof(def));
    memcpy(bytes + sizeof(def), text, strlen(text));
    assert_int_equal(write(fd, bytes, sizeof(def) + 16), sizeof(def) + 16);
}

static int defs_file(void)
{
    const struct rf_defs_header header = {.magic = {0}};
    int fd = memfd_create("defs", MFD_CLOEXEC);
    assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
    return fd;
}

/* What a process defined before it forked has its name in the child, even if its definitions were
 * read before. */
static void test_names_of_parents(void **state)
{
    struct top_ranges r;
    struct top_process p[2] = {{.parent = TOP_NONE, .pool_fd = -1, .log_fd = -1},
                               {.number = 1, .parent = TOP_NONE, .pool_fd = -1, .log_fd = -1}};
    struct top_reading reading = {
        .ranges = &r, .process = p, .n_processes = 2, .defs = malloc(TOP_DEFS_ROOM)};
    (void)state;
    begin(&r, 0);
    p[0].defs_fd = defs_file();
    p[1].defs_fd = defs_file();
    define(p[0].defs_fd, RF_REC_STRING, 1, 0, "first");
    top_defs_read(&reading, &p[0]);
    define(p[0].defs_fd, RF_REC_STRING, 2, 0, "second");
    define(p[1].defs_fd, RF_REC_PROCESS, RF_PROC_FORK_OF, 0, "");
    p[1].has_new_defs = false;
    const uint32_t text = top_string_of(&reading, &p[1], 2);
    assert_string_equal(r.texts.text[text].bytes, "second");
    assert_string_equal(r.texts.text[top_string_of(&reading, &p[1], 1)].bytes, "first");
    assert_string_equal(r.texts.text[top_string_of(&reading, &p[1], 3)].bytes, "0x3");
    for (int i = 0; i < 2; i++)
        top_process_release(&p[i]);
    free(reading.defs);
    top_ranges_release(&r);
}

/* Entries that were removed leave no others behind that cannot be found. */
static void test_map(void **state)
{
    struct top_map map = {0};
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        assert_true(top_map_set(&map, i * 0x9e3779b97f4a7c15ULL, (uint32_t)i));
        if (i >= 100) {
            assert_int_equal(top_map_remove(&map, (i - 100) * 0x9e3779b97f4a7c15ULL), i - 100);
            assert_int_equal(top_map_remove(&map, (i - 100) * 0x9e3779b97f4a7c15ULL), TOP_NONE);
        }
        for (uint64_t k = i < 99 ? 0 : i - 99; k <= i; k++)
            assert_int_equal(top_map_find(&map, k * 0x9e3779b97f4a7c15ULL), k);
    }
    assert_int_equal(map.n, 100);
    assert_true(map.room <= 256);
    top_map_release(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),       cmocka_unit_test(test_domains),
        cmocka_unit_test(test_starts),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_percentiles), cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_map),         cmocka_unit_test(test_names_of_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
