/* SPDX-License-Identifier: Apache-2.0 */
/* The same recording as a packed file and as a session directory reads the same. */
#include "unit.h"

static struct rfw *small(void)
{
    struct rfw *w = rfw_new();
    uint32_t p = rfw_process(w, 100, "app");
    uint32_t domain = rfw_domain(w, p, 5, 100, "lib");
    struct rfw_stream *s = rfw_stream(w, p, 0, 100, 1);
    rfw_push(s, 10, &(struct rfw_attr){.text = "outer"});
    rfw_push(s, 20, &(struct rfw_attr){.text = "inner", .domain = domain});
    rfw_pop(s, 30, domain);
    rfw_mark(s, 35, &(struct rfw_attr){.text = "here"});
    rfw_pop(s, 40, 0);
    rfw_thread_end(s, 50, "app");
    rfw_exit(w, p, 60);
    return w;
}

static void check_small(const char *path)
{
    struct rf_err err = {0};
    rf_recording *rec = NULL;
    struct rf_cursor *cursor;
    struct rf_event_at at;
    static const struct {
        int64_t start, end;
        int kind;
        const char *name;
    } expected[] = {{5, RF_NO_TIME, RF_EVENT_DOMAIN_CREATE, "lib"},
                    {10, 40, RF_EVENT_PUSH_POP, "outer"},
                    {20, 30, RF_EVENT_PUSH_POP, "inner"},
                    {35, RF_NO_TIME, RF_EVENT_MARK, "here"}};
    size_t n = 0;
    if (rf_open(path, 0, &rec, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(rf_get_info(rec)->n_events, 4);
    assert_int_equal(rf_get_info(rec)->n_cut, 0);
    assert_int_equal(rf_n_threads(rec), 1);
    assert_int_equal(rf_n_domains(rec), 2);
    assert_int_equal(rf_cursor_new(rec, &cursor, &err), 0);
    while (rf_cursor_next(cursor, &at)) {
        assert_true(n < 4);
        assert_int_equal(at.event->start_ns, expected[n].start);
        assert_int_equal(at.event->end_ns, expected[n].end);
        assert_int_equal(at.event->kind, expected[n].kind);
        assert_string_equal(rf_string(rec, at.event->name, NULL), expected[n].name);
        n++;
    }
    assert_int_equal(n, 4);
    rf_cursor_free(cursor);
    rf_close(rec);
}

static void test_packed(void **state)
{
    struct rfw *w = small();
    char *dir = rfw_make_tmpdir(), path[4096];
    (void)state;
    (void)snprintf(path, sizeof(path), "%s/a.rf", dir);
    rfw_save_packed(w, path);
    check_small(path);
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

static void test_directory(void **state)
{
    struct rfw *w = small();
    char *dir = rfw_make_tmpdir(), path[4096];
    (void)state;
    for (int place = RFW_IN_LOG; place <= RFW_IN_BOTH; place++) {
        w->process[0]->stream[0]->part[0]->place = (enum rfw_place)place;
        (void)snprintf(path, sizeof(path), "%s/%d.rfdir", dir, place);
        rfw_save_directory(w, path);
        check_small(path);
    }
    rfw_remove_tree(dir);
    free(dir);
    rfw_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
