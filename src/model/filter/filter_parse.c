/* SPDX-License-Identifier: Apache-2.0 */
/* Parses filters. */
#include "model/filter/filter_parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "base/rank_list.h"
#include "model/filter/activities.h"
#include "model/filter/expression.h"
#include "model/filter/filter_nvtx.h"
#include "model/filter/filter_windows.h"
#include "model/filter/name_pattern.h"
#include "model/filter/selected.h"
#include "model/recording.h"

/* ---- Words of a list ---- */

/* Copies the next word of a list with commas; false: there are no more. */
static bool next_word(const char **at, char *word, size_t room)
{
    while (**at == ',')
        (*at)++;
    if (**at == '\0')
        return false;
    size_t n = strcspn(*at, ",");
    (void)snprintf(word, room, "%.*s", (int)n, *at);
    *at += n;
    return true;
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* ---- Processes, ranks, threads and GPUs ---- */

static bool is_process(const rf_recording *rec, uint32_t i, const char *word)
{
    const struct rf_process *process = rf_process_at(rec, i);
    const char *name = rf_string(rec, process->name, NULL);
    if (is_number(word) && strtoull(word, NULL, 10) == process->pid)
        return true;
    return name != NULL && strcmp(name, word) == 0;
}

static int fail_process(const rf_recording *rec, const char *word, struct rf_err *err)
{
    char list[400] = "";
    uint32_t n = rf_n_processes(rec);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const struct rf_process *process = rf_process_at(rec, i);
        const char *name = rf_string(rec, process->name, NULL);
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(list) - used, "%s%u %.30s", i > 0 ? ", " : "",
                       process->pid, name != NULL ? name : "");
    }
    return rf_fail(err, RF_ERR_NOT_FOUND, "no process '%.100s' in this recording; there are %s%s",
                   word, list, n > 8 ? ", ..." : "");
}

static int set_processes(struct rf_filter *filter, const rf_recording *rec, const char *text,
                         struct rf_err *err)
{
    char word[256];
    filter->keeps_process = calloc((size_t)rf_n_processes(rec) + 1, 1);
    if (filter->keeps_process == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    while (next_word(&text, word, sizeof(word))) {
        bool is_found = false;
        for (uint32_t i = 0; i < rf_n_processes(rec); i++)
            if (is_process(rec, i, word))
                filter->keeps_process[i] = is_found = true;
        if (!is_found)
            return fail_process(rec, word, err);
    }
    return RF_OK;
}

/* Processes that are not to stay for their rank are taken from those that are. */
static int set_ranks(struct rf_filter *filter, const rf_recording *rec, const char *list,
                     struct rf_err *err)
{
    const uint32_t n = rf_n_processes(rec);
    bool is_found = false;
    int status = rf_rank_list_check(list, err);
    if (status != RF_OK)
        return status;
    if (filter->keeps_process == NULL) {
        filter->keeps_process = malloc((size_t)n + 1);
        if (filter->keeps_process == NULL)
            return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
        memset(filter->keeps_process, 1, n);
    }
    for (uint32_t i = 0; i < n; i++)
        if (rf_rank_list_has(list, rf_process_at(rec, i)->rank))
            is_found = true;
        else
            filter->keeps_process[i] = 0;
    return is_found ? RF_OK
                    : rf_fail(err, RF_ERR_NOT_FOUND, "no process of rank %.100s in this recording",
                              list);
}

static bool is_thread(const rf_recording *rec, uint32_t i, const char *word)
{
    const struct rf_thread *thread = rf_thread_at(rec, i);
    const char *name = rf_string(rec, thread->name, NULL);
    if (is_number(word) && strtoull(word, NULL, 10) == thread->tid)
        return true;
    return name != NULL && strcmp(name, word) == 0;
}

static int fail_thread(const rf_recording *rec, const char *word, struct rf_err *err)
{
    char list[400] = "";
    uint32_t n = rf_n_threads(rec);
    for (uint32_t i = 0; i < n && i < 8; i++) {
        const struct rf_thread *thread = rf_thread_at(rec, i);
        const char *name = rf_string(rec, thread->name, NULL);
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(list) - used, "%s%u%s%.30s", i > 0 ? ", " : "",
                       thread->tid, name != NULL ? " " : "", name != NULL ? name : "");
    }
    return rf_fail(err, RF_ERR_NOT_FOUND, "no thread '%.100s' in this recording; there are %s%s",
                   word, list, n > 8 ? ", ..." : "");
}

static int set_threads(struct rf_filter *filter, const rf_recording *rec, const char *text,
                       struct rf_err *err)
{
    char word[256];
    filter->keeps_thread = calloc((size_t)rf_n_threads(rec) + 1, 1);
    if (filter->keeps_thread == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    while (next_word(&text, word, sizeof(word))) {
        bool is_found = false;
        for (uint32_t i = 0; i < rf_n_threads(rec); i++)
            if (is_thread(rec, i, word))
                filter->keeps_thread[i] = is_found = true;
        if (!is_found)
            return fail_thread(rec, word, err);
    }
    return RF_OK;
}

bool rf_filter_has_thread(const struct rf_filter *filter, uint32_t thread)
{
    return filter->keeps_thread == NULL || (thread != RF_NO_INDEX && filter->keeps_thread[thread]);
}

static bool has_device(const rf_recording *rec, uint32_t device)
{
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++)
        if (rf_gpu_track_at(rec, i)->device == device)
            return true;
    for (uint32_t i = 0; i < rf_n_gpus(rec); i++)
        if (rf_gpu_at(rec, i)->id == device)
            return true;
    for (uint32_t i = 0; i < rf_n_counters(rec); i++)
        if (rf_counter_at(rec, i)->device == device)
            return true;
    return false;
}

/* A recording that was summed up as it was read may have no tracks: it has been seen. */
static bool is_device(const rf_recording *rec, const char *word, uint32_t device)
{
    return strlen(word) <= 9 &&
           (rec == NULL || (rec->selected != NULL && rec->selected->has_gpus) ||
            has_device(rec, device));
}

int rf_filter_set_gpus(struct rf_filter *filter, const rf_recording *rec, const char *text,
                       struct rf_err *err)
{
    char word[64];
    filter->gpu = calloc(strlen(text) + 1, sizeof(*filter->gpu));
    if (filter->gpu == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    while (next_word(&text, word, sizeof(word))) {
        uint32_t device = (uint32_t)strtoul(word, NULL, 10);
        if (!is_number(word))
            return rf_fail(err, RF_ERR_USAGE, "'%s' is no number of a GPU", word);
        if (!is_device(rec, word, device))
            return rf_fail(err, RF_ERR_NOT_FOUND, "no GPU '%s' in this recording", word);
        filter->gpu[filter->n_gpus++] = device;
    }
    return RF_OK;
}

bool rf_filter_has_gpu(const struct rf_filter *filter, uint32_t device)
{
    if (filter->gpu == NULL)
        return true;
    for (size_t i = 0; i < filter->n_gpus; i++)
        if (filter->gpu[i] == device)
            return true;
    return false;
}

/* ---- Activities ---- */

struct activity {
    const char *name;
    unsigned activities;
    bool is_alias; /* messages do not list it */
};

static const struct activity of_cpu[] = {
    {"nvtx", RF_ACTIVITY_NVTX, false},
    {"api", RF_ACTIVITY_RUNTIME | RF_ACTIVITY_DRIVER, false},
    {"runtime", RF_ACTIVITY_RUNTIME, false},
    {"driver", RF_ACTIVITY_DRIVER, false},
    {"osrt", RF_ACTIVITY_OS, false},
    {"gpu", RF_ACTIVITY_WORK, false},
};
static const struct activity others[] = {
    {"cuda-event", RF_ACTIVITY_CUDA_EVENT, false},
    {"memory", RF_ACTIVITY_MEMORY, false},
    {"gpu-metrics", RF_ACTIVITY_METRICS, false},
    {"overhead", RF_ACTIVITY_OVERHEAD, false},
    {"library", RF_ACTIVITY_LIBRARY, false},
    {"cuda-api", RF_ACTIVITY_RUNTIME | RF_ACTIVITY_DRIVER, true},
};

#define N_OF(array)    (sizeof(array) / sizeof((array)[0]))
#define MAX_ACTIVITIES (N_OF(of_cpu) + N_OF(others) + RF_MAX_KINDS)

/* In the order of the message, in which the kinds of GPU work follow "gpu". Returns how many. */
static size_t list_activities(struct activity list[MAX_ACTIVITIES])
{
    size_t n = N_OF(of_cpu);
    memcpy(list, of_cpu, sizeof(of_cpu));
    for (unsigned kind = 1; kind < rf_op_fields.n_kinds; kind++)
        list[n++] =
            (struct activity){rf_op_fields.kind[kind].name, RF_ACTIVITY_OF_WORK(kind), false};
    memcpy(list + n, others, sizeof(others));
    return n + N_OF(others);
}

static int fail_activity(const char *word, const struct activity *list, size_t n,
                         struct rf_err *err)
{
    const char *names[MAX_ACTIVITIES];
    char known[256] = "";
    for (size_t i = 0, used = 0; i < n; i++) {
        names[i] = list[i].name;
        if (!list[i].is_alias && used < sizeof(known))
            used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
                                     used > 0 ? ", " : "", names[i]);
    }
    const char *near = rf_nearest_name(word, names, n);
    return rf_fail(err, RF_ERR_USAGE, "unknown activity '%s'%s%s%s (known: %s)", word,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "", known);
}

static int add_activity(struct rf_filter *filter, const char *word, struct rf_err *err)
{
    struct activity list[MAX_ACTIVITIES];
    size_t n = list_activities(list);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(word, list[i].name) == 0) {
            filter->activities |= list[i].activities;
            return RF_OK;
        }
    }
    return fail_activity(word, list, n, err);
}

static int set_activities(struct rf_filter *filter, const char *text, struct rf_err *err)
{
    char word[64];
    int status = RF_OK;
    filter->activities = 0;
    while (status == RF_OK && next_word(&text, word, sizeof(word)))
        status = add_activity(filter, word, err);
    return status;
}

/* ---- Payloads ---- */

static int set_payloads(struct rf_filter *filter, const rf_recording *rec,
                        const char *const *payloads, size_t n, struct rf_err *err)
{
    int status = RF_OK;
    if (payloads == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_filter: payloads is NULL, and n_payloads is not 0");
    filter->payload = calloc(n, sizeof(*filter->payload));
    if (filter->payload == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    while (filter->n_payloads < n && status == RF_OK) {
        size_t i = filter->n_payloads++;
        const char *text = payloads[i] != NULL ? payloads[i] : "";
        status = rf_payload_test_init(&filter->payload[i], rec, text, err);
    }
    return status;
}

/* ---- The filter ---- */

/* A list without names is an error: nothing would be left. */
static int check_list(const char *text, const char *what, struct rf_err *err)
{
    if (text == NULL || text[strspn(text, ",")] != '\0')
        return RF_OK;
    return rf_fail(err, RF_ERR_USAGE, "the filter names no %s", what);
}

int rf_filter_init(struct rf_filter *filter, const rf_recording *rec,
                   const struct rf_filter_options *options, struct rf_err *err)
{
    int status;
    memset(filter, 0, sizeof(*filter));
    filter->activities = RF_ACTIVITY_ALL;
    filter->has_no_cut = options->without_cut != 0;
    status = check_list(options->processes, "process", err);
    if (status == RF_OK)
        status = check_list(options->gpus, "GPU", err);
    if (status == RF_OK)
        status = check_list(options->threads, "thread", err);
    if (status == RF_OK)
        status = check_list(options->activities, "activity", err);
    if (status == RF_OK && options->processes != NULL)
        status = set_processes(filter, rec, options->processes, err);
    if (status == RF_OK && options->ranks != NULL)
        status = set_ranks(filter, rec, options->ranks, err);
    if (status == RF_OK && options->threads != NULL)
        status = set_threads(filter, rec, options->threads, err);
    if (status == RF_OK && options->nvtx != NULL)
        status = rf_filter_add_ranges(filter, rec, options->nvtx, err);
    if (status == RF_OK && options->time != NULL)
        status = rf_filter_set_time(filter, options->time, err);
    if (status == RF_OK && options->gpus != NULL)
        status = rf_filter_set_gpus(filter, rec, options->gpus, err);
    if (status == RF_OK && options->activities != NULL)
        status = set_activities(filter, options->activities, err);
    if (status == RF_OK && options->names != NULL)
        status = rf_name_pattern_init(&filter->name, rec, options->names, err);
    if (status == RF_OK && options->kernels != NULL)
        status = rf_name_pattern_init(&filter->kernel, rec, options->kernels, err);
    if (status == RF_OK && options->n_payloads > 0)
        status = set_payloads(filter, rec, options->payloads, options->n_payloads, err);
    return status;
}

int rf_filter_check(const struct rf_filter *filter, struct rf_err *err)
{
    const struct rf_err *failed =
        filter->name.failed.code != RF_OK ? &filter->name.failed : &filter->kernel.failed;
    int status = failed->code != RF_OK ? rf_fail(err, failed->code, "%s", failed->text) : RF_OK;
    for (size_t i = 0; i < filter->n_payloads && status == RF_OK; i++)
        status = rf_payload_test_check(&filter->payload[i], err);
    return status;
}

void rf_filter_release(struct rf_filter *filter)
{
    free(filter->window);
    free(filter->keeps_process);
    free(filter->keeps_thread);
    free(filter->gpu);
    free(filter->name.known);
    free(filter->kernel.known);
    for (size_t i = 0; i < filter->n_payloads; i++)
        rf_payload_test_release(&filter->payload[i]);
    free(filter->payload);
    rf_expression_free(filter->name.expression);
    rf_expression_free(filter->kernel.expression);
}
