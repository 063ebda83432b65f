/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/snapshots.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/grow.h"
#include "cli/drain/drain.h"
#include "cli/output_name.h"
#include "cli/profile/run_facts.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "log/pack.h"
#include "log/ticks.h"

static void make_path(const struct snapshots *s, uint32_t number, char *path, size_t size)
{
    (void)snprintf(path, size, "%s.snapshot%" PRIu32 CLI_RECORDING_SUFFIX, s->config.base, number);
}

/* What the file says of why it was made; the live page says nothing of it afterwards. */
static void note(struct rf_ring *page, uint32_t number, const struct snapshot_reason *reason)
{
    page->snapshot = number;
    page->ticks = reason->ticks;
    page->value_ns = reason->value_ns;
    (void)snprintf(page->reason, sizeof(page->reason), "%s", reason->text);
    (void)snprintf(page->rule, sizeof(page->rule), "%s", reason->rule);
}

/* ---- The quota ---- */

static void keep(struct snapshots *s, uint32_t number, const struct rf_packed *packed)
{
    if (s->config.quota == 0 ||
        rf_grow_array(&s->file, s->n_files, &s->file_room, sizeof(*s->file)) != RF_OK)
        return;
    s->file[s->n_files++] = (struct snapshot_file){.number = number,
                                                   .size = packed->size_bytes,
                                                   .device = packed->device,
                                                   .inode = packed->inode};
}

/* Removes the file, unless something else has its name by now. */
static void remove_file(struct snapshots *s, const struct snapshot_file *file)
{
    char path[PATH_MAX + 48];
    struct stat st;
    make_path(s, file->number, path, sizeof(path));
    if (lstat(path, &st) != 0 || st.st_dev != file->device || st.st_ino != file->inode ||
        unlink(path) != 0)
        return;
    s->n_removed++;
    run_facts_remove_recording(s->config.facts, path);
    if (!s->config.is_quiet)
        cli_say("removed '%s': the snapshots are more than --snapshot-quota", path);
}

/* The oldest ones go, but for the one that was taken last. */
static void obey_quota(struct snapshots *s)
{
    uint64_t all = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->n_files; i++)
        all += s->file[i].size;
    for (; n + 1 < s->n_files && all > s->config.quota; n++) {
        remove_file(s, &s->file[n]);
        all -= s->file[n].size;
    }
    s->n_files -= n;
    if (n > 0)
        memmove(s->file, s->file + n, s->n_files * sizeof(*s->file));
}

/* ---- Taking one ---- */

bool snapshots_are_over(const struct snapshots *s)
{
    return s->config.most != 0 && s->n_taken >= s->config.most;
}

static uint32_t next_number(const struct snapshots *s)
{
    char path[PATH_MAX + 48];
    struct stat st;
    uint32_t number = s->number + 1;
    make_path(s, number, path, sizeof(path));
    while (!s->config.can_overwrite && lstat(path, &st) == 0)
        make_path(s, ++number, path, sizeof(path));
    return number;
}

int snapshots_take(struct snapshots *s, const struct snapshot_reason *reason, char *path,
                   size_t size, struct rf_err *err)
{
    struct rf_ring *page = &s->config.control->ring;
    struct snapshot_reason why = *reason;
    struct rf_packed packed;
    char bytes[32];
    if (snapshots_are_over(s))
        return rf_fail(err, RF_ERR_USAGE, "all %" PRIu32 " snapshots of --snapshots were taken",
                       s->config.most);
    const uint32_t number = next_number(s);
    if (why.ticks == 0)
        why.ticks = rf_ticks(s->config.control->clock_kind);
    note(page, number, &why);
    cli_drain_add_clock(s->config.drain);
    make_path(s, number, path, size);
    int status = rf_pack_copy(s->config.dir, path, s->config.can_overwrite, &packed, err);
    note(page, 0, &(struct snapshot_reason){"", "", -1, 0});
    if (status != RF_OK) {
        s->n_failed++;
        return status;
    }
    s->number = number;
    s->n_taken++;
    if (!s->config.is_quiet)
        cli_say("wrote '%s': %s, %s", path, rf_format_size(bytes, sizeof(bytes), packed.size_bytes),
                why.text);
    const struct cli_summary written = {.packed = packed, .is_estimate = true};
    run_facts_add_recording(s->config.facts, RUN_FILE_SNAPSHOT, number, path, &written);
    keep(s, number, &packed);
    obey_quota(s);
    return RF_OK;
}

void snapshots_release(struct snapshots *s)
{
    free(s->file);
    s->file = NULL;
    s->n_files = s->file_room = 0;
}
