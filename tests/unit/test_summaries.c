/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries: the same bytes in every order and grouping, whole or in parts. */
#include "random_summary.h"

#define N_PARTS 7

/* ---- Order and grouping ---- */

/* The parts in an order of chance, merged in groups of chance. */
static rf_summary *merge_at_random(rf_summary *const part[N_PARTS])
{
    rf_summary *all = NULL, *group = NULL;
    size_t order[N_PARTS];
    assert_int_equal(rf_summary_new(&all, NULL), RF_OK);
    for (size_t i = 0; i < N_PARTS; i++) {
        size_t k = dice(i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (size_t i = 0; i < N_PARTS; i++) {
        if (group == NULL)
            assert_int_equal(rf_summary_new(&group, NULL), RF_OK);
        absorb(group, part[order[i]]);
        if (i + 1 < N_PARTS && dice(2) > 0)
            continue;
        assert_int_equal(rf_summary_merge(group, NULL), RF_OK);
        absorb(all, group);
        rf_summary_free(group);
        group = NULL;
    }
    assert_int_equal(rf_summary_merge(all, NULL), RF_OK);
    return all;
}

static void test_order(void **state)
{
    (void)state;
    for (seed = 1; seed < 40;) {
        uint64_t round = seed;
        rf_summary *part[N_PARTS];
        for (unsigned i = 0; i < N_PARTS; i++)
            part[i] = a_summary(i);
        rf_summary *a = merge_at_random(part), *b = merge_at_random(part);
        check_same(a, b);
        rf_summary_free(a);
        rf_summary_free(b);
        for (unsigned i = 0; i < N_PARTS; i++)
            rf_summary_free(part[i]);
        seed = round + 1;
    }
}

/* Values in one summary, and spread over several that are then merged. */
static void test_parts(void **state)
{
    rf_summary whole, part[3], merged;
    (void)state;
    seed = 5;
    rf_summary_init(&whole);
    rf_summary_init(&merged);
    add_input(&whole, 0);
    seed = 5; /* the same one */
    add_input(&merged, 0);
    for (int k = 0; k < 3; k++)
        rf_summary_init(&part[k]);
    for (int i = 0; i < 5000; i++) {
        uint64_t before = seed;
        const struct rf_summary_place place = a_place(a_value());
        rf_summary *to[] = {&whole, &part[before % 3]};
        for (int k = 0; k < 2; k++) {
            uint32_t path = rf_summary_path(to[k], RF_NO_INDEX, RF_NO_STRING, RF_NO_STRING);
            assert_int_equal(
                rf_summary_row_add(rf_summary_row(to[k], 0, path, RF_SUMMARY_KERNEL), &place),
                RF_OK);
        }
    }
    uint32_t path = rf_summary_path(&merged, RF_NO_INDEX, RF_NO_STRING, RF_NO_STRING);
    for (int k = 2; k >= 0; k--)
        assert_int_equal(rf_summary_row_merge(rf_summary_row(&merged, 0, path, RF_SUMMARY_KERNEL),
                                              &part[k].row[0]),
                         RF_OK);
    check_same(&whole, &merged);
    rf_summary_release(&whole);
    rf_summary_release(&merged);
    for (int k = 0; k < 3; k++)
        rf_summary_release(&part[k]);
}

/* ---- The limit of tallies ---- */

static void count_tallies(const rf_summary *summary, uint64_t *n, uint64_t *total, uint64_t *sum)
{
    for (size_t i = 0; i < summary->tallies.n; i++) {
        const struct rf_tally *tally = &summary->tallies.item[i];
        n[tally->key.kind] += tally->values.n;
        total[tally->key.kind] += tally->values.total;
        for (unsigned k = 0; k < RF_TALLY_SUMS; k++)
            sum[tally->key.kind] += tally->sum[k];
    }
}

static size_t count_own(const rf_summary *summary, uint32_t kind)
{
    size_t n = 0;
    for (size_t i = 0; i < summary->tallies.n; i++)
        n += summary->tallies.item[i].key.kind == kind &&
             summary->tallies.item[i].key.name != RF_REST_OF_NAMES;
    return n;
}

/* Of a kind those are kept that are of another one, too. */
static void check_beside(const rf_summary *summary, uint32_t kind, uint32_t leader)
{
    for (size_t i = 0; i < summary->tallies.n; i++) {
        struct rf_tally_key key = summary->tallies.item[i].key;
        if (key.kind != kind || key.name == RF_REST_OF_NAMES)
            continue;
        key.kind = leader;
        assert_non_null(rf_tally_find(&summary->tallies, &key));
    }
}

/* What is not kept is in the rest. */
static void test_limit(void **state)
{
    (void)state;
    for (seed = 1; seed < 40;) {
        const uint64_t round = seed;
        rf_summary *summary = a_summary(0);
        uint64_t before[3][RF_TALLY_N_KINDS] = {{0}}, after[3][RF_TALLY_N_KINDS] = {{0}};
        const size_t most = dice(8) + 1;
        count_tallies(summary, before[0], before[1], before[2]);
        assert_int_equal(rf_summary_tallies_limit(summary, 0, most), RF_OK);
        count_tallies(summary, after[0], after[1], after[2]);
        assert_memory_equal(before, after, sizeof(before));
        for (uint32_t kind = 0; kind < RF_TALLY_N_KINDS; kind++)
            assert_true(count_own(summary, kind) <= most || kind == RF_TALLY_GPU_TIME);
        check_beside(summary, RF_TALLY_LAUNCH_CALL, RF_TALLY_LAUNCH);
        check_beside(summary, RF_TALLY_LATENCY_DEPTH, RF_TALLY_LATENCY);
        const size_t n = summary->tallies.n; /* those before the first stay, however many */
        assert_int_equal(rf_summary_tallies_limit(summary, n, 1), RF_OK);
        assert_int_equal(summary->tallies.n, n);
        rf_summary_free(summary);
        seed = round + 1;
    }
}

/* Too large is an error, and no small number. */
static void test_too_large(void **state)
{
    struct rf_err err;
    (void)state;
    seed = 9;
    rf_summary *large = a_summary(0);
    seed = 9; /* the same names */
    rf_summary *other = a_summary(1);
    absorb(large, other);
    for (size_t i = 0; i < large->n_rows; i++)
        large->row[i].total = INT64_MAX - 1;
    assert_int_equal(rf_summary_merge(large, &err), RF_ERR_UNSUPPORTED);
    assert_int_equal(rf_summary_n_inputs(large), 2);
    for (size_t i = 0; i < large->n_rows; i++)
        large->row[i].total = large->row[i].n * large->row[i].min.value;
    large->input[0].n_events = INT64_MAX;
    large->input[1].n_events = 1;
    assert_int_equal(rf_summary_merge(large, &err), RF_ERR_UNSUPPORTED);
    large->input[1].n_events = 0;
    struct rf_tally *tally = &large->tallies.item[0];
    const uint64_t sum = tally->sum[1];
    tally->sum[1] = INT64_MAX;
    for (size_t i = 1; i < large->tallies.n; i++)
        large->tallies.item[i].sum[1] += large->tallies.item[i].key.input;
    assert_int_equal(rf_summary_merge(large, &err), RF_ERR_UNSUPPORTED);
    large->tallies.item[0].sum[1] = sum;
    const uint64_t n_samples = large->counters.item[0].figures.n_samples;
    large->counters.item[0].figures.n_samples = INT64_MAX;
    assert_int_equal(rf_summary_merge(large, &err), RF_ERR_UNSUPPORTED);
    large->counters.item[0].figures.n_samples = n_samples;
    assert_int_equal(rf_summary_merge(large, &err), RF_OK);
    const struct rf_summary_place place = {.value = UINT64_MAX};
    struct rf_summary_row row = {.n = 0};
    assert_int_equal(rf_summary_row_add(&row, &place), RF_ERR_UNSUPPORTED);
    rf_histogram_release(&row.histogram);
    rf_summary_free(large);
    rf_summary_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
