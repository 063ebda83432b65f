/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/settings_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/summary_data.h"

static int add_item(rf_summary *summary, const struct rf_summary_setting *item)
{
    struct rf_summary_settings *all = &summary->settings;
    if (item->name == RF_NO_STRING || item->value == RF_NO_STRING ||
        rf_grow_array(&all->item, all->n, &all->room, sizeof(*item)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    all->item[all->n++] = *item;
    return RF_OK;
}

#define MAX_LOOK 64

/* Processes have the same settings, mostly, so that the last ones are looked at; what comes twice
 * nevertheless is sorted out later. */
static bool has_item(const struct rf_summary_settings *all, const struct rf_summary_setting *item)
{
    for (size_t i = all->n; i > 0 && i + MAX_LOOK > all->n; i--)
        if (all->item[i - 1].input == item->input && all->item[i - 1].name == item->name &&
            all->item[i - 1].value == item->value)
            return true;
    return false;
}

int rf_summary_setting_add(rf_summary *summary, uint32_t input, const char *name, const char *value)
{
    const struct rf_summary_setting item = {
        input, rf_strings_add(&summary->strings, name, strlen(name)),
        rf_strings_add(&summary->strings, value, strlen(value))};
    return has_item(&summary->settings, &item) ? RF_OK : add_item(summary, &item);
}

static uint32_t copy_string(rf_summary *to, const rf_summary *from, uint32_t string)
{
    size_t size;
    const char *text = rf_summary_text(from, string, &size);
    return text != NULL ? rf_strings_add(&to->strings, text, size) : RF_NO_STRING;
}

static bool has_suffix(const char *text, const char *suffix)
{
    const size_t size = strlen(text), of_suffix = strlen(suffix);
    return size >= of_suffix && strcmp(text + size - of_suffix, suffix) == 0;
}

bool rf_summary_is_rank_variable(const char *name)
{
    return has_suffix(name, "RANK") || has_suffix(name, "RANKID") || has_suffix(name, "PROCID") ||
           has_suffix(name, "LOCALID") || has_suffix(name, "NODEID");
}

int rf_summary_settings_absorb(rf_summary *to, const rf_summary *from, const uint32_t *input,
                               bool is_merged)
{
    int status = RF_OK;
    for (size_t i = 0; i < from->settings.n && status == RF_OK; i++) {
        struct rf_summary_setting item = from->settings.item[i];
        item.input = input != NULL ? input[item.input] : item.input;
        size_t size;
        const char *name = rf_summary_text(from, item.name, &size);
        if (item.input == RF_NO_INDEX || (is_merged && rf_summary_is_rank_variable(name)))
            continue;
        item.name = copy_string(to, from, item.name);
        item.value = copy_string(to, from, item.value);
        status = add_item(to, &item);
    }
    return status;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct rf_summary_setting *x = a, *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    int order = rf_summary_compare_texts(context, x->name, y->name);
    return order != 0 ? order : rf_summary_compare_texts(context, x->value, y->value);
}

void rf_summary_settings_sort(rf_summary *summary)
{
    struct rf_summary_settings *all = &summary->settings;
    size_t n = 0;
    if (all->n > 0)
        qsort_r(all->item, all->n, sizeof(*all->item), compare, summary);
    for (size_t i = 0; i < all->n; i++)
        if (n == 0 || compare(&all->item[n - 1], &all->item[i], summary) != 0)
            all->item[n++] = all->item[i];
    all->n = n;
}

void rf_summary_settings_release(struct rf_summary_settings *settings)
{
    free(settings->item);
}

const char *rf_summary_setting(const rf_summary *summary, uint32_t input, const char *name)
{
    const char *value = NULL;
    for (size_t i = 0; summary != NULL && name != NULL && i < summary->settings.n; i++) {
        const struct rf_summary_setting *item = &summary->settings.item[i];
        size_t size;
        const char *text = rf_summary_text(summary, item->name, &size);
        if (item->input != input || text == NULL || strcmp(text, name) != 0)
            continue;
        const char *other = rf_summary_text(summary, item->value, &size);
        if (other == NULL || (value != NULL && strcmp(value, other) != 0))
            return NULL;
        value = other;
    }
    return value;
}

const char *rf_summary_program_at(const rf_summary *summary, uint32_t input, uint32_t i)
{
    for (size_t k = 0; summary != NULL && k < summary->settings.n; k++) {
        const struct rf_summary_setting *item = &summary->settings.item[k];
        size_t size;
        const char *name = rf_summary_text(summary, item->name, &size);
        if (item->input == input && name != NULL && strcmp(name, RF_SUMMARY_PROGRAM) == 0 &&
            i-- == 0)
            return rf_summary_text(summary, item->value, &size);
    }
    return NULL;
}
