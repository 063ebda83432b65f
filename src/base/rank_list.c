/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rank_list.h"

#include "base/error.h"

struct span {
    int64_t first, last;
};

/* Returns false where no number below 2^31 stands there. */
static bool next_number(const char **at, int64_t *number)
{
    const char *begin = *at;
    for (*number = 0; **at >= '0' && **at <= '9' && *number <= INT32_MAX; (*at)++)
        *number = *number * 10 + (**at - '0');
    return *at > begin && *number <= INT32_MAX;
}

/* The next ranks of a list, and the comma behind them; returns false where that is none. */
static bool next_span(const char **at, struct span *span)
{
    if (!next_number(at, &span->first))
        return false;
    span->last = span->first;
    if (**at == '-') {
        (*at)++;
        if (!next_number(at, &span->last))
            return false;
    }
    if (**at == ',' && (*at)[1] != '\0')
        (*at)++;
    else if (**at != '\0')
        return false;
    return span->first <= span->last;
}

int rf_rank_list_check(const char *list, struct rf_err *err)
{
    struct span span;
    const char *at = list;
    do {
        if (!next_span(&at, &span))
            return rf_fail(err, RF_ERR_USAGE, "'%.100s' is no list of ranks, such as 0,8-15", list);
    } while (*at != '\0');
    return RF_OK;
}

bool rf_rank_list_has(const char *list, int64_t rank)
{
    struct span span;
    for (const char *at = list; *at != '\0' && next_span(&at, &span);)
        if (rank >= span.first && rank <= span.last)
            return true;
    return false;
}
