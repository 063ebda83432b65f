/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions that are read while a recorder takes back what it wrote last. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log/chunks.h"
#include "log/liveness.h"
#include "log/pack_capture.h"
#include "unit.h"

#define N_READS  150
#define ROOM     (RF_PART_SIZE - 4096u)
#define BEGIN_NS 1000
#define END_NS   2000

/* The recorder between two captures: it writes records behind those of the last one and takes them
 * back, as src/record does. Every word of a body could be taken for a mark in the capture. */
struct recorder {
    uint8_t *part;
    uint32_t first; /* where it may write */
    atomic_int is_over;
};

static uint64_t head(uint64_t type, uint64_t n_words, uint64_t ns)
{
    return type | n_words << RF_WORD_TYPE_BITS | (RFW_TICKS_0 + ns) << RF_WORD_TICK_SHIFT;
}

static uint32_t write_push(struct recorder *r, uint32_t at, uint32_t n_words, uint64_t ns)
{
    uint64_t *word = (uint64_t *)(void *)(r->part + at);
    word[1] = (uint64_t)RF_MESSAGE_TEXT << RF_ATTR_MESSAGE_SHIFT;
    for (uint32_t i = 2; i < n_words; i++)
        word[i] = head(RF_REC_MARK, 2, BEGIN_NS + 1 + i);
    word[n_words] = 0;
    __atomic_store_n(word, head(RF_REC_PUSH, n_words, ns), __ATOMIC_RELEASE);
    return at + 8 * n_words;
}

static void take_back(struct recorder *r, uint32_t at)
{
    __atomic_store_n((uint64_t *)(void *)(r->part + at), 0, __ATOMIC_RELEASE);
}

static void *record(void *context)
{
    struct recorder *r = context;
    uint64_t ns = END_NS + 1, random = 88172645463325252ULL;
    uint32_t at[512], n = 0;
    at[0] = r->first;
    while (!atomic_load(&r->is_over)) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (n < 500 && at[n] < ROOM && (random & 3) != 0) {
            at[n + 1] = write_push(r, at[n], 3 + (uint32_t)(random >> 8) % 40, ns++);
            n++;
        } else if (n > 0) {
            n -= 1 + (uint32_t)(random >> 16) % n;
            take_back(r, at[n]);
        }
    }
    return NULL;
}

static void check_capture(const char *path)
{
    struct rf_err err;
    rf_recording *rec;
    size_t n;
    if (rf_open(path, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    const struct rf_event *e = rf_thread_events(rec, 0, &n);
    if (n != 2)
        fail_msg("%zu events in '%s'", n, path);
    assert_string_equal(rf_string(rec, e[0].name, NULL), "before");
    assert_int_equal(e[0].flags, RF_EVENT_CUT_AT_START);
    assert_int_equal(e[0].cut, RF_CUT_CAPTURE_ENDED);
    assert_string_equal(rf_string(rec, e[1].name, NULL), "inside");
    assert_int_equal(rf_get_info(rec)->n_damaged_bytes, 0);
    rf_close(rec);
}

static void test_taken_back(void **state)
{
    char *dir = rfw_make_tmpdir(), session[4096], packed[4096], pool[4200];
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    struct recorder r = {.is_over = 0};
    struct rf_err err;
    pthread_t thread;
    (void)state;
    (void)snprintf(session, sizeof(session), "%s/a.rfdir", dir);
    (void)snprintf(packed, sizeof(packed), "%s/a.rf", dir);
    (void)snprintf(pool, sizeof(pool), "%s/p000000.pool", session);
    rfw_focus(w, 1);
    rfw_window(w, BEGIN_NS, END_NS);
    rfw_push(s, 10, &(struct rfw_attr){.text = "before"});
    rfw_mark(s, 1500, &(struct rfw_attr){.text = "inside"});
    s->part[0]->place = RFW_IN_POOL;
    rfw_save_directory(w, session);
    int fd = open(pool, O_RDWR | O_CLOEXEC);
    uint8_t *map = mmap(NULL, rf_pool_part_offset(1, 0), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(fd >= 0 && map != MAP_FAILED);
    r.part = map + rf_pool_part_offset(0, 0);
    r.first = rf_part_used_bytes(r.part, RF_PART_SIZE);
    assert_int_equal(pthread_create(&thread, NULL, record, &r), 0);
    for (int i = 0; i < N_READS; i++) {
        if (rf_pack_capture(NULL, session, packed, 1, 0, NULL, &err) != RF_OK)
            fail_msg("%s", err.text);
        check_capture(packed);
        check_capture(session);
    }
    atomic_store(&r.is_over, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)munmap(map, rf_pool_part_offset(1, 0));
    (void)close(fd);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

/* Writes a session of this process, says so, and waits. */
static _Noreturn void be_recorded(const char *session, const int *said, const int *end)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process_bare(w);
    char byte = 0;
    (void)close(end[1]);
    rfw_use_this_boot(w);
    rfw_facts_of_self(w, p, 0);
    rfw_mark(rfw_stream(w, p, 0, 100, 1), 1000, NULL);
    rfw_save_directory(w, session);
    bool is_said = write(said[1], &byte, 1) == 1;
    _exit(is_said && read(end[0], &byte, 1) == 0 ? 0 : 1);
}

/* A process that ends after its streams were read, before anybody asks, was not killed. */
static void test_ends_meanwhile(void **state)
{
    char *dir = rfw_make_tmpdir(), session[4096], byte;
    struct rf_log log;
    struct rf_err err;
    int said[2], end[2];
    (void)state;
    (void)snprintf(session, sizeof(session), "%s/a.rfdir", dir);
    assert_int_equal(pipe(said) + pipe(end), 0);
    pid_t child = fork();
    if (child == 0)
        be_recorded(session, said, end);
    assert_int_equal(read(said[0], &byte, 1), 1);
    assert_int_equal(rf_log_open(&log, session, 0, &err), RF_OK);
    (void)close(end[0]);
    (void)close(end[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(rf_log_process_liveness(&log, &log.process[0]), RF_LIVENESS_RUNNING);
    rf_log_close(&log);
    assert_int_equal(rf_log_open(&log, session, 0, &err), RF_OK);
    assert_int_equal(rf_log_process_liveness(&log, &log.process[0]), RF_LIVENESS_ENDED);
    rf_log_close(&log);
    (void)close(said[0]);
    (void)close(said[1]);
    rfw_remove_tree(dir);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_taken_back),
                                       cmocka_unit_test(test_ends_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
