/* SPDX-License-Identifier: Apache-2.0 */
/* Files in every state: parts twice, appends cut short, foreign and damaged files, salvage, and
 * directories that are still written to. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log/chunks.h"
#include "log/pack.h"
#include "log/reader.h"

#define GIB ((uint64_t)1 << 30)

struct files {
    struct rfw *w;
    char *dir;
    char path[4096];
};

static int set_up(void **state)
{
    static struct files f;
    f.w = rfw_new();
    f.dir = rfw_make_tmpdir();
    (void)snprintf(f.path, sizeof(f.path), "%s/a.rf", f.dir);
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

/* A process with n_parts parts of three marks each, called 0, 1, 2, ... at their number of ns. */
static struct rfw_stream *marks(struct rfw *w, int n_parts)
{
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    for (int i = 0; i < 3 * n_parts; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "%d", i);
        if (i % 3 == 0 && i > 0)
            (void)rfw_next_part(s, i);
        rfw_mark(s, i, &(struct rfw_attr){.text = name});
    }
    return s;
}

/* Opens it and gives its marks' names, joined. */
static const char *names(const char *path, unsigned flags, struct rf_info *info)
{
    static char text[4096];
    struct rf_err err;
    rf_recording *rec;
    size_t n;
    text[0] = 0;
    if (rf_open(path, flags, &rec, &err) != RF_OK) {
        (void)snprintf(text, sizeof(text), "%s: %s", rf_error_name(err.code), err.text);
        return text;
    }
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    for (size_t i = 0; i < n; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? " " : "",
                       rf_string(rec, e[i].name, NULL));
    if (info != NULL)
        *info = *rf_get_info(rec);
    rf_close(rec);
    return text;
}

static int open_error(const char *path, unsigned flags, struct rf_err *err)
{
    rf_recording *rec = (rf_recording *)(void *)err;
    memset(err, 0, sizeof(*err));
    int status = rf_open(path, flags, &rec, err);
    assert_null(rec);
    assert_int_equal(status, err->code);
    assert_true(strlen(err->text) > 0);
    assert_null(strchr(err->text, '\n'));
    return status;
}

/* ---- Errors ---- */

static void test_not_there(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_IO);
    assert_non_null(strstr(err.text, "a.rf"));
    assert_non_null(strstr(err.text, strerror(ENOENT)));
    assert_int_equal(open_error("", 0, &err), RF_ERR_IO);
    rf_recording *rec;
    assert_int_equal(rf_open(f->path, 0, &rec, NULL), RF_ERR_IO);
}

static void test_flags(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    rfw_save_packed(f->w, f->path);
    assert_int_equal(open_error(f->path, 0x80000000u, &err), RF_ERR_USAGE);
}

static void test_foreign(void **state)
{
    static const char script[] = "#!/bin/sh\necho a longer file that is something else, more than "
                                 "64 bytes of it\n";
    static const char *const contents[] = {"", "x", "SQLite format 3", script};
    struct files *f = *state;
    struct rf_err err;
    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
        rfw_write_file(f->path, contents[i], strlen(contents[i]));
        for (unsigned flags = 0; flags <= RF_OPEN_SALVAGE; flags++) {
            assert_int_equal(open_error(f->path, flags, &err), RF_ERR_FORMAT);
            assert_int_equal(err.offset, 0);
            assert_non_null(strstr(err.text, "is not a recording"));
        }
    }
    assert_int_equal(open_error("/dev/null", 0, &err), RF_ERR_FORMAT);
    assert_int_equal(open_error("/dev/zero", 0, &err), RF_ERR_FORMAT);
    assert_int_equal(open_error("/proc/self", 0, &err), RF_ERR_FORMAT);
    assert_int_equal(open_error(f->dir, 0, &err), RF_ERR_FORMAT); /* a directory of other things */
    (void)unlink(f->path);
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_FORMAT);
}

static void test_other_version(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    struct rfw_bytes bytes;
    marks(f->w, 1);
    rfw_packed_bytes(f->w, &bytes);
    bytes.data[8] = 4;
    rfw_write_file(f->path, bytes.data, bytes.size);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_FORMAT);
    assert_int_equal(err.offset, 8);
    assert_non_null(strstr(err.text, "version 4."));
    /* any minor version is read */
    bytes.data[8] = 1;
    bytes.data[10] = 77;
    rfw_write_file(f->path, bytes.data, bytes.size);
    assert_string_equal(names(f->path, 0, NULL), "0 1 2");
    free(bytes.data);
}

static void test_truncated(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    struct rfw_bytes bytes;
    marks(f->w, 3);
    rfw_packed_bytes(f->w, &bytes);
    for (size_t size = bytes.size - 1; size > bytes.size - 200; size -= 7) {
        rfw_write_file(f->path, bytes.data, size);
        assert_int_equal(open_error(f->path, 0, &err), RF_ERR_DAMAGED);
        assert_true(err.offset <= size);
        assert_non_null(strstr(err.text, "rangefinder recover"));
        assert_string_equal(names(f->path, RF_OPEN_SALVAGE, NULL), "0 1 2 3 4 5 6 7 8");
    }
    /* in the middle of the second part: the first one and what is whole of the second */
    size_t part = RF_PART_RECORDS_OFFSET + 72;
    rfw_write_file(f->path, bytes.data, 64 + part + RF_PART_RECORDS_OFFSET + 30);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_DAMAGED);
    assert_int_equal(err.offset, 64 + part + RF_PART_RECORDS_OFFSET + 30);
    assert_non_null(strstr(err.text, "truncated"));
    assert_string_equal(names(f->path, RF_OPEN_SALVAGE, NULL), "0 1 2 3");
    free(bytes.data);
}

static void test_flipped(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    struct rfw_bytes bytes;
    struct rf_info info;
    size_t part = RF_PART_RECORDS_OFFSET + 72;
    marks(f->w, 3);
    rfw_packed_bytes(f->w, &bytes);
    bytes.data[64 + part + RF_PART_RECORDS_OFFSET + 20] ^= 4;
    rfw_write_file(f->path, bytes.data, bytes.size);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_DAMAGED);
    assert_int_equal(err.offset, 64 + part);
    assert_non_null(strstr(err.text, "checksum"));
    /* the checksum says which bit it was */
    assert_string_equal(names(f->path, RF_OPEN_SALVAGE, &info), "0 1 2 3 4 5 6 7 8");
    assert_int_equal(info.n_lost_parts + info.n_lost_records, 0);
    /* of many wrong bits it does not */
    memset(bytes.data + 64 + part + RF_PART_RECORDS_OFFSET, 0xa5, 72);
    rfw_write_file(f->path, bytes.data, bytes.size);
    assert_string_equal(names(f->path, RF_OPEN_SALVAGE, &info), "0 1 2 6 7 8");
    assert_int_equal(info.n_lost_parts, 1);
    assert_int_equal(info.n_lost_records, 3);
    assert_int_equal(info.n_lost_about, 3);
    assert_int_equal(info.lost_bytes, 72);
    free(bytes.data);
}

/* Bytes that belong to nothing between chunks: refused, and passed over by salvage. */
static void test_inserted(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    struct rf_info info;
    struct rfw_bytes bytes, changed = {0};
    size_t part = RF_PART_RECORDS_OFFSET + 72;
    marks(f->w, 3);
    rfw_packed_bytes(f->w, &bytes);
    rfw_add(&changed, bytes.data, 64 + part);
    rfw_add(&changed, "RFCK garbage of 21 b.", 21);
    rfw_add(&changed, bytes.data + 64 + part, bytes.size - 64 - part);
    rfw_write_file(f->path, changed.data, changed.size);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_DAMAGED);
    assert_int_equal(err.offset, 64 + part);
    assert_string_equal(names(f->path, RF_OPEN_SALVAGE, &info), "0 1 2 3 4 5 6 7 8");
    assert_int_equal(info.n_damaged_bytes, 21);
    free(bytes.data);
    free(changed.data);
}

static void test_unknown_chunk(void **state)
{
    struct files *f = *state;
    struct rfw_bytes bytes, changed = {0};
    struct rf_chunk_header h = {.magic = RF_CHUNK_MAGIC, .type = 900, .header_size = 64, .size = 8};
    marks(f->w, 1);
    (void)snprintf(f->path, sizeof(f->path), "%s/a.rfdir", f->dir);
    rfw_save_directory(f->w, f->path);
    char log[4200];
    (void)snprintf(log, sizeof(log), "%s/p000000.log", f->path);
    rfw_read_file(log, &bytes);
    rfw_add(&changed, bytes.data, 64);
    rfw_add(&changed, &h, sizeof(h));
    rfw_add(&changed, "8 bytes.", 8);
    rfw_add(&changed, bytes.data + 64, bytes.size - 64);
    rfw_write_file(log, changed.data, changed.size);
    assert_string_equal(names(f->path, 0, NULL), "0 1 2");
    free(bytes.data);
    free(changed.data);
}

/* ---- Session directories ---- */

static void directory(struct files *f, const char *name)
{
    (void)snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
    rfw_save_directory(f->w, f->path);
}

static void test_part_twice(void **state)
{
    struct files *f = *state;
    struct rf_info info;
    struct rfw_stream *s = marks(f->w, 3);
    s->part[1]->place = s->part[2]->place = RFW_IN_BOTH;
    directory(f, "both");
    assert_string_equal(names(f->path, 0, &info), "0 1 2 3 4 5 6 7 8");
    assert_int_equal(info.n_marks, 9);
    assert_int_equal(info.n_damaged_bytes, 0);
}

/* The log has what a killed drainer wrote of a part; the pool has all of it. */
static void test_longest_copy(void **state)
{
    struct files *f = *state;
    struct rfw_bytes log, cut = {0};
    struct rf_info info;
    char path[4200];
    struct rfw_stream *s = marks(f->w, 2);
    s->part[1]->place = RFW_IN_BOTH;
    s->part[1]->pool_state = RF_PART_FULL;
    directory(f, "cut");
    (void)snprintf(path, sizeof(path), "%s/p000000.log", f->path);
    rfw_read_file(path, &log);
    for (size_t n = 1; n < 72; n += 13) {
        cut.size = 0;
        rfw_add(&cut, log.data, log.size - n);
        rfw_write_file(path, cut.data, cut.size);
        assert_string_equal(names(f->path, 0, &info), "0 1 2 3 4 5");
        assert_int_equal(info.n_damaged_bytes, 0); /* as it looks while it is being appended */
    }
    free(log.data);
    free(cut.data);
}

/* An append that was cut short, and the next one right behind it: at an odd offset. */
static void test_short_append(void **state)
{
    struct files *f = *state;
    char path[4200];
    struct rf_info info;
    struct rfw_bytes part[3] = {{0}, {0}, {0}}, log, cut = {0};
    struct rfw_stream *s = marks(f->w, 3);
    directory(f, "short");
    (void)snprintf(path, sizeof(path), "%s/p000000.log", f->path);
    rfw_read_file(path, &log);
    for (int i = 0; i < 3; i++)
        rfw_part_bytes(s->part[i], &part[i]);
    for (size_t n = 1; n < part[1].size; n++) {
        cut.size = 0;
        rfw_add(&cut, log.data, 64);
        rfw_add(&cut, part[0].data, part[0].size);
        rfw_add(&cut, part[1].data, n);
        rfw_add(&cut, part[2].data, part[2].size);
        rfw_write_file(path, cut.data, cut.size);
        const char *expected = n < RF_PART_RECORDS_OFFSET + 24   ? "0 1 2 6 7 8"
                               : n < RF_PART_RECORDS_OFFSET + 48 ? "0 1 2 3 6 7 8"
                                                                 : "0 1 2 3 4 6 7 8";
        assert_string_equal(names(f->path, 0, &info), expected);
        assert_true(info.n_damaged_bytes + info.lost_bytes > 0);
        assert_true(info.n_lost_records > 0);
    }
    for (int i = 0; i < 3; i++)
        free(part[i].data);
    free(log.data);
    free(cut.data);
}

/* The same where the writer gave the parts up, one or two of them: the next part counts their
 * records as lost, so none of them is shown. */
static void test_short_append_given_up(void **state)
{
    struct files *f = *state;
    char path[4200];
    struct rf_info info;
    struct rfw_bytes part[4] = {{0}, {0}, {0}, {0}}, cut = {0}, log;
    struct rfw_stream *s = marks(f->w, 4);
    s->part[3]->part.lost_records = 6;
    directory(f, "given-up");
    (void)snprintf(path, sizeof(path), "%s/p000000.log", f->path);
    rfw_read_file(path, &log);
    for (int i = 0; i < 4; i++)
        rfw_part_bytes(s->part[i], &part[i]);
    for (size_t n = 0; n < part[1].size; n++) {
        cut.size = 0;
        rfw_add(&cut, log.data, 64);
        rfw_add(&cut, part[0].data, part[0].size);
        rfw_add(&cut, part[1].data, n);
        rfw_add(&cut, part[2].data, part[2].size - 8);
        rfw_add(&cut, part[3].data, part[3].size);
        rfw_write_file(path, cut.data, cut.size);
        assert_string_equal(names(f->path, 0, &info), "0 1 2 9 10 11");
        assert_int_equal(info.n_lost_records, 6);
    }
    for (int i = 0; i < 4; i++)
        free(part[i].data);
    free(log.data);
    free(cut.data);
}

static void test_pool_states(void **state)
{
    struct files *f = *state;
    struct rfw_stream *s = marks(f->w, 2);
    char name[16];
    s->part[1]->place = RFW_IN_POOL;
    for (uint32_t pool_state = RF_PART_FREE; pool_state <= RF_PART_APPENDING; pool_state++) {
        s->part[1]->pool_state = pool_state;
        (void)snprintf(name, sizeof(name), "state%u", pool_state);
        directory(f, name);
        assert_string_equal(names(f->path, 0, NULL),
                            pool_state == RF_PART_FREE ? "0 1 2" : "0 1 2 3 4 5");
    }
}

/* A pool on another file system, reached through a link. */
static void test_pool_link(void **state)
{
    struct files *f = *state;
    char from[4200], to[4200];
    struct rfw_stream *s = marks(f->w, 1);
    s->part[0]->place = RFW_IN_POOL;
    directory(f, "link");
    (void)snprintf(from, sizeof(from), "%s/p000000.pool", f->path);
    (void)snprintf(to, sizeof(to), "%s/elsewhere", f->dir);
    assert_int_equal(rename(from, to), 0);
    assert_int_equal(symlink(to, from), 0);
    assert_string_equal(names(f->path, 0, NULL), "0 1 2");
    (void)unlink(to); /* it went with a reboot */
    assert_string_equal(names(f->path, 0, NULL), "");
}

/* A writer in the middle of a record: word 0 is stored last, what follows it does not count. */
static void test_unpublished(void **state)
{
    struct files *f = *state;
    static const uint64_t half[] = {0, 0x1234, 0x5678};
    struct rfw_stream *s = marks(f->w, 1);
    s->part[0]->place = RFW_IN_POOL;
    rfw_raw(s, half, 3);
    directory(f, "half");
    assert_string_equal(names(f->path, 0, NULL), "0 1 2");
}

static void test_missing_files(void **state)
{
    struct files *f = *state;
    struct rf_err err;
    struct rf_info info;
    char path[4200];
    marks(f->w, 1);
    uint32_t q = rfw_process_bare(f->w);
    f->w->process[q]->is_missing = 1;
    uint32_t r = rfw_process(f->w, 102, "third");
    assert_int_equal(r, 2);
    directory(f, "gaps");
    assert_string_equal(names(f->path, 0, NULL), "0 1 2");
    (void)snprintf(path, sizeof(path), "%s/p000000.defs", f->path);
    assert_int_equal(unlink(path), 0);
    assert_string_equal(names(f->path, 0, NULL), "0 1 2");
    (void)snprintf(path, sizeof(path), "%s/p000000.pool", f->path);
    rfw_write_file(path, "", 0);
    (void)snprintf(path, sizeof(path), "%s/p000007.log", f->path);
    rfw_write_file(path, "", 0);
    (void)snprintf(path, sizeof(path), "%s/pages", f->path);
    rfw_write_file(path, "", 0);
    assert_string_equal(names(f->path, 0, &info), "0 1 2");
    assert_int_equal(info.n_damaged_bytes, 0);
    (void)snprintf(path, sizeof(path), "%s/p000008.log", f->path);
    rfw_write_file(path, "something else", 14);
    assert_string_equal(names(f->path, 0, &info), "0 1 2");
    assert_int_equal(info.n_damaged_bytes, 14);
    (void)snprintf(path, sizeof(path), "%s/session", f->path);
    rfw_write_file(path, "short", 5);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_DAMAGED);
    assert_string_equal(names(f->path, RF_OPEN_SALVAGE, NULL), "0 1 2");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(open_error(f->path, 0, &err), RF_ERR_FORMAT);
}

/* Opens and packs a recording in a process of its own. Returns the most memory that it had, in
 * MiB. */
static long memory_of_reading(const char *path, const char *copy, const char *expected)
{
    struct rusage usage;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int fits = strcmp(names(path, 0, NULL), expected) == 0;
        fits = fits && rf_pack_copy(path, copy, 1, NULL, NULL) == RF_OK;
        _exit(fits && strcmp(names(copy, 0, NULL), expected) == 0 ? 0 : 1);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    return usage.ru_maxrss / 1024;
}

/* A definition of 1 GiB that nobody wrote: not finished; said to be; longer than its file. */
static void test_sparse_definitions(void **state)
{
    static const struct {
        uint64_t head;
        uint64_t size;
    } cases[] = {{0, GIB}, {(uint64_t)1 << 20, GIB}, {(uint64_t)1 << 20, 4 * GIB}};
    struct files *f = *state;
    struct stat st;
    char path[4200], copy[4200];
    marks(f->w, 1);
    directory(f, "sparse");
    (void)snprintf(path, sizeof(path), "%s/p000000.defs", f->path);
    (void)snprintf(copy, sizeof(copy), "%s/copy.rf", f->dir);
    const uint64_t end = sizeof(struct rf_defs_header) + f->w->process[0]->defs.size;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct rf_def def = {
            .head = cases[i].head, .tid = 1, .n_words = (uint32_t)(cases[i].size / 8)};
        int fd = open(path, O_RDWR | O_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(pwrite(fd, &def, sizeof(def), (off_t)end), sizeof(def));
        assert_int_equal(ftruncate(fd, (off_t)(end + GIB)), 0);
        (void)close(fd);
        assert_true(memory_of_reading(f->path, copy, "0 1 2") < 300);
        assert_int_equal(stat(copy, &st), 0);
        assert_true(st.st_size < 1 << 20);
    }
}

/* A session of a program that still runs: this one. */
static void test_live(void **state)
{
    struct files *f = *state;
    struct rf_control *c = &f->w->control;
    struct timespec now;
    size_t n;
    rf_recording *rec;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t start = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - 5000000000;
    rfw_use_this_boot(f->w);
    c->is_finished = 0;
    c->root_end = RF_ROOT_UNKNOWN;
    c->clock[0].ticks = (uint64_t)start;
    c->clock[0].mono_ns = start;
    c->clock[1].real_ns = 0; /* one pair only: the reader takes another */
    uint32_t p = rfw_process_bare(f->w);
    struct rfw_stream *s = rfw_stream(f->w, p, 0, (uint32_t)getpid(), 1);
    s->ticks_offset = (uint64_t)start - RFW_TICKS_0;
    rfw_facts_of_self(f->w, p, start - (int64_t)RFW_TICKS_0);
    rfw_push(s, 1000, NULL);
    (void)rfw_start(s, 2000, NULL);
    s->part[0]->place = RFW_IN_POOL;
    directory(f, "live");
    assert_int_equal(rf_open(f->path, 0, &rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(rec)->is_live, 1);
    assert_int_equal(rf_get_info(rec)->is_finished, 0);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 2);
    assert_true(e[0].start_ns >= 999 && e[0].start_ns <= 1001);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(e[i].cut, RF_CUT_LIVE);
        assert_true(e[i].end_ns > 5000000000 && e[i].end_ns < 500000000000);
    }
    rf_close(rec);
    /* the same session after the program's end: another start time has the pid now */
    ((struct rf_def *)(void *)(f->w->process[p]->defs.data + 2 * sizeof(struct rf_def)))->value++;
    f->w->process[p]->start_time++;
    directory(f, "dead");
    assert_int_equal(rf_open(f->path, 0, &rec, NULL), RF_OK);
    assert_int_equal(rf_get_info(rec)->is_live, 0);
    e = rf_thread_events(rec, 0, &n);
    assert_int_equal(e[0].cut, RF_CUT_KILLED);
    rf_close(rec);
}

/* ---- Chunks ---- */

static void test_walk(void **state)
{
    struct rf_chunk_walk walk;
    struct rf_chunk chunk;
    struct rfw_bytes bytes = {0};
    struct rf_chunk_header h = {.magic = RF_CHUNK_MAGIC, .type = 900, .header_size = 64, .size = 8};
    (void)state;
    rf_chunk_walk_init(&walk, NULL, 0, 64);
    assert_int_equal(rf_chunk_walk_next(&walk, &chunk), 0);
    for (int i = 0; i < 3; i++) {
        rfw_add(&bytes, &h, sizeof(h));
        rfw_add(&bytes, "RFCK....", 8); /* the magic alone is no chunk */
    }
    h.size = UINT64_MAX - 7;
    rfw_add(&bytes, &h, sizeof(h));
    rfw_add(&bytes, "tail", 4);
    rf_chunk_walk_init(&walk, bytes.data, bytes.size, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rf_chunk_walk_next(&walk, &chunk), 1);
        assert_int_equal(chunk.offset, 72 * i);
        assert_int_equal(chunk.size, 72);
        assert_int_equal(chunk.is_complete, 1);
    }
    assert_int_equal(rf_chunk_walk_next(&walk, &chunk), 1);
    assert_int_equal(chunk.size, 68);
    assert_int_equal(chunk.is_complete, 0);
    assert_int_equal(rf_chunk_walk_next(&walk, &chunk), 0);
    assert_int_equal(walk.n_skipped, 0);
    free(bytes.data);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_not_there),
        CASE(test_flags),
        CASE(test_foreign),
        CASE(test_other_version),
        CASE(test_truncated),
        CASE(test_flipped),
        CASE(test_inserted),
        CASE(test_unknown_chunk),
        CASE(test_part_twice),
        CASE(test_longest_copy),
        CASE(test_short_append),
        CASE(test_short_append_given_up),
        CASE(test_pool_states),
        CASE(test_pool_link),
        CASE(test_unpublished),
        CASE(test_missing_files),
        CASE(test_sparse_definitions),
        CASE(test_live),
        CASE(test_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
