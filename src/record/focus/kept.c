/* SPDX-License-Identifier: Apache-2.0 */
/* Between the captures of a focused run: what is rare. Everything here works on a busy writer, so
 * that no signal handler comes between. */
#include "record/focus/emit_focused.h"

void rf_focus_forget(struct rf_writer *writer)
{
    writer->idle->phase = RF_NO_PHASE;
    writer->idle->n_kept = 0;
    writer->idle->needs_counter = 1;
}

static uint64_t type_of(const uint8_t *record)
{
    return *(const uint64_t *)(const void *)record & ((1 << RF_WORD_TYPE_BITS) - 1);
}

static const uint8_t *end_of(const struct rf_writer *writer, uint32_t i)
{
    const struct rf_idle *idle = writer->idle;
    return i + 1 < idle->n_kept ? idle->kept[i + 1].at : writer->cursor;
}

static void set_cursor(struct rf_writer *writer, uint8_t *at)
{
    writer->cursor = at;
    rf_focus_end_records(writer);
}

/* Moves what is open together. What stands at the first gap is stored last: a process that is
 * killed meanwhile leaves records that end there, not records that were cut through. */
static void squeeze(struct rf_writer *writer)
{
    struct rf_idle *idle = writer->idle;
    uint32_t n = 0;
    uint64_t first_head = 0;
    uint64_t *first = NULL;
    uint8_t *to = NULL;
    for (uint32_t i = 0; i < idle->n_kept; i++) {
        uint8_t *from = idle->kept[i].at;
        size_t size = (size_t)(end_of(writer, i) - from);
        if (idle->kept[i].key == RF_KEPT_VOID) {
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
        idle->kept[n].at = to;
        idle->kept[n++].key = idle->kept[i].key;
        to += size;
    }
    if (to == NULL)
        return;
    set_cursor(writer, to);
    if (first != NULL)
        __atomic_store_n(first, first_head, __ATOMIC_RELEASE);
    idle->n_kept = n;
}

static uint32_t count_void(const struct rf_writer *writer, size_t *bytes)
{
    const struct rf_idle *idle = writer->idle;
    uint32_t n = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < idle->n_kept; i++)
        if (idle->kept[i].key == RF_KEPT_VOID) {
            n++;
            *bytes += (size_t)(end_of(writer, i) - idle->kept[i].at);
        }
    return n;
}

bool rf_focus_compact(struct rf_writer *writer)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    size_t bytes;
    if (writer->idle->phase != rf_capture_phase(word) || count_void(writer, &bytes) == 0 ||
        bytes < RF_PART_SIZE / 4)
        return false;
    squeeze(writer);
    return true;
}

/* Makes room in the list. Where too little of it is void, the older half stays for good. */
static void make_list_shorter(struct rf_writer *writer)
{
    struct rf_idle *idle = writer->idle;
    size_t bytes;
    if (count_void(writer, &bytes) >= RF_MAX_KEPT / 4) {
        squeeze(writer);
        return;
    }
    idle->n_kept = RF_MAX_KEPT / 2;
    memmove(idle->kept, idle->kept + RF_MAX_KEPT / 2, sizeof(idle->kept) / 2);
}

/* Called when kept[] holds for another phase, or is full: makes it ready for the next record of
 * this phase. False: an event with this time still belongs to the capture that ended before. */
static bool enter(struct rf_writer *writer, uint32_t phase, uint64_t ticks)
{
    struct rf_idle *idle = writer->idle;
    if (idle->phase == phase) {
        make_list_shorter(writer);
        return true;
    }
    if (ticks <= __atomic_load_n(&rf_recorder.control->capture.last_end_ticks, __ATOMIC_RELAXED))
        return false;
    idle->phase = phase;
    idle->n_kept = 0;
    return true;
}

/* Takes back the newest record, and those before it that are void. */
static void take_back_newest(struct rf_writer *writer)
{
    struct rf_idle *idle = writer->idle;
    do
        idle->n_kept--;
    while (idle->n_kept > 0 && idle->kept[idle->n_kept - 1].key == RF_KEPT_VOID);
    set_cursor(writer, idle->kept[idle->n_kept].at);
}

/* Takes back the record with this key, or leaves it VOID. False: it is not in the list. */
static bool take_back(struct rf_writer *writer, uint64_t key)
{
    struct rf_idle *idle = writer->idle;
    uint32_t i = idle->n_kept;
    while (i > 0 && idle->kept[i - 1].key != key)
        i--;
    if (i == 0)
        return false;
    if (i == idle->n_kept) {
        take_back_newest(writer);
        return true;
    }
    uint8_t *record = idle->kept[i - 1].at;
    if (type_of(record) == RF_REC_COUNTER)
        record += RF_COUNTER_WORDS * 8;
    uint64_t *head = (uint64_t *)(void *)record;
    __atomic_store_n(head, (*head & ~(uint64_t)((1 << RF_WORD_TYPE_BITS) - 1)) | RF_REC_VOID,
                     __ATOMIC_RELEASE);
    idle->kept[i - 1].key = RF_KEPT_VOID;
    return true;
}

/* ---- Events, the whole of them ---- */

/* Between captures. A mark is dropped unless it still belongs to the last one. */
RF_INLINE uint64_t keep(uint32_t type, const struct rf_attributes *a, uint32_t phase)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return 0;
    struct rf_idle *idle = writer->idle;
    uint64_t ticks = rf_now();
    bool is_ready = idle->phase == phase && idle->n_kept < RF_MAX_KEPT;
    if (is_ready || enter(writer, phase, ticks)) {
        if (type == RF_REC_MARK) {
            rf_focus_leave(writer, end);
            return 0;
        }
        rf_focus_list(writer, type, a->domain, ticks);
    } else if (type == RF_REC_START) {
        rf_write_counter(writer, ticks);
    }
    return rf_write_event(writer, end, ticks, type, a, false);
}

RF_INLINE uint64_t record(uint32_t type, const struct rf_attributes *a)
{
    uint8_t *end;
    if (rf_is_excluded(a->domain))
        return 0;
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (!rf_capture_is_on(word)) {
        if (rf_focus_drops_all(word))
            return 0;
        if (type == RF_REC_MARK && rf_tls_writer->idle == NULL)
            return 0; /* a thread that has recorded nothing yet */
        return keep(type, a, rf_capture_phase(word));
    }
    struct rf_writer *writer = rf_begin(&end);
    if (RF_UNLIKELY(writer == NULL))
        return 0;
    uint64_t ticks = rf_now();
    if (type == RF_REC_START && RF_UNLIKELY(writer->idle->needs_counter)) {
        rf_write_counter(writer, ticks);
        writer->idle->needs_counter = 0;
    }
    return rf_write_event(writer, end, ticks, type, a, false);
}

uint64_t rf_focus_record(uint32_t type, const struct rf_attributes *a)
{
    return type == RF_REC_MARK   ? record(RF_REC_MARK, a)
           : type == RF_REC_PUSH ? record(RF_REC_PUSH, a)
                                 : record(RF_REC_START, a);
}

uint64_t rf_focus_event_slow(uint32_t type, const struct rf_attributes *a)
{
    if (type != RF_REC_MARK && rf_focus_is_watched(a) && rf_trigger_matches(a))
        return type == RF_REC_PUSH ? rf_trigger_push(a) : rf_trigger_start(a);
    if (type == RF_REC_PUSH && rf_tls_writer->n_triggers != 0)
        rf_focus_count_push(a->domain);
    return rf_focus_record(type, a);
}

/* Between captures. */
static void end_kept(uint32_t type, size_t n_words, uint64_t value, uint32_t phase)
{
    uint8_t *end;
    struct rf_writer *writer = rf_begin(&end);
    if (writer == NULL)
        return;
    struct rf_idle *idle = writer->idle;
    if (idle->phase == phase && take_back(writer, rf_focus_key(writer, type, value))) {
        rf_focus_leave(writer, end);
        return;
    }
    uint64_t ticks = rf_now();
    bool is_ready = idle->phase == phase && idle->n_kept < RF_MAX_KEPT;
    if (is_ready || enter(writer, phase, ticks)) {
        idle->kept[idle->n_kept].at = writer->cursor;
        idle->kept[idle->n_kept++].key = RF_KEPT_FIRM;
    }
    rf_write_words(writer, end, ticks, type, n_words, value, 0);
}

void rf_focus_end_slow(uint32_t type, size_t n_words, uint64_t value)
{
    uint64_t word = rf_capture_word(rf_recorder.control);
    if (rf_capture_is_on(word))
        rf_emit_words_slow(type, n_words, value, 0);
    else if (!rf_focus_drops_all(word))
        end_kept(type, n_words, value, rf_capture_phase(word));
}
