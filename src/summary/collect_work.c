/* SPDX-License-Identifier: Apache-2.0 */
/* What calls and GPU work add up to: paths without a domain, of one name. */
#include <string.h>

#include "model/private_access.h"
#include "summary/collect.h"
#include "summary/work_names.h"

static uint32_t path_of_text(struct rf_collecting *c, const char *text, size_t size)
{
    uint32_t name = RF_NO_STRING;
    if (text != NULL) {
        name = rf_strings_add(&c->summary->strings, text, size);
        if (name == RF_NO_STRING)
            return RF_NO_INDEX;
    }
    return rf_summary_path(c->summary, RF_NO_INDEX, RF_NO_STRING, name);
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

void rf_collect_calls(struct rf_collecting *c)
{
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
