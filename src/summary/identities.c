/* SPDX-License-Identifier: Apache-2.0 */
#include "summary/identities.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "summary/summary_data.h"

#define MAX_LOOK 1000 /* that differ in little: a file that has more is made up */

/* ---- Adding ---- */

/* Of what has to be equal, as far as it is a number. */
static uint64_t key_of(const struct rf_summary_identity *item)
{
    return (item->n_events * 0x9e3779b97f4a7c15u + item->duration_ns) * 0x9e3779b97f4a7c15u +
           (uint64_t)item->rank;
}

int rf_summary_identity_add(rf_summary *summary, const struct rf_summary_identity *item)
{
    struct rf_summary_identities *all = &summary->identities;
    const uint64_t start = (uint64_t)item->start_utc_ns;
    if (item->host == RF_NO_STRING || item->filter == RF_NO_STRING ||
        rf_grow_array(&all->item, all->n, &all->room, sizeof(*item)) != RF_OK ||
        rf_grow_array(&all->before, all->n, &all->before_room, sizeof(*all->before)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    all->before[all->n] = rf_map_find(&all->of, start, key_of(item));
    if (rf_map_set(&all->of, start, key_of(item), (uint32_t)all->n) != RF_OK)
        return RF_ERR_NO_MEMORY;
    all->item[all->n++] = *item;
    return RF_OK;
}

static uint32_t add_text(rf_summary *summary, const char *text)
{
    return rf_strings_add(&summary->strings, text, strlen(text));
}

int rf_summary_identify(rf_summary *summary, uint32_t input, int64_t pid, int64_t rank)
{
    const struct rf_summary_input *of = &summary->input[input];
    struct rf_summary_identity item = {.input = input,
                                       .host = add_text(summary, of->host),
                                       .filter = add_text(summary, of->filter),
                                       .path = RF_NO_STRING,
                                       .file = RF_NO_STRING,
                                       .pid = pid,
                                       .rank = rank,
                                       .start_utc_ns = of->start_utc_ns,
                                       .duration_ns = of->duration_ns,
                                       .n_events = of->n_events};
    memcpy(item.boot_id, of->boot_id, sizeof(item.boot_id));
    if (of->start_utc_ns == 0 && (item.path = add_text(summary, of->path)) == RF_NO_STRING)
        return RF_ERR_NO_MEMORY;
    return rf_summary_identity_add(summary, &item);
}

int rf_summary_identities_absorb(rf_summary *to, const rf_summary *from, const uint32_t *input)
{
    for (size_t i = 0; i < from->identities.n; i++) {
        struct rf_summary_identity item = from->identities.item[i];
        item.input = input != NULL ? input[item.input] : item.input;
        if (item.input == RF_NO_INDEX)
            continue;
        if (!rf_summary_copy_text(to, from, &item.host) ||
            !rf_summary_copy_text(to, from, &item.filter) ||
            !rf_summary_copy_text(to, from, &item.path) ||
            !rf_summary_copy_text(to, from, &item.file) ||
            rf_summary_identity_add(to, &item) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return RF_OK;
}

int rf_summary_identities_are_of(rf_summary *summary, const char *file)
{
    const uint32_t string = add_text(summary, file);
    for (size_t i = 0; i < summary->identities.n; i++)
        summary->identities.item[i].file = string;
    return string != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

/* ---- Looking for one ---- */

static bool is_same_text(const rf_summary *a, uint32_t x, const rf_summary *b, uint32_t y)
{
    size_t x_size, y_size;
    const char *x_text = rf_summary_text(a, x, &x_size), *y_text = rf_summary_text(b, y, &y_size);
    return x_size == y_size && (x_size == 0 || memcmp(x_text, y_text, x_size) == 0);
}

/* What one of both does not know tells them not apart. */
static bool is_same(const rf_summary *a, const struct rf_summary_identity *x, const rf_summary *b,
                    const struct rf_summary_identity *y)
{
    static const uint8_t unknown[sizeof(x->boot_id)];
    return x->start_utc_ns == y->start_utc_ns && x->n_events == y->n_events &&
           x->duration_ns == y->duration_ns && x->rank == y->rank &&
           (x->pid == y->pid || x->pid == 0 || y->pid == 0) &&
           (memcmp(x->boot_id, y->boot_id, sizeof(unknown)) == 0 ||
            memcmp(x->boot_id, unknown, sizeof(unknown)) == 0 ||
            memcmp(y->boot_id, unknown, sizeof(unknown)) == 0) &&
           is_same_text(a, x->host, b, y->host) && is_same_text(a, x->filter, b, y->filter) &&
           is_same_text(a, x->path, b, y->path);
}

/* max_inputs: of inputs of at most so many recordings. */
static const struct rf_summary_identity *find(const rf_summary *summary, const rf_summary *from,
                                              const struct rf_summary_identity *item,
                                              uint64_t max_inputs)
{
    const struct rf_summary_identities *all = &summary->identities;
    uint32_t i = rf_map_find(&all->of, (uint64_t)item->start_utc_ns, key_of(item));
    for (size_t n = 0; i != RF_MAP_NONE && n < MAX_LOOK; i = all->before[i], n++)
        if (summary->input[all->item[i].input].n_inputs <= max_inputs &&
            is_same(summary, &all->item[i], from, item))
            return &all->item[i];
    return NULL;
}

const struct rf_summary_identity *rf_summary_find_recording(const rf_summary *summary,
                                                            const rf_summary *from,
                                                            const struct rf_summary_identity *item)
{
    return find(summary, from, item, 1);
}

const struct rf_summary_identity *rf_summary_find_part(const rf_summary *summary,
                                                       const rf_summary *from,
                                                       const struct rf_summary_identity *item)
{
    return find(summary, from, item, UINT64_MAX);
}

const char *rf_summary_identity_name(const rf_summary *summary,
                                     const struct rf_summary_identity *of, char *text, size_t size)
{
    size_t ignored;
    const char *file = rf_summary_text(summary, of->file, &ignored);
    (void)snprintf(text, size, file != NULL ? "'%.100s' of '%.200s'" : "'%.100s'",
                   summary->input[of->input].path, file);
    return text;
}

bool rf_summary_find_twice(const rf_summary *summary, const struct rf_summary_identity **a,
                           const struct rf_summary_identity **b)
{
    const struct rf_summary_identities *all = &summary->identities;
    for (size_t i = 0; i < all->n; i++) {
        size_t n = 0;
        for (uint32_t k = all->before[i]; k != RF_MAP_NONE && n < MAX_LOOK; k = all->before[k], n++)
            if (is_same(summary, &all->item[i], summary, &all->item[k])) {
                *a = &all->item[k];
                *b = &all->item[i];
                return true;
            }
    }
    return false;
}

/* ---- The order of a file ---- */

static int compare(const void *a, const void *b, void *context)
{
    const struct rf_summary_identity *x = a, *y = b;
    const int64_t values[][2] = {{x->input, y->input},
                                 {x->start_utc_ns, y->start_utc_ns},
                                 {x->rank, y->rank},
                                 {x->pid, y->pid},
                                 {(int64_t)x->duration_ns, (int64_t)y->duration_ns},
                                 {(int64_t)x->n_events, (int64_t)y->n_events}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i][0] != values[i][1])
            return values[i][0] < values[i][1] ? -1 : 1;
    int order = memcmp(x->boot_id, y->boot_id, sizeof(x->boot_id));
    if (order == 0)
        order = rf_summary_compare_texts(context, x->host, y->host);
    if (order == 0)
        order = rf_summary_compare_texts(context, x->filter, y->filter);
    return order != 0 ? order : rf_summary_compare_texts(context, x->path, y->path);
}

void rf_summary_identities_sort(rf_summary *summary)
{
    struct rf_summary_identities *all = &summary->identities;
    if (all->n > 0)
        qsort_r(all->item, all->n, sizeof(*all->item), compare, summary);
}

void rf_summary_identities_release(struct rf_summary_identities *identities)
{
    free(identities->item);
    free(identities->before);
    rf_map_release(&identities->of);
}
