/* SPDX-License-Identifier: Apache-2.0 */
/* The value is written anew, its objects with all their members; at the end of each object those
 * that come again are taken out. */
#include "import/kineto_twice.h"

#include <stdlib.h>

#include "base/grow.h"
#include "import/kineto_json.h"
#include "rangefinder/rangefinder.h"

/* A member as it was written: offsets. */
struct written {
    size_t begin, key_end, end;
    bool is_dropped;
};

struct rewriting {
    char *begin, *to;
    struct written *member; /* of the objects that are open, the innermost last */
    size_t n, room;
    bool has_twice, is_out_of_memory;
};

/* ---- One object ---- */

static int compare_keys(const void *left, const void *right, void *context)
{
    const struct written *a = left, *b = right;
    const char *text = context;
    const size_t n_a = a->key_end - a->begin, n_b = b->key_end - b->begin;
    const int order = memcmp(text + a->begin, text + b->begin, n_a < n_b ? n_a : n_b);
    return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

static int compare_keys_and_places(const void *left, const void *right, void *context)
{
    const struct written *a = left, *b = right;
    const int order = compare_keys(a, b, context);
    return order != 0 ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

static int compare_places(const void *left, const void *right)
{
    const struct written *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Moves the members that stay together. */
static void take_out(struct rewriting *all, const struct written *member, size_t n)
{
    char *to = all->begin + member[0].begin;
    for (size_t i = 0, n_kept = 0; i < n; i++) {
        const size_t size = member[i].end - member[i].begin;
        if (member[i].is_dropped)
            continue;
        if (n_kept++ > 0)
            *to++ = ',';
        memmove(to, all->begin + member[i].begin, size);
        to += size;
    }
    all->to = to;
}

static void drop_twice(struct rewriting *all, size_t first)
{
    struct written *member = all->member + first;
    const size_t n = all->n - first;
    bool has_twice = false;
    if (n < 2)
        return;
    qsort_r(member, n, sizeof(*member), compare_keys_and_places, all->begin);
    for (size_t i = 0; i + 1 < n; i++) {
        member[i].is_dropped = compare_keys(&member[i], &member[i + 1], all->begin) == 0;
        has_twice |= member[i].is_dropped;
    }
    all->has_twice |= has_twice;
    if (!has_twice)
        return;
    qsort(member, n, sizeof(*member), compare_places);
    take_out(all, member, n);
}

/* ---- All of them ---- */

static bool put_any(struct rewriting *all, struct kineto_scan *scan);

static bool put_member(struct rewriting *all, struct kineto_scan *scan)
{
    struct kineto_value key;
    struct written member = {.begin = (size_t)(all->to - all->begin)};
    if (!kineto_scan_key(scan, &key))
        return false;
    all->to = kineto_put_value(all->to, &key);
    member.key_end = (size_t)(all->to - all->begin);
    *all->to++ = ':';
    if (!put_any(all, scan))
        return false;
    member.end = (size_t)(all->to - all->begin);
    if (rf_grow_array(&all->member, all->n, &all->room, sizeof(*all->member)) != RF_OK) {
        all->is_out_of_memory = true;
        return false;
    }
    all->member[all->n++] = member;
    return true;
}

/* An object or list, whose bracket comes next. The scanner limits how deep they are. */
static bool put_open(struct rewriting *all, struct kineto_scan *scan, char close)
{
    const size_t first = all->n;
    bool is_end = false;
    *all->to++ = *scan->at++;
    if (kineto_peek(scan) == close) {
        scan->at++;
        is_end = true;
    }
    while (!is_end) {
        if (!(close == '}' ? put_member(all, scan) : put_any(all, scan)) ||
            !kineto_scan_next(scan, close, &is_end))
            return false;
        if (!is_end)
            *all->to++ = ',';
    }
    drop_twice(all, first);
    all->n = first;
    *all->to++ = close;
    return true;
}

static bool put_any(struct rewriting *all, struct kineto_scan *scan)
{
    struct kineto_value value;
    const char c = kineto_peek(scan);
    if (c == '{' || c == '[')
        return put_open(all, scan, c == '{' ? '}' : ']');
    if (!kineto_scan_value(scan, &value))
        return false;
    all->to = kineto_put_value(all->to, &value);
    return true;
}

char *kineto_put_without_twice(char *to, const struct kineto_value *value)
{
    struct rewriting all = {.begin = to, .to = to};
    struct kineto_scan scan = {.at = value->at, .end = value->at + value->size};
    /* it was scanned before: nothing but memory can be missing */
    const bool is_written = put_any(&all, &scan);
    free(all.member);
    if (all.is_out_of_memory)
        return NULL;
    return is_written && all.has_twice ? all.to : to;
}
