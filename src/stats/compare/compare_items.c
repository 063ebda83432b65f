/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_items.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- Items ---- */

/* A name with # for each number; the name itself for RF_NO_STRING and the rest of all names. false:
 * out of memory. */
static bool fold(rf_summary *summary, uint32_t name, uint32_t *folded)
{
    size_t size;
    const char *text = rf_summary_text(summary, name, &size);
    *folded = text != NULL ? rf_summary_add_folded(summary, text, size) : name;
    return text == NULL || *folded != RF_NO_STRING;
}

static bool is_step_name(const struct rf_compare_step *step, uint32_t domain, uint32_t folded)
{
    return step->is_there && folded == step->name &&
           (step->is_any_domain || domain == step->domain);
}

static uint32_t find_item(struct rf_compare_items *items, const struct rf_compare_item *item)
{
    const uint64_t around = (uint64_t)item->parent << 32 | item->domain;
    uint32_t found = rf_map_find(&items->of, around, item->name);
    if (found != RF_MAP_NONE)
        return found;
    found = (uint32_t)items->n;
    if (rf_grow_array(&items->item, items->n, &items->room, sizeof(*item)) != RF_OK ||
        rf_map_set(&items->of, around, item->name, found) != RF_OK)
        return RF_NO_INDEX;
    items->item[items->n++] = *item;
    return found;
}

/* The item of a path, whose parent has one. */
static uint32_t add_path(struct rf_compare_items *items, rf_summary *summary, size_t path,
                         const struct rf_compare_step *step, bool fold_numbers)
{
    const struct rf_summary_path of = summary->path[path];
    uint32_t folded;
    struct rf_compare_item item = {RF_NO_INDEX, of.domain, of.name, false, false};
    if (!fold(summary, of.name, &folded))
        return RF_NO_INDEX;
    if (of.parent != RF_NO_INDEX) {
        item.parent = items->of_path[of.parent];
        const struct rf_compare_item *around = &items->item[item.parent];
        item.is_in_step = around->is_step || around->is_in_step;
    }
    const bool is_step = is_step_name(step, of.domain, folded);
    item.is_step = is_step && !item.is_in_step;
    if (is_step || fold_numbers)
        item.name = folded;
    return find_item(items, &item);
}

int rf_compare_items_make(struct rf_compare_items *items, rf_summary *summary,
                          const struct rf_compare_step *step, bool fold_numbers)
{
    items->of_path = malloc((summary->n_paths + 1) * sizeof(*items->of_path));
    if (items->of_path == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < summary->n_paths; i++) {
        items->of_path[i] = add_path(items, summary, i, step, fold_numbers);
        if (items->of_path[i] == RF_NO_INDEX)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

void rf_compare_items_release(struct rf_compare_items *items)
{
    free(items->item);
    free(items->of_path);
    rf_map_release(&items->of);
    *items = (struct rf_compare_items){.n = 0};
}

/* ---- Names ---- */

/* "domain:name", or the name alone in the default domain and of what has no domain. */
static size_t put_label(char *out, const rf_summary *summary, const struct rf_compare_item *item)
{
    size_t domain_size, name_size, n = 0;
    const char *domain = rf_summary_text(summary, item->domain, &domain_size);
    const char *name = rf_summary_text(summary, item->name, &name_size);
    if (name == NULL) {
        name = item->name == RF_REST_OF_NAMES ? "(all other names)" : "(null)";
        name_size = strlen(name);
    }
    if (domain != NULL && domain_size > 0) {
        if (out != NULL)
            memcpy(out, domain, domain_size);
        n = domain_size + 1;
        if (out != NULL)
            out[domain_size] = ':';
    }
    if (out != NULL)
        memcpy(out + n, name, name_size);
    return n + name_size;
}

#define SEPARATOR   " > "
#define MAX_LEVELS  32 /* that a name shows, from the innermost one outwards */
#define MORE_LEVELS "..."

/* The item around an item as far as the name shows it. */
static uint32_t around(const struct rf_compare_items *items, uint32_t item, size_t level)
{
    return level < MAX_LEVELS ? items->item[item].parent : RF_NO_INDEX;
}

char *rf_compare_item_name(const struct rf_compare_items *items, const rf_summary *summary,
                           uint32_t item)
{
    const size_t between = strlen(SEPARATOR), more = strlen(MORE_LEVELS);
    size_t size = 0, level = 1;
    uint32_t outermost = item;
    for (uint32_t i = item; i != RF_NO_INDEX; i = around(items, i, level++)) {
        size += put_label(NULL, summary, &items->item[i]) + between;
        outermost = i;
    }
    const bool is_cut = items->item[outermost].parent != RF_NO_INDEX;
    size = is_cut ? size + more : size - between;
    char *text = malloc(size + 1);
    if (text == NULL)
        return NULL;
    if (is_cut)
        memcpy(text, MORE_LEVELS SEPARATOR, more + between);
    text[size] = '\0';
    level = 1;
    for (uint32_t i = item; i != RF_NO_INDEX; i = around(items, i, level++)) {
        size -= put_label(NULL, summary, &items->item[i]);
        (void)put_label(text + size, summary, &items->item[i]);
        if (i != outermost) {
            size -= between;
            memcpy(text + size, SEPARATOR, between);
        }
    }
    return text;
}

char *rf_compare_item_range(const rf_summary *summary, uint32_t domain, uint32_t name)
{
    size_t domain_size = 0, name_size = 0;
    const char *of_domain = rf_summary_text(summary, domain, &domain_size);
    const char *text = rf_summary_text(summary, name, &name_size);
    char *range = calloc(1, name_size + domain_size + 2);
    if (range == NULL || text == NULL)
        return range;
    memcpy(range, text, name_size);
    if (of_domain != NULL && domain_size > 0) {
        range[name_size] = '@';
        memcpy(range + name_size + 1, of_domain, domain_size);
    }
    return range;
}
