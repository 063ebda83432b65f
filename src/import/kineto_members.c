/* SPDX-License-Identifier: Apache-2.0 */
#include "import/kineto_members.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- Keys twice ---- */

/* Most objects have no key twice, which few comparisons show. */
struct seen {
    uint64_t keys; /* a bit each, which keys may share */
    bool has_twice;
};

#define MOST_COMPARED 64

static bool is_same(const struct kineto_value *a, const struct kineto_value *b)
{
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

/* The last member is new: looks for its key among the others. */
static void see_last(const struct kineto_part *part, struct seen *seen)
{
    const struct kineto_value *key = &part->member[part->n_members - 1].key;
    /* of a key without any bytes its quotes */
    const uint32_t mix = (uint32_t)key->size * 31 + (uint8_t)key->at[0] +
                         (uint32_t)(uint8_t)key->at[key->size / 2] * 7 +
                         (uint32_t)(uint8_t)key->at[(ptrdiff_t)key->size - 1] * 13;
    const uint64_t bit = UINT64_C(1) << (mix * 0x9e3779b1u >> 26);
    const bool may_be_twice = (seen->keys & bit) != 0;
    seen->keys |= bit;
    if (!may_be_twice || seen->has_twice)
        return;
    seen->has_twice = part->n_members > MOST_COMPARED;
    for (size_t i = 0; i + 1 < part->n_members && !seen->has_twice; i++)
        seen->has_twice = is_same(&part->member[i].key, key);
}

/* The member of a key among those that are kept: its index plus 1; the slot has 0 where it is new.
 */
static uint32_t *find_slot(const struct kineto_part *part, uint32_t *slot, size_t mask,
                           const struct rf_strings *strings, const struct kineto_value *key)
{
    size_t i = rf_strings_hash(strings, key->at, key->size) & mask;
    while (slot[i] != 0 && !is_same(&part->member[slot[i] - 1].key, key))
        i = (i + 1) & mask;
    return &slot[i];
}

static bool keep_last(struct kineto_part *part, const struct rf_strings *strings)
{
    size_t room = 64, n_kept = 0;
    while (room < 2 * part->n_members)
        room *= 2;
    uint32_t *slot = calloc(room, sizeof(*slot));
    if (slot == NULL) {
        part->is_out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < part->n_members; i++) {
        const struct kineto_member member = part->member[i];
        uint32_t *of = find_slot(part, slot, room - 1, strings, &member.key);
        if (*of == 0) {
            *of = (uint32_t)n_kept + 1;
            part->member[n_kept++] = member;
        } else {
            part->member[*of - 1].value = member.value;
        }
    }
    part->n_members = n_kept;
    free(slot);
    return true;
}

/* ---- Members ---- */

bool kineto_read_members(struct kineto_part *part, struct kineto_scan *scan,
                         const struct rf_strings *strings)
{
    struct seen seen = {.keys = 0};
    bool is_end = false;
    part->n_members = 0;
    scan->at++;
    if (kineto_peek(scan) == '}') {
        scan->at++;
        return true;
    }
    while (!is_end) {
        if (rf_grow_array(&part->member, part->n_members, &part->member_room,
                          sizeof(*part->member)) != RF_OK) {
            part->is_out_of_memory = true;
            return false;
        }
        struct kineto_member *member = &part->member[part->n_members++];
        if (!kineto_scan_key(scan, &member->key) || !kineto_scan_value(scan, &member->value) ||
            !kineto_scan_next(scan, '}', &is_end))
            return false;
        see_last(part, &seen);
    }
    return !seen.has_twice || keep_last(part, strings);
}
