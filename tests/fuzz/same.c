/* SPDX-License-Identifier: Apache-2.0 */
#include "same.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Both are arrays of n elements of a size; the same number of both. */
static bool is_same(const void *a, size_t n_a, const void *b, size_t n_b, size_t size)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * size) == 0);
}

static bool has_same_strings(const rf_recording *a, const rf_recording *b)
{
    if (rf_n_strings(a) != rf_n_strings(b))
        return false;
    for (uint32_t i = 0; i < rf_n_strings(a); i++) {
        size_t n_a, n_b;
        const char *text_a = rf_string(a, i, &n_a), *text_b = rf_string(b, i, &n_b);
        if (!is_same(text_a, n_a, text_b, n_b, 1))
            return false;
    }
    return true;
}

static char *payload_of(const rf_recording *rec, const struct rf_event *event, size_t *n)
{
    *n = rf_payload_json(rec, event, 0, NULL, 0);
    char *text = *n < SIZE_MAX ? malloc(*n + 1) : NULL;
    if (text != NULL)
        (void)rf_payload_json(rec, event, 0, text, *n + 1);
    return text;
}

/* What a payload says, and the bytes that it is made of. */
static bool has_same_payload(const rf_recording *a, const rf_recording *b, const struct rf_event *x,
                             const struct rf_event *y)
{
    struct rf_payload_bytes p, q;
    size_t n_a, n_b;
    if (x->payload_type == RF_TYPE_NONE)
        return true; /* of y, too, which is the same */
    char *text_a = payload_of(a, x, &n_a), *text_b = payload_of(b, y, &n_b);
    bool same = text_a != NULL && text_b != NULL && is_same(text_a, n_a, text_b, n_b, 1);
    free(text_a);
    free(text_b);
    for (uint32_t i = 0; same; i++) {
        const int has_a = rf_payload_at(a, x, i, &p), has_b = rf_payload_at(b, y, i, &q);
        if (has_a != has_b)
            return false;
        if (!has_a)
            break;
        same = p.schema == q.schema && p.size == q.size && p.is_of_end == q.is_of_end &&
               is_same(p.bytes, (size_t)p.n_bytes, q.bytes, (size_t)q.n_bytes, 1);
    }
    return same;
}

static bool has_same_thread(const rf_recording *a, const rf_recording *b, uint32_t i)
{
    const struct rf_thread *x = rf_thread_at(a, i), *y = rf_thread_at(b, i);
    size_t n_a, n_b;
    const struct rf_event *event_a = rf_thread_events(a, i, &n_a),
                          *event_b = rf_thread_events(b, i, &n_b);
    if (x->process != y->process || x->tid != y->tid || x->name != y->name ||
        x->first_ns != y->first_ns || !is_same(event_a, n_a, event_b, n_b, sizeof(*event_a)))
        return false;
    for (size_t k = 0; k < n_a; k++)
        if (!has_same_payload(a, b, &event_a[k], &event_b[k]))
            return false;
    const struct rf_call *call_a = rf_thread_calls(a, i, &n_a),
                         *call_b = rf_thread_calls(b, i, &n_b);
    return is_same(call_a, n_a, call_b, n_b, sizeof(*call_a));
}

static bool has_same_threads(const rf_recording *a, const rf_recording *b)
{
    if (rf_n_threads(a) != rf_n_threads(b) || rf_n_processes(a) != rf_n_processes(b))
        return false;
    for (uint32_t i = 0; i < rf_n_processes(a); i++)
        if (rf_process_at(a, i)->pid != rf_process_at(b, i)->pid ||
            rf_process_at(a, i)->name != rf_process_at(b, i)->name)
            return false;
    for (uint32_t i = 0; i < rf_n_threads(a); i++)
        if (!has_same_thread(a, b, i))
            return false;
    return true;
}

static bool has_same_domains(const rf_recording *a, const rf_recording *b)
{
    if (rf_n_domains(a) != rf_n_domains(b))
        return false;
    for (uint32_t i = 0; i < rf_n_domains(a); i++) {
        const struct rf_domain *x = rf_domain_at(a, i), *y = rf_domain_at(b, i);
        if (x->process != y->process || x->id != y->id || x->name != y->name)
            return false;
    }
    return true;
}

static size_t detail_size(int kind)
{
    return kind == RF_OP_KERNEL ? sizeof(struct rf_kernel)
           : kind == RF_OP_SYNC ? sizeof(struct rf_wait)
                                : sizeof(struct rf_transfer);
}

/* The details stand elsewhere: in which order is not promised. */
static bool has_same_op(const rf_recording *a, const rf_recording *b, size_t i)
{
    struct rf_gpu_op x = *rf_gpu_op_at(a, i), y = *rf_gpu_op_at(b, i);
    const void *detail_a = rf_gpu_op_detail(a, &x), *detail_b = rf_gpu_op_detail(b, &y);
    const size_t n_a = detail_a != NULL, n_b = detail_b != NULL;
    if (detail_a != NULL)
        x.detail = 0;
    if (detail_b != NULL)
        y.detail = 0;
    return memcmp(&x, &y, sizeof(x)) == 0 &&
           (x.kind == RF_OP_GRAPH || is_same(detail_a, n_a, detail_b, n_b, detail_size(x.kind)));
}

static bool has_same_work(const rf_recording *a, const rf_recording *b)
{
    size_t n_a, n_b;
    (void)rf_gpu_ops(a, &n_a);
    (void)rf_gpu_ops(b, &n_b);
    if (n_a != n_b || rf_n_gpu_tracks(a) != rf_n_gpu_tracks(b))
        return false;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(a); i++)
        if (!is_same(rf_gpu_track_at(a, i), 1, rf_gpu_track_at(b, i), 1,
                     sizeof(struct rf_gpu_track)))
            return false;
    for (size_t i = 0; i < n_a; i++)
        if (!has_same_op(a, b, i))
            return false;
    return true;
}

static bool has_same_gpu(const rf_recording *a, const rf_recording *b, uint32_t i)
{
    const struct rf_gpu *x = rf_gpu_at(a, i), *y = rf_gpu_at(b, i);
    if (x->id != y->id || x->name != y->name || x->chip != y->chip || x->uuid != y->uuid ||
        x->memory_bytes != y->memory_bytes || x->n_multiprocessors != y->n_multiprocessors ||
        x->capability_major != y->capability_major || x->capability_minor != y->capability_minor ||
        x->bus != y->bus || x->n_facts != y->n_facts)
        return false;
    for (uint32_t k = 0; k < x->n_facts; k++) {
        const struct rf_gpu_fact *p = rf_gpu_fact_at(a, x->first_fact + k),
                                 *q = rf_gpu_fact_at(b, y->first_fact + k);
        if (p->name != q->name || p->text != q->text || p->number != q->number)
            return false;
    }
    return true;
}

/* Devices, contexts and streams have no bytes but their fields. */
static bool has_same_places(const rf_recording *a, const rf_recording *b)
{
    if (rf_n_gpus(a) != rf_n_gpus(b) || rf_n_gpu_devices(a) != rf_n_gpu_devices(b) ||
        rf_n_gpu_contexts(a) != rf_n_gpu_contexts(b) || rf_n_gpu_streams(a) != rf_n_gpu_streams(b))
        return false;
    for (uint32_t i = 0; i < rf_n_gpus(a); i++)
        if (!has_same_gpu(a, b, i))
            return false;
    for (uint32_t i = 0; i < rf_n_gpu_devices(a); i++)
        if (!is_same(rf_gpu_device_at(a, i), 1, rf_gpu_device_at(b, i), 1,
                     sizeof(struct rf_gpu_device)))
            return false;
    for (uint32_t i = 0; i < rf_n_gpu_contexts(a); i++)
        if (!is_same(rf_gpu_context_at(a, i), 1, rf_gpu_context_at(b, i), 1,
                     sizeof(struct rf_gpu_context)))
            return false;
    for (uint32_t i = 0; i < rf_n_gpu_streams(a); i++)
        if (!is_same(rf_gpu_stream_at(a, i), 1, rf_gpu_stream_at(b, i), 1,
                     sizeof(struct rf_gpu_stream)))
            return false;
    return true;
}

static bool has_same_counters(const rf_recording *a, const rf_recording *b)
{
    if (rf_n_counters(a) != rf_n_counters(b))
        return false;
    for (uint32_t i = 0; i < rf_n_counters(a); i++) {
        const struct rf_counter *x = rf_counter_at(a, i), *y = rf_counter_at(b, i);
        if (x->name != y->name || x->device != y->device ||
            !is_same(x->ns, x->n_samples, y->ns, y->n_samples, sizeof(*x->ns)) ||
            !is_same(x->value, x->n_samples, y->value, y->n_samples, sizeof(*x->value)))
            return false;
    }
    return true;
}

static bool has_same_values(const rf_recording *a, const struct rf_extra *x, const rf_recording *b,
                            const struct rf_extra *y)
{
    for (unsigned i = 0; i < 32; i++) {
        int64_t value_a, value_b;
        if (rf_extra_value(a, x, i, &value_a) != rf_extra_value(b, y, i, &value_b) ||
            value_a != value_b)
            return false;
    }
    return true;
}

static bool has_same_extras(const rf_recording *a, const rf_recording *b)
{
    size_t n_a, n_b;
    const struct rf_extra *x = rf_extras(a, &n_a), *y = rf_extras(b, &n_b);
    if (n_a != n_b)
        return false;
    for (size_t i = 0; i < n_a; i++)
        if (x[i].kind != y[i].kind || x[i].start_ns != y[i].start_ns ||
            x[i].end_ns != y[i].end_ns || x[i].name != y[i].name || x[i].has != y[i].has ||
            x[i].process != y[i].process || x[i].thread != y[i].thread ||
            x[i].device != y[i].device || x[i].context != y[i].context ||
            x[i].stream != y[i].stream || x[i].green_context != y[i].green_context ||
            x[i].correlation != y[i].correlation || x[i].first_value != y[i].first_value ||
            !has_same_values(a, &x[i], b, &y[i]))
            return false;
    return true;
}

static bool has_same_skipped(const rf_recording *a, const rf_recording *b)
{
    for (uint32_t i = 0;; i++) {
        const struct rf_skipped *x = rf_skipped_at(a, i), *y = rf_skipped_at(b, i);
        if (x == NULL || y == NULL)
            return x == y;
        if (strcmp(x->table, y->table) != 0 || strcmp(x->reason, y->reason) != 0 ||
            x->n_rows != y->n_rows)
            return false;
    }
}

const char *rf_test_difference(const rf_recording *a, const rf_recording *b)
{
    const struct rf_info *x = rf_get_info(a), *y = rf_get_info(b);
    if (x->end_ns != y->end_ns || x->n_ranges != y->n_ranges || x->n_marks != y->n_marks ||
        x->n_cut != y->n_cut || x->n_samples != y->n_samples)
        return "the recording in numbers";
    return !has_same_strings(a, b)    ? "strings"
           : !has_same_threads(a, b)  ? "threads"
           : !has_same_domains(a, b)  ? "domains"
           : !has_same_places(a, b)   ? "GPUs and places"
           : !has_same_work(a, b)     ? "GPU work"
           : !has_same_counters(a, b) ? "counters"
           : !has_same_extras(a, b)   ? "other rows"
           : !has_same_skipped(a, b)  ? "what was left out"
                                      : NULL;
}
