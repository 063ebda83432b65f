/* SPDX-License-Identifier: Apache-2.0 */
/* What pushes and pops must agree on: domains of one name in a process are one domain, whatever
 * their handles, and a forked process goes on with the handles of its parent (docs/format.md,
 * section 5). */
#include "log/open_domains.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "log/chunks.h"
#include "log/open_ranges.h"

#define MAX_FORK_DEPTH 256
#define CACHE          64u /* a power of two */

struct name {
    const uint8_t *text; /* NULL: no name */
    uint32_t size;
    uint32_t process; /* index */
    uint32_t handle;
    uint32_t number; /* the same for equal names; 1, 2, ... */
};

struct rf_open_domains {
    const struct rf_log *log;
    struct name *name; /* by process and handle */
    size_t n_names, name_room;
    uint64_t *tid; /* process << 32 | tid, sorted */
    size_t n_tids, tid_room;
    uint32_t *parent; /* per process: index, or RF_OPEN_NONE */
    bool *has_cuda;   /* per process */
    uint64_t key[CACHE];
    uint32_t key_process[CACHE];
    uint64_t value[CACHE];
    bool is_known[CACHE];
};

static int compare_text(const struct name *a, const struct name *b)
{
    uint32_t size = a->size < b->size ? a->size : b->size;
    if ((a->text == NULL) != (b->text == NULL))
        return a->text == NULL ? -1 : 1;
    int order = size > 0 ? memcmp(a->text, b->text, size) : 0;
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int by_text(const void *left, const void *right)
{
    return compare_text(left, right);
}

static int by_handle(const void *left, const void *right)
{
    const struct name *a = left, *b = right;
    uint64_t x = (uint64_t)a->process << 32 | a->handle, y = (uint64_t)b->process << 32 | b->handle;
    return x < y ? -1 : x > y;
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static int add_name(struct rf_open_domains *d, uint32_t process, const struct rf_def *def,
                    const uint8_t *text)
{
    uint32_t room = def->n_words * 8 - (uint32_t)sizeof(*def);
    if (rf_grow_array(&d->name, d->n_names, &d->name_room, sizeof(*d->name)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    d->name[d->n_names++] = (struct name){.text = def->text_size == RF_NO_TEXT ? NULL : text,
                                          .size = def->text_size == RF_NO_TEXT ? 0
                                                  : def->text_size < room      ? def->text_size
                                                                               : room,
                                          .process = process,
                                          .handle = def->index};
    return RF_OK;
}

static int add_tid(struct rf_open_domains *d, uint32_t process, uint32_t tid)
{
    uint64_t key = (uint64_t)process << 32 | tid;
    if (d->n_tids > 0 && d->tid[d->n_tids - 1] == key)
        return RF_OK;
    if (rf_grow_array(&d->tid, d->n_tids, &d->tid_room, sizeof(*d->tid)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    d->tid[d->n_tids++] = key;
    return RF_OK;
}

static uint32_t find_process(const struct rf_log *log, uint64_t number, uint32_t n_below)
{
    uint32_t low = 0, high = n_below;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (log->process[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n_below && log->process[low].number == number ? low : RF_OPEN_NONE;
}

static int add_definition(struct rf_open_domains *d, uint32_t process, const struct rf_def *def,
                          const uint8_t *text)
{
    int status = RF_OK;
    switch (def->head & ((1u << RF_WORD_TYPE_BITS) - 1)) {
    case RF_REC_PROCESS:
        if (def->index == RF_PROC_FORK_OF)
            d->parent[process] = find_process(d->log, def->value, process);
        return RF_OK;
    case RF_REC_STRING:
        return RF_OK;
    case RF_REC_DOMAIN:
        status = add_name(d, process, def, text);
        break;
    case RF_REC_CUDA_DEF:
        d->has_cuda[process] = true;
        break;
    case RF_REC_THREAD_NAME:
        status = add_tid(d, process, def->index);
        break;
    default:
        break;
    }
    return status == RF_OK ? add_tid(d, process, def->tid) : status;
}

static int read_definitions(struct rf_open_domains *d, uint32_t process)
{
    const struct rf_log_process *log = &d->log->process[process];
    uint64_t used = rf_defs_used_bytes(log->defs, log->defs_size, NULL);
    int status = RF_OK;
    for (uint64_t at = 0; at < used && status == RF_OK;) {
        struct rf_def def;
        memcpy(&def, log->defs + at, sizeof(def));
        if (def.head != 0)
            status = add_definition(d, process, &def, log->defs + at + sizeof(def));
        at += 8 * (uint64_t)def.n_words;
    }
    return status;
}

static void number_names(struct rf_open_domains *d)
{
    uint32_t number = 0;
    if (d->n_tids > 0)
        qsort(d->tid, d->n_tids, sizeof(*d->tid), by_number);
    if (d->n_names == 0)
        return;
    qsort(d->name, d->n_names, sizeof(*d->name), by_text);
    for (size_t i = 0; i < d->n_names; i++) {
        number += i == 0 || compare_text(&d->name[i - 1], &d->name[i]) != 0;
        d->name[i].number = number;
    }
    qsort(d->name, d->n_names, sizeof(*d->name), by_handle);
}

struct rf_open_domains *rf_open_domains_new(const struct rf_log *log)
{
    struct rf_open_domains *d = calloc(1, sizeof(*d));
    int status = d != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    if (d != NULL) {
        d->log = log;
        d->parent = malloc((log->n_processes + 1) * sizeof(*d->parent));
        d->has_cuda = calloc(log->n_processes + 1, sizeof(*d->has_cuda));
        memset(d->key_process, 0xff, sizeof(d->key_process));
    }
    if (d == NULL || d->parent == NULL || d->has_cuda == NULL)
        status = RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < log->n_processes && status == RF_OK; i++) {
        d->parent[i] = RF_OPEN_NONE;
        status = read_definitions(d, i);
    }
    if (status != RF_OK) {
        rf_open_domains_free(d);
        return NULL;
    }
    number_names(d);
    return d;
}

void rf_open_domains_free(struct rf_open_domains *d)
{
    if (d == NULL)
        return;
    free(d->name);
    free(d->tid);
    free(d->parent);
    free(d->has_cuda);
    free(d);
}

static uint32_t number_of(const struct rf_open_domains *d, uint32_t process, uint32_t handle)
{
    uint64_t key = (uint64_t)process << 32 | handle;
    size_t low = 0, high = d->n_names;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (((uint64_t)d->name[middle].process << 32 | d->name[middle].handle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < d->n_names && d->name[low].process == process && d->name[low].handle == handle
               ? d->name[low].number
               : 0;
}

uint64_t rf_open_domains_find(struct rf_open_domains *d, uint32_t process, uint64_t handle,
                              bool *is_known)
{
    uint32_t i = handle % CACHE, number = 0, at = process;
    *is_known = true;
    if (handle == 0)
        return 0;
    if (d->key_process[i] != process || d->key[i] != handle) {
        for (int k = 0; k < MAX_FORK_DEPTH && at != RF_OPEN_NONE && handle < UINT32_MAX; k++) {
            number = number_of(d, at, (uint32_t)handle);
            if (number != 0)
                break;
            at = d->parent[at];
        }
        d->key_process[i] = process;
        d->key[i] = handle;
        d->is_known[i] = number != 0;
        d->value[i] = number != 0 ? number : handle;
    }
    *is_known = d->is_known[i];
    return d->value[i];
}

bool rf_open_domains_has_tid(const struct rf_open_domains *d, uint32_t process, uint32_t tid)
{
    uint64_t key = (uint64_t)process << 32 | tid;
    return d->n_tids > 0 && bsearch(&key, d->tid, d->n_tids, sizeof(key), by_number) != NULL;
}

bool rf_open_domains_is_forked(const struct rf_open_domains *d, uint32_t process)
{
    return d->parent[process] != RF_OPEN_NONE;
}

bool rf_open_domains_has_cuda(const struct rf_open_domains *d, uint32_t process)
{
    return d->has_cuda[process];
}

/* The index with this value in an ascending list; n: there is none. */
static size_t find_index(const uint32_t *list, size_t n, uint32_t value)
{
    size_t i = 0;
    while (i < n && list[i] < value)
        i++;
    return i < n && list[i] == value ? i : n;
}

bool rf_open_domains_agree(const struct rf_open_domains *to, const struct rf_open_domains *from,
                           const uint32_t *process, size_t n)
{
    for (size_t i = 0; i < to->n_tids; i++) {
        if (i > 0 && to->tid[i] == to->tid[i - 1])
            continue;
        const size_t was = find_index(process, n, (uint32_t)(to->tid[i] >> 32));
        if (was < n && !rf_open_domains_has_tid(from, (uint32_t)was, (uint32_t)to->tid[i]))
            return false;
    }
    return true;
}

uint64_t rf_open_domains_renumber(const struct rf_open_domains *to,
                                  const struct rf_open_domains *from, const uint32_t *process,
                                  uint64_t number)
{
    for (size_t i = 0; i < from->n_names && number != 0; i++)
        if (from->name[i].number == number)
            return number_of(to, process[from->name[i].process], from->name[i].handle);
    return 0; /* the default domain */
}
