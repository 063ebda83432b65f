/* SPDX-License-Identifier: Apache-2.0 */
#include "base/expression.h"

#include <stddef.h>
#include <string.h>

/* A group that is open: its size, and the size of the last thing in it, which a repetition copies.
 */
struct group {
    size_t size, last;
};

/* Behind the '{' at *at: how many copies "{2,5}" asks for, and *at is at its end; 1 where it is no
 * repetition. "{2,}" is two and a third that is there any number of times. */
static size_t count_copies(const char **at)
{
    size_t least = 0, most = 0, *n = &least;
    const char *p = *at + 1;
    for (; *p != '\0' && *p != '}'; p++) {
        if (*p == ',')
            n = &most;
        else if (*p < '0' || *p > '9')
            return 1;
        else if (*n <= RF_EXPRESSION_MAX_COPIES)
            *n = *n * 10 + (size_t)(*p - '0');
    }
    if (*p == '\0')
        return 1;
    *at = p;
    if (n == &most && most == 0)
        most = least + 1;
    least = most > least ? most : least;
    return least > 1 ? least : 1;
}

/* Behind the '[': its end. "]" first, or behind "^", belongs to it, and so does what stands in
 * [:...:], [=...=] and [.....]. */
static const char *end_of_set(const char *p)
{
    p += *p == '^';
    p += *p == ']';
    while (*p != '\0' && *p != ']') {
        if (*p == '[' && p[1] != '\0' && strchr(":=.", p[1]) != NULL) {
            char end[3] = {p[1], ']', '\0'};
            const char *close = strstr(p + 2, end);
            p = close != NULL ? close + 1 : p;
        }
        p++;
    }
    return p;
}

static void add(struct group *group, size_t size)
{
    group->size += size;
    group->last = size;
}

const char *rf_expression_too_costly(const char *expression)
{
    struct group group[RF_EXPRESSION_MAX_DEPTH + 1] = {{0, 0}};
    size_t depth = 0;
    if (strlen(expression) > RF_EXPRESSION_MAX_SIZE)
        return "it has more than 1000 bytes";
    for (const char *p = expression; *p != '\0'; p++) {
        if (*p == '\\' && p[1] != '\0') {
            if (*++p >= '1' && *p <= '9')
                return "it refers back to a group, as \\1 does";
            add(&group[depth], 1);
        } else if (*p == '(') {
            if (depth == RF_EXPRESSION_MAX_DEPTH)
                return "its groups are more than 50 deep";
            group[++depth] = (struct group){0, 0};
        } else if (*p == ')' && depth > 0) {
            depth--;
            add(&group[depth], group[depth + 1].size + 1);
        } else if (*p == '{' || *p == '+') { /* "a+" is made of "a" and "a*" */
            size_t n_copies = *p == '+' ? 2 : count_copies(&p);
            size_t more = (n_copies - 1) * group[depth].last;
            group[depth].size += more;
            group[depth].last += more;
        } else if (*p == '*' || *p == '?') {
            continue;
        } else {
            if (*p == '[')
                p = end_of_set(p + 1);
            add(&group[depth], 1);
            if (*p == '\0')
                break;
        }
        if (group[depth].size > RF_EXPRESSION_MAX_COPIES)
            return "it repeats too much: more than 1000 characters, written out";
    }
    return NULL;
}
