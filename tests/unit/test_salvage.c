/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of damaged recordings: all that can be read, and a count of the rest. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "log/nvtx_ext.h"
#include "log/pack.h"
#include "log/reader.h"
#include "log/records.h"

#define N_EVENTS 6000 /* ranges of the first process; the second one has half of it */

struct files {
    struct rfw *w;
    char *dir;
    char session[4096], packed[4096], damaged[4096], output[4096];
};

static int set_up(void **state)
{
    static struct files f;
    f.w = rfw_new();
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

/* Each range is a start/end one in a pushed one, so that ids and nesting show what went wrong. */
static void fill(struct rfw *w)
{
    char text[64];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, i == 0 ? "first" : "second");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100 + i, 1);
        for (int64_t k = 0; k < N_EVENTS / (i + 1); k++) {
            (void)snprintf(text, sizeof(text), "range number %d", (int)k);
            rfw_push(s, 10 * k, &(struct rfw_attr){.text = text});
            uint64_t id = rfw_start(s, 10 * k + 1, &(struct rfw_attr){.text = text});
            rfw_end(s, 10 * k + 4, id);
            rfw_pop(s, 10 * k + 5, 0);
        }
        rfw_exit(w, p, 1000000);
    }
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

static void salvage(const struct files *f, const char *input, struct rf_packed *packed)
{
    struct rf_err err = {0};
    if (rf_salvage(input, f->output, 1, RF_PACK_AS_IS, packed, &err) != RF_OK)
        fail_msg("%s", err.text);
}

/* Opens what was saved. Every range that is not cut is as it was recorded. */
static rf_recording *open_saved(const struct files *f, uint64_t *n_whole)
{
    struct rf_err err = {0};
    rf_recording *rec;
    if (rf_open(f->output, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    *n_whole = 0;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_event *e = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            int number = -1;
            if (e[i].kind > RF_EVENT_START_END || e[i].cut != RF_CUT_NONE)
                continue;
            assert_int_equal(sscanf(rf_string(rec, e[i].name, NULL), "range number %d", &number),
                             1);
            int is_inner = e[i].kind == RF_EVENT_START_END;
            assert_int_equal(e[i].start_ns, 10 * number + is_inner);
            assert_int_equal(e[i].end_ns, 10 * number + 5 - is_inner);
            ++*n_whole;
        }
    }
    return rec;
}

/* One wrong bit anywhere is found by the checksum, and put right. */
static void test_one_bit(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed;
    struct rf_err err = {0};
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    char *before = dump_of(f->session);
    assert_int_equal(rf_pack(f->session, f->packed, 0, NULL, &err), RF_OK);
    rfw_read_file(f->packed, &bytes);
    for (size_t at = 64; at < bytes.size; at += bytes.size / 61) {
        bytes.data[at] ^= (uint8_t)(1u << at % 8);
        rfw_write_file(f->damaged, bytes.data, bytes.size);
        salvage(f, f->damaged, &packed);
        bytes.data[at] ^= (uint8_t)(1u << at % 8);
        assert_int_equal(packed.n_lost_records + packed.n_lost_parts + packed.n_damaged_bytes, 0);
        char *text = dump_of(f->output);
        assert_string_equal(text, before);
        free(text);
    }
    free(bytes.data);
    free(before);
}

/* 700 bytes of a part are gone: some twenty records, and nothing around them; said, and still said
 * by what was saved of what was saved. */
static void test_hole(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed, again;
    uint64_t n_whole;
    fill(f->w);
    rfw_packed_bytes(f->w, &bytes);
    const uint64_t n_all = 2 * (N_EVENTS + N_EVENTS / 2), n_hole = 700;
    for (size_t at = 500; at < 130000; at += 7001) {
        uint8_t kept[700];
        memcpy(kept, bytes.data + at, n_hole);
        memset(bytes.data + at, at % 2 ? 0xff : 0, n_hole);
        rfw_write_file(f->damaged, bytes.data, bytes.size);
        memcpy(bytes.data + at, kept, n_hole);
        salvage(f, f->damaged, &packed);
        assert_in_range(packed.n_lost_parts, 1, 2);
        assert_in_range(packed.lost_bytes, n_hole, n_hole + 200);
        assert_in_range(packed.n_lost_records, 10, 40);
        assert_int_equal(packed.n_lost_about, packed.n_lost_records);
        assert_int_equal(packed.salvaged, RF_SALVAGED_DAMAGED);
        rf_recording *rec = open_saved(f, &n_whole);
        assert_in_range(n_whole, n_all - 30, n_all);
        assert_int_equal(rf_get_info(rec)->n_lost_records, packed.n_lost_records);
        assert_int_equal(rf_get_info(rec)->n_lost_about, packed.n_lost_about);
        assert_int_equal(rf_get_info(rec)->n_lost_parts, packed.n_lost_parts);
        rf_close(rec);
        assert_int_equal(rename(f->output, f->damaged), 0);
        salvage(f, f->damaged, &again);
        assert_int_equal(again.n_lost_records, packed.n_lost_records);
    }
    free(bytes.data);
}

/* A file that is cut off says when, where and what it is, and how much is missing. */
static void test_cut_off(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed;
    struct rf_err err = {0};
    uint64_t n_whole;
    const uint64_t n_all = 2 * (N_EVENTS + N_EVENTS / 2);
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    assert_int_equal(rf_pack(f->session, f->packed, 0, NULL, &err), RF_OK);
    rfw_read_file(f->packed, &bytes);
    for (size_t tenth = 2; tenth < 10; tenth++) {
        rfw_write_file(f->damaged, bytes.data, bytes.size * tenth / 10);
        salvage(f, f->damaged, &packed);
        assert_int_equal(packed.salvaged, RF_SALVAGED_DAMAGED);
        rf_recording *rec = open_saved(f, &n_whole);
        const struct rf_info *info = rf_get_info(rec);
        assert_string_equal(info->host, "testhost");
        assert_int_equal(info->epoch_utc_ns, RFW_REAL_NS_0);
        assert_int_equal(rf_n_processes(rec), 2);
        assert_int_equal(info->is_end_missing, 0);
        /* a range is two records */
        assert_in_range(n_whole + info->n_lost_records / 2, n_all - n_all / 7, n_all + n_all / 7);
        rf_close(rec);
    }
    free(bytes.data);
}

/* One that says nothing of its length, as a log that became the file. */
static void test_end_unknown(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes;
    struct rf_packed packed;
    uint64_t n_whole;
    fill(f->w);
    f->w->has_early_copies = 1;
    rfw_packed_bytes(f->w, &bytes);
    rfw_write_file(f->damaged, bytes.data, bytes.size / 2);
    salvage(f, f->damaged, &packed);
    assert_int_equal(packed.salvaged, RF_SALVAGED_DAMAGED | RF_SALVAGED_NO_END);
    rf_recording *rec = open_saved(f, &n_whole);
    assert_int_equal(rf_get_info(rec)->is_end_missing, 1);
    assert_string_equal(rf_get_info(rec)->host, "testhost");
    rf_close(rec);
    f->w->has_early_copies = 0;
    free(bytes.data);
    rfw_packed_bytes(f->w, &bytes);
    rfw_write_file(f->damaged, bytes.data, bytes.size / 3);
    salvage(f, f->damaged, &packed);
    assert_int_equal(packed.salvaged,
                     RF_SALVAGED_DAMAGED | RF_SALVAGED_NO_END | RF_SALVAGED_NO_CONTROL);
    free(bytes.data);
}

static void log_path(const struct files *f, char *path, size_t size)
{
    (void)snprintf(path, size, "%s/p000000.log", f->session);
}

/* A log that lost its end: the pools know which parts were in it. */
static void test_short_log(void **state)
{
    struct files *f = *state;
    struct rfw_bytes log;
    struct rf_packed packed;
    char path[4200];
    uint64_t n_whole;
    const uint64_t n_all = 2 * (N_EVENTS + N_EVENTS / 2);
    fill(f->w);
    struct rfw_stream *s = f->w->process[0]->stream[0];
    for (size_t i = s->n_parts - RF_PARTS_PER_SLOT; i < s->n_parts; i++) {
        s->part[i]->place = RFW_IN_BOTH;
        s->part[i]->pool_state = RF_PART_FREE;
    }
    rfw_save_directory(f->w, f->session);
    log_path(f, path, sizeof(path));
    rfw_read_file(path, &log);
    for (size_t cut = 30001; cut < 400000; cut += 61001) {
        rfw_write_file(path, log.data, log.size - cut);
        salvage(f, f->session, &packed);
        rf_recording *rec = open_saved(f, &n_whole);
        assert_in_range(rf_get_info(rec)->lost_bytes, cut - cut / 20 - 200, cut + cut / 20 + 200);
        assert_in_range(n_whole + rf_get_info(rec)->n_lost_records / 2, n_all - n_all / 7,
                        n_all + n_all / 7);
        rf_close(rec);
        /* the directory says the same where it stands */
        struct rf_err err;
        assert_int_equal(rf_open(f->session, 0, &rec, &err), RF_OK);
        assert_int_equal(rf_get_info(rec)->n_lost_records, packed.n_lost_records);
        rf_close(rec);
    }
    free(log.data);
}

/* A log has no checksums: where its records break off, it is mended when it is packed. */
static void test_hole_in_log(void **state)
{
    struct files *f = *state;
    struct rfw_bytes log;
    struct rf_packed packed;
    struct rf_err err = {0};
    char path[4200];
    uint64_t n_whole;
    const uint64_t n_all = 2 * (N_EVENTS + N_EVENTS / 2);
    fill(f->w);
    f->w->has_early_copies = 1;
    rfw_save_directory(f->w, f->session);
    log_path(f, path, sizeof(path));
    rfw_read_file(path, &log);
    memset(log.data + 100000, 0xff, 500);
    rfw_write_file(path, log.data, log.size);
    assert_int_equal(rf_pack(f->session, f->output, 0, &packed, &err), RF_OK);
    assert_int_equal(packed.n_lost_parts, 1);
    assert_in_range(packed.lost_bytes, 500, 700);
    rf_recording *rec = open_saved(f, &n_whole);
    assert_in_range(n_whole, n_all - 30, n_all);
    rf_close(rec);
    free(log.data);
}

/* The control page of a directory is damaged, or gone. */
static void test_no_control(void **state)
{
    struct files *f = *state;
    struct rf_packed packed;
    char path[4200];
    uint64_t n_whole;
    fill(f->w);
    f->w->has_early_copies = 1; /* in its logs */
    rfw_save_directory(f->w, f->session);
    (void)snprintf(path, sizeof(path), "%s/session", f->session);
    rfw_write_file(path, "short", 5);
    for (int i = 0; i < 2; i++) {
        salvage(f, f->session, &packed);
        rf_recording *rec = open_saved(f, &n_whole);
        assert_string_equal(rf_get_info(rec)->host, "testhost");
        assert_int_equal(n_whole, 2 * (N_EVENTS + N_EVENTS / 2));
        rf_close(rec);
        (void)unlink(path);
    }
}

/* Behind a hole payloads, samples and parents of ranges are known as records again. */
static void test_hole_among_data(void **state)
{
    struct files *f = *state;
    struct rfw_stream *s = rfw_stream(f->w, rfw_process(f->w, 100, "app"), 0, 100, 1);
    struct rfw_bytes bytes;
    struct rf_packed packed;
    struct rf_err err = {0};
    struct rf_log log;
    uint64_t n_of[32] = {0};
    for (uint64_t k = 0; k < 300; k++) {
        const uint64_t ticks = (RFW_TICKS_0 + 10 * k) << RF_WORD_TICK_SHIFT;
        const uint64_t words[] = {ticks | 5 << RF_WORD_TYPE_BITS | RF_REC_DATA,
                                  RF_DATA_PAYLOAD,
                                  18,
                                  8,
                                  k,
                                  ticks | 4 << RF_WORD_TYPE_BITS | RF_REC_EXT,
                                  RF_EXT_INT64,
                                  1,
                                  k,
                                  ticks | 3 << RF_WORD_TYPE_BITS | RF_REC_PARENT,
                                  k,
                                  0};
        rfw_push(s, (int64_t)(10 * k), NULL);
        rfw_raw(s, words, sizeof(words) / 8);
    }
    rfw_packed_bytes(f->w, &bytes);
    const uint64_t middle =
        (RFW_TICKS_0 + 1000) << RF_WORD_TICK_SHIFT | 4 << RF_WORD_TYPE_BITS | RF_REC_EXT;
    uint8_t *hole = memmem(bytes.data, bytes.size, &middle, sizeof(middle));
    assert_non_null(hole);
    memset(hole, 0xff, 700);
    rfw_write_file(f->damaged, bytes.data, bytes.size);
    salvage(f, f->damaged, &packed);
    assert_in_range(packed.lost_bytes, 700, 900);
    assert_int_equal(rf_log_open(&log, f->output, 0, &err), RF_OK);
    struct rf_stream_cursor cursor;
    struct rf_stream_part part;
    struct rf_record r;
    enum rf_stream_step step;
    struct rf_part_reader reader;
    rf_part_reader_init(&reader, &log);
    rf_stream_init(&cursor, &reader, log.part, log.n_parts);
    while ((step = rf_stream_next(&cursor, &r, &part)) != RF_STREAM_END)
        n_of[step == RF_STREAM_RECORD ? r.type : 0]++;
    assert_in_range(n_of[RF_REC_DATA], 290, 299);
    assert_in_range(n_of[RF_REC_EXT], 290, 299);
    assert_in_range(n_of[RF_REC_PARENT], 290, 299);
    rf_log_close(&log);
    free(bytes.data);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_one_bit),     CASE(test_hole),        CASE(test_hole_among_data),
        CASE(test_cut_off),     CASE(test_end_unknown), CASE(test_short_log),
        CASE(test_hole_in_log), CASE(test_no_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
