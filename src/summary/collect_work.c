/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and GPU work add up to: paths without a domain, of one name. */
#include <stdlib.h>
#include <string.h>

#include "model/private_access.h"
#include "model/sums/range_sums.h"
#include "model/sums/work_sums.h"
#include "summary/collect.h"
#include "summary/work_names.h"

static uint32_t new_path_of_text(struct rf_collecting *c, const char *text, size_t size)
{
    uint32_t name = RF_NO_STRING;
    if (text != NULL) {
        name = rf_strings_add(&c->summary->strings, text, size);
        if (name == RF_NO_STRING)
            return RF_NO_INDEX;
    }
    return rf_summary_path(c->summary, RF_NO_INDEX, RF_NO_STRING, name);
}

/* Texts of the recording stay where they are. */
static uint32_t path_of_text(struct rf_collecting *c, const char *text, size_t size)
{
    const size_t at = ((uintptr_t)text ^ (uintptr_t)text >> 6) % RF_COLLECT_RECENT;
    if (text != NULL && c->recent[at].text == text && c->recent[at].size == size)
        return c->recent[at].path;
    const uint32_t path = new_path_of_text(c, text, size);
    if (path != RF_NO_INDEX) {
        c->recent[at].text = text;
        c->recent[at].size = size;
        c->recent[at].path = path;
    }
    return path;
}

static void add_calls_of(struct rf_collecting *c, uint32_t thread)
{
    size_t n = 0, size;
    const struct rf_call *call = rf_thread_calls(c->rec, thread, &n);
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        if (call[i].event_class != 0 && call[i].event_class != RF_OS_CALL_CLASS)
            continue; /* only its start or its end was recorded */
        const struct rf_summary_place place = rf_collect_place(
            c, thread, call[i].start_ns, (uint64_t)call[i].end_ns - (uint64_t)call[i].start_ns);
        bool is_os = call[i].kind == RF_CALL_OS;
        const char *text = rf_string(c->rec, call[i].name, &size);
        if (!is_os && text != NULL)
            size = rf_function_size(text, size);
        (void)rf_collect_add(c, path_of_text(c, text, size),
                             is_os ? RF_SUMMARY_OS_CALL : RF_SUMMARY_CUDA_CALL, &place);
    }
}

/* The path and kind of what was added up by name. */
static uint32_t path_of_named(struct rf_collecting *c, const struct rf_sum_key *key, uint32_t *kind)
{
    static const uint32_t kinds[] = {
        [RF_WORK_CALL] = RF_SUMMARY_CUDA_CALL,
        [RF_WORK_KERNEL] = RF_SUMMARY_KERNEL,
        [RF_WORK_COPY] = RF_SUMMARY_MEMORY,
        [RF_WORK_SET] = RF_SUMMARY_MEMORY,
        [RF_WORK_COPY_BYTES] = RF_SUMMARY_MEMORY_BYTES,
        [RF_WORK_SET_BYTES] = RF_SUMMARY_MEMORY_BYTES,
    };
    size_t size = 0;
    *kind = kinds[key->kind];
    if (key->kind != RF_WORK_CALL && key->kind != RF_WORK_KERNEL) {
        const bool is_set = key->kind == RF_WORK_SET || key->kind == RF_WORK_SET_BYTES;
        const char *label = rf_memory_code_label(is_set ? RF_MEMORY_CODE_SET : key->name);
        return path_of_text(c, label, strlen(label));
    }
    const char *text = rf_string(c->rec, key->name, &size);
    if (key->kind == RF_WORK_CALL && text != NULL)
        size = rf_function_size(text, size);
    return path_of_text(c, text, size);
}

/* Calls, or all else, that were added up by name. */
static void add_named(struct rf_collecting *c, bool calls)
{
    const struct rf_sums *sums = rf_recording_named_work(c->rec);
    uint32_t *order = rf_collect_order(sums);
    if (order == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    for (size_t i = 0; i < sums->n && c->status == RF_OK; i++) {
        const struct rf_sum *sum = &sums->sum[order[i]];
        uint32_t kind;
        if ((sum->key.kind == RF_WORK_CALL) != calls)
            continue;
        const uint32_t path = path_of_named(c, &sum->key, &kind);
        if (path == RF_NO_INDEX)
            (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
        else
            rf_collect_sum(c, sum, path, kind);
    }
    free(order);
}

void rf_collect_calls(struct rf_collecting *c)
{
    if (rf_recording_named_work(c->rec) != NULL)
        add_named(c, true);
    for (uint32_t t = 0; t < rf_n_threads(c->rec) && c->status == RF_OK; t++)
        add_calls_of(c, t);
}

static void add_memory(struct rf_collecting *c, const struct rf_gpu_op *op,
                       struct rf_summary_place place)
{
    const struct rf_transfer *transfer = rf_transfer_of(c->rec, op);
    const char *label = rf_memory_code_label(rf_memory_code(c->rec, op));
    uint32_t path = path_of_text(c, label, strlen(label));
    if (!rf_collect_add(c, path, RF_SUMMARY_MEMORY, &place) || transfer == NULL)
        return;
    place.value = transfer->bytes;
    (void)rf_collect_add(c, path, RF_SUMMARY_MEMORY_BYTES, &place);
}

void rf_collect_work(struct rf_collecting *c)
{
    size_t n = 0, size;
    const struct rf_gpu_op *op = rf_gpu_ops(c->rec, &n);
    if (rf_recording_named_work(c->rec) != NULL)
        add_named(c, false);
    for (size_t i = 0; i < n && c->status == RF_OK; i++) {
        const struct rf_summary_place place = rf_collect_place(
            c, op[i].thread, op[i].start_ns, (uint64_t)op[i].end_ns - (uint64_t)op[i].start_ns);
        if (op[i].kind == RF_OP_KERNEL) {
            const char *text = rf_string(c->rec, rf_kernel_label(c->rec, &op[i]), &size);
            (void)rf_collect_add(c, path_of_text(c, text, size), RF_SUMMARY_KERNEL, &place);
        } else if (op[i].kind == RF_OP_MEMCPY || op[i].kind == RF_OP_MEMSET) {
            add_memory(c, &op[i], place);
        }
        rf_collect_work_of_range(c, &op[i], (uint32_t)i);
    }
}
