/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/kernel_labels.h"

uint32_t rf_kernel_label(const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_kernel *kernel =
        op->detail != RF_NO_INDEX ? rf_kernel_at(rec, op->detail) : NULL;
    if (kernel != NULL && kernel->demangled != RF_NO_STRING)
        return kernel->demangled;
    if (op->name == RF_NO_STRING && kernel != NULL)
        return kernel->mangled;
    return op->name;
}

int rf_cell_set_string(struct rf_cell *cell, const rf_recording *rec, uint32_t string)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    return text != NULL ? rf_cell_set_text(cell, text, size) : rf_cell_set_text(cell, "(null)", 6);
}
