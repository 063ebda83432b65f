/* SPDX-License-Identifier: Apache-2.0 */
#include "model/projection/range_tree.h"

#include <stdlib.h>

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

int rf_range_tree_of(struct rf_range_tree *tree, const rf_recording *rec,
                     rf_projections *projections)
{
    *tree = (struct rf_range_tree){.rec = rec, .projections = projections};
    tree->projection = rf_projections_all(projections, &tree->n);
    return find_nodes(tree);
}

int rf_range_tree_init(struct rf_range_tree *tree, const rf_recording *rec, bool by_process,
                       struct rf_err *err)
{
    const struct rf_project_options options = {.size = sizeof(options), .by_process = by_process};
    rf_projections *projections = NULL;
    *tree = (struct rf_range_tree){.rec = rec};
    int status = rf_project(rec, &options, &projections, err);
    return status == RF_OK ? rf_range_tree_of(tree, rec, projections) : status;
}

void rf_range_tree_release(struct rf_range_tree *tree)
{
    rf_projections_free(tree->projections);
    free(tree->node);
}

uint64_t rf_count_ended_elsewhere(const rf_recording *rec)
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
