/* SPDX-License-Identifier: Apache-2.0 */
/* What a database must have for its payloads to be decoded: the schemas and enums by the numbers of
 * its processes and domains, sizes of C types, registered strings. Forked processes have what they
 * use of the process they come from. */
#ifndef RF_MODEL_PAYLOAD_PAYLOAD_LAYOUTS_H
#define RF_MODEL_PAYLOAD_PAYLOAD_LAYOUTS_H

#include <stdbool.h>

#include "base/map.h"
#include "model/payload/nvtx_definitions.h"

#define RF_PAYLOAD_FORK_DEPTH 256u
#define RF_PAYLOAD_C_TYPES    28u /* predefined types whose size depends on the program */

/* A schema or an enum, as a process uses it in a domain. */
struct rf_payload_layout {
    const struct rf_nvtx_definition *definition;
    uint32_t index;   /* of the definition */
    uint32_t process; /* index, as rec has it; RF_NO_INDEX: every process */
    uint32_t domain;  /* rf_domain.id */
};

/* All zero: none. */
struct rf_payload_layouts {
    struct rf_payload_layout *layout; /* what processes defined, in that order; then what others use
                                       * of it */
    uint32_t n;
    size_t room;
    bool has_strings; /* payloads have handles of registered strings */
    uint32_t *source; /* per process of rec: its index before any filter; RF_NO_INDEX: not known */
    struct rf_map is_listed; /* (process << 32 | domain, index) */
};

/* To be released even if it fails. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_layouts_find(struct rf_payload_layouts *layouts, const rf_recording *rec);
void rf_payload_layouts_release(struct rf_payload_layouts *layouts);

/* The size of a C type in a process of `source`, where it is not what most programs have. Returns
 * whether it is another. */
bool rf_payload_other_size(const rf_recording *rec, uint32_t process, uint32_t type,
                           struct rf_type_size *size);

/* A registered string that payloads may name. */
struct rf_payload_string {
    uint64_t process; /* of `source` */
    uint64_t handle;
    uint32_t string;
};

struct rf_payload_strings {
    struct rf_payload_string *string; /* by process and handle */
    size_t n;
};

/* Lists all of them; the caller frees ->string. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_payload_strings_list(struct rf_payload_strings *strings, const rf_recording *rec);

/* The *n of a process of `source`. */
const struct rf_payload_string *rf_payload_strings_of(const struct rf_payload_strings *strings,
                                                      uint32_t process, size_t *n);

/* A process of `source` and those that it was forked from, one after the other. Returns how many.
 */
uint32_t rf_payload_line_of(const rf_recording *rec, uint32_t process,
                            uint32_t line[RF_PAYLOAD_FORK_DEPTH]);

#endif
