/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of TARGET_INFO_GPU in nsys's databases, as data: import and export go by this list.
 */
#ifndef RF_MODEL_GPU_GPU_COLUMNS_H
#define RF_MODEL_GPU_GPU_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

struct rf_gpu_column {
    const char *name;
    uint16_t offset; /* in struct rf_gpu */
    uint8_t size;    /* 4 or 8 bytes; 0: it is a struct rf_gpu_fact of the column's name */
    bool is_text;
    bool is_late; /* not in every version: written only where a GPU has it */
};

#define RF_N_GPU_COLUMNS 42

extern const struct rf_gpu_column rf_gpu_columns[RF_N_GPU_COLUMNS];

#endif
