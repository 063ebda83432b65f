/* SPDX-License-Identifier: Apache-2.0 */
/* The paths that the payloads of a recording have, each with the type that its values have in a
 * column. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_COLUMNS_H
#define RF_MODEL_PAYLOAD_PAYLOAD_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/payload/payload_flat.h"
#include "model/strings.h"

struct rf_payload_columns {
    const rf_recording *rec;
    struct rf_strings paths; /* their ids are those of columns; then come the paths that are none */
    struct rf_payload_column *column;
    uint8_t *kinds;               /* per column: what values it has; see payload_columns.c */
    uint32_t n, most, n_steps;    /* n_steps: of all of flat */
    bool has_more;                /* paths that are not even named */
    bool has_structs;             /* the path of its one column can be that of a struct */
    struct rf_payload_flat *flat; /* per definition, if is_flat */
    uint8_t *flat_state;          /* per definition: enum rf_flat_state */
    uint32_t n_definitions;
};

enum rf_flat_state { RF_FLAT_UNKNOWN, RF_FLAT_YES, RF_FLAT_NO };

/* Whether all payloads of a call have known places. */
bool rf_payload_group_is_flat(const rf_payload_columns *columns,
                              const struct rf_payload_group *group);

/* The column of a path; RF_NO_INDEX: none. */
uint32_t rf_payload_column_of(const rf_payload_columns *columns, const char *path, size_t size);

#endif
