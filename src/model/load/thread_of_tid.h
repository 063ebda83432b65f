/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread had a tid at a time. */
#ifndef RF_MODEL_LOAD_THREAD_OF_TID_H
#define RF_MODEL_LOAD_THREAD_OF_TID_H

#include "model/load/load.h"

/* A thread's place in the order by (process, tid, time). */
struct rf_tid_entry {
    uint32_t process, tid;
    int64_t first_ns;
    uint32_t serial;
    uint32_t index; /* in load->thread */
};

struct rf_tid_list {
    const struct rf_load *load;
    struct rf_tid_entry *entry;
    uint32_t n;
};

/* Lists the threads that there are. Returns RF_OK or RF_ERR_NO_MEMORY; to be released either way.
 */
int rf_tid_list_init(struct rf_tid_list *list, const struct rf_load *load);
void rf_tid_list_release(struct rf_tid_list *list);

/* The entries of a tid: from *first on, before *end. */
void rf_tid_list_find(const struct rf_tid_list *list, uint32_t process, uint32_t tid,
                      uint32_t *first, uint32_t *end);

/* The thread that had this tid at a time: the first one that had not ended yet, since a naming can
 * come before a thread's first event; or else the last one. It exists. */
uint32_t rf_tid_list_at(const struct rf_tid_list *list, uint32_t process, uint32_t tid, int64_t ns);

#endif
