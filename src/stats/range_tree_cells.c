/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/range_tree_cells.h"

#include <string.h>

#include "base/error.h"
#include "base/sink.h"

bool rf_cell_set_stack(struct rf_cell *cell, const struct rf_range_node *nodes, const uint64_t *ids,
                       uint32_t i)
{
    char text[8 + RF_MAX_STACK * 21];
    uint32_t stack[RF_MAX_STACK];
    size_t n = 0, used = 0;
    for (; i != RF_NO_INDEX && n < RF_MAX_STACK; i = nodes[i].parent)
        stack[n++] = i;
    if (i != RF_NO_INDEX) {
        memcpy(text, ":...", 4);
        used = 4;
    }
    while (n > 0) {
        text[used++] = ':';
        used += rf_format_u64(text + used, ids[stack[--n]]);
    }
    return rf_cell_set_text(cell, text, used);
}

/* ---- Notes ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

void rf_add_coverage_note(struct rf_table *table, const struct rf_coverage *coverage)
{
    if (coverage->n_ops == 0)
        rf_table_add_note(table, "the recording has no GPU work that counts here");
    else
        rf_table_add_note(table,
                          "coverage: %llu of %llu pieces of GPU work (%.1f %%; %.1f %% of their "
                          "time) lie under a range",
                          (unsigned long long)coverage->n_covered,
                          (unsigned long long)coverage->n_ops,
                          percent(coverage->n_covered, coverage->n_ops),
                          percent(coverage->covered_ns, coverage->busy_ns));
}

void rf_add_left_out_note(struct rf_table *table, uint64_t n)
{
    if (n > 0)
        rf_table_add_note(table, "ranges that ended on another thread are left out: %llu",
                          (unsigned long long)n);
}

/* Of ranges that ended on another thread. */
static void add_elsewhere_note(struct rf_table *table, uint64_t n)
{
    if (n > 0 && table->by_process)
        rf_table_add_note(table,
                          "ranges that ended on another thread cover all threads of their "
                          "process: %llu; their style is StartEnd (process)",
                          (unsigned long long)n);
    else
        rf_add_left_out_note(table, n);
}

int rf_range_sums_begin(struct rf_table *table, const struct rf_projected_sums *sums,
                        const struct rf_coverage *coverage, struct rf_err *err)
{
    if (table->by_process != sums->by_process || (table->fold_numbers > 0) != sums->folds_numbers ||
        (sums->n_kernels > 0 && table->kernel_naming != sums->naming))
        return rf_fail(err, RF_ERR_USAGE,
                       "the recording was opened for sums of the GPU work of ranges: its ranges "
                       "and names cannot be put together in other ways");
    rf_add_coverage_note(table, coverage);
    add_elsewhere_note(table, sums->n_left_out);
    return RF_OK;
}

void rf_add_coverage_notes(const rf_recording *rec, const rf_projections *projections,
                           struct rf_table *table)
{
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    (void)rf_projection_coverage(projections, &coverage);
    rf_add_coverage_note(table, &coverage);
    add_elsewhere_note(table, rf_count_ended_elsewhere(rec));
}
