/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_metrics/metrics_writer.h"

#include <signal.h>
#include <stdlib.h>

#include "cli/drain/bus_guard.h"
#include "cli/gpu_metrics/metrics_chunks.h"

/* ---- Work ---- */

/* Notes that samples are missing between the last one and end_ns. */
static void write_loss(struct metrics_writer *w, int64_t end_ns)
{
    const double lost = (double)(end_ns - w->last_end_ns) * w->hz / 1e9;
    const uint64_t n = lost > 0 ? (uint64_t)(lost + 0.5) : 0;
    metrics_chunks_write_loss(w, end_ns, n);
    w->n_lost += n;
    w->last_end_ns = end_ns;
    w->is_torn = false;
}

/* An image was full, or was not the last: the samples after it may be there, or lost. */
static void close_gap(struct metrics_writer *w, int64_t next_ns)
{
    if (w->is_torn && (double)(next_ns - w->last_end_ns) * w->hz > 1e9) {
        write_loss(w, next_ns);
        w->is_slow = true;
    }
    w->is_torn = false;
}

static int write_run(struct metrics_writer *w, const rf_pm_data *data, size_t first, size_t n,
                     struct rf_pm_error *err)
{
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    double *values = calloc(n * info->n_metrics, sizeof(*values));
    int status = RF_PM_OK;
    close_gap(w, (int64_t)info->start_ns[first]);
    if (values != NULL)
        status = rf_pm_data_evaluate(data, first, n, values, err);
    if (values != NULL && status == RF_PM_OK &&
        metrics_chunks_write_rows(w, info, first, n, values) == 0)
        w->n_samples += n;
    else
        w->n_lost += n;
    w->last_end_ns = (int64_t)info->end_ns[first + n - 1];
    free(values);
    return status;
}

/* Not all do: CUPTI 13.3 is reported to give some without times after an image that was full, and
 * some of no length after a stop. */
static bool covers_time(const struct rf_pm_data_info *info, size_t i)
{
    return info->start_ns[i] > 0 && info->end_ns[i] > info->start_ns[i];
}

/* Writes the valid samples. The first one after a start is not valid. */
static int write_samples(struct metrics_writer *w, const rf_pm_data *data, struct rf_pm_error *err)
{
    const struct rf_pm_data_info *info = rf_pm_data_get_info(data);
    int status = RF_PM_OK;
    for (size_t i = info->is_first ? 1 : 0; i < info->n_completed && status == RF_PM_OK;) {
        size_t first = i;
        while (i < info->n_completed && covers_time(info, i))
            i++;
        if (i > first)
            status = write_run(w, data, first, i - first, err);
        else
            i++;
    }
    return status;
}

static void fail(struct metrics_writer *w, const struct rf_pm_error *err)
{
    (void)pthread_mutex_lock(&w->lock);
    w->err = *err;
    (void)pthread_mutex_unlock(&w->lock);
}

/* After a failure samples are counted as lost: it stays. */
static void do_samples(struct metrics_writer *w, const struct metrics_work *work)
{
    struct rf_pm_error err;
    if (metrics_writer_has_failed(w, &err))
        w->n_lost += rf_pm_data_get_info(work->data)->n_completed;
    else if (write_samples(w, work->data, &err) != RF_PM_OK)
        fail(w, &err);
    w->is_torn = w->is_torn || work->is_torn;
    rf_pm_data_free(work->data);
}

static void set_reached(struct metrics_writer *w, int64_t ns)
{
    if (__atomic_load_n(&w->reached_ns, __ATOMIC_RELAXED) != INT64_MAX)
        __atomic_store_n(&w->reached_ns, ns, __ATOMIC_RELEASE);
}

static void do_work(struct metrics_writer *w, const struct metrics_work *work)
{
    switch (work->kind) {
    case METRICS_BEGIN:
        w->last_end_ns = work->ns;
        w->is_torn = false;
        break;
    case METRICS_SAMPLES:
        do_samples(w, work);
        break;
    case METRICS_LOSS:
        write_loss(w, work->ns);
        break;
    case METRICS_END:
        close_gap(w, work->ns);
        break;
    }
    set_reached(w, w->last_end_ns);
}

/* ---- The thread ---- */

static void *run(void *context)
{
    struct metrics_writer *w = context;
    (void)pthread_mutex_lock(&w->lock);
    while (w->n > 0 || !w->must_stop) {
        if (w->n == 0) {
            (void)pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&w->lock);
        do_work(w, &w->work[w->first]);
        (void)pthread_mutex_lock(&w->lock);
        w->first = (w->first + 1) % METRICS_WRITER_ROOM;
        w->n--;
        (void)pthread_cond_broadcast(&w->changed);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

void metrics_writer_start(struct metrics_writer *w, struct metrics_file *file)
{
    sigset_t all, before;
    w->file = file;
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->changed, NULL);
    bus_guard_thread_mask(&all); /* signals are the main thread's */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    w->is_running = pthread_create(&w->thread, NULL, run, w) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void metrics_writer_put(struct metrics_writer *w, const struct metrics_work *work)
{
    if (!w->is_running) {
        do_work(w, work);
        return;
    }
    (void)pthread_mutex_lock(&w->lock);
    while (w->n == METRICS_WRITER_ROOM)
        (void)pthread_cond_wait(&w->changed, &w->lock);
    w->work[(w->first + w->n++) % METRICS_WRITER_ROOM] = *work;
    (void)pthread_cond_broadcast(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
}

void metrics_writer_drain(struct metrics_writer *w)
{
    if (!w->is_running)
        return;
    (void)pthread_mutex_lock(&w->lock);
    while (w->n > 0)
        (void)pthread_cond_wait(&w->changed, &w->lock);
    (void)pthread_mutex_unlock(&w->lock);
}

int64_t metrics_writer_reached_ns(const struct metrics_writer *w)
{
    /* acquire: pairs with the release in set_reached(), before which the samples were written */
    return __atomic_load_n(&w->reached_ns, __ATOMIC_ACQUIRE);
}

void metrics_writer_finish(struct metrics_writer *w)
{
    metrics_writer_drain(w);
    set_reached(w, INT64_MAX);
}

bool metrics_writer_has_failed(struct metrics_writer *w, struct rf_pm_error *err)
{
    (void)pthread_mutex_lock(&w->lock);
    const bool has_failed = w->err.status != 0;
    if (has_failed)
        *err = w->err;
    (void)pthread_mutex_unlock(&w->lock);
    return has_failed;
}

void metrics_writer_stop(struct metrics_writer *w)
{
    if (w->file == NULL)
        return;
    (void)pthread_mutex_lock(&w->lock);
    w->must_stop = true;
    (void)pthread_cond_broadcast(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    if (w->is_running)
        (void)pthread_join(w->thread, NULL);
    w->is_running = false;
    (void)pthread_cond_destroy(&w->changed);
    (void)pthread_mutex_destroy(&w->lock);
    w->file = NULL;
}
