/* SPDX-License-Identifier: Apache-2.0 */
/* Counters while their samples are read, which can be in any order. */
#ifndef RF_IMPORT_NSYS_COUNTERS_H
#define RF_IMPORT_NSYS_COUNTERS_H

#include "import/nsys_load.h"

/* What the bits of a value are: ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE, and -1 for the integer itself.
 */
enum nsys_field_type {
    NSYS_FIELD_PLAIN = -1,
    NSYS_FIELD_SIGNED = 0,
    NSYS_FIELD_UNSIGNED = 1,
    NSYS_FIELD_FLOAT = 2,
    NSYS_FIELD_DOUBLE = 3
};

struct nsys_metric_field {
    int8_t type;
    uint8_t size_bytes;
};

struct nsys_counters {
    struct nsys_load *load;
    struct rf_map index_of; /* (typeId, metricId), or (typeId, string) where they have no ids */
    struct nsys_metric_field *field;
    struct rf_sample_sum **sum; /* per counter, with RF_OPEN_SAMPLE_SUMS; NULL: it has none yet */
    size_t room, origin_room, field_room, sum_room;
    int64_t *ns; /* per sample */
    double *value;
    uint32_t *place; /* per sample: its counter, then its index in the order of counters */
    size_t n_samples, ns_room, value_room, place_room;
    bool is_soc;
    bool is_kept; /* the recording owns ns and value */
};

/* Adds a counter that is found in the map by (type, key). Returns its index, or RF_NO_INDEX: out of
 * memory. */
uint32_t nsys_add_counter(struct nsys_counters *all, int64_t type, uint64_t key, uint32_t metric);

int nsys_add_sample(struct nsys_counters *all, uint32_t counter, int64_t ns, double value);

/* Brings the samples of each counter together, by time, and gives them to the recording. Release
 * `all` in any case. */
int nsys_counters_finish(struct nsys_counters *all);
void nsys_counters_release(struct nsys_counters *all);

int nsys_load_counters(struct nsys_load *load);

#endif
