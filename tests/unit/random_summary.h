/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries at random, and whether two are the same in a file. */
#ifndef TESTS_UNIT_RANDOM_SUMMARY_H
#define TESTS_UNIT_RANDOM_SUMMARY_H

#include "unit.h"

#include <math.h>

#include <unistd.h>

#include "model/collectives/collectives.h"
#include "model/sums/range_sums.h"
#include "rangefinder/summary.h"
#include "summary/summary_data.h"
#include "summary/summary_steps.h"

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* Values of all magnitudes. */
static uint64_t a_value(void)
{
    return (dice(1u << 30) + 1) >> dice(30) << dice(12);
}

/* ---- Summaries of chance ---- */

static uint32_t string(rf_summary *summary, const char *format, unsigned n)
{
    char text[32];
    int size = snprintf(text, sizeof(text), format, n);
    return rf_strings_add(&summary->strings, text, (size_t)size);
}

static uint32_t a_path(rf_summary *summary)
{
    uint32_t path = RF_NO_INDEX;
    for (uint64_t depth = dice(3) + 1; depth > 0; depth--) {
        uint32_t domain =
            dice(4) > 0 ? string(summary, "domain%u", (unsigned)dice(2)) : RF_NO_STRING;
        uint32_t name = dice(9) > 0 ? string(summary, "na\nme%u", (unsigned)dice(4)) : RF_NO_STRING;
        path = rf_summary_path(summary, path, domain, dice(20) > 0 ? name : RF_REST_OF_NAMES);
    }
    return path;
}

static struct rf_summary_place a_place(uint64_t value)
{
    return (struct rf_summary_place){.value = value,
                                     .start_utc_ns = (int64_t)dice(50) - 20,
                                     .rank = (int64_t)dice(3) - 1,
                                     .pid = (uint32_t)dice(3),
                                     .tid = (uint32_t)dice(3)};
}

static void add_input(rf_summary *summary, unsigned number)
{
    char path[32];
    (void)snprintf(path, sizeof(path), "part%u.rf", number);
    const struct rf_summary_input input = {.path = path,
                                           .host = dice(2) > 0 ? "a" : "b",
                                           .filter = "",
                                           .rank = (int64_t)dice(2),
                                           .local_rank = 0,
                                           .world_size = 2,
                                           .start_utc_ns = 1000 * number + (int64_t)dice(1000),
                                           .duration_ns = 1000 + dice(1000),
                                           .n_inputs = 1,
                                           .n_events = dice(100)};
    assert_int_equal(rf_summary_add_input(summary, &input), RF_OK);
    assert_int_equal(rf_summary_identify(summary, rf_summary_n_inputs(summary) - 1, 0, input.rank),
                     RF_OK);
}

/* What a GPU did in the step that was added last, whose duration is at least 5. */
static void add_step_gpu(rf_summary *summary, uint32_t number)
{
    struct rf_summary_step *step = &summary->step[summary->n_steps - 1];
    struct rf_summary_step_gpu gpu = {.gpu = number, .ns = {dice(2), dice(2), dice(2)}};
    gpu.ns[RF_SUMMARY_MOMENTS - 1] = step->duration - gpu.ns[0] - gpu.ns[1] - gpu.ns[2];
    assert_int_equal(rf_summary_add_step_gpu(summary, step, &gpu), RF_OK);
}

/* Steps that often are equal but for one value. */
static void add_steps(rf_summary *summary)
{
    for (uint64_t n = dice(30); n > 0; n--) {
        const struct rf_summary_step step = {.path = a_path(summary),
                                             .host = string(summary, "host%u", (unsigned)dice(2)),
                                             .pid = (uint32_t)dice(2),
                                             .tid = (uint32_t)dice(2),
                                             .rank = (int64_t)dice(3) - 1,
                                             .number = dice(2) + 1,
                                             .start_utc_ns = (int64_t)dice(2),
                                             .duration = 5 + dice(2),
                                             .self = dice(2),
                                             .busy = dice(2),
                                             .wait = dice(2),
                                             .has_children = true,
                                             .cut = (uint32_t)dice(2)};
        assert_int_equal(rf_summary_add_step(summary, &step), RF_OK);
        for (uint64_t k = dice(4); k > 0; k--)
            assert_int_equal(
                rf_summary_add_step_child(summary, a_path(summary), dice(2) + 1, dice(2)), RF_OK);
        for (uint32_t gpu = (uint32_t)dice(2); gpu < 2; gpu += 1 + (uint32_t)dice(2))
            add_step_gpu(summary, gpu);
        summary->input[0].n_steps++;
    }
    summary->input[0].n_searched = 1;
    summary->input[0].n_steps_left_out = dice(2);
}

static int64_t an_id(void)
{
    return (int64_t)dice(3) - 1;
}

static void add_collectives(rf_summary *summary)
{
    struct rf_searched *count = rf_searched_at(&summary->collectives.searched, 0);
    assert_non_null(count);
    *count = (struct rf_searched){1, dice(5)};
    for (uint64_t n = dice(30) + 1; n > 0; n--) {
        const int64_t start = (int64_t)dice(50) - 20;
        const struct rf_summary_collective item = {
            .operation = string(summary, "operation%u", (unsigned)dice(3)),
            .kind = (uint32_t)dice(RF_COLLECTIVE_N_KINDS),
            .start_utc_ns = start,
            .end_utc_ns = start + (int64_t)dice(50),
            .number = dice(4) + 1,
            .communicator = an_id(),
            .bytes = an_id(),
            .rank = an_id(),
            .pid = an_id(),
            .tid = an_id(),
            .device = an_id(),
            .stream = an_id()};
        assert_int_equal(rf_summary_collective_add(summary, &item), RF_OK);
    }
}

static void add_sample(struct rf_sample_sum *sum)
{
    const int64_t ns = (int64_t)dice(9) - 4;
    const uint64_t bits = dice(1u << 31) << 33 ^ dice(1u << 31) << 11 ^ dice(1u << 31);
    double real;
    memcpy(&real, &bits, sizeof(real)); /* some are not finite */
    switch (dice(6)) {
    case 0:
        rf_sample_sum_add_none(sum);
        break;
    case 1:
        rf_sample_sum_add_whole(sum, ns, (__int128)bits); /* above 2^63, too */
        break;
    case 2:
        rf_sample_sum_add_whole(sum, ns, (int64_t)dice(5) - 2);
        break;
    case 3:
        rf_sample_sum_add_real(sum, ns, (double)dice(5) - 2); /* equal to whole ones */
        break;
    case 4:
        rf_sample_sum_add_real(sum, ns, dice(2) > 0 ? -0.0 : (double)INFINITY);
        break;
    default:
        rf_sample_sum_add_real(sum, ns, real);
    }
}

/* Counters that often are told apart by nothing, or by one thing. */
static void add_counters(rf_summary *summary)
{
    struct rf_searched *searched = rf_searched_at(&summary->counters.searched, 0);
    assert_non_null(searched);
    *searched = (struct rf_searched){1, dice(3)};
    for (uint64_t n = dice(20) + 5; n > 0; n--) {
        const bool is_nvtx = dice(3) > 0;
        struct rf_sample_sum sum = {.figures = {0}};
        for (uint64_t k = dice(12) + 1; k > 0; k--)
            add_sample(&sum);
        rf_exact_settle(&sum.total);
        const struct rf_summary_counter counter = {
            .kind = is_nvtx ? RF_SUMMARY_NVTX_COUNTER : RF_SUMMARY_GPU_METRIC,
            .domain = is_nvtx && dice(4) > 0 ? string(summary, "domain%u", (unsigned)dice(2))
                                             : RF_NO_STRING,
            .name = dice(9) > 0 ? string(summary, "count%u", (unsigned)dice(2)) : RF_NO_STRING,
            .unit = dice(2) > 0 ? string(summary, "unit%u", (unsigned)dice(2)) : RF_NO_STRING,
            .number = (uint32_t)dice(3),
            .value_type = (uint32_t)dice(3),
            .factor = dice(3) > 0 ? 1 : 0.25,
            .pid = an_id(),
            .tid = an_id(),
            .device = an_id(),
            .figures = sum.figures};
        assert_int_equal(rf_summary_counter_add(summary, &counter, &sum.total), RF_OK);
    }
}

/* Tallies that often are told apart by nothing, or by one thing; of COVERAGE without values. */
static void add_tallies(rf_summary *summary)
{
    for (uint32_t kind = 0; kind < RF_TALLY_N_KINDS; kind++) {
        assert_int_equal(rf_tallies_search(&summary->tallies, 0, kind), RF_OK);
        summary->tallies.searched[kind].input[0].n_left_out = dice(3);
    }
    for (uint64_t n = dice(60) + 20; n > 0; n--) {
        struct rf_tally_key key = RF_TALLY_NO_KEY;
        key.kind = (uint32_t)dice(RF_TALLY_N_KINDS);
        key.domain = dice(3) > 0 ? string(summary, "domain%u", (unsigned)dice(2)) : RF_NO_STRING;
        key.name = dice(4) > 0   ? string(summary, "na\nme%u", (unsigned)dice(2))
                   : dice(2) > 0 ? RF_NO_STRING
                                 : RF_REST_OF_NAMES;
        key.style = dice(3) > 0 ? string(summary, "style%u", (unsigned)dice(2)) : RF_NO_STRING;
        key.detail = dice(9) == 0 ? string(summary, "detail%u", (unsigned)dice(2)) : RF_NO_STRING;
        key.pid = an_id();
        key.tid = an_id();
        key.device = dice(9) == 0 ? an_id() : -1;
        struct rf_tally *tally = rf_tally_of(&summary->tallies, &key);
        assert_non_null(tally);
        for (uint64_t k = dice(4); k > 0 && key.kind != RF_TALLY_COVERAGE; k--)
            assert_int_equal(rf_summary_row_add_times(&tally->values, a_value(), dice(3) + 1),
                             RF_OK);
        for (unsigned k = 0; k < RF_TALLY_SUMS; k++)
            assert_int_equal(rf_tally_add_sum(tally, k, dice(1000)), RF_OK);
    }
}

static rf_summary *a_summary(unsigned number)
{
    rf_summary *summary = NULL;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    add_input(summary, number);
    for (uint64_t n = dice(200) + 1; n > 0; n--) {
        struct rf_summary_row *row =
            rf_summary_row(summary, 0, a_path(summary), (uint32_t)dice(RF_SUMMARY_N_KINDS));
        const struct rf_summary_place place = a_place(a_value());
        assert_int_equal(rf_summary_row_add(row, &place), RF_OK);
        assert_int_equal(rf_summary_row_add_self(row, dice(place.value + 1)), RF_OK);
        assert_int_equal(rf_summary_row_add_gpu(row, dice(3) + 1, a_value()), RF_OK);
    }
    add_steps(summary);
    add_collectives(summary);
    add_counters(summary);
    add_tallies(summary);
    return summary;
}

/* ---- Files ---- */

static void name_file(char path[64], const char *name)
{
    (void)snprintf(path, 64, "summaries-%d-%s.rfsum", (int)getpid(), name);
}

static size_t bytes_of(const rf_summary *summary, char *bytes, size_t room)
{
    char path[64];
    struct rf_err err;
    name_file(path, "bytes");
    if (rf_summary_write(summary, path, 1, &err) != RF_OK)
        fail_msg("%s", err.text);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, room, file);
    (void)fclose(file);
    (void)unlink(path);
    assert_true(n > 0 && n < room);
    return n;
}

#define ROOM ((size_t)4 << 20)

static void check_same(const rf_summary *a, const rf_summary *b)
{
    char *x = malloc(ROOM), *y = malloc(ROOM);
    size_t n = bytes_of(a, x, ROOM);
    assert_int_equal(n, bytes_of(b, y, ROOM));
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void absorb(rf_summary *to, const rf_summary *from)
{
    struct rf_err err;
    if (rf_summary_absorb(to, from, NULL, &err) != RF_OK)
        fail_msg("%s", err.text);
}

#endif
