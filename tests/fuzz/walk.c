/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/private_access.h"
#include "model/sums/projected_sums.h"
#include "model/sums/work_sums.h"

#define PROMISE(condition)                                                                         \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static char path_of_file[64];

static void remove_file(void)
{
    (void)unlink(path_of_file);
}

const char *fuzz_path(void)
{
    if (path_of_file[0] == '\0') {
        const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        (void)snprintf(path_of_file, sizeof(path_of_file), "%s/fuzz-XXXXXX", base);
        int fd = mkstemp(path_of_file);
        PROMISE(fd >= 0 && close(fd) == 0);
        (void)atexit(remove_file);
    }
    return path_of_file;
}

void fuzz_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    PROMISE(file != NULL && fwrite(data, 1, size, file) == size);
    PROMISE(fclose(file) == 0);
}

static volatile uint64_t sink; /* what was read, so that it is read */

static void walk_string(const rf_recording *rec, uint32_t id)
{
    size_t size;
    const char *text = rf_string(rec, id, &size);
    PROMISE((text == NULL) == (id >= rf_n_strings(rec)));
    if (text == NULL)
        return;
    PROMISE(text[size] == 0);
    for (size_t i = 0; i < size; i++)
        sink += (uint8_t)text[i];
}

static void walk_process(const rf_recording *rec, uint32_t index)
{
    const struct rf_process *p = rf_process_at(rec, index);
    PROMISE(p->parent == RF_NO_INDEX || p->parent < index);
    walk_string(rec, p->name);
    walk_string(rec, p->exe);
    walk_string(rec, p->command);
    walk_string(rec, p->cwd);
    for (uint32_t i = 0; i < p->n_args; i++)
        walk_string(rec, p->args[i]);
    for (uint32_t i = 0; i < p->n_env; i++)
        walk_string(rec, p->env[i]);
}

static void walk_event(const rf_recording *rec, const struct rf_event *e, uint32_t process)
{
    int is_range = e->kind == RF_EVENT_PUSH_POP || e->kind == RF_EVENT_START_END;
    PROMISE(e->kind >= RF_EVENT_PUSH_POP && e->kind <= RF_EVENT_SYNC);
    PROMISE(e->domain < rf_n_domains(rec));
    PROMISE(rf_domain_at(rec, e->domain)->process == process);
    PROMISE(is_range ? e->end_ns >= e->start_ns : e->end_ns == RF_NO_TIME);
    PROMISE(e->start_ns != RF_NO_TIME);
    PROMISE(is_range || e->cut == RF_CUT_NONE);
    PROMISE(strcmp(rf_cut_name(e->cut), "unknown") != 0);
    walk_string(rec, e->name);
    sink += rf_category_name(rec, e->domain, e->category);
    if (e->kind == RF_EVENT_START_END) {
        const struct rf_start_end *s = rf_start_end_at(rec, e->link);
        PROMISE(s != NULL && s->number > 0 && s->end_thread < rf_n_threads(rec));
    }
}

static void walk_thread(const rf_recording *rec, uint32_t index)
{
    const struct rf_thread *t = rf_thread_at(rec, index);
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, index, &n);
    PROMISE(t->process < rf_n_processes(rec));
    PROMISE(t->n_events == n && (event == NULL) == (n == 0));
    PROMISE(n == 0 ? t->first_ns == RF_NO_TIME : t->first_ns == event[0].start_ns);
    walk_string(rec, t->name);
    for (size_t i = 0; i < n; i++) {
        PROMISE(i == 0 || event[i - 1].start_ns <= event[i].start_ns);
        walk_event(rec, &event[i], t->process);
    }
}

/* Where the first range of a thread is in a trace: the pattern of its track can be put into JSON
 * and a link, whatever the names are. */
static void walk_view(const rf_recording *rec, uint32_t thread)
{
    const char *allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-:/[]^*$";
    struct rf_trace_view view = RF_TRACE_VIEW_INIT;
    const struct rf_event *event = rf_thread_event_at(rec, thread, 0);
    const char *name = event != NULL ? rf_string(rec, event->name, NULL) : NULL;
    struct rf_err err;
    if (name == NULL)
        return;
    int status = rf_find_view(rec, name, thread % 2 == 1, &view, &err);
    PROMISE(status == RF_OK || (status == RF_ERR_NOT_FOUND && err.text[0] != 0));
    PROMISE(status != RF_OK || view.n_found > 0);
    PROMISE(strlen(view.track) < sizeof(view.track) &&
            view.track[strspn(view.track, allowed)] == 0);
}

static void walk_cursor(const rf_recording *rec)
{
    struct rf_cursor *cursor;
    struct rf_event_at at;
    uint64_t n = 0;
    int64_t last_ns = RF_NO_TIME;
    if (rf_cursor_new(rec, &cursor, NULL) != RF_OK)
        return;
    while (rf_cursor_next(cursor, &at)) {
        PROMISE(at.event->start_ns >= last_ns);
        last_ns = at.event->start_ns;
        n++;
    }
    PROMISE(n == rf_get_info(rec)->n_events);
    rf_cursor_free(cursor);
}

static void walk_calls(const rf_recording *rec, uint32_t thread, size_t n_ops)
{
    size_t n;
    const struct rf_call *call = rf_thread_calls(rec, thread, &n);
    const struct rf_gpu_op *op = rf_gpu_ops(rec, NULL);
    for (size_t i = 0; i < n; i++) {
        PROMISE(i == 0 || call[i - 1].start_ns <= call[i].start_ns);
        PROMISE(call[i].end_ns >= call[i].start_ns);
        walk_string(rec, call[i].name);
        for (uint32_t k = call[i].first_op; k != RF_NO_INDEX; k = op[k].next_op) {
            PROMISE(k < n_ops && op[k].thread == thread && op[k].call == i);
            PROMISE(op[k].next_op == RF_NO_INDEX || op[k].next_op > k);
        }
    }
}

static void walk_op(const rf_recording *rec, const struct rf_gpu_op *op)
{
    size_t n_calls;
    PROMISE(op->end_ns >= op->start_ns);
    PROMISE(op->kind >= RF_OP_KERNEL && op->kind <= RF_OP_SYNC);
    walk_string(rec, op->name);
    PROMISE(op->thread == RF_NO_INDEX || op->thread < rf_n_threads(rec));
    if (op->call != RF_NO_INDEX) {
        (void)rf_thread_calls(rec, op->thread, &n_calls);
        PROMISE(op->call < n_calls);
    }
    if (op->kind == RF_OP_KERNEL && op->detail != RF_NO_INDEX) {
        walk_string(rec, rf_kernel_at(rec, op->detail)->demangled);
        walk_string(rec, rf_kernel_at(rec, op->detail)->mangled);
    } else if ((op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET) &&
               op->detail != RF_NO_INDEX) {
        sink += rf_transfer_at(rec, op->detail)->bytes;
    } else if (op->kind == RF_OP_SYNC && op->detail != RF_NO_INDEX) {
        sink += rf_wait_at(rec, op->detail)->event;
    }
}

static void walk_work(const rf_recording *rec)
{
    size_t n, at = 0;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        walk_calls(rec, i, n);
    for (uint32_t t = 0; t < rf_n_gpu_tracks(rec); t++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, t);
        PROMISE(track->process < rf_n_processes(rec));
        PROMISE(track->first_op == at && track->n_ops > 0 && track->n_ops <= n - at);
        for (uint32_t i = 0; i < track->n_ops; i++, at++) {
            PROMISE(op[at].track == t);
            PROMISE(i == 0 || op[at - 1].start_ns <= op[at].start_ns);
            walk_op(rec, &op[at]);
        }
    }
    PROMISE(at == n);
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        walk_string(rec, rf_gpu_at(rec, i)->name);
}

static void walk_extras(const rf_recording *rec)
{
    size_t n;
    const struct rf_extra *extra = rf_extras(rec, &n);
    for (size_t i = 0; i < n; i++) {
        int64_t value;
        PROMISE(i == 0 || extra[i - 1].start_ns <= extra[i].start_ns);
        PROMISE(extra[i].end_ns == RF_NO_TIME || extra[i].end_ns >= extra[i].start_ns);
        PROMISE(extra[i].process == RF_NO_INDEX || extra[i].process < rf_n_processes(rec));
        PROMISE(extra[i].thread == RF_NO_INDEX || extra[i].thread < rf_n_threads(rec));
        PROMISE(rf_extra_kind_name(extra[i].kind) != NULL);
        walk_string(rec, extra[i].name);
        for (unsigned k = 0; rf_extra_value_name(extra[i].kind, k) != NULL; k++)
            if (rf_extra_value(rec, &extra[i], k, &value) == RF_VALUE_STRING)
                walk_string(rec, (uint32_t)value);
    }
}

static void walk_nvtx_counter(const rf_recording *rec, const struct rf_counter *counter)
{
    const struct rf_nvtx_counter *nvtx = counter->nvtx;
    if (nvtx == NULL)
        return;
    PROMISE(nvtx->domain < rf_n_domains(rec));
    PROMISE(nvtx->thread == RF_NO_INDEX || nvtx->thread < rf_n_threads(rec));
    PROMISE(rf_counter_value_type_name(nvtx->value_type) != NULL);
    PROMISE(rf_counter_interpolation_name(nvtx->interpolation) != NULL);
    PROMISE(nvtx->scale_denominator != 0);
    walk_string(rec, nvtx->unit);
    walk_string(rec, nvtx->scope);
    walk_string(rec, nvtx->description);
    for (size_t k = 0; k < counter->n_samples; k++)
        PROMISE(nvtx->flags == NULL || (nvtx->flags[k] & RF_SAMPLE_NO_VALUE) == 0 ||
                isnan(counter->value[k]));
}

static void walk_counters(const rf_recording *rec)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++) {
        const struct rf_counter *counter = rf_counter_at(rec, i);
        walk_string(rec, counter->name);
        walk_string(rec, counter->set);
        PROMISE(counter->process == RF_NO_INDEX || counter->process < rf_n_processes(rec));
        PROMISE((counter->ns != NULL) == (counter->n_samples > 0));
        PROMISE((counter->value != NULL) == (counter->n_samples > 0));
        for (size_t k = 0; k < counter->n_samples; k++) {
            PROMISE(k == 0 || counter->ns[k - 1] <= counter->ns[k]);
            PROMISE(counter->nvtx != NULL || isfinite(counter->value[k]));
        }
        n += counter->n_samples;
        walk_nvtx_counter(rec, counter);
    }
    PROMISE(n == rf_get_info(rec)->n_samples);
}

void fuzz_walk(const rf_recording *rec)
{
    const struct rf_info *info = rf_get_info(rec);
    sink +=
        strlen(info->path) + strlen(info->product) + strlen(info->host) + strlen(info->clock_name);
    for (size_t i = 0; rf_message_at(rec, i) != NULL; i++)
        sink += strlen(rf_message_at(rec, i));
    for (uint32_t i = 0; i < rf_n_captures(rec); i++) {
        const struct rf_capture_info *capture = rf_capture_at(rec, i);
        PROMISE(capture->begin_ns <= capture->end_ns);
        PROMISE(i == 0 || capture[-1].begin_ns <= capture->begin_ns);
    }
    for (uint32_t i = 0; i < rf_n_processes(rec); i++)
        walk_process(rec, i);
    for (uint32_t i = 0; i < rf_n_domains(rec); i++) {
        PROMISE(rf_domain_at(rec, i)->process < rf_n_processes(rec));
        walk_string(rec, rf_domain_at(rec, i)->name);
    }
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        walk_thread(rec, i);
    for (uint32_t i = 0; i < rf_n_threads(rec) && i < 4; i++)
        walk_view(rec, i);
    walk_cursor(rec);
    walk_work(rec);
    walk_extras(rec);
    walk_counters(rec);
}

/* What is counted alone is what there is. */
static void compare_info(const struct rf_info *a, const struct rf_info *b)
{
    PROMISE(a->n_events == b->n_events && a->n_ranges == b->n_ranges);
    PROMISE(a->n_marks == b->n_marks && a->n_cut == b->n_cut);
    PROMISE(memcmp(a->n_cut_by, b->n_cut_by, sizeof(a->n_cut_by)) == 0);
    PROMISE(a->n_cut_at_start == b->n_cut_at_start);
    PROMISE(a->n_unmatched_ends == b->n_unmatched_ends && a->n_foreign_ends == b->n_foreign_ends);
    PROMISE(a->n_lost_records == b->n_lost_records && a->n_lost_parts == b->n_lost_parts);
    PROMISE(a->n_damaged_bytes == b->n_damaged_bytes);
    PROMISE(a->is_live || a->end_ns == b->end_ns);
}

static void compare_samples(const struct rf_info *a, const struct rf_info *b)
{
    PROMISE(a->n_samples == b->n_samples && a->n_bad_times == b->n_bad_times);
}

static void compare_lists(const rf_recording *a, const rf_recording *b)
{
    PROMISE(rf_n_processes(a) == rf_n_processes(b) && rf_n_domains(a) == rf_n_domains(b));
    PROMISE(rf_n_threads(a) == rf_n_threads(b) && rf_n_counters(a) == rf_n_counters(b));
    for (uint32_t i = 0; i < rf_n_processes(a); i++)
        PROMISE(rf_process_at(a, i)->n_annotations == rf_process_at(b, i)->n_annotations);
    for (uint32_t i = 0; i < rf_n_domains(a); i++)
        PROMISE(rf_domain_at(a, i)->handle == rf_domain_at(b, i)->handle &&
                rf_domain_at(a, i)->n_annotations == rf_domain_at(b, i)->n_annotations);
    for (uint32_t i = 0; i < rf_n_threads(a); i++)
        PROMISE(rf_thread_at(a, i)->tid == rf_thread_at(b, i)->tid &&
                rf_thread_at(a, i)->n_events == rf_thread_at(b, i)->n_events &&
                rf_thread_at(a, i)->first_ns == rf_thread_at(b, i)->first_ns &&
                rf_thread_at(a, i)->end_ns == rf_thread_at(b, i)->end_ns);
}

static void compare_work_counts(const rf_recording *a, const rf_recording *b)
{
    struct rf_work_counts of_a = RF_WORK_COUNTS_INIT, of_b = RF_WORK_COUNTS_INIT;
    PROMISE(rf_work_counts_of(a, &of_a) == RF_OK && rf_work_counts_of(b, &of_b) == RF_OK);
    PROMISE(memcmp(&of_a, &of_b, sizeof(of_a)) == 0);
    PROMISE(rf_n_gpu_tracks(a) == rf_n_gpu_tracks(b));
    for (uint32_t i = 0; rf_skipped_at(a, i) != NULL; i++)
        PROMISE(rf_skipped_at(b, i) != NULL &&
                rf_skipped_at(a, i)->n_rows == rf_skipped_at(b, i)->n_rows);
}

static void compare_counts(const char *path, unsigned flags, const rf_recording *whole)
{
    rf_recording *counted;
    struct rf_err err;
    /* what the file says that its parts come to may be wrong, but has to be possible */
    PROMISE(rf_open(path, flags | RF_OPEN_COUNTS, &counted, &err) == RF_OK);
    PROMISE(rf_n_threads(whole) == rf_n_threads(counted));
    rf_close(counted);
    PROMISE(rf_open(path, flags | RF_OPEN_COUNTS | RF_OPEN_VERIFY, &counted, &err) == RF_OK);
    compare_info(rf_get_info(whole), rf_get_info(counted));
    compare_samples(rf_get_info(whole), rf_get_info(counted));
    compare_lists(whole, counted);
    rf_close(counted);
    PROMISE(rf_open(path, flags | RF_OPEN_COUNTS | RF_OPEN_VERIFY | RF_OPEN_WORK_COUNTS, &counted,
                    &err) == RF_OK);
    compare_info(rf_get_info(whole), rf_get_info(counted));
    compare_samples(rf_get_info(whole), rf_get_info(counted));
    compare_lists(whole, counted);
    compare_work_counts(whole, counted);
    rf_close(counted);
    PROMISE(rf_open(path, flags | RF_OPEN_LAUNCHES | RF_OPEN_SUMS_ALWAYS, &counted, &err) == RF_OK);
    PROMISE(rf_n_threads(whole) == rf_n_threads(counted));
    rf_close(counted);
}

/* The ranges of GPU work, as they are joined with calls while they are read. */
static void compare_range_work(const char *path, unsigned flags, const rf_recording *whole)
{
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    rf_projections *projections = NULL;
    rf_recording *joined;
    struct rf_err err;
    PROMISE(rf_open(path, flags | RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS, &joined, &err) ==
            RF_OK);
    const struct rf_projected_sums *sums = rf_recording_projected_sums(joined);
    PROMISE(rf_n_threads(whole) == rf_n_threads(joined));
    if (sums != NULL && rf_project(whole, NULL, &projections, NULL) == RF_OK) {
        size_t n = 0;
        uint64_t n_joined = 0;
        (void)rf_projections_all(projections, &n);
        for (uint32_t i = 0; i < sums->n_ranges; i++)
            n_joined += sums->ranges[i].ns.n_values;
        (void)rf_projection_coverage(projections, &coverage);
        PROMISE(n == n_joined && coverage.n_ops == sums->all.n_ops &&
                coverage.n_covered == sums->all.n_covered &&
                coverage.busy_ns == sums->all.busy_ns &&
                coverage.covered_ns == sums->all.covered_ns);
    }
    rf_projections_free(projections);
    rf_close(joined);
    PROMISE(rf_open(path, flags | RF_OPEN_PATHS_ALWAYS | RF_OPEN_RANGE_WORK, &joined, &err) ==
            RF_OK);
    compare_info(rf_get_info(whole), rf_get_info(joined));
    rf_close(joined);
}

static bool has_cuda(const rf_recording *rec)
{
    size_t n = 0, n_ops = 0, n_extras = 0;
    for (uint32_t i = 0; i < rf_n_threads(rec) && n == 0; i++)
        (void)rf_thread_calls(rec, i, &n);
    (void)rf_gpu_ops(rec, &n_ops);
    (void)rf_extras(rec, &n_extras);
    return n + n_ops + n_extras > 0;
}

/* What was not kept is in the sums, but of captures all is kept. */
static void compare_work(const rf_recording *whole, const rf_recording *summed)
{
    const struct rf_work_sums *sums = rf_recording_work_sums(summed);
    uint64_t n_calls = 0, n_summed = 0;
    size_t n = 0, n_ops = 0;
    if (sums == NULL)
        return;
    for (uint32_t i = 0; i < rf_n_threads(whole); i++) {
        (void)rf_thread_calls(whole, i, &n);
        n_calls += n;
    }
    (void)rf_gpu_ops(whole, &n_ops);
    for (size_t i = 0; i < sums->n; i++)
        n_summed += sums->sum[i].key.kind == RF_WORK_CALL ? sums->sum[i].values.n_values : 0;
    PROMISE(n_calls == n_summed && n_ops == sums->n_ops);
}

/* As it is summed up while it is read. Threads and counters that only CUDA has are not there then.
 */
static void compare_sums(const char *path, unsigned flags, const rf_recording *whole)
{
    rf_recording *summed;
    struct rf_err err;
    PROMISE(rf_open(path, flags | RF_OPEN_SUMS_ALWAYS | RF_OPEN_NO_SAMPLES | RF_OPEN_SAMPLE_SUMS,
                    &summed, &err) == RF_OK);
    compare_info(rf_get_info(whole), rf_get_info(summed));
    compare_work(whole, summed);
    if (!has_cuda(whole)) {
        compare_samples(rf_get_info(whole), rf_get_info(summed));
        compare_lists(whole, summed);
    }
    rf_close(summed);
}

static void compare_filtered(const char *path, unsigned flags, const rf_recording *whole,
                             const struct rf_filter_options *options)
{
    rf_recording *summed = NULL, *a = NULL, *b = NULL;
    struct rf_err err;
    PROMISE(rf_open_selected(path, flags, NULL, options, &summed, &err) == RF_OK);
    const int status = rf_filter(whole, options, &a, &err);
    PROMISE(rf_filter(summed, options, &b, &err) == status);
    if (status == RF_OK)
        compare_info(rf_get_info(a), rf_get_info(b));
    rf_close(a);
    rf_close(b);
    rf_close(summed);
}

/* The name of a range; NULL: there is none. */
static const char *range_name(const rf_recording *rec)
{
    const char *name = NULL;
    for (uint32_t t = 0; t < rf_n_threads(rec) && name == NULL; t++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n && name == NULL; i++)
            if (event[i].kind == RF_EVENT_PUSH_POP || event[i].kind == RF_EVENT_START_END)
                name = rf_string(rec, event[i].name, NULL);
    }
    return name;
}

/* Parts of it, as they are summed up while it is read. */
static void compare_parts(const char *path, unsigned flags, const rf_recording *whole)
{
    const unsigned sums[] = {RF_OPEN_SUMS_ALWAYS | RF_OPEN_SUMS | RF_OPEN_NO_WORK,
                             RF_OPEN_PATHS_ALWAYS | RF_OPEN_PATHS,
                             RF_OPEN_RANGE_WORK | RF_OPEN_SUMS_ALWAYS};
    char tid[16];
    const struct rf_thread *thread = rf_thread_at(whole, 0);
    (void)snprintf(tid, sizeof(tid), "%u", thread != NULL ? thread->tid : 0);
    const struct rf_filter_options filters[] = {
        {.size = sizeof(filters[0]), .names = "*a*", .time = "1us/"},
        {.size = sizeof(filters[0]), .nvtx = range_name(whole)},
        {.size = sizeof(filters[0]), .without_cut = 1},
        {.size = sizeof(filters[0]), .threads = tid}};
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        for (size_t k = 0; k < sizeof(sums) / sizeof(sums[0]); k++)
            compare_filtered(path, flags | sums[k], whole, &filters[i]);
}

void fuzz_open(const char *path)
{
    for (unsigned flags = 0; flags <= RF_OPEN_SALVAGE; flags++) {
        struct rf_err err;
        rf_recording *rec;
        int status = rf_open(path, flags, &rec, &err);
        PROMISE((status == RF_OK) == (rec != NULL));
        PROMISE(status == RF_OK || (err.code == status && err.text[0] != 0));
        if (rec != NULL) {
            fuzz_walk(rec);
            compare_counts(path, flags, rec);
            compare_range_work(path, flags, rec);
            compare_sums(path, flags, rec);
            compare_parts(path, flags, rec);
        }
        rf_close(rec);
    }
}
