/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as windows of time: MESSAGE[@DOMAIN][/INDEX]. A message may contain @ and /, so the whole
 * text is tried as a message first. */
#include "model/filter/filter_nvtx.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/filter/filter_windows.h"
#include "model/recording.h"

/* One reading of the text. */
struct wanted {
    char *message;
    const char *domain; /* in the text; NULL: any; "": the default one */
    bool has_index;
    uint64_t index;
};

struct found {
    struct rf_filter_window *window;
    size_t n, room;
    bool has_no_memory;
};

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

static bool is_domain(const rf_recording *rec, uint32_t index, const char *name)
{
    const struct rf_domain *domain = rf_domain_at(rec, index);
    const char *is = rf_string(rec, domain->name, NULL);
    if (name == NULL)
        return true;
    if (name[0] == '\0')
        return domain->id == 0 && domain->is_valid;
    return is != NULL && strcmp(is, name) == 0;
}

static void add(struct found *found, const struct rf_event *event)
{
    if (rf_grow_array(&found->window, found->n, &found->room, sizeof(*found->window)) != RF_OK) {
        found->has_no_memory = true;
        return;
    }
    found->window[found->n++] = (struct rf_filter_window){event->start_ns, event->end_ns};
}

static void find_ranges(struct found *found, const struct rf_filter *filter,
                        const rf_recording *rec, const struct wanted *wanted)
{
    uint32_t name = find_string(rec, wanted->message);
    if (name == RF_NO_STRING)
        return;
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, i, &n);
        if (filter->keeps_process != NULL && !filter->keeps_process[rf_thread_at(rec, i)->process])
            continue;
        for (size_t k = 0; k < n; k++)
            if (event[k].name == name &&
                (event[k].kind == RF_EVENT_PUSH_POP || event[k].kind == RF_EVENT_START_END) &&
                is_domain(rec, event[k].domain, wanted->domain))
                add(found, &event[k]);
    }
}

/* Splits /INDEX and @DOMAIN off the message. Returns false if one that is asked for is missing. */
static bool split(struct wanted *wanted, bool with_index, bool with_domain)
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

static int compare(const void *left, const void *right)
{
    const struct rf_filter_window *a = left, *b = right;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Makes the found ranges, or the one of the index, windows. */
static int add_windows(struct rf_filter *filter, struct found *found, const struct wanted *wanted,
                       const char *text, struct rf_err *err)
{
    size_t first = 0, end = found->n;
    int status = RF_OK;
    if (wanted->has_index && wanted->index >= found->n)
        return rf_fail(err, RF_ERR_USAGE,
                       "no range '%s': there are %zu of this name, and the first has index 0", text,
                       found->n);
    qsort(found->window, found->n, sizeof(*found->window), compare);
    if (wanted->has_index) {
        first = (size_t)wanted->index;
        end = first + 1;
    }
    filter->has_windows = true;
    for (size_t i = first; i < end && status == RF_OK; i++)
        status =
            rf_filter_add_window(filter, found->window[i].begin_ns, found->window[i].end_ns, err);
    return status;
}

int rf_filter_add_ranges(struct rf_filter *filter, const rf_recording *rec, const char *text,
                         struct rf_err *err)
{
    struct found found = {.n = 0};
    int status = RF_OK;
    for (int way = 0; way < 4 && found.n == 0 && status == RF_OK; way++) {
        struct wanted wanted = {.message = strdup(text)};
        if (wanted.message == NULL)
            found.has_no_memory = true;
        else if (split(&wanted, (way & 1) != 0, (way & 2) != 0))
            find_ranges(&found, filter, rec, &wanted);
        if (found.has_no_memory)
            status = rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
        else if (found.n > 0)
            status = add_windows(filter, &found, &wanted, text, err);
        free(wanted.message);
    }
    if (found.n == 0 && status == RF_OK)
        status = rf_fail(err, RF_ERR_USAGE,
                         "no range '%s' in this recording; 'rangefinder stats -r nvtx_sum' lists "
                         "the ranges",
                         text);
    free(found.window);
    return status;
}
