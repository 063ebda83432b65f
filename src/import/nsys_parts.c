/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work is read beside everything else, by a thread with its own connection, because most of the
 * time of an import is SQLite stepping through rows. The part has processes, tracks and strings of
 * its own. Joining gives them their numbers in the order of the rows. A file that one thread reads
 * is joined in the same way, so that the result is the same. */
#include "import/nsys_parts.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "import/nsys_calls.h"
#include "import/nsys_counters.h"
#include "import/nsys_gpu.h"
#include "import/nsys_nvtx.h"
#include "import/nsys_nvtx_counters.h"

#define WORTH_A_THREAD ((uint64_t)16 << 20) /* bytes of a file */

/* ---- Joining: GPU work, its kernels and names ---- */

/* The process of work whose row has none: the only one that has a call with its id. */
static uint32_t guess_process(struct nsys_load *load, const char *table, uint32_t correlation)
{
    uint32_t process;
    const struct nsys_table *found = nsys_db_find_table(&load->db, table);
    if (nsys_only_process(load, correlation, &process) != RF_OK || process != RF_NO_INDEX)
        return process;
    nsys_db_skip(&load->db, found != NULL ? found->name : table,
                 "no globalPid, and no single call with its correlationId: shown in process 0", 1);
    return nsys_find_process(load, 0);
}

/* place: the tracks in load of the part's tracks; RF_NO_INDEX: not found yet. */
static int join_op(struct nsys_load *load, const struct nsys_load *part, struct rf_gpu_op *op,
                   uint32_t *place)
{
    uint32_t thread, call, local = op->track;
    op->track = place[local];
    if (op->track == RF_NO_INDEX) {
        struct rf_gpu_track track = part->rec->track[local];
        uint64_t key = part->process[track.process].key;
        const char *unknown = nsys_table_of_unknown(key);
        track.process = unknown == NULL ? nsys_find_process(load, key)
                                        : guess_process(load, unknown, op->correlation);
        op->track = track.process != RF_NO_INDEX ? rf_find_track(&load->tracks, load->rec, &track)
                                                 : RF_NO_INDEX;
        if (op->track == RF_NO_INDEX)
            return nsys_no_memory(load);
        if (unknown == NULL)
            place[local] = op->track;
    }
    if (rf_call_index_find(&load->call_of, load->rec->track[op->track].process, op->correlation,
                           &thread, &call)) {
        op->thread = thread;
        op->call = call;
    }
    return RF_OK;
}

static int join_ops(struct nsys_load *load, struct nsys_load *part)
{
    rf_recording *rec = load->rec, *from = part->rec;
    uint32_t *place = malloc(((size_t)from->n_tracks + 1) * sizeof(*place));
    int status = place != NULL ? RF_OK : nsys_no_memory(load);
    for (uint32_t i = 0; i < from->n_tracks && place != NULL; i++)
        place[i] = RF_NO_INDEX;
    for (size_t i = 0; i < from->n_ops && status == RF_OK; i++)
        status = join_op(load, part, &from->op[i], place);
    free(place);
    rec->op = from->op;
    rec->n_ops = from->n_ops;
    from->op = NULL;
    load->details = part->details;
    memset(&part->details, 0, sizeof(part->details));
    if (part->last_ns > load->last_ns)
        load->last_ns = part->last_ns;
    return status;
}

static void join_string(uint32_t *string, const uint32_t *place)
{
    if (*string != RF_NO_STRING && (*string & NSYS_PART_STRING) != 0)
        *string = place[*string & ~NSYS_PART_STRING];
}

/* The strings of the part are the names that StringIds lacks. */
static int join_strings(struct nsys_load *load, struct nsys_load *part)
{
    const struct rf_strings *from = &part->rec->strings;
    const struct rf_record_pool *kernels = &part->details.pool[RF_OP_KERNEL];
    struct rf_kernel *kernel = kernels->record;
    uint32_t *place = from->n > 0 ? malloc(from->n * sizeof(*place)) : NULL;
    int status = from->n == 0 || place != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < from->n && status == RF_OK; i++) {
        place[i] = rf_strings_add(&load->rec->strings, from->entry[i].text, from->entry[i].size);
        status = place[i] != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < part->rec->n_ops && from->n > 0 && status == RF_OK; i++)
        join_string(&part->rec->op[i].name, place);
    for (uint32_t i = 0; i < kernels->n && from->n > 0 && status == RF_OK; i++) {
        join_string(&kernel[i].demangled, place);
        join_string(&kernel[i].mangled, place);
    }
    free(place);
    return nsys_memory_status(load, status == RF_OK);
}

/* Skips point to the names of the tables of load: those of the part are freed. */
static void join_tables(struct nsys_db *db, const struct nsys_db *part)
{
    for (uint32_t i = 0; i < part->n_tables; i++) {
        struct nsys_table *table =
            part->table[i].is_known ? nsys_db_find_table(db, part->table[i].name) : NULL;
        if (table != NULL)
            table->is_known = true;
    }
    for (uint32_t i = 0; i < part->n_skips; i++) {
        const struct nsys_table *table = nsys_db_find_table(db, part->skip[i].table);
        if (table != NULL)
            nsys_db_skip(db, table->name, part->skip[i].reason, part->skip[i].n_rows);
    }
}

/* ---- Reading ---- */

struct gpu_part {
    struct nsys_load load;
    const struct nsys_db *db; /* the file */
    struct rf_err err;
    int status;
};

static void *read_gpu(void *context)
{
    struct gpu_part *part = context;
    struct nsys_load *load = &part->load;
    part->status = nsys_db_open(&load->db, part->db->path, part->db->flags, &part->err);
    if (part->status == RF_OK)
        part->status = nsys_load_gpu(load);
    return NULL;
}

static int read_others(struct nsys_load *load)
{
    int status = nsys_load_nvtx(load);
    if (status == RF_OK)
        status = nsys_load_calls(load);
    if (status == RF_OK)
        status = nsys_load_counters(load);
    return status == RF_OK ? nsys_load_nvtx_counters(load) : status;
}

static bool is_worth_a_thread(const struct nsys_db *db)
{
    cpu_set_t cores;
    return db->size_bytes >= WORTH_A_THREAD && sqlite3_threadsafe() != 0 &&
           sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) > 1;
}

/* The thread handles no signals of the program. */
static bool start(pthread_t *thread, struct gpu_part *part)
{
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* the caller may handle it: the file may be truncated */
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    bool is_started = pthread_create(thread, NULL, read_gpu, part) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return is_started;
}

static int join(struct nsys_load *load, struct gpu_part *part)
{
    if (part->status != RF_OK) {
        if (load->db.err != NULL)
            *load->db.err = part->err;
        return part->status;
    }
    join_tables(&load->db, &part->load.db);
    int status = join_strings(load, &part->load);
    return status == RF_OK ? join_ops(load, &part->load) : status;
}

int nsys_load_parts(struct nsys_load *load)
{
    pthread_t thread;
    struct gpu_part part = {.db = &load->db};
    int status = nsys_load_init(&part.load, load->db.path);
    if (status != RF_OK)
        status = nsys_no_memory(load);
    part.load.names = load;
    bool has_thread = status == RF_OK && is_worth_a_thread(&load->db) && start(&thread, &part);
    if (status == RF_OK)
        status = read_others(load);
    if (has_thread)
        (void)pthread_join(thread, NULL);
    else if (status == RF_OK)
        (void)read_gpu(&part);
    if (status == RF_OK)
        status = join(load, &part);
    rf_close(part.load.rec);
    nsys_load_release(&part.load);
    return status;
}
