/* SPDX-License-Identifier: Apache-2.0 */
#include "base/add_count.h"
#include "summary/path_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- The nodes ---- */

static bool is_range(const struct rf_summary_row *row, uint32_t input)
{
    return row->input == input &&
           (row->kind == RF_SUMMARY_PUSH_POP || row->kind == RF_SUMMARY_START_END);
}

static int add_up(struct rf_path_tree *tree, uint32_t input)
{
    const rf_summary *summary = tree->summary;
    int status = RF_OK;
    for (size_t i = 0; i < summary->n_rows && status == RF_OK; i++)
        if (is_range(&summary->row[i], input))
            status = rf_summary_row_merge(&tree->node[summary->row[i].path].row, &summary->row[i]);
    return status;
}

/* Paths stand behind those around them: from the last on, each adds to the one around it. A path
 * without ranges of its own, as a filter can leave it, has those below it on its level.
 * RF_ERR_UNSUPPORTED: a sum is too large. */
static int find_places(struct rf_path_tree *tree)
{
    const uint32_t n = (uint32_t)tree->summary->n_paths;
    for (uint32_t i = n; i-- > 0;) {
        struct rf_path_node *node = &tree->node[i];
        uint32_t around = tree->summary->path[i].parent;
        node->path = i;
        if (!rf_add_count(&node->gpu, node->row.gpu) ||
            (around != RF_NO_INDEX && !rf_add_count(&tree->node[around].gpu, node->gpu)))
            return RF_ERR_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct rf_path_node *node = &tree->node[i];
        node->parent = tree->summary->path[i].parent;
        while (node->parent != RF_NO_INDEX && tree->node[node->parent].row.n == 0)
            node->parent = tree->node[node->parent].parent;
        node->level = node->parent != RF_NO_INDEX ? tree->node[node->parent].level + 1 : 0;
        if (node->row.n == 0)
            continue;
        tree->order[tree->n++] = i;
        if (node->level == 0)
            tree->all += (double)node->row.total;
    }
    return RF_OK;
}

/* ---- The order: a range, then what is inside it, the longest first ---- */

static int compare_texts(const rf_summary *summary, uint32_t a, uint32_t b)
{
    size_t a_size, b_size;
    const char *x = rf_summary_text(summary, a, &a_size), *y = rf_summary_text(summary, b, &b_size);
    if (x == NULL || y == NULL)
        return (x != NULL) - (y != NULL);
    int order = memcmp(x, y, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_siblings(const struct rf_path_tree *tree, const struct rf_path_node *a,
                            const struct rf_path_node *b)
{
    const struct rf_summary_path *path = tree->summary->path;
    if (a->row.total != b->row.total)
        return a->row.total > b->row.total ? -1 : 1;
    int order = compare_texts(tree->summary, path[a->path].domain, path[b->path].domain);
    if (order == 0)
        order = compare_texts(tree->summary, path[a->path].name, path[b->path].name);
    return order != 0 ? order : (a->path > b->path) - (a->path < b->path);
}

static int compare_nodes(const void *a, const void *b, void *context)
{
    const struct rf_path_tree *tree = context;
    const struct rf_path_node *x = &tree->node[*(const uint32_t *)a];
    const struct rf_path_node *y = &tree->node[*(const uint32_t *)b];
    if (x == y)
        return 0;
    bool x_is_deeper = x->level > y->level, y_is_deeper = y->level > x->level;
    while (x->level > y->level)
        x = &tree->node[x->parent];
    while (y->level > x->level)
        y = &tree->node[y->parent];
    if (x == y) /* one is around the other */
        return x_is_deeper - y_is_deeper;
    while (x->parent != y->parent) {
        x = &tree->node[x->parent];
        y = &tree->node[y->parent];
    }
    return compare_siblings(tree, x, y);
}

int rf_path_tree_init(struct rf_path_tree *tree, const rf_summary *summary, uint32_t input)
{
    *tree = (struct rf_path_tree){.summary = summary,
                                  .node = calloc(summary->n_paths + 1, sizeof(*tree->node)),
                                  .order = malloc((summary->n_paths + 1) * sizeof(*tree->order))};
    if (tree->node == NULL || tree->order == NULL)
        return RF_ERR_NO_MEMORY;
    int status = add_up(tree, input);
    if (status == RF_OK)
        status = find_places(tree);
    if (status != RF_OK)
        return status;
    qsort_r(tree->order, tree->n, sizeof(*tree->order), compare_nodes, tree);
    for (uint32_t i = 0; i < tree->n; i++)
        tree->node[tree->order[i]].number = i + 1;
    return RF_OK;
}

void rf_path_tree_release(struct rf_path_tree *tree)
{
    for (size_t i = 0; tree->node != NULL && i < tree->summary->n_paths; i++)
        rf_histogram_release(&tree->node[i].row.histogram);
    free(tree->node);
    free(tree->order);
    *tree = (struct rf_path_tree){.n = 0};
}
