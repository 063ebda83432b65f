/* SPDX-License-Identifier: Apache-2.0 */
/* A recording with CUDA goes out as a database of nsys's and comes in again as the same; every
 * other format, filters, reports and projections take it as they take an import. */
#include <inttypes.h>

#include "rf_cuda_writer.h"
#include "unit.h"

struct files {
    char *dir;
    char recording[4096], out[4096];
};

static int set_up(void **state)
{
    struct files *f = calloc(1, sizeof(*f));
    f->dir = rfw_make_tmpdir();
    (void)snprintf(f->recording, sizeof(f->recording), "%s/a.rf", f->dir);
    (void)snprintf(f->out, sizeof(f->out), "%s/a.out", f->dir);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct files *f = *state;
    rfw_remove_tree(f->dir);
    free(f->dir);
    free(f);
    return 0;
}

/* Two processes with two threads each, the same ids in both. */
static void write_recording(const struct files *f)
{
    struct rfw *w = rfw_new();
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t pid = 100 + 10 * i, p = rfw_process(w, pid, "app");
        struct rfw_stream *s = rfw_stream(w, p, 0, pid, 1), *t = rfw_stream(w, p, 1, pid + 1, 2);
        rfw_cuda_clocks(w, p);
        rfw_cuda_names(w, p);
        rfw_push(s, 900, &(struct rfw_attr){.text = "step"});
        rfw_push(s, 1900, &(struct rfw_attr){.text = "launches"});
        rfw_pop(s, 3500, 0);
        rfw_push(t, 3900, &(struct rfw_attr){.text = "other"});
        rfw_pop(t, 5000, 0);
        rfw_pop(s, 20000, 0);
        rfw_cuda_everything(s, pid, 1000 + i, 1);
        rfw_exit(w, p, 30000);
    }
    rfw_save_packed(w, f->recording);
    rfw_free(w);
}

static rf_recording *open_file(const char *path)
{
    struct rf_err err;
    rf_recording *rec;
    if (rf_open(path, 0, &rec, &err) != RF_OK)
        fail_msg("%s", err.text);
    return rec;
}

static void export_as(const rf_recording *rec, const char *format, const char *path)
{
    const struct rf_export_options options = {
        .size = sizeof(options), .format = format, .output = path, .can_overwrite = 1};
    struct rf_err err;
    if (rf_export(rec, &options, &err) != RF_OK)
        fail_msg("%s: %s", format, err.text);
}

/* ---- A recording as text ---- */

static const char *string(const rf_recording *rec, uint32_t id)
{
    const char *text = rf_string(rec, id, NULL);
    return text != NULL ? text : "-";
}

static void show_calls(FILE *out, const rf_recording *rec)
{
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        const struct rf_thread *thread = rf_thread_at(rec, t);
        size_t n;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        (void)fprintf(out, "thread %u of %u\n", thread->tid,
                      rf_process_at(rec, thread->process)->pid);
        for (size_t i = 0; i < n; i++)
            (void)fprintf(out, "  %s %" PRId64 " %" PRId64 " id %u result %d kind %u caused %u\n",
                          string(rec, call[i].name), call[i].start_ns, call[i].end_ns,
                          call[i].correlation, call[i].result, call[i].kind, call[i].first_op);
    }
}

static void show_kernel(FILE *out, const rf_recording *rec, const struct rf_kernel *k)
{
    (void)fprintf(out, " %s %s grid %u %u %u block %u %u %u registers %u shared %u %u %u",
                  string(rec, k->demangled), string(rec, k->mangled), k->grid[0], k->grid[1],
                  k->grid[2], k->block[0], k->block[1], k->block[2], k->registers,
                  k->static_shared_bytes, k->dynamic_shared_bytes, k->shared_executed_bytes);
    (void)fprintf(out, " local %u %" PRIu64 " node %" PRIu64 " %u %u %u cluster %u %u %u %u %u",
                  k->local_bytes_per_thread, k->local_bytes, k->graph_node, k->launch_type,
                  k->cache_config, k->shared_limit_config, k->cluster[0], k->cluster[1],
                  k->cluster[2], k->max_potential_cluster_size, k->max_active_clusters);
}

static void show_detail(FILE *out, const rf_recording *rec, const struct rf_gpu_op *op)
{
    if (op->kind == RF_OP_KERNEL) {
        show_kernel(out, rec, rf_kernel_at(rec, op->detail));
    } else if (op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET) {
        const struct rf_transfer *t = rf_transfer_at(rec, op->detail);
        (void)fprintf(out, " bytes %" PRIu64 " value %u %u %u to %u peer %u %u %u %u %u", t->bytes,
                      t->value, t->copy_kind, t->source_memory, t->target_memory, t->peer_device,
                      t->source_device, t->source_context, t->target_device, t->target_context);
    } else if (op->kind == RF_OP_GRAPH) {
        (void)fprintf(out, " detail %u", op->detail);
    }
}

static void show_work(FILE *out, const rf_recording *rec)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, op[i].track);
        (void)fprintf(out, "work %u %s %" PRId64 " %" PRId64 " pid %u on %u %u %u id %u graph %u",
                      op[i].kind, string(rec, op[i].name), op[i].start_ns, op[i].end_ns,
                      rf_process_at(rec, track->process)->pid, track->device, track->context,
                      track->stream, op[i].correlation, op[i].graph);
        (void)fprintf(out, " of %u %u next %u", op[i].thread, op[i].call, op[i].next_op);
        show_detail(out, rec, &op[i]);
        (void)fputc('\n', out);
    }
}

static void show_rest(FILE *out, const rf_recording *rec)
{
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++) {
        (void)fprintf(out, "%s %" PRId64 " %" PRId64 " %s pid %u thread %d on %d %d %d id %u:",
                      rf_extra_kind_name(extra[i].kind), extra[i].start_ns, extra[i].end_ns,
                      string(rec, extra[i].name), rf_process_at(rec, extra[i].process)->pid,
                      (int)extra[i].thread, (int)extra[i].device, (int)extra[i].context,
                      (int)extra[i].stream, extra[i].correlation);
        for (unsigned k = 0; rf_extra_value_name(extra[i].kind, k) != NULL; k++) {
            int64_t value;
            if (rf_extra_value(rec, &extra[i], k, &value) == RF_VALUE_NUMBER)
                (void)fprintf(out, " %s=%" PRId64, rf_extra_value_name(extra[i].kind, k), value);
        }
        (void)fputc('\n', out);
    }
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++) {
        const struct rf_gpu *gpu = rf_gpu_at(rec, i);
        (void)fprintf(out, "gpu %u %s %s memory %" PRIu64 " %u %u.%u\n", gpu->id,
                      string(rec, gpu->name), string(rec, gpu->uuid), gpu->memory_bytes,
                      gpu->n_multiprocessors, gpu->capability_major, gpu->capability_minor);
    }
}

static void show_projections(FILE *out, const rf_recording *rec)
{
    rf_projections *projections;
    size_t n;
    if (rf_project(rec, NULL, &projections, NULL) != RF_OK)
        fail();
    const struct rf_projection *p = rf_projections_all(projections, &n);
    for (size_t i = 0; i < n; i++) {
        const struct rf_event *event = &rf_thread_events(rec, p[i].thread, NULL)[p[i].event];
        (void)fprintf(out, "range %s of %u: %" PRId64 " %" PRId64 " busy %" PRIu64 " %u %u\n",
                      string(rec, event->name), p[i].thread, p[i].start_ns, p[i].end_ns,
                      p[i].busy_ns, p[i].n_calls, p[i].n_ops);
    }
    rf_projections_free(projections);
}

static char *show(const rf_recording *rec)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    show_calls(out, rec);
    show_work(out, rec);
    show_rest(out, rec);
    show_projections(out, rec);
    (void)fclose(out);
    return text;
}

static void check_same(const char *a, const char *b)
{
    size_t at = 0, line = 0;
    while (a[at] == b[at] && a[at] != 0) {
        if (a[at++] == '\n')
            line = at;
    }
    if (a[at] != b[at])
        fail_msg("\nrecorded: %.*s\nimported: %.*s", (int)strcspn(a + line, "\n"), a + line,
                 (int)strcspn(b + line, "\n"), b + line);
}

static void test_round_trip(void **state)
{
    const struct files *f = *state;
    write_recording(f);
    rf_recording *rec = open_file(f->recording);
    export_as(rec, "sqlite", f->out);
    rf_recording *imported = open_file(f->out);
    char *a = show(rec), *b = show(imported);
    assert_non_null(strstr(a, "range launches of 0: 2200 3700 busy 1000 2 2\n"));
    check_same(a, b);
    free(a);
    free(b);
    rf_close(imported);
    rf_close(rec);
}

/* ---- Everything else that takes a recording ---- */

static void export_all(const struct files *f, const rf_recording *rec)
{
    const struct rf_nsys2json_options nsys2json = {.size = sizeof(nsys2json), .activities = 15};
    const struct rf_kineto_options kineto = {.size = sizeof(kineto), .rank = -1};
    struct rf_export_options options = {
        .size = sizeof(options), .format = "json", .output = f->out, .can_overwrite = 1};
    const char *format;
    for (size_t i = 0; (format = rf_export_format_at(i, NULL)) != NULL; i++)
        export_as(rec, format, f->out);
    options.nsys2json = &nsys2json;
    assert_int_equal(rf_export(rec, &options, NULL), RF_OK);
    options.nsys2json = NULL;
    options.kineto = &kineto;
    assert_int_equal(rf_export(rec, &options, NULL), RF_OK);
}

static void report_all(const struct files *f, const rf_recording *rec)
{
    const char *report;
    for (size_t i = 0; (report = rf_report_at(i, NULL)) != NULL; i++) {
        const struct rf_report_options options = {.size = sizeof(options),
                                                  .report = report,
                                                  .format = "csv",
                                                  .output = f->out,
                                                  .can_overwrite = 1};
        struct rf_err err;
        if (rf_report(rec, &options, &err) != RF_OK)
            fail_msg("%s: %s", report, err.text);
    }
}

static void test_everything(void **state)
{
    const struct files *f = *state;
    struct rfw_bytes bytes;
    write_recording(f);
    rf_recording *rec = open_file(f->recording), *part;
    export_all(f, rec);
    report_all(f, rec);
    export_as(rec, "jsonl", f->out);
    rfw_read_file(f->out, &bytes);
    rfw_add(&bytes, "", 1);
    assert_non_null(
        strstr((char *)bytes.data, "\"full_name\":\"void ns::add<float>(float*, int)\""));
    free(bytes.data);
    const struct rf_filter_options options = {
        .size = sizeof(options), .kernels = "plain", .activities = "kernel"};
    assert_int_equal(rf_filter(rec, &options, &part, NULL), RF_OK);
    size_t n;
    (void)rf_gpu_ops(part, &n);
    assert_int_equal(n, 2);
    export_all(f, part);
    rf_close(part);
    rf_close(rec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_everything, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
