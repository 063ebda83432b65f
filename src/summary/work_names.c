/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/work_names.h"

#include <stdbool.h>
#include <string.h>

size_t rf_function_size(const char *text, size_t size)
{
    return size > 6 && memcmp(text + size - 6, "_v", 2) == 0 ? size - 6 : size;
}

const struct rf_kernel *rf_kernel_of(const rf_recording *rec, const struct rf_gpu_op *op)
{
    bool has_one = op->kind == RF_OP_KERNEL && op->detail != RF_NO_INDEX;
    return has_one ? rf_kernel_at(rec, op->detail) : NULL;
}

uint32_t rf_kernel_label(const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_kernel *kernel = rf_kernel_of(rec, op);
    if (kernel != NULL && kernel->demangled != RF_NO_STRING)
        return kernel->demangled;
    return op->name == RF_NO_STRING && kernel != NULL ? kernel->mangled : op->name;
}

const struct rf_transfer *rf_transfer_of(const rf_recording *rec, const struct rf_gpu_op *op)
{
    bool has_one = op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET;
    return has_one && op->detail != RF_NO_INDEX ? rf_transfer_at(rec, op->detail) : NULL;
}

bool rf_is_migration(const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_transfer *transfer = op->kind == RF_OP_MEMCPY ? rf_transfer_of(rec, op) : NULL;
    return transfer != NULL && (transfer->copy_kind == RF_MIGRATION_TO_DEVICE ||
                                transfer->copy_kind == RF_MIGRATION_TO_HOST);
}

uint32_t rf_memory_code(const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_transfer *transfer = rf_transfer_of(rec, op);
    if (op->kind == RF_OP_MEMSET)
        return RF_MEMORY_CODE_SET;
    return transfer != NULL ? transfer->copy_kind : 0;
}

/* By CUPTI's number of the kind. */
const char *rf_memory_code_label(uint32_t code)
{
    static const char *const copies[] = {
        "[CUDA memcpy Unknown]",
        "[CUDA memcpy HtoD]",
        "[CUDA memcpy DtoH]",
        "[CUDA memcpy HtoA]",
        "[CUDA memcpy AtoH]",
        "[CUDA memcpy AtoA]",
        "[CUDA memcpy AtoD]",
        "[CUDA memcpy DtoA]",
        "[CUDA memcpy DtoD]",
        "[CUDA memcpy HtoH]",
        "[CUDA memcpy PtoP]",
        "[CUDA Unified Memory memcpy HtoD]",
        "[CUDA Unified Memory memcpy DtoH]",
        "[CUDA Unified Memory memcpy DtoD]",
    };
    if (code == RF_MEMORY_CODE_SET)
        return "[CUDA memset]";
    return copies[code < sizeof(copies) / sizeof(copies[0]) ? code : 0];
}

const char *rf_memory_kind_label(unsigned kind)
{
    static const char *const kinds[] = {"Pageable", "Pinned",        "Device",         "Array",
                                        "Managed",  "Device Static", "Managed Static", "Unknown"};
    return kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : "None";
}
