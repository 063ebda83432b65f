/* SPDX-License-Identifier: Apache-2.0 */
#include "log/counts.h"

#include "log/chunks.h"
#include "log/cuda.h"

/* Whether start and end, words 2 and 3 of these kinds, are no times. */
static bool is_untimed(uint64_t kind, const uint8_t *p, uint64_t words)
{
    uint64_t start = words > 2 ? rf_load64(p + 16) : 0, end = words > 3 ? rf_load64(p + 24) : 0;
    return rf_cuda_has_times(kind) && (start == 0 || end < start);
}

/* p: an RF_REC_CUDA record. */
static void count_cuda(struct rf_counts *counts, const uint8_t *p, uint64_t words)
{
    uint64_t kind = words > 1 ? rf_load64(p + 8) & 0xff : 0;
    if (kind == RF_CUDA_DROPPED)
        counts->n_cuda_dropped += words > 2 ? rf_load64(p + 16) : 0;
    else if (kind > 0 && kind < RF_COUNTS_N_CUDA)
        counts->n_cuda[kind]++;
    counts->n_cuda_untimed += is_untimed(kind, p, words);
}

uint64_t rf_counts_add(struct rf_counts *counts, const uint8_t *records, uint64_t size)
{
    uint64_t at = 0;
    while (size - at >= 8) {
        uint64_t word = rf_load64(records + at);
        uint64_t type = word & ((1u << RF_WORD_TYPE_BITS) - 1);
        uint64_t words = word >> RF_WORD_TYPE_BITS & RF_WORD_MAX_WORDS;
        if (words == 0 && size - at >= 16)
            words = rf_load64(records + at + 8) >> 32;
        if (type == 0 || words == 0 || words > (size - at) / 8)
            break;
        counts->n_records += type != RF_REC_DATA; /* of the record before it */
        counts->n_ranges += type == RF_REC_PUSH || type == RF_REC_START;
        counts->n_marks += type == RF_REC_MARK;
        if (type == RF_REC_CUDA)
            count_cuda(counts, records + at, words);
        at += words * 8;
    }
    return at;
}
