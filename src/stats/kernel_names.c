/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/kernel_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/private_access.h"
#include "model/same_domains.h"
#include "stats/folded_names.h"
#include "stats/group_by.h"
#include "stats/range_labels.h"
#include "stats/work_labels.h"

/* With ranges a name is a string of its own. Its number is that of its group, whose key is: */
enum key { KERNEL, IS_IN_RANGE, DOMAIN, MESSAGE };

struct rf_kernel_names {
    const rf_recording *rec;
    enum rf_kernel_naming naming;
    rf_projections *projections; /* NULL: without ranges; a number is then that of a string */
    uint32_t *first_domain;      /* per domain: the first of its name */
    bool folds_numbers;
    struct rf_folded_names folded; /* where it does */
    struct rf_group_by known;
    struct rf_cell *text; /* per group */
    size_t room;
};

static void free_names(void *context)
{
    struct rf_kernel_names *names = context;
    for (size_t i = 0; i < names->known.n; i++)
        free((void *)names->text[i].text);
    rf_group_by_release(&names->known);
    rf_projections_free(names->projections);
    if (names->folds_numbers)
        rf_folded_names_release(&names->folded);
    free(names->first_domain);
    free(names->text);
    free(names);
}

int rf_kernel_names_begin(const rf_recording *rec, struct rf_table *table,
                          struct rf_kernel_names **out, struct rf_err *err)
{
    const struct rf_project_options options = {.size = sizeof(options), .kernels_only = 1};
    struct rf_kernel_names *names = calloc(1, sizeof(*names));
    *out = names;
    if (names == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    names->rec = rec;
    names->naming = table->kernel_naming;
    table->words = names;
    table->free_words = free_names;
    if (!table->with_ranges)
        return RF_OK;
    if (rf_recording_work_sums(rec) != NULL || rf_recording_launch_sums(rec) != NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "the recording was opened for sums alone: it has no ranges around kernels");
    names->first_domain = rf_same_domains(rec);
    if (names->first_domain == NULL)
        return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
    return rf_project(rec, &options, &names->projections, err);
}

int rf_kernel_names_begin_sums(const rf_recording *rec, struct rf_table *table,
                               struct rf_kernel_names **out, struct rf_err *err)
{
    int status = rf_kernel_names_begin(rec, table, out, err);
    if (status != RF_OK || table->fold_numbers <= 0)
        return status;
    (*out)->folds_numbers = true;
    rf_folded_names_init(&(*out)->folded, rec);
    return RF_OK;
}

/* One string for all names that differ from it by numbers alone. */
static bool fold(struct rf_kernel_names *names, uint32_t *string)
{
    return !names->folds_numbers || rf_folded_names_find(&names->folded, *string, string);
}

static void set_kernel(const struct rf_kernel_names *names, struct rf_cell *cell, uint32_t string)
{
    const char *text =
        names->folds_numbers ? rf_folded_names_text(&names->folded, string, &cell->size) : NULL;
    if (text != NULL)
        cell->text = text;
    else
        rf_cell_set_model_string(cell, names->rec, string);
}

void rf_kernel_fetch(const rf_recording *rec, const struct rf_gpu_op *op)
{
    const struct rf_kernel *kernel = rf_kernel_of(rec, op);
    if (kernel == NULL)
        return;
    __builtin_prefetch(kernel);
    __builtin_prefetch((const char *)(kernel + 1) - 1);
}

static uint32_t string_of(const struct rf_kernel_names *names, const struct rf_gpu_op *op)
{
    const struct rf_kernel *kernel = rf_kernel_of(names->rec, op);
    return rf_kernel_name_as(names->naming, op->name,
                             kernel != NULL ? kernel->mangled : RF_NO_STRING,
                             rf_kernel_label(names->rec, op));
}

bool rf_kernel_names_find_sum(struct rf_kernel_names *names, const struct rf_work_sum *sum,
                              uint32_t *name)
{
    const uint32_t short_name = sum->key.name, mangled = sum->key.mangled;
    const uint32_t other = short_name != RF_NO_STRING ? short_name : mangled;
    *name = rf_kernel_name_as(names->naming, short_name, mangled,
                              sum->demangled != RF_NO_STRING ? sum->demangled : other);
    return fold(names, name);
}

bool rf_kernel_names_find_label(struct rf_kernel_names *names, uint32_t label, uint32_t *name)
{
    *name = label;
    return fold(names, name);
}

/* "range/kernel"; a range of the default domain without the colon. */
static bool set_text(const struct rf_kernel_names *names, struct rf_cell *cell,
                     const uint32_t key[RF_GROUP_KEYS])
{
    struct rf_cell kernel, range;
    char *text;
    *cell = (struct rf_cell){.count = 0};
    set_kernel(names, &kernel, key[KERNEL]);
    if (!key[IS_IN_RANGE])
        return rf_cell_set_text(cell, kernel.text, kernel.size);
    if (!rf_cell_set_range(&range, names->rec, key[DOMAIN], key[MESSAGE]))
        return false;
    if (names->folds_numbers)
        rf_cell_fold_name(&range, names->rec, key[MESSAGE]);
    size_t skip = range.size > 0 && range.text[0] == ':';
    size_t size = range.size - skip + 1 + kernel.size;
    text = malloc(size + 1);
    if (text != NULL) {
        memcpy(text, range.text + skip, range.size - skip);
        text[range.size - skip] = '/';
        memcpy(text + range.size - skip + 1, kernel.text, kernel.size);
        text[size] = '\0';
    }
    free((void *)range.text);
    *cell = (struct rf_cell){.text = text, .size = size};
    return text != NULL;
}

bool rf_kernel_names_find(struct rf_kernel_names *names, const struct rf_gpu_op *op, uint32_t *name)
{
    size_t n_events = 0, n_known = names->known.n;
    uint32_t key[RF_GROUP_KEYS] = {[KERNEL] = string_of(names, op)};
    if (!fold(names, &key[KERNEL]))
        return false;
    *name = key[KERNEL];
    if (names->projections == NULL)
        return true;
    uint32_t range =
        rf_projection_owner(names->projections, (uint32_t)(op - rf_gpu_ops(names->rec, NULL)));
    if (range != RF_NO_INDEX) {
        const struct rf_event *event = &rf_thread_events(names->rec, op->thread, &n_events)[range];
        key[IS_IN_RANGE] = 1;
        key[DOMAIN] = names->first_domain[event->domain];
        key[MESSAGE] = event->name;
        if (!fold(names, &key[MESSAGE]))
            return false;
    }
    if (rf_grow_array(&names->text, n_known, &names->room, sizeof(*names->text)) != RF_OK)
        return false;
    const struct rf_group *group = rf_group_by_get(&names->known, key);
    if (group == NULL)
        return false;
    *name = (uint32_t)(group - names->known.group);
    return *name < n_known || set_text(names, &names->text[*name], key);
}

void rf_kernel_names_set(const struct rf_kernel_names *names, struct rf_cell *cell, uint32_t name)
{
    if (names->projections != NULL)
        *cell = names->text[name];
    else
        set_kernel(names, cell, name);
}

bool rf_work_name_find(struct rf_kernel_names *names, const struct rf_gpu_op *op,
                       struct rf_work_name *name)
{
    *name = (struct rf_work_name){.kind = op->kind};
    if (op->kind == RF_OP_KERNEL)
        return rf_kernel_names_find(names, op, &name->name);
    if (op->kind == RF_OP_MEMCPY || op->kind == RF_OP_MEMSET)
        name->name = rf_memory_code(names->rec, op);
    return true;
}

void rf_work_name_set(const struct rf_kernel_names *names, struct rf_cell *cell,
                      struct rf_work_name name)
{
    if (name.kind == RF_OP_KERNEL)
        rf_kernel_names_set(names, cell, name.name);
    else if (name.kind == RF_OP_MEMCPY || name.kind == RF_OP_MEMSET)
        rf_cell_set_word(cell, rf_memory_code_label(name.name));
    else
        rf_cell_set_word(cell, name.kind == RF_OP_GRAPH ? "[CUDA graph]" : "[unknown]");
}
