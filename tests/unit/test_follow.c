/* SPDX-License-Identifier: Apache-2.0 */
/* Following a session that grows: every record comes once, in the order of its stream, whatever of
 * the log and the pool is there when it is looked at. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/compress.h"
#include "log/follow.h"
#include "log/follow_defs.h"
#include "log/recycle.h"
#include "unit.h"

#define N_STREAMS 3
#define N_PARTS   9
#define N_SEEDS   12

static uint64_t seed;

static uint64_t dice(uint64_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % n;
}

/* ---- What is handed on ---- */

struct got {
    struct rfw_bytes records[N_STREAMS];
    uint64_t n_breaks[N_STREAMS];
    uint64_t ticks[N_STREAMS]; /* of the last one */
    int n_ended;
};

static void on_break(void *context, struct rf_followed *stream)
{
    struct got *got = context;
    got->n_breaks[stream->slot]++;
}

static void put_record(struct rfw_bytes *to, const struct rf_record *r, uint64_t n_starts)
{
    rfw_add(to, &r->ticks, sizeof(r->ticks));
    rfw_add(to, &n_starts, sizeof(n_starts));
    rfw_add(to, r->words, 8 * (size_t)r->n_words);
}

static void on_record(void *context, struct rf_followed *stream, const struct rf_record *r)
{
    struct got *got = context;
    put_record(&got->records[stream->slot], r, stream->n_starts);
    got->ticks[stream->slot] = r->ticks;
}

static void on_end(void *context, struct rf_followed *stream)
{
    struct got *got = context;
    (void)stream;
    got->n_ended++;
}

/* ---- A session that grows ---- */

struct growing {
    struct rfw *w;
    char *folder, dir[4096];
    struct rfw_stream *stream[N_STREAMS];
    size_t n_in_log[N_STREAMS]; /* parts, the next of which stand in the pool */
    size_t n_full[N_STREAMS];   /* parts that are full, those in the log included */
    uint32_t shown[N_STREAMS];  /* bytes of the one that is written */
    struct rfw_bytes log;
    struct rf_compressor *compressor; /* NULL: parts are appended as they are */
};

static void make_stream(struct growing *g, uint32_t p, uint32_t slot)
{
    struct rfw_stream *s = rfw_stream(g->w, p, slot, 100 + slot, slot + 1);
    int64_t ns = 10;
    for (int part = 0; part < N_PARTS; part++) {
        const uint64_t n = 1 + dice(300);
        for (uint64_t i = 0; i < n; i++, ns += 3) {
            const uint64_t what = dice(4);
            if (what == 0)
                rfw_mark(s, ns, &(struct rfw_attr){.text = "mark"});
            else if (what == 1)
                rfw_end(s, ns, rfw_start(s, ns, NULL));
            else if (what == 2)
                rfw_push(s, ns, &(struct rfw_attr){.text = "range"});
            else
                rfw_pop(s, ns, 0);
        }
        (void)rfw_next_part(s, ns);
    }
    g->stream[slot] = s;
}

static void make(struct growing *g, bool is_compressed)
{
    bool is_missing;
    memset(g, 0, sizeof(*g));
    if (is_compressed)
        g->compressor = rf_compressor_new(&is_missing);
    if (is_compressed && g->compressor == NULL)
        printf("parts are not compressed: " RF_ZSTD_MISSING "\n");
    g->w = rfw_new();
    g->folder = rfw_make_tmpdir();
    (void)snprintf(g->dir, sizeof(g->dir), "%s/a.rfdir", g->folder);
    uint32_t p = rfw_process(g->w, 100, "app");
    for (uint32_t slot = 0; slot < N_STREAMS; slot++)
        make_stream(g, p, slot);
    g->w->control.n_processes = 1;
    rfw_save_directory(g->w, g->dir);
    struct rf_file_header header = {.version_major = RF_FORMAT_MAJOR, .header_size = 64};
    memcpy(header.magic, RF_FILE_MAGIC, sizeof(header.magic));
    memcpy(header.session_id, g->w->control.session_id, sizeof(header.session_id));
    rfw_add(&g->log, &header, sizeof(header));
}

static void save(const struct growing *g, const char *suffix, const void *data, size_t size)
{
    char path[4200];
    (void)snprintf(path, sizeof(path), "%s/p000000.%s", g->dir, suffix);
    rfw_write_file(path, data, size);
}

/* A thread writes on: some records, or the rest of its part. */
static void write_on(struct growing *g, uint32_t slot)
{
    const struct rfw_stream *s = g->stream[slot];
    struct rfw_bytes part = {0};
    if (g->n_full[slot] == g->n_in_log[slot] + 2 || g->n_full[slot] + 1 >= s->n_parts)
        return; /* there is no room */
    rfw_part_bytes(s->part[g->n_full[slot]], &part);
    uint32_t at = g->shown[slot] > 0 ? g->shown[slot] : RF_PART_RECORDS_OFFSET;
    for (uint64_t n = dice(200); n > 0 && at < part.size; n--)
        at += 8 * (uint32_t)(rf_load64(part.data + at) >> RF_WORD_TYPE_BITS & 63);
    g->shown[slot] = at;
    if (at == part.size && dice(2) == 0) {
        g->n_full[slot]++;
        g->shown[slot] = 0;
    }
    free(part.data);
}

/* A part as it is appended: mostly compressed. */
static void add_chunk(const struct growing *g, size_t i, uint32_t slot, struct rfw_bytes *to)
{
    struct rfw_bytes part = {0};
    struct rf_chunk_header header;
    const uint8_t *chunk;
    size_t size = 0;
    rfw_part_bytes(g->stream[slot]->part[i], &part);
    memcpy(&header, part.data, sizeof(header));
    if (g->compressor != NULL && dice(8) != 0)
        size = rf_compress(g->compressor, &header, part.data + sizeof(header), &chunk);
    rfw_add(to, size > 0 ? chunk : part.data, size > 0 ? size : part.size);
    free(part.data);
}

/* The full parts of a stream are appended, sometimes in the wrong order; or one is whose end a full
 * disk cuts off, which stays in the pool. */
static void append(struct growing *g, uint32_t slot)
{
    const size_t n = g->n_full[slot] - g->n_in_log[slot];
    struct rfw_bytes part[2] = {{0}};
    for (size_t i = 0; i < n; i++)
        add_chunk(g, g->n_in_log[slot] + i, slot, &part[i]);
    if (n > 0 && dice(6) == 0) {
        rfw_add(&g->log, part[0].data, RF_PART_RECORDS_OFFSET + 8);
    } else if (n > 0) {
        const size_t first = n == 2 ? dice(2) : 0;
        rfw_add(&g->log, part[first].data, part[first].size);
        if (n == 2)
            rfw_add(&g->log, part[1 - first].data, part[1 - first].size);
        g->n_in_log[slot] += n;
    }
    free(part[0].data);
    free(part[1].data);
}

/* Part i of a stream, as the pool has it. */
static void fill_part(const struct growing *g, uint8_t *pool, uint32_t slot, size_t i)
{
    struct rf_pool_slot *header = (void *)(pool + RF_POOL_HEADER_SIZE);
    const bool is_active = i == g->n_full[slot], is_free = i < g->n_in_log[slot];
    struct rfw_bytes part = {0};
    rfw_part_bytes(g->stream[slot]->part[i], &part);
    memcpy(pool + rf_pool_part_offset(slot, i % 2), part.data,
           is_active ? g->shown[slot] : part.size);
    header[slot].part[i % 2] = (struct rf_pool_part){g->stream[slot]->part[i]->chunk.seq,
                                                     is_active ? RF_PART_ACTIVE
                                                     : is_free ? RF_PART_FREE
                                                               : RF_PART_FULL,
                                                     is_active ? 0 : (uint32_t)part.size};
    free(part.data);
}

static void fill_slot(const struct growing *g, uint8_t *pool, uint32_t slot)
{
    const size_t end = g->n_full[slot] + (g->shown[slot] > 0);
    for (size_t i = end > 2 ? end - 2 : 0; i < end; i++)
        fill_part(g, pool, slot, i);
}

static void save_pool(const struct growing *g)
{
    const size_t size = (size_t)rf_pool_part_offset(N_STREAMS, 0);
    uint8_t *pool = calloc(1, size);
    struct rf_pool_header *header = (void *)pool;
    assert_non_null(pool);
    memcpy(header->magic, RF_POOL_MAGIC, sizeof(header->magic));
    memcpy(header->session_id, g->w->control.session_id, sizeof(header->session_id));
    header->version = RF_FORMAT_MAJOR;
    header->n_slots = N_STREAMS;
    for (uint32_t slot = 0; slot < N_STREAMS; slot++)
        fill_slot(g, pool, slot);
    /* over the bytes that are mapped, as threads write them */
    char path[4200];
    (void)snprintf(path, sizeof(path), "%s/p000000.pool", g->dir);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && pwrite(fd, pool, size, 0) == (ssize_t)size);
    (void)close(fd);
    free(pool);
}

/* Sometimes what was appended is not there whole: then its parts are in the pool as well. */
static void grow(struct growing *g)
{
    const size_t had = g->log.size;
    const uint32_t slot = (uint32_t)dice(N_STREAMS);
    write_on(g, (uint32_t)dice(N_STREAMS));
    const size_t before = g->n_in_log[slot];
    append(g, slot);
    const size_t after = g->n_in_log[slot];
    const bool is_under_way = g->log.size > had && dice(3) == 0;
    g->n_in_log[slot] = is_under_way ? before : after;
    save_pool(g);
    g->n_in_log[slot] = after;
    save(g, "log", g->log.data, is_under_way ? had + dice(g->log.size - had) : g->log.size);
}

static void release(struct growing *g)
{
    rfw_remove_tree(g->folder);
    free(g->folder);
    free(g->log.data);
    rf_compressor_free(g->compressor);
    rfw_free(g->w);
}

/* All records of a stream. */
static struct rfw_bytes expected_of(const struct rfw_stream *s)
{
    struct rfw_bytes out = {0};
    uint64_t ticks = 0, n_starts = 0;
    for (size_t i = 0; i < s->n_parts; i++) {
        const struct rfw_part *part = s->part[i];
        ticks = part->chunk.ticks;
        for (size_t at = 0; at < part->records.size;) {
            const uint8_t *words = part->records.data + at;
            const uint64_t head = rf_load64(words);
            struct rf_record r = {.words = words,
                                  .n_words = head >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS};
            r.ticks = ticks = rf_complete_ticks(ticks, head >> RF_WORD_TICK_SHIFT);
            n_starts += (head & 31) == RF_REC_START;
            put_record(&out, &r, n_starts);
            at += 8 * (size_t)r.n_words;
        }
    }
    return out;
}

/* All parts are in the log. */
static void append_rest(struct growing *g)
{
    for (uint32_t slot = 0; slot < N_STREAMS; slot++) {
        for (; g->n_in_log[slot] < g->stream[slot]->n_parts; g->n_in_log[slot]++)
            add_chunk(g, g->n_in_log[slot], slot, &g->log);
        g->n_full[slot] = g->n_in_log[slot];
        g->shown[slot] = 0;
    }
    save(g, "log", g->log.data, g->log.size);
    save_pool(g);
}

/* ---- Tests ---- */

static void every_record_comes_once(void **state)
{
    (void)state;
    for (uint64_t this_seed = 1; this_seed <= N_SEEDS; this_seed++) {
        struct growing g;
        struct got got = {.n_ended = 0};
        const struct rf_follow_calls calls = {&got, on_break, on_record, on_end};
        seed = this_seed;
        make(&g, this_seed % 2 == 0);
        struct rf_follow *f = rf_follow_new(g.dir, &g.w->control, &calls, false);
        assert_non_null(f);
        for (int i = 0; i < 150; i++) {
            grow(&g);
            while (rf_follow_round(f))
                ;
        }
        append_rest(&g);
        (void)rf_follow_round(f);
        assert_true(rf_follow_n_unseen(f) == 0);
        for (uint32_t slot = 0; slot < N_STREAMS; slot++) {
            struct rfw_bytes expected = expected_of(g.stream[slot]);
            if (got.records[slot].size != expected.size)
                fail_msg("seed %d, stream %u: %zu bytes of %zu", (int)this_seed, slot,
                         got.records[slot].size, expected.size);
            assert_memory_equal(got.records[slot].data, expected.data, expected.size);
            assert_int_equal(got.n_breaks[slot], 1); /* its thread */
            free(expected.data);
            free(got.records[slot].data);
        }
        rf_follow_free(f);
        assert_int_equal(got.n_ended, N_STREAMS);
        release(&g);
    }
}

static void check_recycled(bool is_compressed)
{
    struct growing g;
    struct got got = {.n_ended = 0};
    const struct rf_follow_calls calls = {&got, on_break, on_record, on_end};
    struct rf_recycled recycled;
    struct rf_err err;
    seed = 7;
    make(&g, is_compressed);
    append_rest(&g);
    assert_int_equal(rf_recycle(g.dir, g.log.size / 2, 0, true, &recycled, &err), RF_OK);
    assert_true(recycled.n_parts > 0);
    struct rf_follow *f = rf_follow_new(g.dir, &g.w->control, &calls, false);
    while (rf_follow_round(f))
        ;
    assert_int_equal(rf_follow_n_unseen(f), recycled.n_parts);
    for (uint32_t slot = 0; slot < N_STREAMS; slot++)
        assert_true(got.n_breaks[slot] >= 1 && got.records[slot].size > 0);
    rf_follow_free(f);
    for (uint32_t slot = 0; slot < N_STREAMS; slot++) {
        free(got.records[slot].data);
        got.records[slot] = (struct rfw_bytes){0};
    }
    f = rf_follow_new(g.dir, &g.w->control, &calls, true);
    while (rf_follow_round(f))
        ;
    assert_int_equal(rf_follow_n_unseen(f), 0);
    assert_true(got.records[0].size > 0);
    rf_follow_free(f);
    for (uint32_t slot = 0; slot < N_STREAMS; slot++)
        free(got.records[slot].data);
    release(&g);
}

/* What was recycled before it was read is counted, and the rest comes. */
static void recycled_parts_are_counted(void **state)
{
    (void)state;
    check_recycled(false);
    check_recycled(true);
}

/* One more record of the first part of a stream. */
static void write_one(struct growing *g, uint32_t slot)
{
    struct rfw_bytes part = {0};
    rfw_part_bytes(g->stream[slot]->part[0], &part);
    const uint32_t at = g->shown[slot] > 0 ? g->shown[slot] : RF_PART_RECORDS_OFFSET;
    assert_true(at < part.size);
    g->shown[slot] = at + 8 * (uint32_t)(rf_load64(part.data + at) >> RF_WORD_TYPE_BITS & 63);
    save_pool(g);
    free(part.data);
}

/* What is noted of a thread that was silent for long decides the time of its next record. */
static void silence_is_noted(void **state)
{
    struct growing g;
    struct got got = {.n_ended = 0};
    const struct rf_follow_calls calls = {&got, on_break, on_record, on_end};
    struct {
        struct rf_chunk_header header;
        struct rf_moment moment;
    } chunk;
    (void)state;
    seed = 1;
    make(&g, false);
    save(&g, "log", g.log.data, g.log.size);
    struct rf_follow *f = rf_follow_new(g.dir, &g.w->control, &calls, false);
    write_one(&g, 1);
    (void)rf_follow_round(f);
    const uint64_t before = got.ticks[1], later = 5ULL << 53;
    chunk.header = g.stream[1]->part[0]->chunk;
    chunk.header.type = RF_CHUNK_MOMENT;
    chunk.header.size = sizeof(chunk.moment);
    chunk.header.ticks = before + later;
    chunk.moment.size = g.shown[1];
    rfw_add(&g.log, &chunk, sizeof(chunk));
    save(&g, "log", g.log.data, g.log.size);
    write_one(&g, 1);
    (void)rf_follow_round(f);
    assert_true(got.ticks[1] >= before + later && got.ticks[1] < before + later + 100);
    rf_follow_free(f);
    free(got.records[1].data);
    release(&g);
}

/* ---- Definitions ---- */

struct names {
    char text[256];
};

static void on_def(void *context, const struct rf_def *def, const char *text, uint32_t n)
{
    struct names *names = context;
    if ((def->head & 31) == RF_REC_DOMAIN)
        (void)snprintf(names->text + strlen(names->text), sizeof(names->text) - strlen(names->text),
                       "%.*s ", (int)n, text);
}

/* One that is not finished is handed on when it is. */
static void definitions_come_once(void **state)
{
    struct growing g;
    struct names names = {""};
    struct rf_follow_defs defs = {.at = 0};
    const struct rf_defs_header header = {.version = RF_FORMAT_MAJOR};
    struct rfw_bytes file = {0};
    (void)state;
    seed = 1;
    make(&g, false);
    (void)rfw_domain(g.w, 0, 1, 9, "one");
    const size_t two = g.w->process[0]->defs.size;
    (void)rfw_domain(g.w, 0, 1, 9, "two");
    (void)rfw_domain(g.w, 0, 1, 9, "three");
    rfw_add(&file, &header, sizeof(header));
    memcpy(file.data, RF_DEFS_MAGIC, 8);
    rfw_add(&file, g.w->process[0]->defs.data, g.w->process[0]->defs.size);
    rfw_add(&file, (uint8_t[64]){0}, 64);
    uint64_t *head = (uint64_t *)(void *)(file.data + sizeof(header) + two), was = *head;
    *head = 0;
    save(&g, "defs", file.data, file.size);
    rf_follow_defs(&defs, g.dir, 0, on_def, &names);
    assert_string_equal(names.text, "one three ");
    *head = was;
    save(&g, "defs", file.data, file.size);
    rf_follow_defs(&defs, g.dir, 0, on_def, &names);
    rf_follow_defs(&defs, g.dir, 0, on_def, &names);
    assert_string_equal(names.text, "one three two ");
    free(file.data);
    release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_comes_once), cmocka_unit_test(recycled_parts_are_counted),
        cmocka_unit_test(silence_is_noted), cmocka_unit_test(definitions_come_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
