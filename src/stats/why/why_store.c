/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stats/why/why_collect.h"
#include "stats/why/why_instances.h"

int rf_why_store_init(struct rf_why_store *store)
{
    *store = (struct rf_why_store){.n = 0};
    return rf_why_tree_init(&store->tree);
}

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(text[i]);
    free(text);
}

void rf_why_store_release(struct rf_why_store *store)
{
    rf_why_tree_release(&store->tree);
    free_texts(store->name, store->n_names);
    free_texts(store->input, store->n_inputs);
    free(store->one);
    free(store->share);
    *store = (struct rf_why_store){.n = 0};
}

static int add_input(struct rf_why_store *store, const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL || rf_grow_array(&store->input, store->n_inputs, &store->inputs_room,
                                      sizeof(*store->input)) != RF_OK) {
        free(copy);
        return RF_ERR_NO_MEMORY;
    }
    store->input[store->n_inputs++] = copy;
    return RF_OK;
}

int rf_why_store_add(struct rf_why_store *store, const rf_recording *rec, const char *range,
                     const char *path, struct rf_err *err)
{
    struct rf_why_instances instances;
    int status = rf_why_instances_find(&instances, rec, range, err);
    if (status == RF_OK)
        status = add_input(store, path);
    if (status == RF_OK)
        status = rf_why_collect(store, rec, &instances);
    rf_why_instances_release(&instances);
    return status;
}
