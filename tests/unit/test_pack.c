/* SPDX-License-Identifier: Apache-2.0 */
/* Packing keeps what a session directory holds, and leaves the directory as it was when it fails.
 */
#include "unit.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log/pack.h"

struct files {
    struct rfw *w;
    char *dir;
    char session[4096], output[4096];
};

static int set_up(void **state)
{
    static struct files f;
    f.w = rfw_new();
    f.dir = rfw_make_tmpdir();
    (void)snprintf(f.session, sizeof(f.session), "%s/a.rfdir", f.dir);
    (void)snprintf(f.output, sizeof(f.output), "%s/a.rf", f.dir);
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

/* Two processes with some of everything, in logs and pools; the second one has the larger log. */
static void fill(struct rfw *w)
{
    w->has_early_copies = 1; /* as the command line writes logs */
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t p = rfw_process(w, 100 + i, "app");
        uint32_t d = rfw_domain(w, p, 1, 100, "lib"), r = rfw_string(w, p, 2, 100, d, "reg");
        struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1), *t = rfw_stream(w, p, 1, 101, 2);
        for (int64_t k = 0; k < 3000 + 3000 * i; k++) {
            rfw_push(s, 10 * k, &(struct rfw_attr){.text = "a range", .domain = d});
            rfw_pop(s, 10 * k + 5, d);
        }
        uint64_t id = rfw_start(t, 50, &(struct rfw_attr){.string = r});
        rfw_push(t, 55, &(struct rfw_attr){.text = "open"});
        rfw_end(s, 60, id);
        s->part[s->n_parts - 1]->place = RFW_IN_POOL;
        t->part[0]->place = RFW_IN_POOL;
        s->part[0]->place = RFW_IN_BOTH;
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

static void assert_same(const char *path, const char *expected)
{
    char *text = dump_of(path);
    assert_string_equal(text, expected);
    free(text);
}

static int count_files(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    (void)closedir(d);
    return n - 2;
}

static uint64_t inode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

static void test_pack(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    struct stat st;
    char log[4200];
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    char *before = dump_of(f->session);
    if (rf_pack(f->session, f->output, 0, NULL, &err) != RF_OK)
        fail_msg("%s", err.text);
    assert_same(f->output, before);
    assert_same(f->session, before);
    /* the larger log became the file: no byte of it was copied */
    (void)snprintf(log, sizeof(log), "%s/p000001.log", f->session);
    assert_int_equal(inode_of(f->output), inode_of(log));
    mode_t mask = umask(0);
    (void)umask(mask);
    assert_int_equal(stat(f->output, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(count_files(f->dir), 2);
    /* once more: the log has a second name now, and must not be changed under it */
    (void)snprintf(f->output, sizeof(f->output), "%s/b.rf", f->dir);
    assert_int_equal(rf_pack(f->session, f->output, 0, NULL, &err), RF_OK);
    assert_true(inode_of(f->output) != inode_of(log));
    assert_same(f->output, before);
    (void)snprintf(f->output, sizeof(f->output), "%s/a.rf", f->dir);
    assert_same(f->output, before);
    /* without the directory */
    rfw_remove_tree(f->session);
    assert_same(f->output, before);
    free(before);
}

static void test_pack_copy(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    struct rfw_bytes before_bytes, after_bytes;
    char log[4200];
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    (void)snprintf(log, sizeof(log), "%s/p000001.log", f->session);
    rfw_read_file(log, &before_bytes);
    char *before = dump_of(f->session);
    assert_int_equal(rf_pack_copy(f->session, f->output, 0, NULL, &err), RF_OK);
    assert_same(f->output, before);
    rfw_read_file(log, &after_bytes);
    assert_int_equal(before_bytes.size, after_bytes.size);
    assert_memory_equal(before_bytes.data, after_bytes.data, after_bytes.size);
    free(before_bytes.data);
    free(after_bytes.data);
    free(before);
}

/* A log with a hole cannot become the file: a packed file is chunk after chunk. */
static void test_pack_broken_log(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    struct rfw_bytes log, changed = {0};
    char path[4200];
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    (void)snprintf(path, sizeof(path), "%s/p000001.log", f->session);
    rfw_read_file(path, &log);
    rfw_add(&changed, log.data, 64 + 30000);
    rfw_add(&changed, log.data + 64, log.size - 64 - 7);
    rfw_write_file(path, changed.data, changed.size);
    rf_recording *rec, *packed;
    assert_int_equal(rf_open(f->session, 0, &rec, &err), RF_OK);
    assert_true(rf_get_info(rec)->n_lost_records > 0);
    assert_int_equal(rf_pack(f->session, f->output, 0, NULL, &err), RF_OK);
    assert_true(inode_of(f->output) != inode_of(path));
    assert_int_equal(rf_open(f->output, 0, &packed, &err), RF_OK);
    assert_int_equal(rf_get_info(packed)->n_events, rf_get_info(rec)->n_events);
    assert_int_equal(rf_get_info(packed)->n_cut, rf_get_info(rec)->n_cut);
    assert_int_equal(rf_get_info(packed)->n_lost_records, rf_get_info(rec)->n_lost_records);
    rf_close(rec);
    rf_close(packed);
    free(log.data);
    free(changed.data);
}

/* While a process of it runs, which may append to its log, the log stays the directory's own. */
static void test_pack_running(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    char log[4200];
    fill(f->w);
    rfw_use_this_boot(f->w);
    rfw_facts_of_self(f->w, 0, 0);
    rfw_save_directory(f->w, f->session);
    (void)snprintf(log, sizeof(log), "%s/p000001.log", f->session);
    char *before = dump_of(f->session);
    assert_int_equal(rf_pack(f->session, f->output, 0, NULL, &err), RF_OK);
    assert_true(inode_of(f->output) != inode_of(log));
    assert_same(f->output, before);
    free(before);
}

static void test_pack_exists(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    rfw_write_file(f->output, "mine", 4);
    char *before = dump_of(f->session);
    assert_int_equal(rf_pack(f->session, f->output, 0, NULL, &err), RF_ERR_EXISTS);
    struct rfw_bytes bytes;
    rfw_read_file(f->output, &bytes);
    assert_int_equal(bytes.size, 4);
    free(bytes.data);
    assert_same(f->session, before);
    assert_int_equal(count_files(f->dir), 2);
    assert_int_equal(rf_pack(f->session, f->output, 1, NULL, &err), RF_OK);
    assert_same(f->output, before);
    free(before);
}

static void test_pack_errors(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    char path[4200];
    assert_int_equal(rf_pack(f->session, f->output, 0, NULL, &err), RF_ERR_FORMAT);
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    (void)snprintf(path, sizeof(path), "%s/no/such/a.rf", f->dir);
    char *before = dump_of(f->session);
    assert_int_equal(rf_pack(f->session, path, 0, NULL, &err), RF_ERR_IO);
    assert_non_null(strstr(err.text, "no/such"));
    assert_same(f->session, before);
    assert_int_equal(count_files(f->dir), 1);
    free(before);
}

/* A disk that is full in the middle of packing, at many places: the directory stays what it was,
 * and nothing is left beside it. */
static void test_pack_disk_full(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    struct rlimit old, limit;
    char *before;
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    before = dump_of(f->session);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (int is_copy = 0; is_copy < 2; is_copy++) {
        int n_failed = 0;
        for (rlim_t size = 1000; size < 2000000 && n_failed == (int)(size - 1000) / 30001;
             size += 30001) {
            limit = old;
            limit.rlim_cur = size;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
            int status = is_copy ? rf_pack_copy(f->session, f->output, 0, NULL, &err)
                                 : rf_pack(f->session, f->output, 0, NULL, &err);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
            if (status == RF_OK)
                break;
            assert_int_equal(status, RF_ERR_IO);
            assert_int_equal(count_files(f->dir), 1);
            assert_same(f->session, before);
            n_failed++;
        }
        assert_true(n_failed >= 10);
        assert_same(f->output, before);
        (void)unlink(f->output);
    }
    free(before);
}

/* Killed between appending and renaming: the log holds a session, definitions and an index too. */
static void test_pack_killed(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    fill(f->w);
    rfw_save_directory(f->w, f->session);
    char *before = dump_of(f->session);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rf_pack(f->session, f->output, 1, NULL, &err), RF_OK);
        assert_same(f->output, before);
        (void)unlink(f->output);
        assert_same(f->session, before);
    }
    free(before);
}

static void test_salvage(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    struct rfw_bytes bytes;
    char damaged[4200];
    fill(f->w);
    f->w->has_early_copies = 0; /* as files before 1.3 */
    rfw_packed_bytes(f->w, &bytes);
    (void)snprintf(damaged, sizeof(damaged), "%s/damaged.rf", f->dir);
    /* without its second half, index, definitions of the second process, clocks: much is left */
    rfw_write_file(damaged, bytes.data, bytes.size / 2);
    assert_int_equal(rf_pack(damaged, f->output, 0, NULL, &err), RF_ERR_FORMAT);
    assert_int_equal(rf_salvage(damaged, f->output, 0, RF_PACK_AS_IS, NULL, &err), RF_OK);
    rf_recording *rec;
    assert_int_equal(rf_open(f->output, 0, &rec, &err), RF_OK);
    assert_true(rf_get_info(rec)->n_events > 3000);
    assert_true(rf_get_info(rec)->is_end_missing);
    rf_close(rec);
    assert_int_equal(rf_salvage(damaged, f->output, 0, RF_PACK_AS_IS, NULL, &err), RF_ERR_EXISTS);
    /* nothing at all is left */
    rfw_write_file(damaged, bytes.data, 100);
    assert_int_equal(rf_salvage(damaged, f->output, 1, RF_PACK_AS_IS, NULL, &err), RF_ERR_DAMAGED);
    assert_int_equal(rf_open(f->output, 0, &rec, &err), RF_OK);
    rf_close(rec);
    /* a good file stays what it is */
    rfw_write_file(damaged, bytes.data, bytes.size);
    char *before = dump_of(damaged);
    assert_int_equal(rf_salvage(damaged, f->output, 1, RF_PACK_AS_IS, NULL, &err), RF_OK);
    assert_same(f->output, before);
    free(before);
    free(bytes.data);
}

/* Many definitions are written in several chunks: damage to one leaves the others. */
static void test_definition_pieces(void **state)
{
    struct files *f = *state;
    struct rf_err err = {0};
    struct rfw_bytes bytes;
    struct rf_info info;
    uint32_t p = rfw_process(f->w, 100, "app");
    struct rfw_stream *s = rfw_stream(f->w, p, 0, 100, 1);
    char text[64];
    rf_recording *rec;
    size_t n;
    for (int64_t i = 1; i <= 20000; i++) {
        (void)snprintf(text, sizeof(text), "a registered string, number %d", (int)i);
        uint32_t handle = rfw_string(f->w, p, i, 100, 0, text);
        rfw_mark(s, 20000 + i, &(struct rfw_attr){.string = handle});
    }
    rfw_save_directory(f->w, f->session);
    char *before = dump_of(f->session);
    assert_int_equal(rf_pack(f->session, f->output, 0, NULL, &err), RF_OK);
    assert_same(f->output, before);
    rfw_read_file(f->output, &bytes);
    /* the definition of string 10,000 */
    char *hit = memmem(bytes.data, bytes.size, "number 10000", 12);
    assert_non_null(hit);
    memset(hit - 70, 0x5a, 64);
    rfw_write_file(f->output, bytes.data, bytes.size);
    assert_int_equal(rf_open(f->output, 0, &rec, &err), RF_ERR_DAMAGED);
    assert_int_equal(rf_open(f->output, RF_OPEN_SALVAGE, &rec, &err), RF_OK);
    info = *rf_get_info(rec);
    assert_true(info.n_damaged_bytes > 64 && info.n_damaged_bytes < 300000);
    assert_true(info.n_lost_defs > 0);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    assert_int_equal(n, 20000);
    assert_string_equal(rf_string(rec, e[0].name, NULL), "a registered string, number 1");
    assert_string_equal(rf_string(rec, e[9999].name, NULL), "0x2710");
    assert_string_equal(rf_string(rec, e[19999].name, NULL), "a registered string, number 20000");
    rf_close(rec);
    free(before);
    free(bytes.data);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_pack),
        CASE(test_pack_copy),
        CASE(test_pack_broken_log),
        CASE(test_pack_running),
        CASE(test_pack_exists),
        CASE(test_pack_errors),
        CASE(test_pack_disk_full),
        CASE(test_pack_killed),
        CASE(test_salvage),
        CASE(test_definition_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
