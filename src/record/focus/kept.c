/* SPDX-License-Identifier: Apache-2.0 */
/* The list of records that a stream keeps between captures: its rare operations. All of them
 * need a busy writer, so that no signal handler changes the list meanwhile. */
#include "record/focus/kept.h"

#include <string.h>

static uint64_t type_of(const uint8_t *record)
{
    return rf_head_type(*(const uint64_t *)(const void *)record);
}

static const uint8_t *end_of(const struct rf_writer *writer, uint32_t i)
{
    const struct rf_writer_focus *focus = writer->focus;
    return i + 1 < focus->n_kept ? focus->kept[i + 1].at : writer->cursor;
}

static void set_cursor(struct rf_writer *writer, uint8_t *at)
{
    writer->cursor = at;
    rf_kept_end_records(writer);
}

/* Moves the open records together. The record at the first gap is stored last: a process that is
 * killed meanwhile leaves records that end there, not a record that was cut in two. */
static void squeeze(struct rf_writer *writer)
{
    struct rf_writer_focus *focus = writer->focus;
    uint32_t n = 0;
    uint64_t first_head = 0;
    uint64_t *first = NULL;
    uint8_t *to = NULL;
    for (uint32_t i = 0; i < focus->n_kept; i++) {
        uint8_t *from = focus->kept[i].at;
        size_t size = (size_t)(end_of(writer, i) - from);
        if (focus->kept[i].key == RF_KEPT_VOID) {
            if (to == NULL) {
                to = from;
                __atomic_store_n((uint64_t *)(void *)to, 0, __ATOMIC_RELEASE);
            }
            continue;
        }
        if (to == NULL) {
            n++;
            continue;
        }
        if (first == NULL) {
            first = (uint64_t *)(void *)to;
            first_head = *(const uint64_t *)(const void *)from;
            memmove(to + 8, from + 8, size - 8);
        } else {
            memmove(to, from, size);
        }
        focus->kept[n].at = to;
        focus->kept[n++].key = focus->kept[i].key;
        to += size;
    }
    if (to == NULL)
        return;
    set_cursor(writer, to);
    if (first != NULL)
        __atomic_store_n(first, first_head, __ATOMIC_RELEASE);
    focus->n_kept = n;
}

static uint32_t count_void(const struct rf_writer *writer, size_t *bytes)
{
    const struct rf_writer_focus *focus = writer->focus;
    uint32_t n = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < focus->n_kept; i++)
        if (focus->kept[i].key == RF_KEPT_VOID) {
            n++;
            *bytes += (size_t)(end_of(writer, i) - focus->kept[i].at);
        }
    return n;
}

bool rf_kept_compact(struct rf_writer *writer)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    size_t bytes;
    if (writer->focus->phase != rf_capture_phase(word) || count_void(writer, &bytes) == 0 ||
        bytes < RF_PART_SIZE / 4)
        return false;
    squeeze(writer);
    return true;
}

/* Makes room in the list. If too little of it is void, the older half stays in the stream for good.
 */
static void make_list_shorter(struct rf_writer *writer)
{
    struct rf_writer_focus *focus = writer->focus;
    size_t bytes;
    if (count_void(writer, &bytes) >= RF_MAX_KEPT / 4) {
        squeeze(writer);
        return;
    }
    focus->n_kept = RF_MAX_KEPT / 2;
    memmove(focus->kept, focus->kept + RF_MAX_KEPT / 2, sizeof(focus->kept) / 2);
}

bool rf_kept_make_ready_slow(struct rf_writer *writer, uint32_t phase, uint64_t ticks)
{
    struct rf_writer_focus *focus = writer->focus;
    if (focus->phase == phase) {
        make_list_shorter(writer);
        return true;
    }
    if (ticks <= __atomic_load_n(&rf_recorder.control->capture.last_end_ticks, __ATOMIC_RELAXED))
        return false;
    focus->phase = phase;
    focus->n_kept = 0;
    return true;
}

/* Removes the newest record, and those before it that are void. */
static void remove_newest(struct rf_writer *writer)
{
    struct rf_writer_focus *focus = writer->focus;
    do
        focus->n_kept--;
    while (focus->n_kept > 0 && focus->kept[focus->n_kept - 1].key == RF_KEPT_VOID);
    set_cursor(writer, focus->kept[focus->n_kept].at);
}

bool rf_kept_remove(struct rf_writer *writer, uint64_t key)
{
    struct rf_writer_focus *focus = writer->focus;
    uint32_t i = focus->n_kept;
    while (i > 0 && focus->kept[i - 1].key != key)
        i--;
    if (i == 0)
        return false;
    if (i == focus->n_kept) {
        remove_newest(writer);
        return true;
    }
    uint8_t *record = focus->kept[i - 1].at;
    if (type_of(record) == RF_REC_COUNTER)
        record += RF_COUNTER_WORDS * 8;
    uint64_t *head = (uint64_t *)(void *)record;
    __atomic_store_n(head, (*head & ~(uint64_t)((1 << RF_WORD_TYPE_BITS) - 1)) | RF_REC_VOID,
                     __ATOMIC_RELEASE);
    focus->kept[i - 1].key = RF_KEPT_VOID;
    return true;
}
