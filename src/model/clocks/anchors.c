/* SPDX-License-Identifier: Apache-2.0 */
#include "model/clocks/anchors.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/collectives/collectives.h"

static bool is_word(const char *text, size_t size, const char *word)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '_')
            continue;
        if (word[n] == '\0' || tolower((unsigned char)text[i]) != word[n])
            return false;
        n++;
    }
    return word[n] == '\0';
}

bool rf_is_anchor(uint32_t kind, const char *operation, size_t size)
{
    static const char *const words[] = {"barrier",       "allreduce", "allgather",
                                        "reducescatter", "alltoall",  "allgatherv",
                                        "alltoallv",     "alltoallw", "reducescatterblock"};
    if (kind == RF_COLLECTIVE_RANGE)
        return true;
    if (kind == RF_COLLECTIVE_NCCL || operation == NULL)
        return false; /* the call returns when the kernel is in its stream */
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (is_word(operation, size, words[i]))
            return true;
    return false;
}

/* FNV-1a: keys are the same in every process and version. */
static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static uint64_t add_number(uint64_t hash, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    return add_bytes(hash, bytes, sizeof(bytes));
}

uint64_t rf_anchor_key(const struct rf_anchor_name *name)
{
    uint64_t hash = add_number(14695981039346656037u, name->kind);
    hash = add_bytes(hash, name->operation, name->operation != NULL ? name->operation_size : 0);
    hash = add_number(hash, name->has_communicator);
    hash = add_number(hash, name->has_communicator ? name->communicator : 0);
    hash = add_number(hash, name->number);
    return add_number(hash, name->lane);
}

/* ---- Of a recording ---- */

/* Which of the streams of its process with GPU work a track is. */
static uint32_t lane_of(const rf_recording *rec, const struct rf_collective *item)
{
    uint32_t lane = 0;
    for (uint32_t t = 0; item->track != RF_NO_INDEX && t < item->track; t++)
        lane += rf_gpu_track_at(rec, t)->process == item->process;
    return lane;
}

static int add(struct rf_anchors *found, const rf_recording *rec, const struct rf_collective *item)
{
    const struct rf_anchor_name name = {
        item->kind,         item->operation, item->operation_size, item->has_communicator,
        item->communicator, item->number,    lane_of(rec, item)};
    if (!rf_is_anchor(item->kind, item->operation, item->operation_size))
        return RF_OK;
    if (rf_grow_array(&found->item, found->n, &found->room, sizeof(*found->item)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    found->item[found->n++] =
        (struct rf_anchor){rf_anchor_key(&name), item->start_ns, item->end_ns};
    return RF_OK;
}

int rf_anchors_find(const rf_recording *rec, const char *range, struct rf_anchors *found,
                    struct rf_err *err)
{
    struct rf_collectives collectives;
    *found = (struct rf_anchors){.n = 0};
    int status = rf_collectives_find(rec, range, &collectives, err);
    for (size_t i = 0; i < collectives.n && status == RF_OK; i++)
        if ((status = add(found, rec, &collectives.item[i])) != RF_OK)
            (void)rf_fail(err, status, "out of memory");
    rf_collectives_release(&collectives);
    return status;
}

void rf_anchors_release(struct rf_anchors *found)
{
    free(found->item);
    *found = (struct rf_anchors){.n = 0};
}
