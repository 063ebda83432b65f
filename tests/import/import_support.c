/* SPDX-License-Identifier: Apache-2.0 */
#include "import_support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

static char path[64];

static void remove_file(void)
{
    (void)unlink(path);
}

/* A new empty file under the one path. */
static const char *new_file(void)
{
    if (path[0] == 0)
        (void)atexit(remove_file);
    else
        remove_file();
    (void)snprintf(path, sizeof(path), "/tmp/rf-import-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)close(fd);
    return path;
}

const char *data_file(const char *name)
{
    static char bytes[1 << 16];
    char from[512];
    int n;
    (void)snprintf(from, sizeof(from), "%s/%s.sqlite.gz", DATA_FOLDER, name);
    gzFile in = gzopen(from, "rb");
    FILE *out = fopen(new_file(), "wb");
    assert_non_null(in);
    assert_non_null(out);
    while ((n = gzread(in, bytes, sizeof(bytes))) > 0)
        assert_int_equal(fwrite(bytes, 1, (size_t)n, out), n);
    assert_int_equal(n, 0);
    (void)gzclose(in);
    assert_int_equal(fclose(out), 0);
    return path;
}

const char *made_file(const char *sql)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(new_file(), &db), SQLITE_OK);
    (void)sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF; BEGIN", NULL, NULL,
                       NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

const char *bytes_file(const void *data, size_t size)
{
    FILE *out = fopen(new_file(), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    return path;
}

uint8_t *read_bytes(const char *from, size_t *size)
{
    FILE *in = fopen(from, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    (void)fclose(in);
    return bytes;
}

rf_recording *open_file(const char *file)
{
    struct rf_err err = {0};
    rf_recording *rec = NULL;
    if (rf_open(file, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    assert_non_null(rec);
    return rec;
}

int open_error(const char *file, struct rf_err *err)
{
    rf_recording *rec = NULL;
    memset(err, 0, sizeof(*err));
    int status = rf_open(file, 0, &rec, err);
    assert_true(status < 0);
    assert_null(rec);
    assert_int_equal(status, err->code);
    assert_string_not_equal(err->text, "");
    return status;
}

/* ---- Promises ---- */

static void check_string(const rf_recording *rec, uint32_t id)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    assert_true(id == RF_NO_STRING || text != NULL);
    if (text != NULL)
        assert_int_equal(text[size], 0);
}

static void check_events(const rf_recording *rec, uint32_t thread)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rf_event *e = &event[i];
        int is_range = e->kind == RF_EVENT_PUSH_POP || e->kind == RF_EVENT_START_END;
        check_string(rec, e->name);
        assert_true(is_range ? e->end_ns >= e->start_ns : e->end_ns == RF_NO_TIME);
        assert_true(e->domain < rf_n_domains(rec));
        assert_int_equal(rf_domain_at(rec, e->domain)->process, rf_thread_at(rec, thread)->process);
        if (e->kind == RF_EVENT_START_END) {
            const struct rf_start_end *s = rf_start_end_at(rec, e->link);
            assert_non_null(s);
            assert_true(s->number > 0 && s->end_thread < rf_n_threads(rec));
        }
        if (i == 0)
            continue;
        assert_true(event[i - 1].start_ns <= e->start_ns);
        if (event[i - 1].start_ns == e->start_ns && is_range && event[i - 1].end_ns != RF_NO_TIME)
            assert_true(event[i - 1].end_ns >= e->end_ns);
    }
}

static void check_calls(const rf_recording *rec, uint32_t thread)
{
    size_t n, n_ops;
    const struct rf_call *call = rf_thread_calls(rec, thread, &n);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n_ops);
    for (size_t i = 0; i < n; i++) {
        uint32_t last = 0;
        check_string(rec, call[i].name);
        assert_true(call[i].end_ns >= call[i].start_ns);
        assert_true(i == 0 || call[i - 1].start_ns <= call[i].start_ns);
        assert_true(i == 0 || call[i - 1].start_ns < call[i].start_ns ||
                    call[i - 1].end_ns >= call[i].end_ns);
        for (uint32_t k = call[i].first_op; k != RF_NO_INDEX; k = op[k].next_op) {
            assert_true(k < n_ops && (k > last || last == 0));
            assert_int_equal(op[k].thread, thread);
            assert_int_equal(op[k].call, i);
            last = k;
        }
    }
}

static void check_ops(const rf_recording *rec)
{
    size_t n, at = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (uint32_t t = 0; t < rf_n_gpu_tracks(rec); t++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, t);
        assert_true(track->process < rf_n_processes(rec));
        assert_int_equal(track->first_op, at);
        for (uint32_t i = 0; i < track->n_ops; i++, at++) {
            assert_int_equal(op[at].track, t);
            check_string(rec, op[at].name);
            assert_true(op[at].end_ns >= op[at].start_ns);
            assert_true(i == 0 || op[at - 1].start_ns <= op[at].start_ns);
            if (op[at].detail == RF_NO_INDEX)
                continue;
            if (op[at].kind == RF_OP_KERNEL)
                check_string(rec, rf_kernel_at(rec, op[at].detail)->demangled);
            else if (op[at].kind == RF_OP_MEMCPY || op[at].kind == RF_OP_MEMSET)
                assert_non_null(rf_transfer_at(rec, op[at].detail));
        }
    }
    assert_int_equal(at, n);
}

static void check_extras(const rf_recording *rec)
{
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++) {
        int64_t value;
        assert_true(i == 0 || extra[i - 1].start_ns <= extra[i].start_ns);
        assert_true(extra[i].end_ns == RF_NO_TIME || extra[i].end_ns >= extra[i].start_ns);
        assert_true(extra[i].process == RF_NO_INDEX || extra[i].process < rf_n_processes(rec));
        assert_true(extra[i].thread == RF_NO_INDEX || extra[i].thread < rf_n_threads(rec));
        assert_non_null(rf_extra_kind_name(extra[i].kind));
        check_string(rec, extra[i].name);
        for (unsigned k = 0; rf_extra_value_name(extra[i].kind, k) != NULL; k++)
            if (rf_extra_value(rec, &extra[i], k, &value) == RF_VALUE_STRING)
                check_string(rec, (uint32_t)value);
    }
}

static void check_counters(const rf_recording *rec)
{
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *counter = rf_counter_at(rec, i);
        check_string(rec, counter->name);
        check_string(rec, counter->set);
        assert_true((counter->ns != NULL) == (counter->n_samples > 0));
        for (size_t k = 1; k < counter->n_samples; k++)
            assert_true(counter->ns[k - 1] <= counter->ns[k]);
    }
}

void check_promises(const rf_recording *rec)
{
    uint64_t n_events = 0;
    for (uint32_t i = 0; i < rf_n_processes(rec); i++) {
        check_string(rec, rf_process_at(rec, i)->name);
        check_string(rec, rf_process_at(rec, i)->command);
    }
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        assert_true(thread->process < rf_n_processes(rec));
        check_string(rec, thread->name);
        check_events(rec, i);
        check_calls(rec, i);
        n_events += thread->n_events;
    }
    check_ops(rec);
    check_extras(rec);
    check_counters(rec);
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        check_string(rec, rf_gpu_at(rec, i)->name);
    for (uint32_t i = 0; rf_skipped_at(rec, i) != NULL; i++)
        assert_true(rf_skipped_at(rec, i)->n_rows > 0);
    assert_int_equal(rf_get_info(rec)->n_events, n_events);
}

size_t count_calls(const rf_recording *rec)
{
    size_t n, sum = 0;
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        (void)rf_thread_calls(rec, i, &n);
        sum += n;
    }
    return sum;
}

uint64_t count_skipped(const rf_recording *rec, const char *part_of_reason)
{
    const struct rf_skipped *skipped;
    uint64_t sum = 0;
    for (uint32_t i = 0; (skipped = rf_skipped_at(rec, i)) != NULL; i++)
        if (strstr(skipped->reason, part_of_reason) != NULL)
            sum += skipped->n_rows;
    return sum;
}
