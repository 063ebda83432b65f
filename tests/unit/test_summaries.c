/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries: the same bytes in every order and grouping, whole or in parts; files
 * that were written, and files that say what cannot be. */
#include "unit.h"

#include <math.h>

#include <sqlite3.h>
#include <unistd.h>

#include "model/collectives/collectives.h"
#include "model/sums/range_sums.h"
#include "rangefinder/summary.h"
#include "summary/summary_data.h"
#include "summary/summary_steps.h"

#define N_PARTS 7

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

/* ---- Written and read ---- */

static void test_read(void **state)
{
    char path[64];
    struct rf_err err;
    rf_summary *read = NULL;
    (void)state;
    seed = 3;
    rf_summary *written = a_summary(0), *other = a_summary(1);
    absorb(written, other);
    name_file(path, "read");
    assert_int_equal(rf_summary_write(written, path, 0, &err), RF_OK);
    assert_int_equal(rf_summary_write(written, path, 0, &err), RF_ERR_EXISTS);
    assert_int_equal(rf_is_summary(path), 1);
    assert_int_equal(rf_summary_new(&read, &err), RF_OK);
    if (rf_summary_read(read, path, &err) != RF_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rf_summary_n_inputs(read), 2);
    check_same(read, written);
    assert_int_equal(rf_summary_read(read, path, &err), RF_ERR_EXISTS); /* each counts once */
    check_same(read, written);
    (void)unlink(path);
    rf_summary_free(read);
    rf_summary_free(written);
    rf_summary_free(other);
}

/* ---- What cannot be ---- */

static int read_changed(const char *sql)
{
    char path[64];
    sqlite3 *db = NULL;
    struct rf_err err;
    rf_summary *read = NULL;
    seed = 3;
    rf_summary *written = a_summary(0);
    name_file(path, "changed");
    assert_int_equal(rf_summary_write(written, path, 1, &err), RF_OK);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(rf_summary_new(&read, &err), RF_OK);
    int status = rf_summary_read(read, path, &err);
    assert_int_equal(rf_summary_n_inputs(read), status == RF_OK); /* all of it or nothing */
    (void)unlink(path);
    rf_summary_free(read);
    rf_summary_free(written);
    return status;
}

static void test_changed(void **state)
{
    static const char *const damage[] = {
        "PRAGMA user_version=0",
        "DROP TABLE sums",
        "DROP TABLE sum_histograms",
        "DROP TABLE paths; CREATE VIEW paths AS SELECT 1 path, 0 parent, '' domain, '' name, 0 "
        "is_rest",
        "CREATE TRIGGER t AFTER INSERT ON sums BEGIN DELETE FROM sums; END",
        "ALTER TABLE sums RENAME COLUMN total TO sum_of_them",
        "UPDATE inputs SET path=x'00'",
        "UPDATE inputs SET n_inputs=0",
        "UPDATE inputs SET n_lost=-1",
        "UPDATE inputs SET start_utc_ns='soon'",
        "UPDATE inputs SET input=2",
        "UPDATE paths SET parent=path",
        "UPDATE paths SET parent=-1 WHERE path=2",
        "UPDATE paths SET name=5",
        "UPDATE paths SET name=zeroblob(100)",
        "INSERT INTO paths SELECT (SELECT max(path) FROM paths)+1, parent, domain, name,"
        " is_rest FROM paths WHERE path=1",
        "UPDATE sums SET n=9223372036854775807",
        "UPDATE sums SET n=0",
        "UPDATE sums SET total=-1",
        "UPDATE sums SET total=total+max*n",
        "UPDATE sums SET total=1.5",
        "UPDATE sums SET squares_high=squares_high+9223372036854",
        "UPDATE sums SET squares_low=281474976710656",
        "UPDATE sums SET squares_high=0, squares_low=0",
        "UPDATE sums SET min=max+1",
        "UPDATE sums SET min_pid=4294967296",
        "UPDATE sums SET self=total+1",
        "UPDATE sums SET self=-1",
        "UPDATE sums SET gpu=1, n_gpu=0",
        "UPDATE sums SET n_gpu='many'",
        "UPDATE collective_inputs SET n_searched=2",
        "UPDATE collective_inputs SET n_searched=0",
        "UPDATE collective_inputs SET n_left_out=-1",
        "UPDATE collective_inputs SET input=0",
        "UPDATE collective_inputs SET input=2",
        "DELETE FROM collective_inputs",
        "DROP TABLE collective_inputs",
        "ALTER TABLE collectives RENAME COLUMN bytes TO size",
        "UPDATE collectives SET input=0",
        "UPDATE collectives SET input=2",
        "UPDATE collectives SET kind='rumour'",
        "UPDATE collectives SET operation=x'41'",
        "UPDATE collectives SET communicator='world'",
        "UPDATE collectives SET number=0",
        "UPDATE collectives SET start_utc_ns=end_utc_ns+1",
        "UPDATE collectives SET end_utc_ns=1.5",
        "UPDATE collectives SET bytes=-2",
        "UPDATE collectives SET rank=-2",
        "UPDATE collectives SET pid=-2",
        "UPDATE collectives SET stream=-2",
        "UPDATE counter_inputs SET n_searched=2",
        "UPDATE counter_inputs SET n_left_out=-1",
        "UPDATE counter_inputs SET input=2",
        "DELETE FROM counter_inputs",
        "ALTER TABLE counters RENAME COLUMN factor TO scale",
        "UPDATE counters SET counter=counter+100000",
        "UPDATE counters SET input=0",
        "UPDATE counters SET input=2",
        "UPDATE counters SET kind='rumour'",
        "UPDATE counters SET name=x'41'",
        "UPDATE counters SET unit=zeroblob(9)",
        "UPDATE counters SET pid=-2",
        "UPDATE counters SET pid=4294967296",
        "UPDATE counters SET tid='main'",
        "UPDATE counters SET device=4294967296",
        "UPDATE counters SET number='int128'",
        "UPDATE counters SET value_type=5",
        "UPDATE counters SET factor=0",
        "UPDATE counters SET factor=-1",
        "UPDATE counters SET factor=9e999",
        "UPDATE counters SET factor='NaN'",
        "UPDATE counters SET n_samples=0",
        "UPDATE counters SET n_samples=n_samples-1 WHERE n_samples=n+n_not_finite",
        "UPDATE counters SET n_not_finite=n_samples-n+1",
        "UPDATE counters SET n_not_finite=-1",
        "UPDATE counters SET n=9223372036854775807, n_samples=9223372036854775807",
        "UPDATE counters SET n=1 WHERE n>1 AND min<max",
        "UPDATE counters SET min=NULL WHERE n>0",
        "UPDATE counters SET min=9e999 WHERE n>0",
        "UPDATE counters SET min='low' WHERE n>0",
        "UPDATE counters SET min=min+1 WHERE min_low IS NOT NULL AND abs(min)<1000",
        "UPDATE counters SET min_low=NULL WHERE min_low IS NOT NULL",
        "UPDATE counters SET min_low=4294967296 WHERE min_low IS NOT NULL",
        "UPDATE counters SET max_low=-1 WHERE max_low IS NOT NULL",
        "UPDATE counters SET max_high=4294967296, max_low=0, max=18446744073709551616.0 WHERE n>0",
        "UPDATE counters SET max=min, max_high=min_high, max_low=min_low",
        "UPDATE counters SET last=1e309 WHERE n>0",
        "UPDATE counters SET last=1.7e308, last_high=NULL, last_low=NULL WHERE max<1e308",
        "UPDATE counters SET last=-1.7e308, last_high=NULL, last_low=NULL WHERE min>-1e308",
        "UPDATE counters SET last_utc_ns=NULL",
        "INSERT INTO counters SELECT (SELECT max(counter) FROM counters)+1, input, kind, domain,"
        " name, unit, pid, tid, device, number, value_type, factor, 1, 1, 0, NULL, NULL, NULL,"
        " NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM counters WHERE counter=1",
        "DROP TABLE counters",
        "DROP TABLE counter_digits; CREATE VIEW counter_digits AS SELECT 1 counter, 0 digit, 1 "
        "value",
        "DELETE FROM counter_digits WHERE counter="
        "(SELECT counter FROM counters WHERE n>0 AND (min>0 OR max<0) LIMIT 1)",
        "UPDATE counter_digits SET counter=counter+100000",
        "UPDATE counter_digits SET digit=digit+100",
        "UPDATE counter_digits SET digit=digit-100",
        "UPDATE counter_digits SET value=0",
        "UPDATE counter_digits SET value=4294967296",
        "UPDATE counter_digits SET value=-4294967296",
        "UPDATE counter_digits SET value=1.5",
        "UPDATE counter_digits SET value=-value WHERE (counter, digit) IN"
        " (SELECT counter, max(digit) FROM counter_digits GROUP BY counter HAVING count(*)>1)",
        "INSERT INTO counter_digits VALUES (1, 35, 1)",
        "INSERT INTO counter_digits VALUES (1, 35, -1)",
        "INSERT INTO counter_digits VALUES (100000, 0, 1)",
        "UPDATE tally_inputs SET n_searched=2",
        "UPDATE tally_inputs SET n_searched=0",
        "UPDATE tally_inputs SET n_left_out=-1",
        "UPDATE tally_inputs SET input=2",
        "UPDATE tally_inputs SET kind=x'41' WHERE kind='mpi'",
        "DELETE FROM tally_inputs",
        "DROP TABLE tally_inputs",
        "UPDATE tally_texts SET text=text+1000",
        "UPDATE tally_texts SET value=x'41'",
        "DELETE FROM tally_texts",
        "DELETE FROM tally_texts WHERE text=1",
        "DROP TABLE tally_texts",
        "ALTER TABLE tallies RENAME COLUMN detail TO trifle",
        "UPDATE tallies SET tally=tally+100000",
        "UPDATE tallies SET tally=4294967295 WHERE tally=(SELECT max(tally) FROM tallies)",
        "UPDATE tallies SET input=0",
        "UPDATE tallies SET input=2",
        "UPDATE tallies SET input=4294967297",
        "UPDATE tallies SET kind=x'41'",
        "UPDATE tallies SET domain=x'41'",
        "UPDATE tallies SET name=100000",
        "UPDATE tallies SET is_rest='yes'",
        "UPDATE tallies SET style=zeroblob(9)",
        "UPDATE tallies SET detail=x'41'",
        "UPDATE tallies SET pid=-2",
        "UPDATE tallies SET pid=4294967295",
        "UPDATE tallies SET tid=4294967295",
        "UPDATE tallies SET device='first'",
        "UPDATE tallies SET device=4294967295",
        "UPDATE tallies SET n=-1",
        "UPDATE tallies SET n=0 WHERE total>0",
        "UPDATE tallies SET n=n+1 WHERE n>0",
        "UPDATE tallies SET n=9223372036854775807 WHERE n>0",
        "UPDATE tallies SET total=-1",
        "UPDATE tallies SET total=total+max*n+1",
        "UPDATE tallies SET squares_high=1 WHERE n=0",
        "UPDATE tallies SET squares_low=281474976710656",
        "UPDATE tallies SET squares_high=squares_high+9223372036854 WHERE n>0",
        "UPDATE tallies SET min=max+1",
        "UPDATE tallies SET max=1 WHERE n=0",
        "UPDATE tallies SET sum1=-1",
        "UPDATE tallies SET sum4='much'",
        "INSERT INTO tallies SELECT (SELECT max(tally) FROM tallies)+1, input, kind, domain, name,"
        " is_rest, style, detail, pid, tid, device, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM tallies"
        " WHERE tally=1",
        "DROP TABLE tallies",
        "DROP TABLE tallies; CREATE VIEW tallies AS SELECT 1 tally",
        "DROP TABLE tally_histograms",
        "DELETE FROM tally_histograms",
        "UPDATE tally_histograms SET tally=tally+100000",
        "UPDATE tally_histograms SET buckets='[-1000000,1]'",
        "UPDATE tally_histograms SET buckets='[-9223372036854775807,1,1]'",
        "UPDATE tally_histograms SET buckets='[-9223372036854775807,1,-9223372036854775807,1]'",
        "UPDATE tally_histograms SET buckets='[-7424,1]'",
        "UPDATE tally_histograms SET buckets='[-9223372036854775808,1]'",
        "UPDATE tally_histograms SET buckets='[-99999999999999999999,1]'",
        "UPDATE tally_histograms SET buckets='[0,' || substr(buckets, 2)",
        "UPDATE tally_histograms SET buckets='[-0,' || substr(buckets, 2)",
        "UPDATE tally_histograms SET buckets='[-1,' || substr(buckets, 2)",
        "UPDATE tally_histograms SET buckets='[-,' || substr(buckets, 2)",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',9223372036854775807]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',-7,9223372036854775807]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',-7]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',-7,-1]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',-7,0]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',0]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',7]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', ',]')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ']', '')",
        "UPDATE tally_histograms SET buckets=replace(buckets, ',', ' ,')",
        "UPDATE tally_histograms SET buckets=buckets || '0'",
        "UPDATE tally_histograms SET buckets=buckets || char(0)",
        "UPDATE tally_histograms SET buckets=CAST(buckets AS BLOB)",
        "UPDATE tally_histograms SET buckets='[]'",
        "UPDATE tally_histograms SET buckets=''",
        "CREATE TABLE tally_buckets (tally, bucket, n); INSERT INTO tally_buckets VALUES (1, 7423, "
        "1)",
        "CREATE TABLE tally_buckets (tally, bucket, n); INSERT INTO tally_buckets VALUES (1, 7423, "
        "-1)",
        "CREATE TABLE tally_buckets (tally, bucket, n); INSERT INTO tally_buckets VALUES (1, 7424, "
        "1)",
        "CREATE TABLE tally_buckets (tally, bucket, n); INSERT INTO tally_buckets VALUES (1000000, "
        "1, 1)",
        "UPDATE sums SET kind='time'",
        "UPDATE sums SET kind=x'6b'",
        "UPDATE sums SET path=100000",
        "UPDATE sums SET input=2",
        "UPDATE sums SET sum=sum+100000",
        "UPDATE sum_histograms SET buckets='[1]'",
        "UPDATE sum_histograms SET buckets=replace(buckets, ']', ',1,1]')",
        "UPDATE sum_histograms SET buckets=replace(buckets, ']', ',')",
        "UPDATE sum_histograms SET sum=sum+100000",
        "CREATE TABLE buckets (sum, bucket, n); INSERT INTO buckets VALUES (1, 7423, 1)",
        "CREATE TABLE buckets (sum, bucket, n); INSERT INTO buckets VALUES (1, 100000, 1)",
        "CREATE TABLE buckets (sum, bucket, n); INSERT INTO buckets VALUES (1, 1, -1)",
        "CREATE TABLE buckets (sum, bucket, n); INSERT INTO buckets VALUES (1, 1, "
        "9223372036854775807)",
        "CREATE TABLE buckets (sum, bucket, n); INSERT INTO buckets VALUES (100000, 1, 1)",
        "DELETE FROM sum_histograms WHERE sum=1",
        "DELETE FROM inputs",
        "UPDATE step_inputs SET input=2",
        "UPDATE step_inputs SET n_searched=2",
        "UPDATE step_inputs SET n_left_out=-1",
        "DELETE FROM step_inputs",
        "UPDATE step_threads SET thread=thread+100000",
        "UPDATE step_threads SET input=2",
        "UPDATE step_threads SET host=x'61'",
        "UPDATE step_threads SET rank=-2",
        "UPDATE step_threads SET pid=4294967296",
        "DELETE FROM step_threads WHERE thread=2",
        "DROP TABLE step_threads",
        "UPDATE steps SET step=step+100000",
        "UPDATE steps SET thread=100000",
        "UPDATE steps SET number=0",
        "UPDATE steps SET number=4294967296",
        "UPDATE steps SET path=100000",
        "UPDATE steps SET duration=-1",
        "UPDATE steps SET self=duration+1",
        "UPDATE steps SET self=-1",
        "UPDATE steps SET busy='much'",
        "UPDATE steps SET cut='by chance'",
        "DROP TABLE steps",
        "UPDATE step_children SET step=step+100000",
        "UPDATE step_children SET child=child+1000",
        "UPDATE step_children SET path=100000",
        "UPDATE step_children SET path=1",
        "UPDATE step_children SET n=0",
        "UPDATE step_children SET total=-1",
        "UPDATE step_gpus SET step=step+100000",
        "UPDATE step_gpus SET device=-1 WHERE device=0",
        "UPDATE step_gpus SET device=4294967296 WHERE device=1",
        "UPDATE step_gpus SET compute=-1",
        "UPDATE step_gpus SET compute=compute+1",
        "UPDATE step_gpus SET idle_other=idle_other-1",
        "UPDATE step_gpus SET copies='none'",
        "CREATE TABLE twice AS SELECT * FROM step_gpus UNION ALL SELECT * FROM step_gpus; "
        "DROP TABLE step_gpus; ALTER TABLE twice RENAME TO step_gpus",
    };
    (void)state;
    assert_int_equal(read_changed("VACUUM"), RF_OK);
    assert_int_equal(read_changed("CREATE TABLE later (x)"), RF_OK);
    assert_int_equal(read_changed("DROP TABLE step_gpus"), RF_OK);
    assert_int_equal(read_changed("DROP TABLE step_gpus; DROP TABLE step_children; "
                                  "DROP TABLE steps; "
                                  "DROP TABLE step_threads; DROP TABLE step_inputs"),
                     RF_OK);
    assert_int_equal(read_changed("DROP TABLE counter_digits; DROP TABLE counters; "
                                  "DROP TABLE counter_inputs"),
                     RF_OK);
    assert_int_equal(read_changed("DROP TABLE tally_histograms; DROP TABLE tallies; "
                                  "DROP TABLE tally_texts; DROP TABLE tally_inputs"),
                     RF_OK);
    /* kinds that a newer version has */
    assert_int_equal(read_changed("UPDATE tallies SET kind='later' WHERE kind='range_gpu'; "
                                  "UPDATE tally_inputs SET kind='later' WHERE kind='range_gpu'"),
                     RF_OK);
    assert_int_equal(read_changed("PRAGMA user_version=1"), RF_OK);
    assert_int_equal(read_changed("PRAGMA user_version=3"), RF_ERR_FORMAT);
    assert_int_equal(read_changed("PRAGMA application_id=5"), RF_ERR_FORMAT);
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++)
        if (read_changed(damage[i]) != RF_ERR_DAMAGED)
            fail_msg("not noticed: %s", damage[i]);
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
        cmocka_unit_test(test_order),   cmocka_unit_test(test_parts),
        cmocka_unit_test(test_limit),   cmocka_unit_test(test_read),
        cmocka_unit_test(test_changed), cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
