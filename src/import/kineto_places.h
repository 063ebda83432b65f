/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, threads and domains of a trace, as events name them. */
#ifndef RF_IMPORT_KINETO_PLACES_H
#define RF_IMPORT_KINETO_PLACES_H

#include "import/kineto_load.h"

/* Each returns an index, or RF_NO_INDEX when out of memory. A tid is in load->tid, and its pid in
 * load->pid; what is not there yet is added. */
uint32_t kineto_find_pid(struct kineto_load *load, const struct kineto_id *id);
uint32_t kineto_find_tid(struct kineto_load *load, const struct kineto_item *item);

/* The process or thread of the model, which is added if it is new. */
uint32_t kineto_process(struct kineto_load *load, uint32_t pid);
uint32_t kineto_thread(struct kineto_load *load, uint32_t tid);

/* The domain of a name, a string; RF_NO_STRING: the default one. pid: has a process. */
uint32_t kineto_domain(struct kineto_load *load, uint32_t pid, uint32_t name);

/* Takes a name from an event of metadata. Returns RF_OK or an error. */
int kineto_take_name(struct kineto_load *load, const struct kineto_item *item);

/* Gives processes and threads their names. Returns RF_OK or an error. */
int kineto_name_places(struct kineto_load *load);

/* The number that a text ends in, "stream 7"; false: it ends in none. */
bool kineto_trailing_number(const char *text, size_t size, uint32_t *number);

/* Whether the id of a device or stream is one: -1 is none of them. */
static inline bool kineto_fits(int64_t number)
{
    return number >= -1 && number <= UINT32_MAX;
}

/* An id as a number: its own, or the one that its text ends in; 0: it has none that fits. */
uint32_t kineto_id_number(const struct kineto_id *id);

#endif
