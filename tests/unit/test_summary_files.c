/* SPDX-License-Identifier: Apache-2.0 */
/* Files of summaries that were written, and such that say what cannot be. */
#include <sqlite3.h>

#include "random_summary.h"

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

/* Reads the file of a summary that was changed. */
static int read_changed_to(rf_summary *read, const rf_summary *written, const char *sql)
{
    char path[64];
    sqlite3 *db = NULL;
    struct rf_err err;
    name_file(path, "changed");
    assert_int_equal(rf_summary_write(written, path, 1, &err), RF_OK);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    int status = rf_summary_read(read, path, &err);
    (void)unlink(path);
    return status;
}

static int read_changed(const char *sql)
{
    rf_summary *read = NULL;
    assert_int_equal(rf_summary_new(&read, NULL), RF_OK);
    seed = 3;
    rf_summary *written = a_summary(0);
    int status = read_changed_to(read, written, sql);
    assert_int_equal(rf_summary_n_inputs(read), status == RF_OK); /* all of it or nothing */
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
        "DROP TABLE collective_series",
        "ALTER TABLE collective_series RENAME COLUMN bytes TO size",
        "UPDATE collective_series SET series=series+100000",
        "UPDATE collective_series SET input=0",
        "UPDATE collective_series SET input=2",
        "UPDATE collective_series SET kind='rumour'",
        "UPDATE collective_series SET operation=x'41'",
        "UPDATE collective_series SET communicator='world'",
        "UPDATE collective_series SET bytes=-2",
        "UPDATE collective_series SET rank=-2",
        "UPDATE collective_series SET pid=-2",
        "UPDATE collective_series SET stream=-2",
        "UPDATE collective_series SET start_utc_ns=9223372036854775807",
        "UPDATE collective_times SET series=0",
        "UPDATE collective_times SET series=1000",
        "UPDATE collective_times SET number=0",
        "UPDATE collective_times SET duration=-1",
        "UPDATE collective_times SET duration=1.5",
        "UPDATE collective_times SET duration=9223372036854775807, start=1",
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

/* Collectives stood in one table in version 1. */
static void test_version_1(void **state)
{
    (void)state;
    for (unsigned round = 1; round < 20; round++) {
        rf_summary *read = NULL;
        assert_int_equal(rf_summary_new(&read, NULL), RF_OK);
        seed = round;
        rf_summary *written = a_summary(0);
        assert_true(written->collectives.n > 0);
        const int status = read_changed_to(
            read, written,
            "CREATE TABLE collectives AS SELECT s.input, kind, operation, communicator, number,"
            " start_utc_ns + start AS start_utc_ns, start_utc_ns + start + duration AS end_utc_ns,"
            " bytes, rank, pid, tid, device, stream"
            " FROM collective_times JOIN collective_series s USING (series);"
            "DROP TABLE collective_times; DROP TABLE collective_series; PRAGMA user_version=1");
        assert_int_equal(status, RF_OK);
        check_same(read, written);
        rf_summary_free(read);
        rf_summary_free(written);
    }
}

/* A collective is its number and times: what it shares with others stands once. */
static void test_size(void **state)
{
    enum { N = 10000, EACH = 24 };
    rf_summary *summary = NULL;
    char *bytes = malloc(ROOM);
    (void)state;
    assert_int_equal(rf_summary_new(&summary, NULL), RF_OK);
    add_input(summary, 0);
    rf_searched_at(&summary->collectives.searched, 0)->n_searched = 1;
    const size_t before = bytes_of(summary, bytes, ROOM);
    const uint32_t operation = string(summary, "AllReduce%u", 1);
    for (int64_t i = 0; i < N; i++) {
        const int64_t start = INT64_C(1700000000000000000) + i * 3000000 + (int64_t)dice(1000000);
        const struct rf_summary_collective item = {.operation = operation,
                                                   .kind = RF_COLLECTIVE_NCCL_KERNEL,
                                                   .start_utc_ns = start,
                                                   .end_utc_ns =
                                                       start + 150000 + (int64_t)dice(90000),
                                                   .number = (uint64_t)i / 4 + 1,
                                                   .communicator = INT64_MAX - 4,
                                                   .bytes = INT64_C(25) << (20 + i % 4),
                                                   .pid = 1234567,
                                                   .tid = 1234567,
                                                   .stream = 20};
        assert_int_equal(rf_summary_collective_add(summary, &item), RF_OK);
    }
    assert_in_range(bytes_of(summary, bytes, ROOM) - before, 10 * N, EACH * N);
    rf_summary_free(summary);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_changed),
                                       cmocka_unit_test(test_version_1),
                                       cmocka_unit_test(test_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
