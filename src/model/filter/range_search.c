/* SPDX-License-Identifier: Apache-2.0 */
#include "model/filter/range_search.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/nearest.h"
#include "base/sorting.h"

/* How many names are compared with one that is not there. */
#define MAX_NAMES 10000

/* ---- The text ---- */

/* Splits /INDEX and @DOMAIN off the message. Returns false if one that is asked for is missing. */
static bool split(struct rf_wanted_range *wanted, bool with_index, bool with_domain)
{
    if (with_index) {
        char *slash = strrchr(wanted->message, '/');
        if (slash == NULL || slash[1] == '\0' || strlen(slash + 1) > 18 ||
            slash[1 + strspn(slash + 1, "0123456789")] != '\0')
            return false;
        wanted->index = strtoull(slash + 1, NULL, 10);
        wanted->has_index = true;
        *slash = '\0';
    }
    if (with_domain) {
        char *at = strrchr(wanted->message, '@');
        if (at == NULL)
            return false;
        wanted->domain = at + 1;
        *at = '\0';
    }
    return true;
}

int rf_wanted_range_init(struct rf_wanted_range *wanted, const char *text, int way)
{
    *wanted = (struct rf_wanted_range){.message = strdup(text)};
    if (wanted->message == NULL)
        return RF_ERR_NO_MEMORY;
    if (!split(wanted, (way & 1) != 0, (way & 2) != 0)) {
        free(wanted->message);
        wanted->message = NULL;
    }
    return RF_OK;
}

/* ---- The ranges ---- */

static uint32_t find_string(const rf_recording *rec, const char *text)
{
    size_t size, wanted_size = strlen(text);
    for (uint32_t i = 0; i < rf_n_strings(rec); i++) {
        const char *is = rf_string(rec, i, &size);
        if (size == wanted_size && memcmp(is, text, size) == 0)
            return i;
    }
    return RF_NO_STRING;
}

bool rf_wants_domain(const struct rf_wanted_range *wanted, const rf_recording *rec, uint32_t domain)
{
    const struct rf_domain *of = rf_domain_at(rec, domain);
    if (wanted->domain == NULL)
        return true;
    if (wanted->domain[0] == '\0')
        return of->id == 0 && of->is_valid;
    const char *is = rf_string(rec, of->name, NULL);
    return is != NULL && strcmp(is, wanted->domain) == 0;
}

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static int add_of_thread(struct rf_found_ranges *found, const rf_recording *rec, uint32_t thread,
                         uint32_t name, const struct rf_wanted_range *wanted)
{
    size_t n;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++) {
        if (event[i].name != name || !is_range(&event[i]) ||
            !rf_wants_domain(wanted, rec, event[i].domain))
            continue;
        if (rf_grow_array(&found->range, found->n, &found->room, sizeof(*found->range)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        found->range[found->n++] =
            (struct rf_found_range){event[i].start_ns, event[i].end_ns, thread, i};
    }
    return RF_OK;
}

static int find(struct rf_found_ranges *found, const rf_recording *rec,
                const struct rf_wanted_range *wanted, const uint8_t *keeps_process)
{
    uint32_t name = find_string(rec, wanted->message);
    int status = RF_OK;
    if (name == RF_NO_STRING)
        return RF_OK;
    for (uint32_t i = 0; i < rf_n_threads(rec) && status == RF_OK; i++)
        if (keeps_process == NULL || keeps_process[rf_thread_at(rec, i)->process])
            status = add_of_thread(found, rec, i, name, wanted);
    return status;
}

int rf_compare_found_ranges(const void *left, const void *right)
{
    const struct rf_found_range *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}

/* Sorts what was found, and leaves the one of the index. */
static int choose(struct rf_found_ranges *found, const struct rf_wanted_range *wanted,
                  const char *text, struct rf_err *err)
{
    if (wanted->has_index && wanted->index >= found->n)
        return rf_fail(err, RF_ERR_NOT_FOUND,
                       "no range '%s': there are %zu of this name, and the first has index 0", text,
                       found->n);
    rf_sort_unordered(found->range, found->n, sizeof(*found->range), rf_compare_found_ranges);
    if (wanted->has_index) {
        found->range[0] = found->range[wanted->index];
        found->n = 1;
        found->is_indexed = true;
    }
    return RF_OK;
}

/* ---- Names that do not exist ---- */

/* Lists the names of ranges, each once. */
static size_t list_names(const rf_recording *rec, const char **names, uint8_t *is_listed)
{
    size_t n_names = 0, n;
    for (uint32_t thread = 0; thread < rf_n_threads(rec); thread++) {
        const struct rf_event *event = rf_thread_events(rec, thread, &n);
        for (size_t i = 0; i < n && n_names < MAX_NAMES; i++) {
            const char *name = rf_string(rec, event[i].name, NULL);
            if (!is_range(&event[i]) || name == NULL || is_listed[event[i].name])
                continue;
            is_listed[event[i].name] = 1;
            names[n_names++] = name;
        }
    }
    return n_names;
}

static int fail_missing(const rf_recording *rec, const char *text, struct rf_err *err)
{
    struct rf_wanted_range wanted = {.message = strdup(text)};
    const char **names = calloc(MAX_NAMES, sizeof(*names));
    uint8_t *is_listed = calloc((size_t)rf_n_strings(rec) + 1, 1);
    const char *near = NULL;
    int status;
    if (wanted.message == NULL || names == NULL || is_listed == NULL) {
        status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    } else {
        (void)split(&wanted, true, false);
        (void)split(&wanted, false, true);
        near = rf_nearest_name(wanted.message, names, list_names(rec, names, is_listed));
        status = rf_fail(err, RF_ERR_NOT_FOUND,
                         "no range '%s' in this recording; %s%s%s'rangefinder stats -r nvtx_sum' "
                         "lists the ranges",
                         text, near != NULL ? "did you mean '" : "", near != NULL ? near : "",
                         near != NULL ? "'? " : "");
    }
    free(is_listed);
    free(names);
    free(wanted.message);
    return status;
}

/* ---- The search ---- */

int rf_find_ranges(const rf_recording *rec, const char *text, const uint8_t *keeps_process,
                   struct rf_found_ranges *found, struct rf_err *err)
{
    int status = RF_OK;
    *found = (struct rf_found_ranges){.n = 0};
    for (int way = 0; way < RF_WAYS_TO_READ && found->n == 0 && status == RF_OK; way++) {
        struct rf_wanted_range wanted;
        status = rf_wanted_range_init(&wanted, text, way);
        if (status == RF_OK && wanted.message != NULL)
            status = find(found, rec, &wanted, keeps_process);
        if (status != RF_OK)
            (void)rf_fail(err, status, "out of memory");
        else if (found->n > 0)
            status = choose(found, &wanted, text, err);
        free(wanted.message);
    }
    return status == RF_OK && found->n == 0 ? fail_missing(rec, text, err) : status;
}

void rf_found_ranges_release(struct rf_found_ranges *found)
{
    free(found->range);
    *found = (struct rf_found_ranges){.n = 0};
}
