/* SPDX-License-Identifier: Apache-2.0 */
/* What functions that add tallies share. */
#include <string.h>

#include "model/sums/value_counts.h"
#include "summary/collect.h"

/* NULL: it failed, or is out of memory. */
static struct rf_tally *find(struct rf_collecting *c, const struct rf_tally_key *key)
{
    struct rf_tally *tally = c->status == RF_OK ? rf_tally_of(&c->summary->tallies, key) : NULL;
    if (tally == NULL)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    return tally;
}

void rf_collect_tally(struct rf_collecting *c, const struct rf_tally_key *key, uint64_t value)
{
    struct rf_tally *tally = find(c, key);
    if (tally != NULL)
        (void)rf_collect_fail(c, rf_summary_row_add_times(&tally->values, value, 1));
}

void rf_collect_tally_counts(struct rf_collecting *c, const struct rf_tally_key *key,
                             const struct rf_value_counts *counts)
{
    struct rf_tally *tally = find(c, key);
    for (size_t i = 0; i < counts->room && c->status == RF_OK; i++)
        if (counts->place[i].n > 0)
            (void)rf_collect_fail(c,
                                  rf_summary_row_add_times(&tally->values, counts->place[i].value,
                                                           counts->place[i].n));
}

void rf_collect_tally_sum(struct rf_collecting *c, const struct rf_tally_key *key, unsigned i,
                          uint64_t value)
{
    struct rf_tally *tally = find(c, key);
    if (tally != NULL)
        (void)rf_collect_fail(c, rf_tally_add_sum(tally, i, value));
}

uint32_t rf_collect_text(struct rf_collecting *c, const char *text)
{
    const uint32_t string = rf_strings_add(&c->summary->strings, text, strlen(text));
    if (string == RF_NO_STRING)
        (void)rf_collect_fail(c, RF_ERR_NO_MEMORY);
    return string;
}

void rf_collect_coverage(struct rf_collecting *c, uint32_t kind, const struct rf_coverage *coverage)
{
    const uint64_t sum[RF_TALLY_SUMS] = {coverage->n_ops, coverage->n_covered, coverage->busy_ns,
                                         coverage->covered_ns};
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    key.kind = kind;
    rf_collect_searched(c, kind);
    for (unsigned i = 0; i < RF_TALLY_SUMS && coverage->n_ops > 0; i++)
        rf_collect_tally_sum(c, &key, i, sum[i]);
}

void rf_collect_note(struct rf_collecting *c, uint32_t kind, uint64_t n)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    key.kind = kind;
    rf_collect_searched(c, kind);
    if (n > 0)
        rf_collect_tally_sum(c, &key, 0, n);
}

void rf_collect_searched(struct rf_collecting *c, uint32_t kind)
{
    (void)rf_collect_fail(c, rf_tallies_search(&c->summary->tallies, 0, kind));
}
