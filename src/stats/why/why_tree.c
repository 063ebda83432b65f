/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rangefinder/rangefinder.h"

#define BETWEEN " > "

static uint64_t hash_of(const char *text, size_t size)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = rf_hash_mix(hash, (unsigned char)text[i]);
    return hash;
}

static uint32_t add(struct rf_why_tree *tree, uint32_t parent, uint32_t kind, const char *text,
                    size_t size)
{
    struct rf_why_node node = {parent, kind, malloc(size + 1)};
    if (node.text == NULL ||
        rf_grow_array(&tree->node, tree->n, &tree->room, sizeof(node)) != RF_OK) {
        free(node.text);
        return RF_NO_INDEX;
    }
    memcpy(node.text, text, size);
    node.text[size] = '\0';
    tree->node[tree->n] = node;
    return (uint32_t)tree->n++;
}

int rf_why_tree_init(struct rf_why_tree *tree)
{
    *tree = (struct rf_why_tree){.n = 0};
    return add(tree, RF_NO_INDEX, RF_WHY_NODE_RANGE, "", 0) == RF_WHY_ROOT &&
                   add(tree, RF_WHY_ROOT, RF_WHY_NODE_GAPS, "", 0) == RF_WHY_GAPS_NODE &&
                   add(tree, RF_NO_INDEX, RF_WHY_NODE_WORK, "", 0) == RF_WHY_WORK &&
                   add(tree, RF_NO_INDEX, RF_WHY_NODE_THREAD, "", 0) == RF_WHY_MEANWHILE
               ? RF_OK
               : RF_ERR_NO_MEMORY;
}

void rf_why_tree_release(struct rf_why_tree *tree)
{
    for (size_t i = 0; i < tree->n; i++)
        free(tree->node[i].text);
    free(tree->node);
    rf_map_release(&tree->of_text);
    *tree = (struct rf_why_tree){.n = 0};
}

uint32_t rf_why_tree_find(struct rf_why_tree *tree, uint32_t parent, uint32_t kind,
                          const char *text, size_t size)
{
    const uint64_t place = (uint64_t)parent << 8 | kind;
    for (uint64_t hash = hash_of(text, size);; hash++) {
        uint32_t found = rf_map_find(&tree->of_text, hash, place);
        if (found == RF_MAP_NONE) {
            found = add(tree, parent, kind, text, size);
            return found != RF_NO_INDEX && rf_map_set(&tree->of_text, hash, place, found) == RF_OK
                       ? found
                       : RF_NO_INDEX;
        }
        if (strlen(tree->node[found].text) == size &&
            memcmp(tree->node[found].text, text, size) == 0)
            return found;
    }
}

/* The ranges of a path are written from its end. */
char *rf_why_tree_path(const struct rf_why_tree *tree, uint32_t node)
{
    size_t size = 1;
    while (tree->node[node].kind != RF_WHY_NODE_RANGE)
        node = tree->node[node].parent;
    for (uint32_t i = node; i != RF_WHY_ROOT; i = tree->node[i].parent)
        size += strlen(tree->node[i].text) + sizeof(BETWEEN) - 1;
    char *path = malloc(size), *to = path + size - 1;
    if (path == NULL)
        return NULL;
    *to = '\0';
    for (uint32_t i = node; i != RF_WHY_ROOT; i = tree->node[i].parent) {
        size_t length = strlen(tree->node[i].text);
        if (*to != '\0') {
            to -= sizeof(BETWEEN) - 1;
            memcpy(to, BETWEEN, sizeof(BETWEEN) - 1);
        }
        to -= length;
        memcpy(to, tree->node[i].text, length);
    }
    memmove(path, to, strlen(to) + 1);
    return path;
}
