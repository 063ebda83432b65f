/* SPDX-License-Identifier: Apache-2.0 */
/* Exports that several threads format: their batches come in order, and the first error ends all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "export/export_shares.h"

#define N_ITEMS 100000u

/* What comes out, and when that fails. */
struct output {
    char *bytes;
    size_t n, room;
    size_t fails_at; /* bytes; 0: never */
};

static int take(void *context, const void *data, size_t size, struct rf_err *err)
{
    struct output *output = context;
    if (output->fails_at != 0 && output->n + size > output->fails_at)
        return rf_fail(err, RF_ERR_IO, "the output is full");
    while (output->room - output->n < size) {
        output->room = 2 * output->room + size;
        output->bytes = realloc(output->bytes, output->room);
        assert_non_null(output->bytes);
    }
    memcpy(output->bytes + output->n, data, size);
    output->n += size;
    return RF_OK;
}

/* What is written: a line per item, now and then a long one; fails_at: the item that fails. */
struct plan {
    uint32_t fails_at; /* 0: none */
    uint32_t n_skipped, n_written;
};

static int write_items(void *context, struct rf_share *share)
{
    struct plan *plan = context;
    int status = RF_OK;
    rf_sink_text(share->sink, "begin\n");
    for (uint32_t i = 1; i <= N_ITEMS && status == RF_OK; i++) {
        (void)__atomic_fetch_add(share->is_mine ? &plan->n_written : &plan->n_skipped, 1,
                                 __ATOMIC_RELAXED);
        if (share->is_mine) {
            rf_sink_u64(share->sink, i);
            if (i % 1000 == 0)
                rf_sink_pad(share->sink, i * 3);
            rf_sink_char(share->sink, '\n');
        }
        if (i == plan->fails_at)
            return rf_fail(share->job.err, RF_ERR_DAMAGED, "item %u", i);
        status = rf_export_step(&share->job);
        if (status == RF_OK)
            status = rf_share_next(share);
    }
    rf_sink_text(share->sink, "end\n");
    return status;
}

static int run(uint64_t n_items, struct plan *plan, struct output *output, struct rf_err *err,
               int (*progress)(void *, double))
{
    struct rf_sink sink;
    const struct rf_export_options options = {.size = sizeof(options), .progress = progress};
    struct rf_export_job job = {.options = &options, .n_events = N_ITEMS, .err = err};
    assert_int_equal(rf_sink_init(&sink, take, output, err), RF_OK);
    int status = rf_export_in_shares(&job, &sink, n_items, write_items, plan);
    if (status == RF_OK)
        status = rf_sink_finish(&sink);
    rf_sink_release(&sink);
    return status;
}

static void test_order(void **state)
{
    struct rf_err err;
    struct plan alone = {0}, several = {0};
    struct output one = {0}, many = {0};
    (void)state;
    assert_int_equal(run(0, &alone, &one, &err, NULL), RF_OK);
    assert_int_equal(alone.n_written, N_ITEMS);
    assert_int_equal(alone.n_skipped, 0);
    for (int i = 0; i < 5; i++) {
        memset(&several, 0, sizeof(several));
        many.n = 0;
        assert_int_equal(run(N_ITEMS, &several, &many, &err, NULL), RF_OK);
        assert_int_equal(several.n_written, N_ITEMS);
        assert_int_equal(many.n, one.n);
        assert_memory_equal(many.bytes, one.bytes, one.n);
    }
    free(one.bytes);
    free(many.bytes);
}

static void test_output_fails(void **state)
{
    struct rf_err err;
    (void)state;
    for (size_t at = 1; at < 6000000; at += 700001) {
        struct plan plan = {0};
        struct output output = {.fails_at = at};
        assert_int_equal(run(N_ITEMS, &plan, &output, &err, NULL), RF_ERR_IO);
        assert_string_equal(err.text, "the output is full");
        free(output.bytes);
    }
}

static void test_item_fails(void **state)
{
    struct rf_err err;
    (void)state;
    for (uint32_t at = 1; at < N_ITEMS; at += 9973) {
        struct plan plan = {.fails_at = at};
        struct output output = {0};
        assert_int_equal(run(N_ITEMS, &plan, &output, &err, NULL), RF_ERR_DAMAGED);
        assert_memory_equal(err.text, "item ", 5);
        free(output.bytes);
    }
}

static int stop(void *context, double share)
{
    (void)context;
    return share > 0.1;
}

static void test_stopped(void **state)
{
    struct rf_err err;
    struct plan plan = {0};
    struct output output = {0};
    (void)state;
    assert_true(run(N_ITEMS, &plan, &output, &err, stop) < 0);
    free(output.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_output_fails),
        cmocka_unit_test(test_item_fails),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
