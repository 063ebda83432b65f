/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/job_fates.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/text_sink.h"
#include "cli/own_rank.h"
#include "session/session_dir.h"

#define MAX_DEPTH 8 /* names of open ranges: the innermost ones */
#define MAX_LOOKED                                                                                 \
    (1 << 20) /* ranks that are compared with --ranks: a file may claim any number                 \
               */

const char *job_state_name(enum job_state state)
{
    static const char *const names[] = {"killed", "gone", "left", "running", "ended", "saved"};
    return names[state];
}

/* ---- What a rank stood in ---- */

/* The end of a recording as one rank saw it. */
struct ending {
    struct rf_text_sink text;
    char *where;
    int64_t last_ns; /* of its last event; RF_NO_TIME: it has none */
    bool is_live;    /* a range is open in a process that runs */
};

static bool is_open(const struct rf_event *event)
{
    return event->cut == RF_CUT_LIVE || event->cut == RF_CUT_KILLED ||
           event->cut == RF_CUT_PROCESS_ENDED;
}

static void put_names(struct ending *ending, const rf_recording *rec, const struct rf_event *event,
                      size_t n_events, size_t n_open)
{
    struct rf_sink *sink = &ending->text.sink;
    size_t left = n_open;
    if (n_open > MAX_DEPTH)
        rf_sink_text(sink, "...");
    for (size_t i = 0; i < n_events; i++) {
        if (!is_open(&event[i]))
            continue;
        ending->is_live |= event[i].cut == RF_CUT_LIVE;
        if (left-- > MAX_DEPTH)
            continue;
        size_t size;
        const char *name = rf_string(rec, event[i].name, &size);
        if (left + 1 < n_open)
            rf_sink_text(sink, " > ");
        rf_sink_bytes(sink, name != NULL ? name : "?", name != NULL ? size : 1);
    }
}

static int look_at_thread(struct ending *ending, const rf_recording *rec, uint32_t i, bool is_main)
{
    size_t n, n_open = 0;
    const struct rf_event *event = rf_thread_events(rec, i, &n);
    for (size_t k = 0; k < n; k++) {
        const bool has_end = event[k].end_ns != RF_NO_TIME && event[k].cut == RF_CUT_NONE;
        const int64_t at = has_end ? event[k].end_ns : event[k].start_ns;
        ending->last_ns = at > ending->last_ns ? at : ending->last_ns;
        n_open += is_open(&event[k]);
    }
    if (n_open == 0 || (ending->where != NULL && !is_main))
        return RF_OK;
    free(ending->where);
    put_names(ending, rec, event, n, n_open);
    ending->where = rf_text_sink_take(&ending->text);
    return ending->where != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Finds the ranges that are open in the main thread of the first process of the rank that has any,
 * or else in its first thread that has. whole: NULL: the recording could not be read once more. */
static int look_at_end(struct ending *ending, const rf_recording *whole, int32_t rank,
                       struct rf_err *err)
{
    uint32_t found = RF_NO_INDEX;
    int status = rf_text_sink_init(&ending->text);
    const uint32_t n = whole != NULL ? rf_n_threads(whole) : 0;
    for (uint32_t i = 0; i < n && status == RF_OK; i++) {
        const struct rf_thread *thread = rf_thread_at(whole, i);
        const struct rf_process *process = rf_process_at(whole, thread->process);
        if (rf_get_info(whole)->rank < 0 && process->rank != rank)
            continue;
        const bool is_main =
            thread->tid == process->pid && (found == RF_NO_INDEX || found == thread->process);
        status = look_at_thread(ending, whole, i, is_main);
        if (ending->where != NULL && found == RF_NO_INDEX)
            found = thread->process;
    }
    rf_text_sink_release(&ending->text);
    return status == RF_OK ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

/* ---- Adding ---- */

static bool is_running(const struct rf_info *info)
{
    return info->is_live || (!info->is_finished && session_dir_is_live(info->path));
}

/* What has become of the only rank of a recording: of the program that `profile` started. */
static void find_state(struct job_rank *rank, const struct rf_info *info)
{
    rank->number = -1;
    if (info->is_root_ended) {
        rank->state = info->root_signal != 0 ? JOB_KILLED : JOB_ENDED;
        rank->number = info->root_signal != 0 ? info->root_signal : info->root_status;
    } else if (is_running(info)) {
        rank->state = JOB_RUNNING;
    } else {
        rank->state = info->is_import || info->was_live || (info->is_finished && info->is_focused)
                          ? JOB_SAVED
                          : JOB_LEFT;
    }
}

/* The same of one rank of several: of its first process, or of the image that it became. */
static void find_state_of_process(struct job_rank *rank, const rf_recording *rec, uint32_t first,
                                  const struct ending *ending)
{
    const struct rf_process *process = rf_process_at(rec, first);
    for (uint32_t i = first + 1; i < rf_n_processes(rec); i++)
        if (rf_process_at(rec, i)->pid == process->pid)
            process = rf_process_at(rec, i);
    rank->number = -1;
    if (rf_get_info(rec)->is_import)
        rank->state = JOB_SAVED;
    else if (process->exit_ns != RF_NO_TIME)
        rank->state = JOB_ENDED;
    else if (is_running(rf_get_info(rec)) && (ending->where == NULL || ending->is_live))
        rank->state = JOB_RUNNING;
    else
        rank->state = JOB_GONE;
}

static void release(struct job_rank *rank)
{
    free(rank->where);
    free(rank->path);
    free(rank->host);
}

/* A recording that is being added. */
struct adding {
    struct job *job;
    const rf_recording *rec;
    rf_recording *whole; /* opened once more, with its events, where they are needed */
    const char *path;
};

static int push(struct job *job, struct job_rank *rank, struct rf_err *err)
{
    if (rank->where != NULL && rank->path != NULL && rank->host != NULL &&
        rf_grow_array(&job->rank, job->n, &job->room, sizeof(*rank)) == RF_OK) {
        job->rank[job->n++] = *rank;
        return RF_OK;
    }
    release(rank);
    return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

/* a + b or a - b, where a file may hold anything */
static int64_t add_times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t time_between(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* Adds the rank of a process, or, for RF_NO_INDEX, that of the recording. */
static int add(struct adding *adding, uint32_t process, struct rf_err *err)
{
    const struct rf_info *info = rf_get_info(adding->rec);
    const bool is_only = process == RF_NO_INDEX;
    const struct rf_process *of = is_only ? NULL : rf_process_at(adding->rec, process);
    struct ending ending = {.last_ns = RF_NO_TIME};
    struct job_rank rank = {.rank = is_only ? info->rank : of->rank,
                            .world_size = is_only ? info->world_size : of->world_size,
                            .idle_ns = RF_NO_TIME,
                            .end_utc_ns = add_times(info->epoch_utc_ns, info->end_ns),
                            .root_pid = info->root_pid,
                            .epoch_utc_ns = info->epoch_utc_ns};
    find_state(&rank, info);
    const bool is_well =
        is_only && (rank.state == JOB_SAVED || (rank.state == JOB_ENDED && rank.number == 0));
    if (!is_well && adding->whole == NULL)
        (void)rf_open(adding->path, RF_OPEN_NO_SAMPLES | RF_OPEN_NO_DETAILS, &adding->whole, NULL);
    int status = is_well ? RF_OK : look_at_end(&ending, adding->whole, rank.rank, err);
    if (!is_only)
        find_state_of_process(&rank, adding->rec, process, &ending);
    if (ending.last_ns != RF_NO_TIME && rank.state == JOB_RUNNING) {
        const int64_t now_ns = rf_get_info(adding->whole)->end_ns;
        rank.idle_ns = now_ns > ending.last_ns ? time_between(ending.last_ns, now_ns) : 0;
    }
    rank.where = ending.where != NULL ? ending.where : strdup("");
    rank.path = strdup(adding->path);
    rank.host = strdup(info->host);
    if (status == RF_OK)
        return push(adding->job, &rank, err);
    release(&rank);
    return status;
}

/* Whether process i is the first of its rank. */
static bool is_first(const rf_recording *rec, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (rf_process_at(rec, k)->rank == rf_process_at(rec, i)->rank)
            return false;
    return rf_process_at(rec, i)->rank >= 0;
}

int job_add(struct job *job, const rf_recording *rec, const char *path, struct rf_err *err)
{
    const struct rf_info *info = rf_get_info(rec);
    const size_t n_before = job->n;
    struct adding adding = {job, rec, NULL, path};
    int status = info->rank >= 0 ? add(&adding, RF_NO_INDEX, err) : RF_OK;
    for (uint32_t i = 0; info->rank < 0 && i < rf_n_processes(rec) && status == RF_OK; i++)
        if (is_first(rec, i))
            status = add(&adding, i, err);
    rf_close(adding.whole);
    job->n_unranked += job->n == n_before;
    if (status == RF_OK && job->ranks == NULL && info->ranks[0] != '\0' &&
        cli_ranks_check(info->ranks, NULL) == RF_OK && (job->ranks = strdup(info->ranks)) == NULL)
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return status;
}

void job_release(struct job *job)
{
    for (size_t i = 0; i < job->n; i++)
        release(&job->rank[i]);
    free(job->rank);
    free(job->ranks);
    *job = (struct job){.rank = NULL};
}

/* ---- All together ---- */

static int compare_ranks(const void *a, const void *b)
{
    const struct job_rank *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : strcmp(x->path, y->path);
}

void job_sort(struct job *job)
{
    if (job->n > 0)
        qsort(job->rank, job->n, sizeof(*job->rank), compare_ranks);
}

int32_t job_world_size(const struct job *job)
{
    int32_t size = -1;
    size_t lead = 0; /* the majority vote of Boyer and Moore */
    for (size_t i = 0; i < job->n; i++) {
        const int32_t one = job->rank[i].world_size;
        if (one >= 0 && lead == 0)
            size = one;
        if (one >= 0)
            lead += one == size ? 1 : (size_t)-1;
    }
    return size;
}

static int add_span(struct job_span **spans, size_t *n, size_t *room, struct job_span span,
                    struct rf_err *err)
{
    if (rf_grow_array(spans, *n, room, sizeof(span)) != RF_OK)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    (*spans)[(*n)++] = span;
    return RF_OK;
}

/* Adds what --ranks names of a gap. */
static int add_gap(const struct job *job, struct job_span **spans, size_t *n, size_t *room,
                   struct job_span gap, struct rf_err *err)
{
    int status = RF_OK;
    if (job->ranks == NULL)
        return add_span(spans, n, room, gap, err);
    for (int32_t rank = gap.first; rank <= gap.last && rank < MAX_LOOKED && status == RF_OK; rank++)
        if (cli_ranks_have(job->ranks, rank))
            status = add_span(spans, n, room, (struct job_span){rank, rank}, err);
    return status;
}

int job_find_missing(const struct job *job, struct job_span **spans, size_t *n, struct rf_err *err)
{
    const int32_t size = job_world_size(job);
    int32_t next = 0;
    size_t room = 0;
    int status = RF_OK;
    *spans = NULL;
    *n = 0;
    for (size_t i = 0; i < job->n && status == RF_OK; i++) {
        const int32_t rank = job->rank[i].rank;
        if (rank > next)
            status = add_gap(job, spans, n, &room, (struct job_span){next, rank - 1}, err);
        next = rank < INT32_MAX ? rank + 1 : rank;
    }
    if (status == RF_OK && next < size)
        status = add_gap(job, spans, n, &room, (struct job_span){next, size - 1}, err);
    return status;
}

bool job_is_twice(const struct job *job, size_t i)
{
    const struct job_rank *rank = &job->rank[i];
    return i > 0 && rank[-1].rank == rank->rank &&
           (rank[-1].root_pid != rank->root_pid || rank[-1].epoch_utc_ns != rank->epoch_utc_ns);
}
