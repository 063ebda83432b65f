/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/profile/run_facts.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/grow.h"
#include "cli/json_out.h"
#include "cli/next.h"
#include "cli/summary.h"
#include "session/session_summary.h"

struct recording {
    enum run_file kind;
    uint32_t number;
    char *path;
    struct cli_summary summary;
};

struct exported {
    char *path, *format;
};

struct run_facts {
    pthread_mutex_t lock;
    struct recording *recording;
    size_t n_recordings, recording_room;
    struct exported *exported;
    size_t n_exports, export_room;
    uint64_t n_removed;
    char *next, *empty_because; /* NULL: none */
    bool has_captures;
    uint32_t n_begun, n_saved;
    bool is_incomplete; /* there was no memory for something */
};

/* ---- Collecting ---- */

struct run_facts *run_facts_new(void)
{
    struct run_facts *facts = calloc(1, sizeof(*facts));
    if (facts != NULL)
        (void)pthread_mutex_init(&facts->lock, NULL);
    return facts;
}

void run_facts_free(struct run_facts *facts)
{
    if (facts == NULL)
        return;
    for (size_t i = 0; i < facts->n_recordings; i++)
        free(facts->recording[i].path);
    for (size_t i = 0; i < facts->n_exports; i++) {
        free(facts->exported[i].path);
        free(facts->exported[i].format);
    }
    free(facts->recording);
    free(facts->exported);
    free(facts->next);
    free(facts->empty_because);
    (void)pthread_mutex_destroy(&facts->lock);
    free(facts);
}

/* Begins a change. Returns false where there is nothing to change. */
static bool begin(struct run_facts *facts)
{
    return facts != NULL && pthread_mutex_lock(&facts->lock) == 0;
}

static void end(struct run_facts *facts)
{
    (void)pthread_mutex_unlock(&facts->lock);
}

static char *copy(struct run_facts *facts, const char *text)
{
    char *own = strdup(text);
    facts->is_incomplete |= own == NULL;
    return own;
}

static void set_text(struct run_facts *facts, char **place, const char *text)
{
    if (!begin(facts))
        return;
    free(*place);
    *place = copy(facts, text);
    end(facts);
}

void run_facts_add_recording(struct run_facts *facts, enum run_file kind, uint32_t number,
                             const char *path, const struct cli_summary *summary)
{
    if (!begin(facts))
        return;
    char *own = copy(facts, path);
    if (own != NULL && rf_grow_array(&facts->recording, facts->n_recordings, &facts->recording_room,
                                     sizeof(*facts->recording)) == RF_OK) {
        facts->recording[facts->n_recordings++] = (struct recording){kind, number, own, *summary};
    } else {
        free(own);
        facts->is_incomplete = true;
    }
    end(facts);
}

void run_facts_remove_recording(struct run_facts *facts, const char *path)
{
    if (!begin(facts))
        return;
    size_t i = 0;
    while (i < facts->n_recordings && strcmp(facts->recording[i].path, path) != 0)
        i++;
    if (i < facts->n_recordings) {
        free(facts->recording[i].path);
        memmove(facts->recording + i, facts->recording + i + 1,
                (--facts->n_recordings - i) * sizeof(*facts->recording));
        facts->n_removed++;
    }
    end(facts);
}

void run_facts_add_export(struct run_facts *facts, const char *path, const char *format)
{
    if (!begin(facts))
        return;
    struct exported written = {copy(facts, path), copy(facts, format)};
    if (written.path != NULL && written.format != NULL &&
        rf_grow_array(&facts->exported, facts->n_exports, &facts->export_room,
                      sizeof(*facts->exported)) == RF_OK) {
        facts->exported[facts->n_exports++] = written;
    } else {
        free(written.path);
        free(written.format);
        facts->is_incomplete = true;
    }
    end(facts);
}

void run_facts_set_next(struct run_facts *facts, const char *verb, const char *path)
{
    char line[CLI_NEXT_SIZE];
    if (facts != NULL && cli_next_about(line, verb, NULL, path))
        set_text(facts, &facts->next, line);
}

void run_facts_set_empty(struct run_facts *facts, const char *reason)
{
    if (facts != NULL)
        set_text(facts, &facts->empty_because, reason);
}

void run_facts_set_captures(struct run_facts *facts, uint32_t n_begun, uint32_t n_saved)
{
    if (!begin(facts))
        return;
    facts->has_captures = true;
    facts->n_begun = n_begun;
    facts->n_saved = n_saved;
    end(facts);
}

/* ---- Writing ---- */

/* Opens the object; more members may follow. */
static void begin_losses(struct json_out *json, const struct rf_packed *packed)
{
    json_open_member(json, "lost", '{');
    json_u64(json, "n_records", packed->n_lost_records);
    json_u64(json, "n_bytes", packed->lost_bytes);
    json_u64(json, "n_definitions", packed->n_lost_defs);
    json_u64(json, "n_processes", packed->n_failed_processes);
}

/* A number that is not known is null. */
static void add_known(struct json_out *json, const char *name, bool is_known, int64_t value)
{
    if (is_known)
        json_i64(json, name, value);
    else
        json_null(json, name);
}

static void add_cuda(struct json_out *json, const struct rf_counts *counts)
{
    const struct session_cuda_kind *kind;
    json_open_member(json, "cuda", '{');
    for (size_t i = 0; (kind = session_cuda_kind_at(i)) != NULL; i++)
        if (counts->n_cuda[kind->kind] > 0)
            json_u64(json, kind->name, counts->n_cuda[kind->kind]);
    json_close(json, '}');
}

static void add_recording(struct json_out *json, const struct recording *recording)
{
    static const char *const kinds[] = {"run", "capture", "piece", "snapshot"};
    const struct rf_packed *packed = &recording->summary.packed;
    json_open_element(json, '{');
    json_text(json, "path", recording->path);
    json_text(json, "kind", kinds[recording->kind]);
    add_known(json, "number", recording->number > 0, recording->number);
    json_u64(json, "size_bytes", packed->size_bytes);
    json_u64(json, "expanded_bytes",
             packed->size_bytes - packed->compressed_bytes + packed->expanded_bytes);
    json_u64(json, "n_processes", packed->n_processes);
    json_bool(json, "is_estimate", recording->summary.is_estimate);
    json_u64(json, "n_ranges", packed->counts.n_ranges);
    json_u64(json, "n_marks", packed->counts.n_marks);
    add_cuda(json, &packed->counts);
    begin_losses(json, packed);
    json_u64(json, "n_cuda", packed->counts.n_cuda_dropped);
    json_close(json, '}');
    json_close(json, '}');
}

static void add_program(struct json_out *json, const struct run_end *run)
{
    const int status = run->wait_status;
    size_t n = 0;
    while (run->app[n] != NULL)
        n++;
    json_text(json, "version", rf_version());
    json_text(json, "verb", run->is_launch ? "launch" : "profile");
    json_open_member(json, "program", '{');
    json_text(json, "path", run->app_path[0] != '\0' ? run->app_path : NULL);
    json_texts(json, "arguments", (const char *const *)run->app, n);
    add_known(json, "pid", run->pid > 0, run->pid);
    add_known(json, "exit_status", run->is_known && WIFEXITED(status), WEXITSTATUS(status));
    add_known(json, "signal", run->is_known && WIFSIGNALED(status), WTERMSIG(status));
    json_close(json, '}');
    json_i64(json, "exit_status", run->exit_status);
}

static void add_files(struct json_out *json, const struct run_facts *facts)
{
    json_open_member(json, "recordings", '[');
    for (size_t i = 0; i < facts->n_recordings; i++)
        add_recording(json, &facts->recording[i]);
    json_close(json, ']');
    json_open_member(json, "exports", '[');
    for (size_t i = 0; i < facts->n_exports; i++) {
        json_open_element(json, '{');
        json_text(json, "path", facts->exported[i].path);
        json_text(json, "format", facts->exported[i].format);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_u64(json, "n_removed", facts->n_removed);
}

static void add_captures(struct json_out *json, const struct run_facts *facts)
{
    if (!facts->has_captures) {
        json_null(json, "captures");
        return;
    }
    json_open_member(json, "captures", '{');
    json_u64(json, "n_begun", facts->n_begun);
    json_u64(json, "n_saved", facts->n_saved);
    json_close(json, '}');
}

/* What the session lost. */
static void add_losses(struct json_out *json, const struct rf_control *control)
{
    struct rf_packed packed;
    if (control == NULL) {
        json_null(json, "lost");
        return;
    }
    memset(&packed, 0, sizeof(packed));
    rf_packed_read_control(&packed, control);
    begin_losses(json, &packed);
    json_close(json, '}');
}

int run_facts_write(struct run_facts *facts, const char *path, bool can_overwrite,
                    const struct run_end *run, struct rf_err *err)
{
    struct json_out json;
    if (!begin(facts))
        return RF_OK;
    int status = facts->is_incomplete ? rf_fail(err, RF_ERR_NO_MEMORY, "out of memory")
                                      : json_begin_file(&json, "profile", path, can_overwrite, err);
    if (status == RF_OK) {
        add_program(&json, run);
        add_captures(&json, facts);
        add_files(&json, facts);
        add_losses(&json, run->control);
        json_text(&json, "session_directory", run->directory);
        json_text(&json, "empty_because", facts->empty_because);
        json_text(&json, "next", facts->next);
        status = json_end(&json, err);
    }
    end(facts);
    return status;
}
