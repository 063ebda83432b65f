/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads of an import, and what its steps share. */
#include "import/nsys_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

int nsys_load_init(struct nsys_load *load, const char *path)
{
    load->last_thread = RF_NO_INDEX;
    rf_track_finder_init(&load->tracks);
    load->last_ns = RF_NO_TIME;
    load->names = load;
    rf_op_details_init(&load->details);
    load->rec = calloc(1, sizeof(*load->rec));
    if (load->rec == NULL)
        return RF_ERR_NO_MEMORY;
    rf_strings_init(&load->rec->strings, rf_hash_seed());
    load->rec->path = strdup(path);
    return load->rec->path != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

void nsys_load_release(struct nsys_load *load)
{
    for (uint32_t i = 0; i < load->n_threads; i++) {
        free(load->thread[i].event);
        free(load->thread[i].call);
    }
    free(load->thread);
    free(load->process);
    free(load->known);
    free(load->string_of);
    rf_map_release(&load->sparse_string);
    rf_map_release(&load->process_of);
    rf_map_release(&load->thread_of);
    rf_map_release(&load->known_process);
    rf_map_release(&load->known_thread);
    rf_map_release(&load->domain_of);
    rf_map_release(&load->process_by_call);
    rf_call_index_release(&load->call_of);
    rf_track_finder_release(&load->tracks);
    free(load->track_use);
    free(load->grid_id);
    rf_op_details_release(&load->details);
    nsys_db_close(&load->db);
}

/* ---- Processes and threads ---- */

static const struct nsys_name *find_known(const struct nsys_load *load, const struct rf_map *map,
                                          uint64_t key)
{
    uint32_t i = rf_map_find(map, key, 0);
    return i != RF_MAP_NONE ? &load->known[i] : NULL;
}

uint32_t nsys_find_process(struct nsys_load *load, uint64_t key)
{
    uint32_t i = rf_map_find(&load->process_of, key, 0);
    if (i != RF_MAP_NONE)
        return i;
    if (rf_grow_array(&load->process, load->n_processes, &load->process_room,
                      sizeof(*load->process)) != RF_OK ||
        rf_map_set(&load->process_of, key, 0, load->n_processes) != RF_OK)
        return RF_NO_INDEX;
    const struct nsys_name *known = find_known(load, &load->known_process, key);
    load->process[load->n_processes] = (struct nsys_process){
        .key = key,
        .pid = known != NULL && known->pid != 0 ? known->pid : (uint32_t)key & NSYS_TID_MASK,
        .name = known != NULL ? known->name : RF_NO_STRING,
        .default_domain = RF_NO_INDEX};
    return load->n_processes++;
}

uint32_t nsys_find_thread(struct nsys_load *load, uint64_t global_tid)
{
    if (load->last_thread != RF_NO_INDEX && load->last_global_tid == global_tid)
        return load->last_thread;
    uint32_t i = rf_map_find(&load->thread_of, global_tid, 0);
    if (i == RF_MAP_NONE) {
        uint32_t process = nsys_find_process(load, global_tid >> NSYS_TID_BITS);
        if (process == RF_NO_INDEX ||
            rf_grow_array(&load->thread, load->n_threads, &load->thread_room,
                          sizeof(*load->thread)) != RF_OK ||
            rf_map_set(&load->thread_of, global_tid, 0, load->n_threads) != RF_OK)
            return RF_NO_INDEX;
        const struct nsys_name *known = find_known(load, &load->known_thread, global_tid);
        i = load->n_threads++;
        load->thread[i] =
            (struct nsys_thread){.process = process,
                                 .tid = (uint32_t)global_tid & NSYS_TID_MASK,
                                 .name = known != NULL ? known->name : RF_NO_STRING,
                                 .priority = known != NULL ? known->priority : INT64_MAX,
                                 .is_named = known != NULL && known->priority == 0};
    }
    load->last_global_tid = global_tid;
    load->last_thread = i;
    return i;
}

int nsys_use_track(struct nsys_load *load, uint32_t track, enum nsys_track_use use)
{
    while (load->n_track_uses <= track) {
        if (rf_grow_array(&load->track_use, load->n_track_uses, &load->track_use_room,
                          sizeof(*load->track_use)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        load->track_use[load->n_track_uses++] = 0;
    }
    load->track_use[track] |= (uint8_t)use;
    return RF_OK;
}

uint32_t nsys_row_thread(struct nsys_load *load, struct nsys_row *row, int column)
{
    int64_t global_tid;
    if (!nsys_row_int(row, column, &global_tid))
        (void)nsys_row_skip(row, "no globalTid: shown as thread 0 of process 0");
    return nsys_find_thread(load, (uint64_t)global_tid);
}

bool nsys_row_times(struct nsys_load *load, struct nsys_row *row, int start_column, int end_column,
                    int64_t *start, int64_t *end, bool *is_clamped)
{
    *is_clamped = false;
    *end = RF_NO_TIME;
    if (!nsys_row_int(row, start_column, start)) {
        (void)nsys_row_skip(row, "no start: left out");
        return false;
    }
    if (!nsys_is_time(*start)) {
        (void)nsys_row_skip(row, "starts at no possible time: left out");
        return false;
    }
    if (!nsys_row_int(row, end_column, end)) {
        *end = RF_NO_TIME;
    } else if (!nsys_is_time(*end)) {
        (void)nsys_row_skip(row, "ends at no possible time: taken as no end");
        *end = RF_NO_TIME;
    } else if (*end < *start) {
        (void)nsys_row_skip(row, "ends before it starts: taken as empty");
        *end = *start;
        *is_clamped = true;
    }
    if (*start > load->last_ns)
        load->last_ns = *start;
    if (*end > load->last_ns)
        load->last_ns = *end;
    return true;
}
