/* SPDX-License-Identifier: Apache-2.0 */
#include "model/load/new_thread.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/load/load.h"
#include "model/load/namings.h"

uint32_t rf_load_add_thread(struct rf_load *load, uint32_t process, uint32_t tid, uint32_t serial)
{
    const uint32_t most_head = 4096;
    struct rf_load_thread *thread = NULL;
    if (rf_grow_array(&load->thread, load->n_threads, &load->thread_room, sizeof(thread)) == RF_OK)
        thread = calloc(1, sizeof(*thread));
    if (thread == NULL)
        return RF_NO_INDEX;
    thread->process = process;
    thread->tid = tid;
    thread->serial = serial;
    thread->is_selected = rf_select_thread(load, process, serial, tid);
    thread->stream = thread->first_segment = thread->last_segment = RF_NO_INDEX;
    thread->system_name = RF_NO_STRING;
    thread->first_ns = INT64_MAX;
    thread->last_ns = thread->end_ns = thread->settled_ns = RF_NO_TIME;
    /* of many threads with one tid only the first gets the room */
    uint32_t n_namings = serial <= 1 ? rf_load_count_namings(load, process, tid) : 0;
    if (n_namings <= most_head)
        thread->n_head = n_namings;
    load->thread[load->n_threads] = thread;
    return load->n_threads++;
}
