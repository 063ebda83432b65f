/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/work_labels.h"

#include <stddef.h>

const struct rf_transfer *rf_transfer_of(const rf_recording *rec, const struct rf_gpu_op *op)
{
    int has_one = op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET;
    return has_one && op->detail != RF_NO_INDEX ? rf_transfer_at(rec, op->detail) : NULL;
}

uint32_t rf_memory_code(const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_transfer *transfer = rf_transfer_of(rec, op);
    if (op->kind == RF_OP_MEMSET)
        return RF_MEMORY_CODE_SET;
    return transfer != NULL ? transfer->copy_kind : 0;
}

/* By the number of CUPTI. */
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
