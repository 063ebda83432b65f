/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session_summary.h"

#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "log/counts.h"
#include "log/cuda.h"

#define ROW(kind, work, name, one, many) {kind, work, name, one, many},
static const struct session_cuda_kind kinds[] = {RF_CUDA_SUMMARY(ROW)};
#undef ROW

const struct session_cuda_kind *session_cuda_kind_at(size_t i)
{
    return i < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[i] : NULL;
}

int session_cuda_kind_of_work(const char *work)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].work != NULL && strcmp(kinds[i].work, work) == 0)
            return kinds[i].kind;
    return 0;
}

uint64_t session_summary_n_cuda(const struct rf_counts *counts)
{
    uint64_t n = 0;
    for (size_t i = 0; i < RF_COUNTS_N_CUDA; i++)
        n += counts->n_cuda[i];
    return n;
}

bool session_summary_is_empty(const struct rf_counts *counts)
{
    return counts->n_ranges + counts->n_marks + session_summary_n_cuda(counts) == 0;
}

const char *session_summary_cuda(char *text, size_t size, const struct rf_counts *counts)
{
    const struct session_cuda_kind *kind;
    char number[32];
    size_t at = 0;
    if (size > 0)
        text[0] = '\0';
    for (size_t i = 0; (kind = session_cuda_kind_at(i)) != NULL; i++) {
        uint64_t n = counts->n_cuda[kind->kind];
        if (n > 0 && at < size)
            at += (size_t)snprintf(text + at, size - at, "%s%s %s", at > 0 ? ", " : "",
                                   rf_format_count(number, sizeof(number), n),
                                   n == 1 ? kind->one : kind->many);
    }
    return text;
}
