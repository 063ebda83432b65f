/* SPDX-License-Identifier: Apache-2.0 */
/* What handles stand for: strings, domains, resources and sync objects. */
#ifndef RF_MODEL_LOAD_HANDLES_H
#define RF_MODEL_LOAD_HANDLES_H

#include <stdbool.h>

#include "model/load/load.h"

/* Notes what a handle stands for. map: load->string_of or load->domain_of. */
int rf_load_add_handle(struct rf_load *load, struct rf_map *map, uint32_t process, uint64_t handle,
                       uint64_t ticks, uint32_t value);

/* Appends a domain. Returns its index, or RF_NO_INDEX. */
uint32_t rf_load_add_domain(struct rf_load *load, const struct rf_domain *domain, uint64_t ticks,
                            uint32_t parent);

/* Finds or makes the domain of a name in a process; one that was destroyed is not found. *is_new:
 * it was made. RF_NO_INDEX: out of memory. */
uint32_t rf_load_named_domain(struct rf_load *load, uint32_t process, uint32_t name, uint64_t ticks,
                              bool *is_new);

/* What a string handle stands for in a process and those it was forked from; NULL: nothing.
 * *gone_ticks: from then on it is not valid, since its domain was destroyed; UINT64_MAX: never. */
const struct rf_load_handle *rf_load_find_string(const struct rf_load *load, uint32_t process,
                                                 uint64_t handle, uint64_t *gone_ticks);

/* A string of a domain was registered; a domain was destroyed. */
int rf_load_add_string(struct rf_load *load, uint32_t process, uint64_t handle, uint64_t domain,
                       uint64_t ticks, uint32_t text);
int rf_load_add_gone(struct rf_load *load, uint32_t process, uint64_t handle, uint32_t domain,
                     uint64_t ticks);

/* The domain that a handle stands for; one is made where the process used a handle of the process
 * that it was forked from, or one that is not valid. RF_NO_INDEX: out of memory. Not while other
 * threads decode, but under the mutex. */
uint32_t rf_load_domain(struct rf_load *load, uint32_t process, uint64_t handle);

enum rf_load_object { RF_LOAD_RESOURCE = 1, RF_LOAD_SYNC = 2 };

/* The domain of a resource or sync object; the default domain where the handle is not valid. */
uint32_t rf_load_object_domain(const struct rf_load *load, uint32_t process,
                               enum rf_load_object kind, uint64_t handle);

/* The step that orders the domains which were met in records. */
int rf_load_order_domains(struct rf_load *load);

/* The place of a domain since then, of a decoder that reads records again. */
static inline uint32_t rf_load_final_domain(const struct rf_load *load, uint32_t domain)
{
    const uint32_t first = load->n_defined_domains;
    return domain >= first && domain != RF_NO_INDEX && load->met_place != NULL
               ? first + load->met_place[domain - first]
               : domain;
}

#endif
