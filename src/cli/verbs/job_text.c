/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/job_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/escape.h"
#include "cli/text_out.h"

#define LABEL      "%-12s" /* as in info_text.c */
#define MAX_SPANS  40      /* of a list of ranks; --json has all */
#define MAX_GROUPS 20      /* of ranks that stand in the same place, likewise */

/* ---- Lists of ranks: "ranks 0-3, 7" ---- */

struct list {
    struct rf_sink *sink;
    struct job_span span; /* the last one, not yet written */
    size_t n_spans;
};

static void put_span(struct list *list)
{
    if (list->n_spans > MAX_SPANS)
        return;
    if (list->n_spans > 1)
        rf_sink_text(list->sink, ", ");
    if (list->n_spans == MAX_SPANS) {
        rf_sink_text(list->sink, "...");
        return;
    }
    rf_sink_i64(list->sink, list->span.first);
    if (list->span.last > list->span.first)
        rf_sink_char(list->sink, '-');
    if (list->span.last > list->span.first)
        rf_sink_i64(list->sink, list->span.last);
}

static void list_add(struct list *list, struct job_span span)
{
    const bool is_next = list->n_spans > 0 && span.first <= list->span.last + 1LL;
    if (list->n_spans > 0 && !is_next)
        put_span(list);
    list->n_spans += !is_next;
    if (!is_next)
        list->span = span;
    else if (span.last > list->span.last)
        list->span.last = span.last;
}

static void put_spans(struct rf_sink *sink, const struct job_span *spans, size_t n)
{
    struct list list = {.sink = sink};
    rf_sink_text(sink, n == 1 && spans->first == spans->last ? "rank " : "ranks ");
    for (size_t i = 0; i < n; i++)
        list_add(&list, spans[i]);
    put_span(&list);
}

/* ---- Ranks of the same fate ---- */

struct group {
    const struct job_rank **rank; /* by fate, then by rank */
    size_t n;
};

static int compare_fates(const struct job_rank *x, const struct job_rank *y)
{
    if (x->state != y->state)
        return (x->state > y->state) - (x->state < y->state);
    if (x->number != y->number)
        return (x->number > y->number) - (x->number < y->number);
    return strcmp(x->where, y->where);
}

static int compare(const void *a, const void *b)
{
    const struct job_rank *x = *(const struct job_rank *const *)a;
    const struct job_rank *y = *(const struct job_rank *const *)b;
    const int order = compare_fates(x, y);
    return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int64_t first_end(const struct group *group)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < group->n; i++)
        if (group->rank[i]->end_utc_ns < first)
            first = group->rank[i]->end_utc_ns;
    return first;
}

/* States in their order; who failed stands before who ended well. */
static int severity(const struct group *group)
{
    const struct job_rank *one = group->rank[0];
    return 2 * (int)one->state + (one->state == JOB_ENDED && one->number <= 0);
}

/* Those that died first come first: the others may have been ended for it. Of those that run the
 * fewest come first: they may be what the others wait for. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    const enum job_state state = x->rank[0]->state;
    if (severity(x) != severity(y))
        return severity(x) - severity(y);
    if (state != JOB_KILLED && state != JOB_GONE && x->n != y->n)
        return (x->n > y->n) - (x->n < y->n);
    const int64_t end_of_x = first_end(x), end_of_y = first_end(y);
    return (end_of_x > end_of_y) - (end_of_x < end_of_y);
}

/* "no event for 12.3 s to 14.0 s" */
static void put_idle(struct rf_sink *sink, const struct group *group)
{
    char a[32], b[32];
    int64_t least = INT64_MAX, most = RF_NO_TIME;
    for (size_t i = 0; i < group->n; i++) {
        const int64_t idle_ns = group->rank[i]->idle_ns;
        if (idle_ns == RF_NO_TIME)
            continue;
        least = idle_ns < least ? idle_ns : least;
        most = idle_ns > most ? idle_ns : most;
    }
    if (most == RF_NO_TIME) {
        rf_sink_text(sink, "no event yet");
        return;
    }
    rf_sink_format(sink, "no event for %s", rf_format_duration(a, sizeof(a), least));
    if (most > least)
        rf_sink_format(sink, " to %s", rf_format_duration(b, sizeof(b), most));
}

/* A session directory tells only on its own host whether it is live. */
static bool has_other_host(const struct group *group)
{
    char host[HOST_NAME_MAX + 1] = "";
    (void)gethostname(host, sizeof(host) - 1);
    for (size_t i = 0; i < group->n; i++)
        if (strcmp(group->rank[i]->host, host) != 0)
            return true;
    return false;
}

static void put_fate(struct rf_sink *sink, const struct group *group)
{
    const struct job_rank *one = group->rank[0];
    switch (one->state) {
    case JOB_KILLED:
        rf_sink_format(sink, "signal %d (%s)", one->number, strsignal(one->number));
        break;
    case JOB_GONE:
        rf_sink_text(sink, "ended without exit()");
        break;
    case JOB_LEFT:
        rf_sink_text(sink, "nobody saw the end");
        if (has_other_host(group))
            rf_sink_text(sink, " here; on another host it may still run");
        break;
    case JOB_RUNNING:
        put_idle(sink, group);
        break;
    case JOB_ENDED:
        if (one->number >= 0)
            rf_sink_format(sink, "status %d", one->number);
        else
            rf_sink_text(sink, "by exit()");
        break;
    default:
        rf_sink_text(sink, "the end is not in the file");
    }
}

/* "at 17:05:12.250" by the clock of its host, UTC */
static void put_time(struct rf_sink *sink, int64_t utc_ns)
{
    char text[32];
    struct tm tm;
    const time_t seconds = (time_t)(utc_ns / 1000000000);
    if (gmtime_r(&seconds, &tm) == NULL || strftime(text, sizeof(text), "%H:%M:%S", &tm) == 0)
        return;
    rf_sink_format(sink, ", at %s.%03d UTC", text, (int)(utc_ns / 1000000 % 1000));
}

static void put_group(struct rf_sink *sink, const struct group *group)
{
    static const char *const labels[] = {"killed",  "gone",  "left behind",
                                         "running", "ended", "saved"};
    const struct job_rank *one = group->rank[0];
    struct list list = {.sink = sink};
    rf_sink_format(sink, LABEL,
                   one->state == JOB_ENDED && one->number > 0 ? "failed" : labels[one->state]);
    rf_sink_text(sink, group->n == 1 ? "rank " : "ranks ");
    for (size_t i = 0; i < group->n; i++)
        list_add(&list, (struct job_span){group->rank[i]->rank, group->rank[i]->rank});
    put_span(&list);
    rf_sink_text(sink, ": ");
    put_fate(sink, group);
    if (one->where[0] != '\0') {
        rf_sink_text(sink, ", in ");
        rf_sink_printable(sink, one->where, strlen(one->where));
    } else if (one->state == JOB_RUNNING) {
        rf_sink_text(sink, ", outside of ranges");
    }
    if (one->state == JOB_KILLED || one->state == JOB_GONE)
        put_time(sink, first_end(group));
    rf_sink_char(sink, '\n');
}

static int put_groups(struct rf_sink *sink, const struct job *job, struct rf_err *err)
{
    const struct job_rank **rank = malloc(job->n * sizeof(*rank));
    struct group *group = malloc(job->n * sizeof(*group));
    size_t n = 0;
    int status =
        rank != NULL && group != NULL ? RF_OK : rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    if (status == RF_OK) {
        for (size_t i = 0; i < job->n; i++)
            rank[i] = &job->rank[i];
        qsort(rank, job->n, sizeof(*rank), compare);
        for (size_t i = 0; i < job->n; i++) {
            if (i == 0 || compare_fates(rank[i - 1], rank[i]) != 0)
                group[n++] = (struct group){&rank[i], 0};
            group[n - 1].n++;
        }
        qsort(group, n, sizeof(*group), compare_groups);
        for (size_t i = 0; i < n && i < MAX_GROUPS; i++)
            put_group(sink, &group[i]);
        if (n > MAX_GROUPS)
            rf_sink_format(sink, LABEL "%zu more places (--json lists all)\n", "", n - MAX_GROUPS);
    }
    free(group);
    free(rank);
    return status;
}

/* ---- What does not fit together ---- */

static void put_twice(struct rf_sink *sink, const struct job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < job->n; i++) {
        if (!job_is_twice(job, i) || ++n > MAX_GROUPS)
            continue;
        rf_sink_format(sink, LABEL "rank %" PRIi32 ": ", "twice", job->rank[i].rank);
        rf_sink_printable(sink, job->rank[i - 1].path, strlen(job->rank[i - 1].path));
        rf_sink_text(sink, ", ");
        rf_sink_printable(sink, job->rank[i].path, strlen(job->rank[i].path));
        rf_sink_char(sink, '\n');
    }
    if (n > MAX_GROUPS)
        rf_sink_format(sink, LABEL "%zu more (--json lists all)\n", "", n - MAX_GROUPS);
}

static void put_other_sizes(struct rf_sink *sink, const struct job *job)
{
    const int32_t size = job_world_size(job);
    struct list list = {.sink = sink};
    for (size_t i = 0; i < job->n; i++) {
        const struct job_rank *rank = &job->rank[i];
        if (rank->world_size < 0 || rank->world_size == size)
            continue;
        if (list.n_spans == 0)
            rf_sink_format(sink, LABEL "not of a job of %" PRIi32 ": ranks ", "other jobs", size);
        list_add(&list, (struct job_span){rank->rank, rank->rank});
    }
    if (list.n_spans > 0) {
        put_span(&list);
        rf_sink_char(sink, '\n');
    }
}

/* ---- The head ---- */

static size_t count_ranks(const struct job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < job->n; i++)
        n += i == 0 || job->rank[i].rank != job->rank[i - 1].rank;
    return n;
}

static void put_head(struct rf_sink *sink, const struct job *job)
{
    char a[32], b[32];
    const int32_t size = job_world_size(job);
    rf_sink_format(sink, LABEL "%s ", "job", rf_format_count(a, sizeof(a), count_ranks(job)));
    if (size >= 0)
        rf_sink_format(sink, "of %s ", rf_format_count(b, sizeof(b), (uint64_t)size));
    rf_sink_text(sink, "ranks");
    if (job->ranks != NULL)
        rf_sink_format(sink, "; to be recorded: --ranks %s", job->ranks);
    if (job->n_unread > 0)
        rf_sink_format(sink, "; %s input%s cannot be read",
                       rf_format_count(a, sizeof(a), job->n_unread), job->n_unread == 1 ? "" : "s");
    if (job->n_unranked > 0)
        rf_sink_format(sink, "; %s input%s without a rank",
                       rf_format_count(a, sizeof(a), job->n_unranked),
                       job->n_unranked == 1 ? "" : "s");
    rf_sink_char(sink, '\n');
}

int job_print(const struct job *job, struct rf_err *err)
{
    struct text_out out;
    struct job_span *missing;
    size_t n_missing;
    int status = job_find_missing(job, &missing, &n_missing, err);
    if (status == RF_OK)
        status = text_begin(&out, err);
    if (status != RF_OK) {
        free(missing);
        return status;
    }
    put_head(&out.sink, job);
    if (n_missing > 0) {
        rf_sink_format(&out.sink, LABEL, "missing");
        put_spans(&out.sink, missing, n_missing);
        rf_sink_char(&out.sink, '\n');
    }
    status = put_groups(&out.sink, job, err);
    put_twice(&out.sink, job);
    put_other_sizes(&out.sink, job);
    free(missing);
    const int written = text_end(&out, status == RF_OK ? err : NULL);
    return status == RF_OK ? written : status;
}
