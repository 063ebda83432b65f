/* SPDX-License-Identifier: Apache-2.0 */
/* A long recording reads the same with one core and with all of them. */
#include <sched.h>
#include <stdlib.h>

#include "unit.h"

enum { STREAMS = 12, RECORDS = 800, TEXT = 4000 };

/* Streams of long, mostly different texts: 600 parts and few events. */
static struct rfw *long_recording(void)
{
    struct rfw *w = rfw_new();
    static char text[TEXT + 1];
    for (uint32_t p = 0; p < 2; p++) {
        (void)rfw_process(w, 100 + p, "app");
        (void)rfw_string(w, p, 1, 100, 0, "registered");
        (void)rfw_domain(w, p, 2, 100, "lib");
    }
    memset(text, 'x', TEXT);
    for (uint32_t i = 0; i < STREAMS; i++) {
        /* the last stream of each process is a signal handler's of the first one's thread */
        uint32_t p = i / (STREAMS / 2), slot = i % (STREAMS / 2);
        uint32_t serial = slot + 1 == STREAMS / 2 ? 1 : slot + 1;
        struct rfw_stream *s = rfw_stream(w, p, slot, 200 + serial, serial);
        for (int64_t k = 0; k < RECORDS; k++) {
            int n = snprintf(text, sizeof(text), "%u %d ", i % 4, (int)(k % 97));
            text[n] = 'x';
            rfw_push(s, 100 * k + i, &(struct rfw_attr){.text = text, .domain = k % 3 ? 0 : 1});
            rfw_mark(s, 100 * k + i + 20,
                     &(struct rfw_attr){.string = (uint64_t)(1 + k % 2), .domain = 77 + i / 4});
            rfw_pop(s, 100 * k + i + 40, k % 3 ? 0 : 1);
        }
        rfw_thread_end(s, 100 * RECORDS, serial == 1 ? "first" : "thread");
    }
    return w;
}

static void test_same(void **state)
{
    struct rfw *w = long_recording();
    cpu_set_t all, one;
    size_t n_parts = 0;
    (void)state;
    for (size_t p = 0; p < w->n_processes; p++)
        for (size_t i = 0; i < w->process[p]->n_streams; i++)
            n_parts += w->process[p]->stream[i]->n_parts;
    assert_true(n_parts > 512); /* enough for two workers */
    rf_recording *parallel = rfw_reopen(w, 0, 0);
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    rf_recording *serial = rfw_reopen(w, 0, 0);
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
    char *parallel_text = rf_dump(parallel), *serial_text = rf_dump(serial);
    assert_int_equal(rf_get_info(serial)->n_events, 2 * STREAMS * RECORDS + 2);
    assert_int_equal(rf_get_info(serial)->n_cut, 0);
    assert_string_equal(parallel_text, serial_text);
    /* the strings have the same ids too */
    assert_int_equal(rf_n_strings(parallel), rf_n_strings(serial));
    for (uint32_t i = 0; i < rf_n_strings(serial); i++)
        assert_string_equal(rf_string(parallel, i, NULL), rf_string(serial, i, NULL));
    free(parallel_text);
    free(serial_text);
    rf_close(parallel);
    rf_close(serial);
    rfw_free(w);
}

/* Which chunk is said to be damaged: the first one, whoever finds it. */
static void check_damaged(const struct rfw_bytes *bytes, uint64_t first)
{
    static const unsigned flags[] = {0, RF_OPEN_SUMS, RF_OPEN_COUNTS};
    char *dir = rfw_make_tmpdir(), path[4096];
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_write_file(path, bytes->data, bytes->size);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        rf_recording *rec;
        struct rf_err err;
        assert_int_equal(rf_open(path, flags[i], &rec, &err), RF_ERR_DAMAGED);
        assert_true(err.offset <= first && first - err.offset < RF_PART_SIZE + 64);
    }
    rfw_remove_tree(dir);
    free(dir);
}

static void test_damaged(void **state)
{
    struct rfw *w = long_recording();
    struct rfw_bytes bytes;
    (void)state;
    rfw_packed_bytes(w, &bytes);
    assert_true(bytes.size > (size_t)32 << 20); /* enough for two threads */
    const size_t place[] = {bytes.size / 10 * 9, bytes.size / 2, bytes.size / 10};
    for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) { /* the others stay damaged */
        bytes.data[place[i]] ^= 4;
        check_damaged(&bytes, place[i]);
    }
    free(bytes.data);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
