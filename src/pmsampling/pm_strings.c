/* SPDX-License-Identifier: Apache-2.0 */
#include "pmsampling/pm_strings.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211U;
    return (size_t)(hash ^ (hash >> 32));
}

/* Where text stands, or belongs. */
static char **find(const struct pm_strings *strings, const char *text)
{
    size_t mask = strings->n_slots - 1, i = hash_of(text) & mask;
    while (strings->slot[i] != NULL && strcmp(strings->slot[i], text) != 0)
        i = (i + 1) & mask;
    return &strings->slot[i];
}

/* Keeps at least half of the slots free. */
static bool grow(struct pm_strings *strings)
{
    if (2 * (strings->n + 1) <= strings->n_slots)
        return true;
    struct pm_strings larger = {.n_slots = strings->n_slots == 0 ? 256 : 2 * strings->n_slots};
    larger.slot = calloc(larger.n_slots, sizeof(*larger.slot));
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < strings->n_slots; i++) {
        if (strings->slot[i] != NULL)
            *find(&larger, strings->slot[i]) = strings->slot[i];
    }
    free(strings->slot);
    strings->slot = larger.slot;
    strings->n_slots = larger.n_slots;
    return true;
}

const char *pm_strings_add(struct pm_strings *strings, const char *text)
{
    if (text == NULL)
        text = "";
    if (!grow(strings))
        return NULL;
    char **slot = find(strings, text);
    if (*slot == NULL) {
        *slot = strdup(text);
        strings->n += *slot != NULL;
    }
    return *slot;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The list that is there already, in place of a new one that is equal to it. */
static const struct pm_names *keep(struct pm_strings *strings, struct pm_names *list)
{
    for (struct pm_names *old = strings->lists; old != NULL; old = old->next) {
        /* equal strings are one string here */
        if (old->n == list->n && memcmp(old->name, list->name, list->n * sizeof(char *)) == 0) {
            free(list);
            return old;
        }
    }
    list->next = strings->lists;
    strings->lists = list;
    return list;
}

const struct pm_names *pm_strings_add_list(struct pm_strings *strings, const char *const *texts,
                                           size_t n, size_t skip)
{
    struct pm_names *list = malloc(sizeof(*list) + n * sizeof(char *));
    if (list == NULL)
        return NULL;
    list->n = n;
    for (size_t i = 0; i < n; i++) {
        const char *text = texts[i] != NULL ? texts[i] : "";
        list->name[i] = pm_strings_add(strings, text + strnlen(text, skip));
        if (list->name[i] == NULL) {
            free(list);
            return NULL;
        }
    }
    if (n > 0)
        qsort(list->name, n, sizeof(list->name[0]), compare);
    return keep(strings, list);
}

void pm_strings_release(struct pm_strings *strings)
{
    for (size_t i = 0; i < strings->n_slots; i++)
        free(strings->slot[i]);
    free(strings->slot);
    for (struct pm_names *list = strings->lists, *next; list != NULL; list = next) {
        next = list->next;
        free(list);
    }
    *strings = (struct pm_strings){0};
}
