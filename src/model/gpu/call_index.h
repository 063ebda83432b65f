/* SPDX-License-Identifier: Apache-2.0 */
/* What correlation ids stand for. The ids of a process count up, so that a table by id is as dense
 * as the calls are; where they lie far apart, a map stands in. */
#ifndef RF_MODEL_GPU_CALL_INDEX_H
#define RF_MODEL_GPU_CALL_INDEX_H

#include <stdbool.h>

#include "base/map.h"
#include "rangefinder/rangefinder.h"

/* The calls of a thread. */
struct rf_indexed_calls {
    const struct rf_call *call;
    size_t n;
    uint32_t process; /* index */
};

/* Of a process: ids to calls, which are numbered over all lists. */
struct rf_call_ids {
    uint32_t *call_of; /* of the ids from lowest; RF_NO_INDEX: none */
    uint64_t lowest, n_ids, n_calls;
    struct rf_map sparse;
};

/* All zero: empty. */
struct rf_call_index {
    struct rf_call_ids *ids; /* per process */
    uint32_t n_processes;
    uint32_t *first; /* per list: the number of its first call */
    uint32_t n_lists;
};

/* By start; an enclosing call before what it encloses. */
int rf_compare_calls(const void *left, const void *right);

/* Of several calls with one id the first one stands: a call of the runtime encloses that of the
 * driver. *n_twice: how many others there are. There are fewer than RF_NO_INDEX calls. Returns 0 or
 * RF_ERR_NO_MEMORY; it is to be released in any case. The lists are not used afterwards. */
int rf_call_index_init(struct rf_call_index *index, uint32_t n_processes,
                       const struct rf_indexed_calls *list, uint32_t n_lists, uint64_t *n_twice);

/* The call of a correlation id: its list and the index there; 0: there is none. */
bool rf_call_index_find(const struct rf_call_index *index, uint32_t process, uint32_t correlation,
                        uint32_t *list, uint32_t *call);

void rf_call_index_release(struct rf_call_index *index);

#endif
