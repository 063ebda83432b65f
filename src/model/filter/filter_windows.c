/* SPDX-License-Identifier: Apache-2.0 */
/* Times that users write, and windows of time. */
#include "model/filter/filter_windows.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

/* 73 years: later than any time of a recording. */
#define FAR_NS ((int64_t)1 << 61)

/* The nanoseconds of a unit; 0: unknown. */
static int64_t unit_ns(const char *text, size_t n)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"", 1000000000}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].name) == n && memcmp(units[i].name, text, n) == 0)
            return units[i].ns;
    return 0;
}

/* Parses a time that is exactly size bytes; false: it is not one. */
static bool parse_time(const char *text, size_t size, int64_t *ns)
{
    bool is_negative = size > 0 && text[0] == '-';
    size_t i = is_negative ? 1 : 0, n_digits = 0, point = 0;
    uint64_t whole = 0, fraction = 0, scale = 1;
    for (; i < size && text[i] >= '0' && text[i] <= '9'; i++, n_digits++)
        if (whole < (uint64_t)FAR_NS)
            whole = whole * 10 + (uint64_t)(text[i] - '0');
    if (i < size && text[i] == '.')
        for (point = ++i; i < size && text[i] >= '0' && text[i] <= '9'; i++, n_digits++)
            if (scale < 1000000000) {
                fraction = fraction * 10 + (uint64_t)(text[i] - '0');
                scale *= 10;
            }
    int64_t unit = unit_ns(text + i, size - i);
    if (n_digits == 0 || unit == 0)
        return false;
    unsigned __int128 sum = (unsigned __int128)whole * (uint64_t)unit;
    sum += point > 0 ? fraction * (uint64_t)unit / scale : 0;
    *ns = sum > (uint64_t)FAR_NS ? FAR_NS : (int64_t)sum;
    *ns = is_negative ? -*ns : *ns;
    return true;
}

int rf_filter_add_window(struct rf_filter *filter, int64_t begin_ns, int64_t end_ns,
                         struct rf_err *err)
{
    struct rf_filter_window *last = filter->window;
    if (filter->n_windows > 0) {
        last += filter->n_windows - 1;
        if (begin_ns <= last->end_ns) { /* no window begins earlier than the last */
            last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
            return RF_OK;
        }
    }
    if (rf_grow_array(&filter->window, filter->n_windows, &filter->window_room,
                      sizeof(*filter->window)) != RF_OK)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    filter->window[filter->n_windows++] = (struct rf_filter_window){begin_ns, end_ns};
    return RF_OK;
}

int rf_filter_set_time(struct rf_filter *filter, const char *text, struct rf_err *err)
{
    struct rf_filter_window limit = {-FAR_NS, FAR_NS};
    const char *slash = strchr(text, '/');
    size_t size = slash != NULL ? (size_t)(slash - text) : 0;
    bool is_valid = slash != NULL && (size == 0 || parse_time(text, size, &limit.begin_ns)) &&
                    (slash[1] == '\0' || parse_time(slash + 1, strlen(slash + 1), &limit.end_ns));
    if (!is_valid)
        return rf_fail(err, RF_ERR_USAGE,
                       "cannot use the time filter '%s': it is START/END in seconds or with s, ms, "
                       "us, ns, such as 1.5/2 or 300ms/",
                       text);
    if (limit.end_ns < limit.begin_ns)
        return rf_fail(err, RF_ERR_USAGE, "the time filter '%s' ends before it begins", text);
    if (!filter->has_windows) {
        filter->has_windows = true;
        return rf_filter_add_window(filter, limit.begin_ns, limit.end_ns, err);
    }
    size_t n = 0; /* windows that lie in both */
    for (size_t i = 0; i < filter->n_windows; i++) {
        struct rf_filter_window both = filter->window[i];
        both.begin_ns = both.begin_ns > limit.begin_ns ? both.begin_ns : limit.begin_ns;
        both.end_ns = both.end_ns < limit.end_ns ? both.end_ns : limit.end_ns;
        if (both.begin_ns <= both.end_ns)
            filter->window[n++] = both;
    }
    filter->n_windows = n;
    return RF_OK;
}

/* The first window that does not end before a time. */
static size_t first_window(const struct rf_filter *filter, int64_t ns)
{
    size_t low = 0, high = filter->n_windows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (filter->window[middle].end_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool rf_filter_touches(const struct rf_filter *filter, int64_t ns)
{
    const size_t i = first_window(filter, ns);
    return i < filter->n_windows &&
           (filter->window[i].end_ns == ns || filter->window[i].begin_ns == ns);
}

bool rf_filter_ends_at(const struct rf_filter *filter, int64_t ns)
{
    const size_t i = first_window(filter, ns);
    return i < filter->n_windows && filter->window[i].end_ns == ns;
}

bool rf_filter_has_time(const struct rf_filter *filter, int64_t start_ns, int64_t end_ns)
{
    if (!filter->has_windows)
        return true;
    for (size_t low = first_window(filter, start_ns);
         low < filter->n_windows && filter->window[low].begin_ns <= end_ns; low++) {
        const struct rf_filter_window *window = &filter->window[low];
        int64_t from = start_ns > window->begin_ns ? start_ns : window->begin_ns;
        int64_t to = end_ns < window->end_ns ? end_ns : window->end_ns;
        /* an interval that only touches a window is outside, unless one of the two is empty */
        if (to > from || start_ns == end_ns || window->begin_ns == window->end_ns)
            return true;
    }
    return false;
}
