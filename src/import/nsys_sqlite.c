/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a SQLite database that nsys exported, with any version of its schema. Tables and columns
 * are found by name; each may be missing, and each value may be NULL or have another type. What
 * cannot be shown is counted. */
#include "import/nsys_sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/nsys_calls.h"
#include "import/nsys_extra.h"
#include "import/nsys_finish.h"
#include "import/nsys_layouts.h"
#include "import/nsys_names.h"
#include "import/nsys_nvtx.h"
#include "import/nsys_nvtx_counters.h"
#include "import/nsys_own_events.h"
#include "import/nsys_own_processes.h"
#include "import/nsys_pages.h"
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
        status = nsys_add_skipped(load, &room, &db->skip[i]);
    for (uint32_t i = 0; i < db->n_tables && status == RF_OK; i++) {
        struct nsys_skip skip = {db->table[i].name, reason_of(db->table[i].name), 0};
        if (db->table[i].is_known || has_no_events(skip.table))
            continue;
        if (nsys_db_count(db, skip.table, &skip.n_rows) != RF_OK)
            skip = (struct nsys_skip){skip.table, "table that is not read, and damaged", 1};
        if (skip.n_rows > 0)
            status = nsys_add_skipped(load, &room, &skip);
    }
    return status;
}

/* ---- Opening ---- */

/* What was read without a lock may be a mixture, and look damaged. Returns RF_ERR_IO: it is. */
static int check_unchanged(const struct nsys_load *load, const struct nsys_pages *pages)
{
    const struct nsys_db *db = &load->db;
    if (db->pages != NULL ? paged_file_is_unchanged(&pages->file, db->path)
                          : nsys_db_is_unchanged(db))
        return RF_OK;
    return rf_fail(db->err, RF_ERR_IO,
                   "'%s' was changed while it was read; read it again when that is done", db->path);
}

static void set_reader(rf_recording *rec, const struct nsys_pages *pages)
{
    rec->info.import_reader = pages->why == NULL ? "pages" : "library";
    rec->info.import_why = pages->why;
}

static int build(struct nsys_load *load)
{
    static int (*const steps[])(struct nsys_load *) = {
        nsys_load_session, nsys_load_names,          nsys_load_parts, nsys_load_layouts,
        nsys_load_extras,  nsys_add_default_domains, nsys_finish,     nsys_finish_payloads,
        nsys_load_places,  nsys_load_own_processes,  list_skipped};
    int status = RF_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == RF_OK; i++)
        status = steps[i](load);
    if (status == RF_OK)
        nsys_set_info(load);
    return status;
}

/* One way to read the file. *again: why another attempt is to be made, without pages, which looks
 * for a log when it opens the file; NULL: none is. *needs_all: one is to be made that leaves out
 * nothing. */
static int attempt(const char *path, unsigned flags, struct nsys_pages *pages, rf_recording **out,
                   struct rf_err *err, const char **again, bool *needs_all)
{
    struct nsys_load load = {.rec = NULL};
    int status = nsys_db_open(&load.db, path, flags, err);
    if (status == RF_OK)
        nsys_leave_out(&load);
    if (status == RF_OK && pages->why == NULL)
        status = nsys_pages_plan(pages, &load.db);
    if (status == RF_OK && pages->why != NULL && (flags & RF_OPEN_PAGES) != 0)
        status = rf_fail(err, RF_ERR_UNSUPPORTED,
                         "'%s' cannot be read by its pages: %s; leave out --import=pages", path,
                         pages->why);
    if (status == RF_OK && nsys_load_init(&load, path) != RF_OK)
        status = nsys_no_memory(&load);
    if (status == RF_OK)
        status = build(&load);
    const bool is_changed =
        (status == RF_OK || status == RF_ERR_DAMAGED) && check_unchanged(&load, pages) != RF_OK;
    if (is_changed)
        status = RF_ERR_IO;
    if ((flags & RF_OPEN_PAGES) != 0)
        *again = NULL;
    else if (is_changed)
        *again = "it was changed while it was read";
    else
        *again = status != RF_OK && pages->is_odd ? "a page was not as SQLite writes it" : NULL;
    *needs_all = status == RF_OK && load.needs_all;
    if (status == RF_OK)
        set_reader(load.rec, pages);
    if (status == RF_OK && !*needs_all)
        *out = load.rec;
    else
        rf_close(load.rec);
    nsys_layouts_free(load.layouts);
    nsys_payloads_free(load.payloads);
    nsys_nvtx_counters_free(load.nvtx_counters);
    nsys_own_events_free(load.own_events);
    nsys_parts_free(load.parts);
    nsys_load_release(&load);
    return status;
}

int rf_nsys_open(const char *path, unsigned flags, rf_recording **out, struct rf_err *err)
{
    struct nsys_pages pages;
    const char *again, *none;
    bool needs_all;
    *out = NULL;
    if (flags & ~(unsigned)RF_OPEN_KNOWN)
        return rf_fail(err, RF_ERR_USAGE, "rf_open: unknown flags 0x%x", flags);
    if ((flags & RF_OPEN_PAGES) != 0 && (flags & (RF_OPEN_LIBRARY | RF_OPEN_SALVAGE)) != 0)
        return rf_fail(err, RF_ERR_USAGE,
                       "rf_open: RF_OPEN_PAGES goes with neither RF_OPEN_LIBRARY nor "
                       "RF_OPEN_SALVAGE");
    nsys_pages_open(&pages, path, flags);
    int status = attempt(path, flags, &pages, out, err, &again, &needs_all);
    nsys_pages_close(&pages);
    if (needs_all)
        return rf_nsys_open(path, flags & ~(unsigned)RF_OPEN_SUMS, out, err);
    if (again == NULL)
        return status;
    nsys_pages_open(&pages, path, flags | RF_OPEN_LIBRARY);
    pages.why = again;
    status = attempt(path, flags, &pages, out, err, &none, &needs_all);
    nsys_pages_close(&pages);
    if (needs_all)
        return rf_nsys_open(path, flags & ~(unsigned)RF_OPEN_SUMS, out, err);
    return status;
}
