/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of struct rf_extra as data: what each is called, and the table of nsys's databases that
 * its rows stand in. Import, export and the text formats go by this list alone: a further table is
 * one entry of rf_extra_tables and one number in enum rf_extra_kind. */
#ifndef RF_MODEL_EXTRA_H
#define RF_MODEL_EXTRA_H

#include "rangefinder/rangefinder.h"

/* What a column of a table becomes. */
enum rf_extra_role {
    RF_ROLE_START,
    RF_ROLE_END,
    RF_ROLE_THREAD,  /* a globalTid */
    RF_ROLE_PROCESS, /* a globalPid */
    RF_ROLE_DEVICE,
    RF_ROLE_CONTEXT,
    RF_ROLE_GREEN_CONTEXT,
    RF_ROLE_STREAM,
    RF_ROLE_CORRELATION,
    RF_ROLE_NAME,    /* an id of StringIds */
    RF_ROLE_MESSAGE, /* the name as text */
    RF_ROLE_NUMBER,  /* from here on they are values of the row */
    RF_ROLE_STRING,  /* an id of StringIds */
    RF_ROLE_TEXT,
};

struct rf_extra_column {
    const char *name;
    uint8_t role;
    uint8_t is_late; /* not in every version: written only where a row has it */
};

#define RF_EXTRA_MAX_COLUMNS 24

struct rf_extra_table {
    const char *name;
    const char *kind;
    unsigned activity; /* enum rf_activity; 0: no filter hides it */
    int n_columns;
    const struct rf_extra_column *column;
};

/* By enum rf_extra_kind, from 1; NULL: there is no such kind. */
const struct rf_extra_table *rf_extra_table(int kind);

/* The values of RF_EXTRA_CUDA_EVENT, in the order of their columns. */
enum rf_cuda_event_value { RF_CUDA_EVENT_TIMESTAMP, RF_CUDA_EVENT_ID, RF_CUDA_EVENT_SYNC };

/* The values of RF_EXTRA_MEMORY, in the order of their columns. */
enum rf_memory_value {
    RF_MEMORY_ADDRESS,
    RF_MEMORY_PC,
    RF_MEMORY_BYTES,
    RF_MEMORY_KIND,      /* 0 pageable, 1 pinned, 2 device, 3 array, 4 managed, ... */
    RF_MEMORY_OPERATION, /* 0 allocation, 1 release */
    RF_MEMORY_POOL,
    RF_MEMORY_POOL_THRESHOLD,
    RF_MEMORY_POOL_SIZE,
    RF_MEMORY_POOL_USED,
    RF_MEMORY_IMPORTED_POOL,
    RF_MEMORY_IMPORTED_POOL_PROCESS,
    RF_MEMORY_IS_ASYNC, /* 1; not known of imports */
};

/* The values of RF_EXTRA_NVTX_HEAP and RF_EXTRA_NVTX_REGION, in the order of their columns. */
enum rf_nvtx_heap_value {
    RF_HEAP_DOMAIN,
    RF_HEAP_ADDRESS,
    RF_HEAP_BYTES,
    RF_HEAP_MOST_BYTES, /* in use at once */
    RF_HEAP_REGIONS,
    RF_HEAP_USAGE, /* NVTX_MEM_HEAP_USAGE_ */
    RF_HEAP_CATEGORY,
};
enum rf_nvtx_region_value {
    RF_REGION_DOMAIN,
    RF_REGION_HEAP,
    RF_REGION_ADDRESS,
    RF_REGION_BYTES,      /* at its end */
    RF_REGION_MOST_BYTES, /* at any time */
    RF_REGION_TYPE,       /* NVTX_MEM_TYPE_ */
    RF_REGION_CATEGORY,
    RF_REGION_ENDED_BY,
};

/* The values of RF_EXTRA_OVERHEAD, in the order of their columns. */
enum rf_overhead_value { RF_OVERHEAD_CLASS, RF_OVERHEAD_TYPE };

#endif
