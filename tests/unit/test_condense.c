/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over condensed parts finds open what a walk over the parts themselves finds. */
#include "unit.h"

#include "log/old_parts.h"
#include "log/open_ranges.h"

#define N_RECORDINGS 120
#define N_PARTS      8

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- Recordings ---- */

static uint64_t ids[64]; /* of ranges that were started lately, by any stream */
static size_t n_ids;

static void start_or_end(struct rfw_stream *s, int64_t ns, const struct rfw_attr *attr)
{
    if (dice(2) == 0)
        ids[n_ids++ % 64] = rfw_start(s, ns, attr);
    else if (dice(12) == 0)
        rfw_end(s, ns, dice(3) == 0 ? dice(1u << 20) : ids[dice(64)]);
    else if (n_ids > 0)
        rfw_end(s, ns, ids[(n_ids - 1 - dice(4 < n_ids ? 4 : n_ids)) % 64]);
}

/* A long text goes on in records of its own, and into the next part. */
static void add_event(struct rfw_stream *s, int64_t ns, uint64_t domain)
{
    static char text[3000];
    struct rfw_attr attr = {.text = "work", .domain = domain};
    memset(text, 'x', sizeof(text) - 1);
    if (dice(60) == 0)
        attr.text = text;
    const uint64_t what = dice(100);
    if (what < 38)
        rfw_push(s, ns, &attr);
    else if (what < 75)
        rfw_pop(s, ns, domain);
    else if (what < 85)
        start_or_end(s, ns, &attr);
    else if (what < 88)
        rfw_sync(s, ns, 3, RF_SYNC_RELEASING);
    else if (what < 90)
        rfw_void(s, ns, 1 + dice(3));
    else if (what < 91)
        rfw_counter(s, ns, s->n_starts += dice(3));
    else
        rfw_mark(s, ns, &attr);
}

static void change_thread(struct rfw_stream *s, int64_t ns, uint32_t *serial)
{
    if (dice(2) == 0)
        rfw_thread_end(s, ns, "old");
    rfw_thread(s, ns, 200 + *serial, *serial, "new");
    ++*serial;
}

/* tid: that of another stream where a thread writes to two. */
static void add_stream(struct rfw *w, uint32_t p, uint32_t slot, uint32_t tid, uint64_t domain)
{
    uint32_t serial = 10 * (slot + 1);
    struct rfw_stream *s = rfw_stream(w, p, slot, tid, tid);
    int64_t ns = 10;
    const uint64_t most = 1 + dice(4), every = dice(3) == 0 ? 40 : 400;
    for (int part = 0; part < N_PARTS; part++) {
        for (int i = 0; i < 300; i++)
            add_event(s, ns += (int64_t)dice(30), dice(dice(20) == 0 ? 10 : most) * domain);
        if (dice(every) == 0)
            change_thread(s, ns, &serial);
        if (dice(50) == 0)
            ns += (int64_t)1 << 50; /* months */
        struct rfw_part *next = rfw_next_part(s, ns);
        if (dice(20) == 0)
            next->part.lost_records = 3;
    }
}

static struct rfw *random_recording(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    uint64_t domain = rfw_domain(w, p, 1, 9, "D");
    n_ids = 0;
    add_stream(w, p, 0, 100, domain);
    add_stream(w, p, 1, dice(3) == 0 ? 100 : 101, domain);
    add_stream(w, p, 2, 102, domain);
    return w;
}

/* ---- What is open ---- */

static void put(struct rfw_bytes *to, uint64_t number)
{
    rfw_add(to, &number, sizeof(number));
}

static void put_record(struct rfw_bytes *to, const struct rf_open_ranges *o, uint32_t i)
{
    const struct rf_open_record *record = &o->record[i];
    put(to, record->ticks);
    rfw_add(to, record->words, 8 * (size_t)record->n_words);
    for (uint32_t more = record->more; more != RF_OPEN_NONE; more = o->record[more].more)
        rfw_add(to, o->record[more].words, 8 * (size_t)o->record[more].n_words);
}

static void put_stream(struct rfw_bytes *to, const struct rf_open_stream *s)
{
    put(to, s->slot);
    put(to, s->at.n_starts);
    put(to, s->at.seq);
    put(to, s->more_of != RF_OPEN_NONE);
    put(to, s->n_threads);
    for (uint32_t i = 0; i < s->n_threads; i++) {
        put(to, s->thread[i].tid);
        put(to, s->thread[i].serial);
        put(to, s->thread[i].n_open);
        put(to, s->thread[i].begin[0] != 0);
        put(to, s->thread[i].end[0] != 0);
    }
}

/* All that is open after the parts of `old`. */
static struct rfw_bytes describe(const struct rf_log *old, const struct rf_log *whole)
{
    struct rf_open_ranges o;
    struct rfw_bytes out = {0};
    uint32_t n;
    assert_int_equal(rf_open_ranges_find(&o, old, whole, UINT64_MAX), RF_OK);
    uint32_t *list = rf_open_ranges_list(&o, &n);
    assert_non_null(list);
    for (uint32_t i = 0; i < o.n_streams; i++)
        put_stream(&out, &o.stream[i]);
    for (uint32_t i = 0; i < n; i++) {
        put(&out, o.record[list[i]].stream);
        put(&out, o.record[list[i]].thread);
        put(&out, o.record[list[i]].counter);
        put_record(&out, &o, list[i]);
    }
    put(&out, o.n_lost_records);
    free(list);
    rf_open_ranges_release(&o);
    return out;
}

/* The first parts of the streams, as they are. */
static struct rf_log prefix(const struct rf_log *log, const struct rf_old_stream *stream,
                            uint32_t n_streams)
{
    struct rf_log old = *log;
    old.n_parts = 0;
    old.part = calloc(log->n_parts + 1, sizeof(*old.part));
    for (uint32_t i = 0; i < n_streams; i++)
        for (size_t k = 0; k < stream[i].n_old; k++)
            old.part[old.n_parts++] = log->part[stream[i].first + k];
    return old;
}

static uint64_t n_bytes_of(const struct rf_log *log)
{
    uint64_t n = 0;
    for (size_t i = 0; i < log->n_parts; i++)
        n += log->part[i].size;
    return n;
}

/* Returns how many bytes of so many the condensed parts have. */
static uint64_t check(struct rf_log *log, struct rf_old_stream *stream, uint32_t n_streams,
                      uint64_t *n_bytes)
{
    struct rf_log old, condensed;
    uint64_t n_records;
    old = prefix(log, stream, n_streams);
    assert_int_equal(rf_old_parts(&condensed, log, stream, n_streams, &n_records), RF_OK);
    assert_int_equal(old.n_parts, condensed.n_parts);
    struct rfw_bytes a = describe(&old, log), b = describe(&condensed, log);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    *n_bytes += n_bytes_of(&old);
    const uint64_t n = n_bytes_of(&condensed);
    free(a.data);
    free(b.data);
    free(old.part);
    free(condensed.part);
    return n;
}

static void condensed_parts_leave_the_same_open(void **state)
{
    uint64_t n_bytes = 0, n_condensed = 0;
    (void)state;
    for (seed = 1; seed <= N_RECORDINGS; seed++) {
        const uint64_t this_seed = seed;
        struct rfw *w = random_recording();
        char *dir = rfw_make_tmpdir(), path[4096];
        struct rf_log log;
        struct rf_err err;
        (void)snprintf(path, sizeof(path), "%s/a.rfdir", dir);
        rfw_save_directory(w, path);
        if (rf_log_open(&log, path, 0, &err) != RF_OK)
            fail_msg("%s", err.text);
        struct rf_old_stream stream[3] = {{0}};
        uint32_t n_streams = 0;
        for (size_t i = 0; i < log.n_parts; i++) {
            if (i == 0 || log.part[i].slot != log.part[i - 1].slot)
                stream[n_streams++].first = i;
            stream[n_streams - 1].n++;
        }
        for (uint32_t i = 0; i < n_streams; i++)
            stream[i].n_old = dice(stream[i].n + 1);
        n_condensed += check(&log, stream, n_streams, &n_bytes);
        rf_log_close(&log);
        rfw_remove_tree(dir);
        free(dir);
        rfw_free(w);
        seed = this_seed;
    }
    if (n_condensed > n_bytes / 3 * 2)
        fail_msg("%llu of %llu bytes are left", (unsigned long long)n_condensed,
                 (unsigned long long)n_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(condensed_parts_leave_the_same_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
