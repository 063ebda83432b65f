/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_defs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rangefinder/rangefinder.h"

#define BLOCK        (TOP_DEFS_ROOM / 2)
#define MOST_HANDLES (1u << 20)
#define PATIENCE     20u /* looks at a definition that is not finished */
#define FAMILY       64u /* forked processes above one another */

/* ---- Handles ---- */

static void set_handle(struct top_reading *reading, uint32_t **array, uint32_t *n, uint32_t handle,
                       uint32_t text)
{
    if (handle >= MOST_HANDLES)
        return;
    if (handle >= *n) {
        const uint32_t room = handle + handle / 2 + 64;
        uint32_t *grown = realloc(*array, room * sizeof(*grown));
        if (grown == NULL) {
            reading->ranges->is_out_of_memory = true;
            return;
        }
        memset(grown + *n, 0xff, (room - *n) * sizeof(*grown)); /* TOP_NONE */
        *array = grown;
        *n = room;
    }
    (*array)[handle] = text;
}

static struct top_process *parent_of(struct top_reading *reading, const struct top_process *p)
{
    for (size_t i = 0; i < reading->n_processes && p->parent != TOP_NONE; i++)
        if (reading->process[i].number == p->parent)
            return &reading->process[i];
    return NULL;
}

/* What a handle means in a process or those that it was forked from; TOP_NONE: nothing. */
static uint32_t look_up(struct top_reading *reading, struct top_process *p, uint64_t handle,
                        bool is_string)
{
    for (unsigned i = 0; p != NULL && i < FAMILY; i++, p = parent_of(reading, p)) {
        const uint32_t *array = is_string ? p->string : p->domain;
        const uint32_t n = is_string ? p->n_strings : p->n_domains;
        if (handle < n && array[handle] != TOP_NONE)
            return array[handle];
    }
    return TOP_NONE;
}

/* Definitions that came since, also of those that a process was forked from: it may have been
 * forked after theirs were read. */
static void read_family(struct top_reading *reading, struct top_process *p)
{
    for (unsigned i = 0; p != NULL && i < FAMILY; i++, p = parent_of(reading, p))
        top_defs_read(reading, p);
}

/* The same; definitions that came since are read first. */
static uint32_t find(struct top_reading *reading, struct top_process *p, uint64_t handle,
                     bool is_string, bool *is_known)
{
    char text[32];
    uint32_t found = look_up(reading, p, handle, is_string);
    if (found == TOP_NONE && !p->has_new_defs) {
        read_family(reading, p);
        found = look_up(reading, p, handle, is_string);
    }
    *is_known = found != TOP_NONE;
    if (found != TOP_NONE)
        return found;
    const int n = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)handle);
    return top_texts_find(&reading->ranges->texts, text, (size_t)n);
}

uint32_t top_string_of(struct top_reading *reading, struct top_process *p, uint64_t handle)
{
    bool is_known;
    return find(reading, p, handle, true, &is_known);
}

uint32_t top_domain_of(struct top_reading *reading, struct top_process *p, uint64_t handle,
                       bool *is_known)
{
    *is_known = true;
    return handle == 0 ? TOP_TEXT_NONE : find(reading, p, handle, false, is_known);
}

/* ---- Definitions ---- */

static void take(struct top_reading *reading, struct top_process *p, const struct rf_def *def,
                 const char *bytes, size_t size)
{
    struct top_texts *texts = &reading->ranges->texts;
    switch (def->head & ((1u << RF_WORD_TYPE_BITS) - 1)) {
    case RF_REC_STRING:
        set_handle(reading, &p->string, &p->n_strings, def->index,
                   top_texts_find(texts, bytes, size));
        break;
    case RF_REC_DOMAIN:
        set_handle(reading, &p->domain, &p->n_domains, def->index,
                   top_texts_find(texts, bytes, size));
        break;
    case RF_REC_THREAD_NAME:
        if (size > 0 && p->tid_name.n < MOST_HANDLES)
            (void)top_map_set(&p->tid_name, def->index, top_texts_find(texts, bytes, size));
        break;
    case RF_REC_PROCESS:
        if (def->index == RF_PROC_NAME)
            p->name = top_texts_find(texts, bytes, size);
        else if (def->index == RF_PROC_FORK_OF && def->value < p->number)
            p->parent = (uint32_t)def->value;
        break;
    default:
        break;
    }
}

static size_t read_at(int fd, void *bytes, size_t size, uint64_t at)
{
    ssize_t n;
    while ((n = pread(fd, bytes, size, (off_t)at)) < 0 && errno == EINTR)
        ;
    return n > 0 ? (size_t)n : 0;
}

/* The definition at `at` of n bytes: its size, or 0 where none is begun that fits. */
static uint64_t size_at(const uint8_t *bytes, size_t at, size_t n, struct rf_def *def)
{
    if (n - at < sizeof(*def))
        return 0;
    memcpy(def, bytes + at, sizeof(*def));
    const uint64_t size = (uint64_t)def->n_words * 8;
    return size < sizeof(*def) ? 0 : size;
}

/* Takes those of a block that are finished, which are written whole before their heads. Returns how
 * many bytes the block has of whole ones, and in *first where the first one stands that is not
 * finished, if there is one. */
static size_t take_block(struct top_reading *reading, struct top_process *p, const uint8_t *seen,
                         const uint8_t *bytes, size_t n, size_t *first)
{
    size_t at = 0;
    struct rf_def def;
    *first = SIZE_MAX;
    for (uint64_t size; (size = size_at(seen, at, n, &def)) != 0; at += (size_t)size) {
        if (size > n - at && at > 0)
            break; /* it begins the next block */
        const size_t there = (size_t)(size < n - at ? size : n - at) - sizeof(def);
        const size_t text_size = def.text_size == RF_NO_TEXT ? 0
                                 : def.text_size < there     ? def.text_size
                                                             : there;
        if (def.head != 0)
            take(reading, p, &def, (const char *)bytes + at + sizeof(def), text_size);
        else if (*first == SIZE_MAX)
            *first = at;
        if (size > n - at) /* longer than a block: the rest of its text is not needed */
            return (size_t)size;
    }
    return at;
}

/* A thread may be held up within a definition while others go on behind it: these are taken, and
 * taken again when the next ones are read from there, which changes nothing. */
static void hold_at(struct top_reading *reading, struct top_process *p, uint64_t at)
{
    if (p->defs_at != at)
        p->n_stuck = 0;
    if (p->stuck_look != reading->n_looks)
        p->n_stuck++;
    p->stuck_look = reading->n_looks;
    p->defs_at = at;
}

void top_defs_read(struct top_reading *reading, struct top_process *p)
{
    uint8_t *seen = reading->defs, *bytes = seen + BLOCK;
    uint64_t at = p->defs_at;
    size_t n, taken = 1, first = SIZE_MAX;
    bool is_held = false;
    p->has_new_defs = true;
    while (p->defs_fd >= 0 && taken > 0) {
        n = read_at(p->defs_fd, seen, BLOCK, sizeof(struct rf_defs_header) + at);
        /* what the first reading shows as finished is there whole in the second one */
        n = n > 0 ? read_at(p->defs_fd, bytes, n, sizeof(struct rf_defs_header) + at) : 0;
        taken = n > 0 ? take_block(reading, p, seen, bytes, n, &first) : 0;
        const bool is_given_up = at + first == p->defs_at && p->n_stuck >= PATIENCE;
        if (taken > 0 && first != SIZE_MAX && !is_held && !is_given_up) {
            hold_at(reading, p, at + first);
            is_held = true;
        }
        at += taken;
        if (!is_held)
            p->defs_at = at;
    }
}
