/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of TARGET_INFO_GPU in nsys's databases, as data: import and export go by this list.
 */
#ifndef RF_MODEL_GPU_GPU_COLUMNS_H
#define RF_MODEL_GPU_GPU_COLUMNS_H

#include <stdint.h>

/* Where struct rf_gpu has what a column holds. */
enum rf_gpu_field {
    RF_GPU_FACT, /* in a struct rf_gpu_fact of the column's name */
    RF_GPU_ID,
    RF_GPU_NAME,
    RF_GPU_BUS,
    RF_GPU_UUID,
    RF_GPU_CHIP,
    RF_GPU_MEMORY,
    RF_GPU_MULTIPROCESSORS,
    RF_GPU_CAPABILITY_MAJOR,
    RF_GPU_CAPABILITY_MINOR,
};

struct rf_gpu_column {
    const char *name;
    uint8_t field; /* enum rf_gpu_field */
    uint8_t is_text;
    uint8_t is_late; /* not in every version: written only where a GPU has it */
};

#define RF_N_GPU_COLUMNS 42

extern const struct rf_gpu_column rf_gpu_columns[RF_N_GPU_COLUMNS];

#endif
