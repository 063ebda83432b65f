/* SPDX-License-Identifier: Apache-2.0 */
#include "import/nsys_join.h"

#include <stdlib.h>

#include "import/nsys_calls.h"
#include "import/nsys_gpu.h"

/* ---- What was left out ---- */

/* Of a part with a connection of its own, which has a list of tables of its own. */
static void join_tables(struct nsys_db *db, const struct nsys_db *part)
{
    for (uint32_t i = 0; i < part->n_tables; i++) {
        struct nsys_table *table =
            part->table[i].is_known ? nsys_db_find_table(db, part->table[i].name) : NULL;
        if (table != NULL)
            table->is_known = true;
    }
}

/* Skips point to the names of the tables of load: those of a part are freed. */
static void join_skips(struct nsys_db *db, const struct nsys_db *part, const struct nsys_job *job)
{
    for (uint32_t i = job->before.n_skips; i < job->after.n_skips; i++) {
        const struct nsys_table *table = nsys_db_find_table(db, part->skip[i].table);
        if (table != NULL)
            nsys_db_skip(db, table->name, part->skip[i].reason, part->skip[i].n_rows);
    }
}

/* ---- Strings: the names that StringIds lacks ---- */

static int join_strings(struct nsys_load *load, struct nsys_part *part, const struct nsys_job *job)
{
    const struct rf_strings *from = &part->load.rec->strings;
    for (uint32_t i = job->before.n_strings; i < job->after.n_strings; i++) {
        part->string_place[i] =
            rf_strings_add(&load->rec->strings, from->entry[i].text, from->entry[i].size);
        if (part->string_place[i] == RF_NO_STRING)
            return nsys_no_memory(load);
    }
    return RF_OK;
}

/* ---- Details ---- */

static void join_kernel_names(struct nsys_part *part, uint32_t first, uint32_t end)
{
    struct rf_kernel *kernel = part->load.details.pool[RF_OP_KERNEL].record;
    for (uint32_t i = first; i < end; i++) {
        kernel[i].demangled = nsys_part_string(part, kernel[i].demangled);
        kernel[i].mangled = nsys_part_string(part, kernel[i].mangled);
    }
}

static int join_details(struct nsys_load *load, struct nsys_part *part, const struct nsys_job *job)
{
    join_kernel_names(part, job->before.n_details[RF_OP_KERNEL],
                      job->after.n_details[RF_OP_KERNEL]);
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++) {
        const struct rf_record_pool *from = &part->load.details.pool[kind];
        const uint32_t end = job->after.n_details[kind];
        uint32_t *place = part->detail_place[kind];
        for (uint32_t i = job->before.n_details[kind], n; i < end && place != NULL; i += n) {
            n = end - i < RF_RECORDS_AT_ONCE ? end - i : RF_RECORDS_AT_ONCE;
            if (!rf_record_pool_add_all(&load->details.pool[kind],
                                        (char *)from->record + (size_t)i * from->size, n,
                                        &place[i]))
                return nsys_no_memory(load);
        }
    }
    return RF_OK;
}

static uint32_t n_details(const struct nsys_part *part)
{
    uint32_t n = 0;
    for (unsigned kind = 0; kind < RF_MAX_KINDS; kind++)
        n |= part->load.details.pool[kind].n;
    return n;
}

/* If one part has all of them, they keep their numbers. */
static struct nsys_part *only_part_with_details(struct nsys_parts *all)
{
    struct nsys_part *only = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->n_parts; i++)
        if (n_details(&all->part[i]) > 0) {
            only = &all->part[i];
            n++;
        }
    return n == 1 ? only : NULL;
}

/* ---- Processes and tracks ---- */

/* The process of work whose row has none: the only one that has a call with its id. */
static uint32_t guess_process(struct nsys_load *load, const char *table, uint32_t correlation)
{
    uint32_t process;
    bool is_several;
    const struct nsys_table *found = nsys_db_find_table(&load->db, table);
    if (nsys_only_process(load, correlation, &process, &is_several) != RF_OK ||
        process != RF_NO_INDEX)
        return process;
    nsys_db_skip(&load->db, found != NULL ? found->name : table,
                 "no globalPid, and no single call with its correlationId: shown in process 0", 1);
    return nsys_find_process(load, 0);
}

/* Gives work without a process that of its call: a track of that process, in its part. */
static int find_owner(struct nsys_load *load, struct nsys_load *part, struct rf_gpu_op *op)
{
    struct rf_gpu_track track = part->rec->track[op->track];
    const uint64_t key = part->process[track.process].key;
    const char *unknown = nsys_table_of_unknown(key);
    uint32_t process = unknown == NULL ? nsys_find_process(load, key)
                                       : guess_process(load, unknown, op->correlation);
    if (process == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    if (unknown == NULL)
        return RF_OK;
    track.process = nsys_find_process(part, load->process[process].key);
    op->track = track.process != RF_NO_INDEX ? rf_find_track(&part->tracks, part->rec, &track)
                                             : RF_NO_INDEX;
    return op->track == RF_NO_INDEX
               ? RF_ERR_NO_MEMORY
               : nsys_use_track(part, op->track, op->kind == RF_OP_SYNC ? NSYS_WAITS : NSYS_WORKS);
}

static bool has_unknown_process(const struct nsys_load *part)
{
    for (uint32_t i = 0; i < part->n_processes; i++)
        if (nsys_table_of_unknown(part->process[i].key) != NULL)
            return true;
    return false;
}

/* Processes are numbered in the order in which rows name them: that of the tracks, where each row
 * names one. */
static int join_processes(struct nsys_load *load, struct nsys_load *part,
                          const struct nsys_job *job, bool by_row)
{
    int status = RF_OK;
    for (uint32_t i = job->before.n_tracks; i < job->after.n_tracks && !by_row; i++)
        if (nsys_find_process(load, part->process[part->rec->track[i].process].key) == RF_NO_INDEX)
            status = RF_ERR_NO_MEMORY;
    for (size_t i = job->before.n_ops; i < job->after.n_ops && by_row && status == RF_OK; i++)
        status = find_owner(load, part, &part->rec->op[i]);
    return nsys_memory_status(load, status == RF_OK);
}

static void forget_unknown(struct nsys_load *part)
{
    for (uint32_t i = 0; i < part->n_track_uses; i++)
        if (nsys_table_of_unknown(part->process[part->rec->track[i].process].key) != NULL)
            part->track_use[i] = 0;
}

static int join_tracks(struct nsys_load *load, struct nsys_part *part)
{
    const struct nsys_load *from = &part->load;
    part->track_place = malloc(((size_t)from->rec->n_tracks + 1) * sizeof(*part->track_place));
    if (part->track_place == NULL)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < from->rec->n_tracks; i++) {
        struct rf_gpu_track track = from->rec->track[i];
        part->track_place[i] = RF_NO_INDEX;
        if (i >= from->n_track_uses || from->track_use[i] == 0)
            continue;
        track.process = nsys_find_process(load, from->process[track.process].key);
        part->track_place[i] = rf_find_track(&load->tracks, load->rec, &track);
        if (part->track_place[i] == RF_NO_INDEX)
            return nsys_no_memory(load);
    }
    return RF_OK;
}

/* ---- All of it ---- */

static int make_places(struct nsys_load *load, struct nsys_part *part, bool keeps_details)
{
    const uint32_t n = part->load.rec->strings.n;
    part->string_place = malloc(((size_t)n + 1) * sizeof(*part->string_place));
    bool is_enough = part->string_place != NULL;
    for (unsigned kind = 0; kind < RF_MAX_KINDS && !keeps_details; kind++) {
        const size_t n_records = part->load.details.pool[kind].n;
        if (n_records > 0) {
            part->detail_place[kind] = malloc(n_records * sizeof(uint32_t));
            is_enough &= part->detail_place[kind] != NULL;
        }
    }
    if (part->load.last_ns > load->last_ns)
        load->last_ns = part->load.last_ns;
    return nsys_memory_status(load, is_enough);
}

static int join_job(struct nsys_load *load, const struct nsys_job *job)
{
    struct nsys_part *part = &load->parts->part[job->part];
    join_skips(&load->db, &part->load.db, job);
    int status = join_strings(load, part, job);
    return status == RF_OK ? join_details(load, part, job) : status;
}

int nsys_join_parts(struct nsys_load *load)
{
    struct nsys_parts *all = load->parts;
    struct nsys_part *only = only_part_with_details(all);
    bool by_row = false;
    int status = RF_OK;
    for (uint32_t i = 0; i < all->n_parts && status == RF_OK; i++) {
        join_tables(&load->db, &all->part[i].load.db);
        by_row |= has_unknown_process(&all->part[i].load);
        load->needs_all |= by_row && load->leaves_out_calls;
        status = make_places(load, &all->part[i], &all->part[i] == only);
    }
    for (size_t i = 0; i < all->n_jobs && status == RF_OK; i++)
        status = join_job(load, &all->job[i]);
    for (size_t i = 0; i < all->n_jobs && status == RF_OK; i++)
        status = join_processes(load, &all->part[all->job[i].part].load, &all->job[i], by_row);
    for (uint32_t i = 0; i < all->n_parts && status == RF_OK; i++) {
        if (by_row)
            forget_unknown(&all->part[i].load);
        status = join_tracks(load, &all->part[i]);
    }
    if (status == RF_OK && only != NULL) {
        rf_op_details_release(&load->details);
        load->details = only->load.details;
        rf_op_details_init(&only->load.details);
    }
    return status;
}
