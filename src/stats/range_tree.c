/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/range_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"

const struct rf_event *rf_range_of(const rf_recording *rec, const struct rf_projection *projection)
{
    size_t n;
    return &rf_thread_events(rec, projection->thread, &n)[projection->event];
}

uint32_t rf_range_tree_find(const struct rf_range_tree *tree, uint32_t thread, uint32_t event)
{
    const struct rf_projection *found = rf_projection_of(tree->projections, thread, event);
    return found != NULL ? (uint32_t)(found - tree->projection) : RF_NO_INDEX;
}

/* A parent may stand behind its child where both begin together: goes up to the first level that is
 * known, and back. */
void rf_range_node_find_level(struct rf_range_node *nodes, uint32_t i, uint32_t *path)
{
    size_t n = 0;
    for (; i != RF_NO_INDEX && nodes[i].level == RF_NO_INDEX; i = nodes[i].parent)
        path[n++] = i;
    uint32_t level = i != RF_NO_INDEX ? nodes[i].level + 1 : 0;
    while (n > 0)
        nodes[path[--n]].level = level++;
}

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

static int find_nodes(struct rf_range_tree *tree)
{
    uint32_t *path = malloc((tree->n + 1) * sizeof(*path));
    tree->node = calloc(tree->n + 1, sizeof(*tree->node));
    if (path == NULL || tree->node == NULL) {
        free(path);
        return RF_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < tree->n; i++) {
        const struct rf_projection *range = &tree->projection[i];
        uint32_t parent = rf_range_parent(tree->projections, range->thread, range->event);
        tree->node[i].level = RF_NO_INDEX;
        tree->node[i].parent = rf_range_tree_find(tree, range->thread, parent);
        if (tree->node[i].parent != RF_NO_INDEX)
            tree->node[tree->node[i].parent].n_children++;
    }
    for (uint32_t i = 0; i < tree->n; i++)
        rf_range_node_find_level(tree->node, i, path);
    free(path);
    return RF_OK;
}

int rf_range_tree_init(struct rf_range_tree *tree, const rf_recording *rec, bool by_process,
                       struct rf_err *err)
{
    const struct rf_project_options options = {.size = sizeof(options), .by_process = by_process};
    *tree = (struct rf_range_tree){.rec = rec};
    int status = rf_project(rec, &options, &tree->projections, err);
    if (status != RF_OK)
        return status;
    tree->projection = rf_projections_all(tree->projections, &tree->n);
    return find_nodes(tree);
}

void rf_range_tree_release(struct rf_range_tree *tree)
{
    rf_projections_free(tree->projections);
    free(tree->node);
}

/* ---- Notes ---- */

static uint64_t count_left_out(const rf_recording *rec)
{
    uint64_t n_left_out = 0;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n = 0;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++)
            n_left_out += event[i].kind == RF_EVENT_START_END &&
                          rf_start_end_at(rec, event[i].link)->end_thread != t;
    }
    return n_left_out;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void add_coverage(struct rf_table *table, const struct rf_coverage *coverage)
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

static void add_left_out(struct rf_table *table, uint64_t n)
{
    if (n > 0)
        rf_table_add_note(table, "ranges that ended on another thread are left out: %llu",
                          (unsigned long long)n);
}

int rf_range_sums_begin(struct rf_table *table, const struct rf_projected_sums *sums,
                        const struct rf_coverage *coverage, struct rf_err *err)
{
    if (table->by_process || (table->fold_numbers > 0) != sums->folds_numbers ||
        (sums->n_kernels > 0 && table->kernel_naming != sums->naming))
        return rf_fail(err, RF_ERR_USAGE,
                       "the recording was opened for sums of the GPU work of ranges: its ranges "
                       "and names cannot be put together in other ways");
    add_coverage(table, coverage);
    add_left_out(table, sums->n_left_out);
    return RF_OK;
}

void rf_add_coverage_notes(const rf_recording *rec, const rf_projections *projections,
                           struct rf_table *table)
{
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    uint64_t n_left_out = count_left_out(rec);
    (void)rf_projection_coverage(projections, &coverage);
    add_coverage(table, &coverage);
    if (n_left_out > 0 && table->by_process)
        rf_table_add_note(table,
                          "ranges that ended on another thread cover all threads of their "
                          "process: %llu; their style is StartEnd (process)",
                          (unsigned long long)n_left_out);
    else
        add_left_out(table, n_left_out);
}
