/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed recordings: read like others, and what is left of damaged ones. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "log/chunks.h"
#include "log/compress.h"
#include "log/moments.h"
#include "log/pack.h"
#include "log/reader.h"
#include "log/recycle.h"

#define N_EVENTS 12000 /* pairs of ranges */

struct files {
    struct rfw *w;
    char *dir;
    char session[4096], packed[4096], damaged[4096], output[4096];
};

static int set_up(void **state)
{
    static struct files f;
    f.w = rfw_new();
    f.w->control.version = RF_FORMAT_COMPRESSED;
    f.dir = rfw_make_tmpdir();
    (void)snprintf(f.session, sizeof(f.session), "%s/a.rfdir", f.dir);
    (void)snprintf(f.packed, sizeof(f.packed), "%s/a.rf", f.dir);
    (void)snprintf(f.damaged, sizeof(f.damaged), "%s/damaged.rf", f.dir);
    (void)snprintf(f.output, sizeof(f.output), "%s/saved.rf", f.dir);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct files *f = *state;
    rfw_free(f->w);
    rfw_remove_tree(f->dir);
    free(f->dir);
    return 0;
}

/* Each range is a start/end one in a pushed one, so that ids and nesting show what went wrong; and
 * names that compress. */
static void fill(struct rfw *w)
{
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    char text[64];
    for (int i = 0; i < 200; i++) {
        (void)snprintf(text, sizeof(text), "a registered string, number %d", i);
        (void)rfw_string(w, p, i, 100, 0, text);
    }
    (void)rfw_start(s, 0, &(struct rfw_attr){.text = "never ends"});
    for (int64_t k = 0; k < N_EVENTS; k++) {
        (void)snprintf(text, sizeof(text), "range number %d", (int)k);
        rfw_push(s, 10 * k, &(struct rfw_attr){.text = text});
        uint64_t id = rfw_start(s, 10 * k + 1, &(struct rfw_attr){.text = text});
        rfw_end(s, 10 * k + 4, id);
        rfw_pop(s, 10 * k + 5, 0);
    }
    rfw_exit(w, p, 1000000);
}

static char *dump_of(const char *path)
{
    struct rf_err err;
    rf_recording *rec;
    if (rf_open(path, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    char *text = rf_dump(rec);
    rf_close(rec);
    return text;
}

/* Packs what fill() made; *before is what it says. */
static void pack(struct files *f, char **before, struct rfw_bytes *bytes)
{
    struct rf_err err = {0};
    struct rf_packed packed;
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    *before = dump_of(f->session);
    if (rf_pack(f->session, f->packed, 0, &packed, &err) != RF_OK)
        fail_msg("%s", err.text);
    assert_true(packed.compressed_bytes < packed.expanded_bytes / 4);
    rfw_read_file(f->packed, bytes);
}

static void expect_same(const char *path, const char *before)
{
    char *text = dump_of(path);
    assert_string_equal(text, before);
    free(text);
}

/* Of the ranges that are there and not cut, each is as it was recorded. */
static rf_recording *open_saved(const char *path, uint64_t *n_whole)
{
    struct rf_err err = {0};
    rf_recording *rec;
    size_t n;
    if (rf_open(path, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    *n_whole = 0;
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    for (size_t i = 0; i < n; i++) {
        int number = -1, is_inner = e[i].kind == RF_EVENT_START_END;
        if (e[i].kind > RF_EVENT_START_END || e[i].cut != RF_CUT_NONE)
            continue;
        assert_int_equal(sscanf(rf_string(rec, e[i].name, NULL), "range number %d", &number), 1);
        assert_int_equal(e[i].start_ns, 10 * number + is_inner);
        assert_int_equal(e[i].end_ns, 10 * number + 5 - is_inner);
        ++*n_whole;
    }
    return rec;
}

static void test_every_form(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_err err = {0};
    struct stat small, large;
    char *before;
    pack(f, &before, &bytes);
    expect_same(f->packed, before);
    assert_int_equal(rf_salvage(f->packed, f->output, 1, RF_PACK_EXPANDED, NULL, &err), RF_OK);
    expect_same(f->output, before);
    assert_int_equal(stat(f->packed, &small), 0);
    assert_int_equal(stat(f->output, &large), 0);
    assert_true(small.st_size < large.st_size / 4);
    struct rfw_bytes expanded;
    rfw_read_file(f->output, &expanded);
    assert_int_equal(expanded.data[offsetof(struct rf_file_header, version_major)], 1);
    assert_int_equal(bytes.data[offsetof(struct rf_file_header, version_major)],
                     RF_FORMAT_COMPRESSED);
    assert_int_equal(rf_salvage(f->output, f->damaged, 1, RF_PACK_COMPRESSED, NULL, &err), RF_OK);
    expect_same(f->damaged, before);
    struct rfw_bytes again;
    rfw_read_file(f->damaged, &again);
    assert_int_equal(again.size, bytes.size);
    assert_memory_equal(again.data, bytes.data, bytes.size);
    free(again.data);
    free(expanded.data);
    free(bytes.data);
    free(before);
}

/* One wrong bit anywhere is found, and put right by the checksum of the index. */
static void test_one_bit(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed;
    struct rf_err err = {0};
    rf_recording *rec;
    char *before;
    pack(f, &before, &bytes);
    for (size_t at = 64; at < bytes.size; at += bytes.size / 97) {
        bytes.data[at] ^= (uint8_t)(1u << at % 8);
        rfw_write_file(f->damaged, bytes.data, bytes.size);
        assert_int_equal(rf_open(f->damaged, 0, &rec, &err), RF_ERR_DAMAGED);
        assert_int_equal(rf_salvage(f->damaged, f->output, 1, RF_PACK_AS_IS, &packed, &err), RF_OK);
        bytes.data[at] ^= (uint8_t)(1u << at % 8);
        assert_int_equal(packed.n_lost_records + packed.n_lost_parts + packed.n_damaged_bytes, 0);
        expect_same(f->output, before);
    }
    free(bytes.data);
    free(before);
}

/* Where the compressed parts of a file stand. */
static size_t list_parts(const struct rfw_bytes *bytes, size_t *at, size_t *size, size_t most)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    size_t n = 0;
    rf_chunk_walk_init(&walk, bytes->data, bytes->size, sizeof(struct rf_file_header));
    while (rf_chunk_walk_next(&walk, &chunk) && n < most) {
        struct rf_compressed info;
        memcpy(&info, bytes->data + chunk.offset + sizeof(chunk.header), sizeof(info));
        if (chunk.header.type != RF_CHUNK_COMPRESSED || info.type != RF_CHUNK_PART)
            continue;
        at[n] = chunk.offset;
        size[n++] = chunk.size;
    }
    return n;
}

/* Bytes of a part are gone: all of that part is lost, and counted, and nothing else; also of what
 * was saved of what was saved. */
static void test_hole(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed, again;
    struct rf_err err = {0};
    size_t at[64], size[64];
    uint64_t n_whole;
    char *before;
    pack(f, &before, &bytes);
    const size_t n = list_parts(&bytes, at, size, 64);
    const uint64_t n_all = 2 * N_EVENTS, in_part = n_all / n;
    assert_in_range(n, 15, 40);
    for (size_t i = 0; i < n; i++) {
        uint8_t kept[100];
        const size_t hole = at[i] + (i % 3 == 0 ? 64 : i % 3 == 1 ? 90 : size[i] - 120);
        memcpy(kept, bytes.data + hole, sizeof(kept));
        memset(bytes.data + hole, i % 2 ? 0xff : 0, sizeof(kept));
        rfw_write_file(f->damaged, bytes.data, bytes.size);
        memcpy(bytes.data + hole, kept, sizeof(kept));
        if (rf_salvage(f->damaged, f->output, 1, RF_PACK_AS_IS, &packed, &err) != RF_OK)
            fail_msg("%s", err.text);
        assert_int_equal(packed.n_lost_parts, 1);
        assert_in_range(packed.n_lost_records, in_part, 4 * in_part);
        assert_in_range(packed.lost_bytes, 10000, RF_PART_SIZE);
        assert_int_equal(packed.salvaged, RF_SALVAGED_DAMAGED);
        rf_recording *rec = open_saved(f->output, &n_whole);
        assert_in_range(n_whole, n_all - in_part - in_part / 2 - 4, n_all - 1);
        rf_close(rec);
        assert_int_equal(
            rf_salvage(f->output, f->damaged, 1, i % 2 ? RF_PACK_EXPANDED : 0, &again, &err),
            RF_OK);
        assert_int_equal(again.n_lost_records, packed.n_lost_records);
    }
    free(bytes.data);
    free(before);
}

/* A file that is cut off somewhere says how much is missing. */
static void test_cut_off(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed;
    struct rf_err err = {0};
    rf_recording *rec;
    uint64_t n_whole;
    char *before;
    size_t at[64], size[64];
    pack(f, &before, &bytes);
    const size_t n = list_parts(&bytes, at, size, 64);
    for (size_t i = 1; i < n; i++) {
        rfw_write_file(f->damaged, bytes.data, at[i] + size[i] * i / n);
        assert_int_equal(rf_open(f->damaged, 0, &rec, &err), RF_ERR_DAMAGED);
        if (rf_salvage(f->damaged, f->output, 1, RF_PACK_AS_IS, &packed, &err) != RF_OK)
            fail_msg("%s", err.text);
        rec = open_saved(f->output, &n_whole);
        assert_int_equal(rf_get_info(rec)->is_end_missing, 0);
        assert_in_range(n_whole + rf_get_info(rec)->n_lost_records / 2, 2 * N_EVENTS * 7 / 10,
                        2 * N_EVENTS * 13 / 10);
        rf_close(rec);
    }
    free(bytes.data);
    free(before);
}

static void log_path(const struct files *f, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/p000000.log", f->session);
}

/* The log as a command line leaves it that compresses every other part. */
static void compress_log(const struct files *f, struct rfw_bytes *out)
{
    struct rf_compressor *c;
    struct rfw_bytes log;
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    bool is_missing;
    char path[4200];
    log_path(f, path, sizeof(path));
    rfw_read_file(path, &log);
    assert_non_null(c = rf_compressor_new(&is_missing));
    *out = (struct rfw_bytes){.data = NULL};
    rfw_add(out, log.data, sizeof(struct rf_file_header));
    rf_chunk_walk_init(&walk, log.data, log.size, sizeof(struct rf_file_header));
    for (int i = 0; rf_chunk_walk_next(&walk, &chunk); i++) {
        const uint8_t *bytes = log.data + chunk.offset;
        size_t size = i % 2 ? rf_compress(c, &chunk.header, bytes + 64, &bytes) : 0;
        rfw_add(out, bytes, size > 0 ? size : chunk.size);
    }
    rf_compressor_free(c);
    free(log.data);
    rfw_write_file(path, out->data, out->size);
}

/* A directory with both kinds of parts; the log becomes the file, or it is compressed or expanded.
 */
static void test_directory(void **state)
{
    struct files *f = *state;
    struct rfw_bytes log;
    struct rf_err err = {0};
    fill(f->w);
    f->w->has_early_copies = 1;
    rfw_save_directory(f->w, f->session);
    char *before = dump_of(f->session);
    compress_log(f, &log);
    expect_same(f->session, before);
    for (enum rf_pack_form form = RF_PACK_AS_IS; form <= RF_PACK_EXPANDED; form++) {
        assert_int_equal(rf_salvage(f->session, f->output, 1, form, NULL, &err), RF_OK);
        expect_same(f->output, before);
    }
    assert_int_equal(rf_pack_copy(f->session, f->output, 1, NULL, &err), RF_OK);
    expect_same(f->output, before);
    assert_int_equal(rf_pack(f->session, f->packed, 1, NULL, &err), RF_OK);
    expect_same(f->packed, before);
    free(log.data);
    free(before);
}

static uint64_t n_held_bytes(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_blocks * 512;
}

/* All parts are said to have been silent for long. */
static void add_moments(const char *path, struct rfw_bytes *log)
{
    size_t at[64], size[64];
    const size_t n = list_parts(log, at, size, 64);
    assert_true(n > 4);
    for (size_t i = 0; i < n; i++) {
        struct rf_moment_chunk chunk = {.moment = {RF_PART_RECORDS_OFFSET}};
        memcpy(&chunk.header, log->data + at[i], sizeof(chunk.header));
        chunk.header.type = RF_CHUNK_MOMENT;
        chunk.header.size = sizeof(chunk.moment);
        rfw_add(log, &chunk, sizeof(chunk));
    }
    rfw_write_file(path, log->data, log->size);
}

/* Of a ring go the same parts, whether they are compressed or not, and the same stays. */
static void test_recycled(void **state)
{
    struct files *f = *state;
    struct rfw_bytes log;
    struct rf_recycled raw, compressed;
    struct rf_err err = {0};
    char path[4200];
    fill(f->w);
    const uint64_t times[] = {20000, 50001, 90002, 200000};
    log_path(f, path, sizeof(path));
    for (size_t i = 0; i < 4; i++) {
        rfw_save_directory(f->w, f->session);
        assert_int_equal(
            rf_recycle(f->session, UINT64_MAX, RFW_TICKS_0 + times[i], true, &raw, &err), RF_OK);
        char *before = dump_of(f->session);
        rfw_remove_tree(f->session);
        rfw_save_directory(f->w, f->session);
        compress_log(f, &log);
        add_moments(path, &log);
        const uint64_t held = n_held_bytes(path);
        if (rf_recycle(f->session, UINT64_MAX, RFW_TICKS_0 + times[i], true, &compressed, &err) !=
            RF_OK)
            fail_msg("%s", err.text);
        expect_same(f->session, before);
        assert_true(compressed.n_parts > 1 && compressed.n_parts == raw.n_parts);
        assert_true(compressed.n_records - raw.n_records <= raw.n_parts); /* moments */
        assert_true(compressed.n_less > 0 && compressed.n_less < raw.n_less);
        assert_true(compressed.n_less <= (int64_t)log.size);
        assert_true(n_held_bytes(path) < held);
        rfw_remove_tree(f->session);
        free(log.data);
        free(before);
    }
}

/* An append that was cut short by a full disk or a kill: the part in the pool is whole, or the
 * part is lost. */
static void test_cut_append(void **state)
{
    struct files *f = *state;
    struct rfw_bytes log;
    struct rf_packed packed;
    struct rf_err err = {0};
    size_t at[64], size[64];
    uint64_t n_whole;
    char path[4200];
    fill(f->w);
    struct rfw_stream *s = f->w->process[0]->stream[0];
    s->part[s->n_parts - 1]->place = RFW_IN_BOTH;
    s->part[s->n_parts - 1]->pool_state = RF_PART_CLAIMED;
    rfw_save_directory(f->w, f->session);
    char *before = dump_of(f->session);
    log_path(f, path, sizeof(path));
    compress_log(f, &log);
    const size_t n = list_parts(&log, at, size, 64);
    const bool is_last = at[n - 1] + size[n - 1] == log.size;
    for (size_t i = 1; i < size[n - 1] && is_last; i += 37) {
        rfw_write_file(path, log.data, at[n - 1] + i);
        expect_same(f->session, before);
    }
    for (size_t i = 1; i < size[2]; i += 37) { /* and appends went on behind it */
        struct rfw_bytes cut = {.data = NULL};
        rfw_add(&cut, log.data, at[2] + i);
        rfw_add(&cut, log.data + at[2] + size[2], log.size - at[2] - size[2]);
        rfw_write_file(path, cut.data, cut.size);
        free(cut.data);
        if (rf_salvage(f->session, f->output, 1, RF_PACK_AS_IS, &packed, &err) != RF_OK)
            fail_msg("%s", err.text);
        assert_int_equal(packed.n_lost_parts, 1);
        assert_in_range(packed.n_lost_records, 500, 4000);
        rf_close(open_saved(f->output, &n_whole));
        assert_in_range(n_whole, 2 * N_EVENTS * 9 / 10, 2 * N_EVENTS - 10);
    }
    free(log.data);
    free(before);
}

/* Sizes that are not so are refused before anything is made for them. */
static void test_forged(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    size_t at[64], size[64];
    struct rf_zstd zstd = {.handle = NULL};
    struct rf_compressed info, read;
    char *before;
    uint8_t *payload = malloc(RF_EXPANDED_ROOM);
    pack(f, &before, &bytes);
    assert_in_range(list_parts(&bytes, at, size, 64), 2, 64);
    uint8_t *chunk = bytes.data + at[0];
    assert_true(rf_zstd_load(&zstd));
    struct rf_expander *e = rf_expander_new(&zstd);
    assert_true(rf_compressed_read(&info, chunk, size[0], true));
    const uint32_t raw_sizes[] = {0, 8, 64, 71, 65480, 65536, 1u << 20, UINT32_MAX};
    for (size_t i = 0; i < sizeof(raw_sizes) / sizeof(raw_sizes[0]); i++) {
        struct rf_compressed forged = info;
        forged.raw_size = raw_sizes[i];
        memcpy(chunk + 64, &forged, sizeof(forged));
        assert_false(rf_compressed_read(&read, chunk, size[0], false));
    }
    memcpy(chunk + 64, &info, sizeof(info));
    for (size_t n = 0; n < size[0]; n++)
        assert_false(rf_compressed_read(&read, chunk, n, true));
    /* and whatever else it says, it is expanded into its room or not at all */
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t *copy = malloc(size[0]);
        memcpy(copy, chunk, size[0]);
        for (uint32_t k = 0; k <= i % 3; k++) {
            const uint64_t random = (i + 1) * 0x9e3779b97f4a7c15u * (k + 1);
            const size_t where = i % 2 ? 64 + (random >> 20) % 120 : (random >> 20) % size[0];
            copy[where] = (uint8_t)(random >> 55);
        }
        if (rf_compressed_read(&read, copy, size[0], false))
            (void)rf_expand(e, &read, copy, payload);
        free(copy);
    }
    rf_expander_free(e);
    rf_zstd_unload(&zstd);
    free(payload);
    free(bytes.data);
    free(before);
}

static void test_without_library(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_err err = {0};
    rf_recording *rec;
    char *before;
    pack(f, &before, &bytes);
    assert_int_equal(setenv("RANGEFINDER_ZSTD", "/nowhere/libzstd.so.1", 1), 0);
    assert_int_equal(rf_open(f->packed, 0, &rec, &err), RF_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "install libzstd"));
    assert_int_equal(rf_salvage(f->session, f->output, 1, RF_PACK_COMPRESSED, NULL, &err),
                     RF_ERR_UNSUPPORTED);
    assert_int_equal(access(f->output, F_OK), -1);
    /* a recording is worth more than its form */
    assert_int_equal(rf_pack(f->session, f->output, 1, NULL, &err), RF_OK);
    expect_same(f->output, before);
    assert_int_equal(unsetenv("RANGEFINDER_ZSTD"), 0);
    free(bytes.data);
    free(before);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_every_form), CASE(test_one_bit),   CASE(test_hole),
        CASE(test_cut_off),    CASE(test_directory), CASE(test_recycled),
        CASE(test_cut_append), CASE(test_forged),    CASE(test_without_library),
    };
    struct rf_zstd zstd = {.handle = NULL};
    if (!rf_zstd_load(&zstd)) {
        printf("SKIP: " RF_ZSTD_MISSING "\n");
        return 77;
    }
    rf_zstd_unload(&zstd);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
