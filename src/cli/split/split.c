/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/split/split.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/grow.h"
#include "cli/command.h"
#include "cli/drain/bus_guard.h"
#include "cli/drain/drain.h"
#include "cli/output_name.h"
#include "cli/profile/finish.h"
#include "cli/profile/run_facts.h"
#include "cli/say.h"
#include "log/pack_piece.h"
#include "log/ticks.h"
#include "session/session_dir.h"
#include "session/session_summary.h"

#define LOOK_NS  20000000LL   /* between looks at the logs, */
#define EACH_NS  50000LL      /* and so much longer for each of them */
#define RETRY_NS 2000000000LL /* after a piece could not be written */

/* A piece that this run wrote. */
struct written {
    char *path; /* owned */
    uint64_t size, n_records;
    dev_t device;
    ino_t inode;
};

struct cli_split {
    struct cli_split_config config;
    pthread_t thread;
    pthread_mutex_t lock; /* of must_stop */
    pthread_cond_t changed;
    bool must_stop;
    bool is_failing;  /* the last piece could not be written */
    int64_t begin_ns; /* of the piece */
    int64_t retry_ns;
    struct written *written; /* oldest first */
    size_t n, room;
    uint64_t size; /* of all of them */
};

/* ---- Names ---- */

int cli_split_check_names(const char *base, bool can_overwrite)
{
    char first[PATH_MAX];
    const unsigned n = cli_output_count_numbered(base, first, sizeof(first));
    if (n == 0)
        return CLI_OK;
    if (!can_overwrite) {
        cli_say("'%s' exists already; use -f to overwrite it, or name another output with -o",
                first);
        return CLI_PROFILE_FAILED;
    }
    cli_say("'%s' and %u others of an earlier run are here: those that this run does not overwrite "
            "stay",
            first, n - 1);
    return CLI_OK;
}

/* ---- What was written ---- */

static void note_written(struct cli_split *split, const char *path, const struct rf_packed *packed)
{
    if (rf_grow_array(&split->written, split->n, &split->room, sizeof(*split->written)) != RF_OK)
        return; /* it stays */
    char *copy = strdup(path);
    if (copy == NULL)
        return;
    split->written[split->n++] = (struct written){
        copy, packed->size_bytes, packed->counts.n_records, packed->device, packed->inode};
    split->size += packed->size_bytes;
}

/* Removes the oldest piece, unless something else has its name by now. */
static void remove_oldest(struct cli_split *split)
{
    struct written oldest = split->written[0];
    struct rf_pieces *page = &split->config.control->pieces;
    struct stat st;
    memmove(split->written, split->written + 1, --split->n * sizeof(*split->written));
    split->size -= oldest.size;
    if (lstat(oldest.path, &st) == 0 && st.st_dev == oldest.device && st.st_ino == oldest.inode &&
        unlink(oldest.path) == 0) {
        page->n_removed++;
        run_facts_remove_recording(split->config.options->facts, oldest.path);
        page->removed_records += oldest.n_records;
        page->removed_bytes += oldest.size;
    }
    free(oldest.path);
}

/* Removes the oldest pieces until there are at most `keep`, and room for `wanted` bytes. */
static void make_room(struct cli_split *split, uint32_t keep, uint64_t wanted)
{
    const struct split_options *options = &split->config.options->split;
    while (options->keep != 0 && split->n > keep)
        remove_oldest(split);
    while (options->quota != 0 && split->n > 0 && split->size + wanted > options->quota)
        remove_oldest(split);
}

/* ---- Pieces ---- */

/* The disk that the logs take. */
static uint64_t logs_size(const struct cli_split *split)
{
    const struct cli_split_config *config = &split->config;
    const uint32_t n = __atomic_load_n(&config->control->n_processes, __ATOMIC_ACQUIRE);
    uint64_t size = 0;
    for (uint32_t i = 0; i < n && i < SESSION_MAX_PROCESSES; i++) {
        char path[PATH_MAX + 32];
        struct stat st;
        (void)snprintf(path, sizeof(path), "%s/p%06" PRIu32 ".log", config->dir, i);
        if (stat(path, &st) == 0)
            size += (uint64_t)st.st_blocks * 512;
    }
    return size;
}

/* Drops what would not fit the quota as a piece. Returns false where that failed. */
static bool drop_oldest(struct cli_split *split, uint64_t most)
{
    const struct cli_split_config *config = &split->config;
    struct rf_pieces *page = &config->control->pieces;
    struct rf_packed packed;
    struct rf_err err;
    if (rf_drop_piece(config->dir, config->control, most / 2, &packed, &err) != RF_OK) {
        if (!split->is_failing)
            cli_say("%s", err.text);
        return false;
    }
    page->n_removed += packed.size_bytes > 0;
    page->removed_records += packed.counts.n_records;
    page->removed_bytes += packed.size_bytes;
    return true;
}

/* Makes room for what is recorded, and for the same once more as a piece. Where the program records
 * faster than pieces can be written, the oldest of it is not written at all. Returns false where
 * that failed. */
static bool make_room_for_piece(struct cli_split *split)
{
    enum { MOST_TRIES = 8 }; /* dropping is faster than recording, so that each leaves less */
    const struct split_options *options = &split->config.options->split;
    const uint64_t most = options->quota / 2;
    uint64_t size = logs_size(split);
    make_room(split, options->keep, 2 * size);
    for (int i = 0; most != 0 && size > most && i < MOST_TRIES; i++) {
        if (!drop_oldest(split, most))
            return false;
        size = logs_size(split);
    }
    return true;
}

/* Writes what there is as the next piece. */
static void write_piece(struct cli_split *split)
{
    const struct cli_split_config *config = &split->config;
    const struct split_options *options = &config->options->split;
    char path[PATH_MAX + 32] = "";
    struct finish_request request = {.options = config->options,
                                     .base = config->base,
                                     .dir = config->dir,
                                     .can_overwrite = config->options->can_overwrite,
                                     .piece_of = config->control,
                                     .is_retry = split->is_failing,
                                     .app_path = config->app_path,
                                     .control = config->control};
    const int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    cli_drain_add_clock(config->drain);
    split->is_failing =
        !make_room_for_piece(split) || finish_recording(&request, path, sizeof(path)) != CLI_OK;
    if (split->is_failing) {
        if (split->n > 0 && (options->keep != 0 || options->quota != 0))
            remove_oldest(split); /* the disk may be full */
        split->retry_ns = now + RETRY_NS;
        return;
    }
    split->begin_ns = now;
    if (path[0] == '\0')
        return; /* nothing was recorded meanwhile */
    note_written(split, path, &request.packed);
    make_room(split, options->keep, 0);
}

static void look(struct cli_split *split)
{
    const struct split_options *options = &split->config.options->split;
    const int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    if (now < split->retry_ns)
        return;
    const uint64_t size = logs_size(split);
    if ((options->size != 0 && size > options->size - options->size / 16) ||
        (options->time_ns != 0 && now - split->begin_ns >= options->time_ns))
        write_piece(split);
}

static struct timespec time_of(int64_t ns)
{
    return (struct timespec){ns / 1000000000, (long)(ns % 1000000000)};
}

static void *run(void *context)
{
    struct cli_split *split = context;
    (void)pthread_mutex_lock(&split->lock);
    while (!split->must_stop) {
        const uint32_t n = __atomic_load_n(&split->config.control->n_processes, __ATOMIC_RELAXED);
        (void)pthread_mutex_unlock(&split->lock);
        look(split);
        (void)pthread_mutex_lock(&split->lock);
        const struct timespec until =
            time_of(rf_clock_ns(CLOCK_MONOTONIC) + LOOK_NS + EACH_NS * (n < 1000 ? n : 1000));
        if (!split->must_stop)
            (void)pthread_cond_timedwait(&split->changed, &split->lock, &until);
    }
    (void)pthread_mutex_unlock(&split->lock);
    return NULL;
}

/* ---- Beginning and end ---- */

struct cli_split *cli_split_start(const struct cli_split_config *config)
{
    struct cli_split *split = calloc(1, sizeof(*split));
    pthread_condattr_t attributes;
    sigset_t all, before;
    int code = ENOMEM;
    if (split != NULL) {
        split->config = *config;
        split->begin_ns = rf_clock_ns(CLOCK_MONOTONIC);
        config->control->pieces.begin_ticks = rf_ticks(config->control->clock_kind);
        (void)pthread_mutex_init(&split->lock, NULL);
        (void)pthread_condattr_init(&attributes);
        (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        (void)pthread_cond_init(&split->changed, &attributes);
        (void)pthread_condattr_destroy(&attributes);
        bus_guard_thread_mask(&all); /* signals are the main thread's */
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        code = pthread_create(&split->thread, NULL, run, split);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (code == 0)
        return split;
    cli_say("the recording cannot be split: %s", strerror(code));
    free(split);
    return NULL;
}

void cli_split_stop(struct cli_split *split)
{
    if (split == NULL)
        return;
    (void)pthread_mutex_lock(&split->lock);
    split->must_stop = true;
    (void)pthread_cond_signal(&split->changed);
    (void)pthread_mutex_unlock(&split->lock);
    (void)pthread_join(split->thread, NULL);
    (void)make_room_for_piece(split);
}

const char *cli_split_last(const struct cli_split *split)
{
    return split != NULL && split->n > 0 ? split->written[split->n - 1].path : NULL;
}

void cli_split_finish(struct cli_split *split, const char *path, const struct rf_packed *packed)
{
    const struct rf_pieces *page;
    char n[32], records[32], bytes[32];
    if (split == NULL)
        return;
    if (path[0] != '\0')
        note_written(split, path, packed);
    /* a file without events says how the program ended, and takes no other's place */
    const bool is_extra = path[0] != '\0' && session_summary_is_empty(&packed->counts);
    if (split->n > 1)
        make_room(split, split->config.options->split.keep + is_extra, 0);
    page = &split->config.control->pieces;
    if (page->n_removed > 0 && !split->config.options->is_quiet)
        cli_say("%s older file%s with %s records (%s) %s removed",
                rf_format_count(n, sizeof(n), page->n_removed), page->n_removed == 1 ? "" : "s",
                rf_format_count(records, sizeof(records), page->removed_records),
                rf_format_size(bytes, sizeof(bytes), page->removed_bytes),
                page->n_removed == 1 ? "was" : "were");
    for (size_t i = 0; i < split->n; i++)
        free(split->written[i].path);
    free(split->written);
    (void)pthread_cond_destroy(&split->changed);
    (void)pthread_mutex_destroy(&split->lock);
    free(split);
}
