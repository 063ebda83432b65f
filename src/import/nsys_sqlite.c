/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a SQLite database that nsys exported, with any version of its schema. Tables and columns
 * are found by name; each may be missing, and each value may be NULL or have another type. What
 * cannot be shown is counted. */
#include "import/nsys_sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "import/nsys_extra.h"
#include "import/nsys_finish.h"
#include "import/nsys_layouts.h"
#include "import/nsys_names.h"
#include "import/nsys_nvtx.h"
#include "import/nsys_nvtx_counters.h"
#include "import/nsys_own_events.h"
#include "import/nsys_parts.h"
#include "import/nsys_payloads.h"
#include "import/nsys_places.h"
#include "model/private_access.h"

static bool begins_with_one_of(const char *name, const char *const *prefix, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sqlite3_strnicmp(name, prefix[i], (int)strlen(prefix[i])) == 0)
            return true;
    return false;
}

/* Tables without events: they describe other tables or the capture. */
static bool has_no_events(const char *name)
{
    static const char *const prefix[] = {"ENUM_",        "TARGET_INFO_",     "META_DATA_",
                                         "ANALYSIS_",    "EXPORT_META_DATA", "sqlite_",
                                         "RANGEFINDER_", "UnwindMethodType"};
    return begins_with_one_of(name, prefix, sizeof(prefix) / sizeof(prefix[0]));
}

/* ---- What was not read ---- */

static int add_skipped(struct nsys_load *load, size_t *room, const struct nsys_skip *skip)
{
    rf_recording *rec = load->rec;
    uint32_t table = rf_strings_add(&rec->strings, skip->table, strlen(skip->table));
    if (table == RF_NO_STRING ||
        rf_grow_array(&rec->skipped, rec->n_skipped, room, sizeof(*rec->skipped)) != RF_OK)
        return nsys_no_memory(load);
    rec->skipped[rec->n_skipped++] = (struct rf_skipped){
        .table = rec->strings.entry[table].text, .reason = skip->reason, .n_rows = skip->n_rows};
    return RF_OK;
}

/* Why a table is not read. */
static const char *reason_of(const char *table)
{
    static const char *const samples[] = {"COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS",
                                          "CUDA_CALLCHAINS", "OSRT_CALLCHAINS", "SCHED_EVENTS"};
    return begins_with_one_of(table, samples, sizeof(samples) / sizeof(samples[0]))
               ? "samples and call stacks of the CPU: passed over"
               : "table that is not read";
}

static int list_skipped(struct nsys_load *load)
{
    struct nsys_db *db = &load->db;
    size_t room = 0;
    int status = RF_OK;
    for (uint32_t i = 0; i < db->n_skips && status == RF_OK; i++)
        status = add_skipped(load, &room, &db->skip[i]);
    for (uint32_t i = 0; i < db->n_tables && status == RF_OK; i++) {
        struct nsys_skip skip = {db->table[i].name, reason_of(db->table[i].name), 0};
        if (db->table[i].is_known || has_no_events(skip.table))
            continue;
        if (nsys_db_count(db, skip.table, &skip.n_rows) != RF_OK)
            skip = (struct nsys_skip){skip.table, "table that is not read, and damaged", 1};
        if (skip.n_rows > 0)
            status = add_skipped(load, &room, &skip);
    }
    return status;
}

/* ---- Opening ---- */

static void set_info(struct nsys_load *load)
{
    rf_recording *rec = load->rec;
    struct rf_info *info = &rec->info;
    info->path = rec->path;
    info->product = rec->control.product;
    info->host = rec->control.host;
    info->ranks = rec->control.job.ranks;
    info->clock_name = "monotonic";
    info->clock_hz = 1e9;
    info->size_bytes = load->db.size_bytes;
    info->is_finished = true;
    info->is_import = true;
    rf_recording_count_events(rec);
}

static int build(struct nsys_load *load)
{
    static int (*const steps[])(struct nsys_load *) = {nsys_load_session, nsys_load_names,
                                                       nsys_load_parts,   nsys_load_layouts,
                                                       nsys_load_extras,  nsys_add_default_domains,
                                                       nsys_finish,       nsys_finish_payloads,
                                                       nsys_load_places,  list_skipped};
    int status = RF_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == RF_OK; i++)
        status = steps[i](load);
    if (status == RF_OK)
        set_info(load);
    return status;
}

int rf_nsys_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    struct nsys_load load = {.rec = NULL};
    *out = NULL;
    if (flags & ~(unsigned)RF_OPEN_KNOWN)
        return rf_fail(err, RF_ERR_USAGE, "rf_open: unknown flags 0x%x", flags);
    int status = nsys_db_open(&load.db, path, flags, err);
    if (status == RF_OK && nsys_load_init(&load, path) != RF_OK)
        status = nsys_no_memory(&load);
    if (status == RF_OK)
        status = build(&load);
    if (status == RF_OK)
        *out = load.rec;
    else
        rf_close(load.rec);
    nsys_layouts_free(load.layouts);
    nsys_payloads_free(load.payloads);
    nsys_nvtx_counters_free(load.nvtx_counters);
    nsys_own_events_free(load.own_events);
    nsys_load_release(&load);
    return status;
}
