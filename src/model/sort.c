/* SPDX-License-Identifier: Apache-2.0 */
/* A stable merge sort of events: streams are almost sorted, so that it begins with the runs that
 * are there. */
#include "model/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef bool (*is_after_fn)(const struct rf_event *a, const struct rf_event *b);

static bool starts_after(const struct rf_event *a, const struct rf_event *b)
{
    return a->start_ns > b->start_ns;
}

static bool ends_before(const struct rf_event *a, const struct rf_event *b)
{
    int64_t a_end = a->end_ns == RF_NO_TIME ? a->start_ns : a->end_ns;
    int64_t b_end = b->end_ns == RF_NO_TIME ? b->start_ns : b->end_ns;
    return a_end < b_end;
}

static bool nests_after(const struct rf_event *a, const struct rf_event *b)
{
    return a->start_ns != b->start_ns ? starts_after(a, b) : ends_before(a, b);
}

/* Merges from[0..middle) and from[middle..n) into to. */
static void merge(const struct rf_event *from, size_t middle, size_t n, struct rf_event *to,
                  is_after_fn is_after)
{
    size_t a = 0, b = middle;
    for (size_t i = 0; i < n; i++) {
        bool is_b_next = a == middle || (b < n && is_after(&from[a], &from[b]));
        to[i] = is_b_next ? from[b++] : from[a++];
    }
}

static size_t run_end(const struct rf_event *event, size_t from, size_t n, is_after_fn is_after)
{
    size_t end = from + 1;
    while (end < n && !is_after(&event[end - 1], &event[end]))
        end++;
    return end < n ? end : n;
}

static int sort(struct rf_event *event, size_t n, is_after_fn is_after)
{
    struct rf_event *spare = NULL, *from = event, *to;
    if (n < 2 || run_end(event, 0, n, is_after) == n)
        return RF_OK;
    spare = malloc(n * sizeof(*spare));
    if (spare == NULL)
        return RF_ERR_NO_MEMORY;
    to = spare;
    while (run_end(from, 0, n, is_after) < n) {
        for (size_t at = 0; at < n;) {
            size_t middle = run_end(from, at, n, is_after);
            size_t end = middle < n ? run_end(from, middle, n, is_after) : n;
            merge(from + at, middle - at, end - at, to + at, is_after);
            at = end;
        }
        struct rf_event *swap = from;
        from = to;
        to = swap;
    }
    if (from != event)
        memcpy(event, from, n * sizeof(*event));
    free(spare);
    return RF_OK;
}

int rf_sort_events(struct rf_event *event, size_t n)
{
    return sort(event, n, starts_after);
}

int rf_sort_enclosing(struct rf_event *event, size_t n)
{
    return sort(event, n, ends_before);
}

int rf_sort_nested(struct rf_event *event, size_t n)
{
    return sort(event, n, nests_after);
}
