/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/work_labels.h"

void rf_cell_set_function(struct rf_cell *cell, const rf_recording *rec, uint32_t name)
{
    rf_cell_set_model_string(cell, rec, name);
    cell->size = rf_function_size(cell->text, cell->size);
}
