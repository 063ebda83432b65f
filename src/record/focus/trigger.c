/* SPDX-License-Identifier: Apache-2.0 */
/* What begins and ends captures inside the program: ranges of one message, and the calls of
 * cudaProfilerStart and Stop.
 *
 * A trigger that is open stands in one place: that of its thread (pushes), that of the process
 * (started ranges, profiler). Whoever clears the place closes the trigger: so exit() can close what
 * threads that still run have open, and no trigger is closed twice. */
#include "record/focus/emit_focused.h"

#define WATCHED_STRINGS (1u << 25) /* more have no room in the definitions */

#define BITMAP_BYTES ((size_t)WATCHED_STRINGS / 8)

/* Ids of ranges that are triggers, but not recorded: of a slot that there is not. */
#define UNRECORDED_SLOT (RF_MAX_SLOTS + 100)

static struct rf_capture *capture_of(void)
{
    return &rf_recorder.control->capture;
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

static bool is_same_but_case(const char *a, const char *b)
{
    while (*a != '\0' && lower((uint8_t)*a) == lower((uint8_t)*b)) {
        a++;
        b++;
    }
    return lower((uint8_t)*a) == lower((uint8_t)*b);
}

bool rf_trigger_prepare(void)
{
    struct rf_recorder *r = &rf_recorder;
    const struct rf_capture *capture = capture_of();
    r->is_focused = r->control->records_all == 0;
    if (!r->is_focused)
        return true;
    r->drops = capture->keeps_open ? 0 : RF_CAPTURE_OVER;
    r->watched_mask = 0xff; /* with the first byte 0: empty texts, which are no triggers */
    if ((capture->triggers & RF_TRIGGER_NVTX) == 0)
        return true;
    uint8_t *bits = rf_sys_mmap(2 * BITMAP_BYTES + RF_MAX_DOMAIN / 8, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (bits == NULL)
        return false;
    r->watched = (uint64_t *)(void *)bits;
    r->equal = (uint64_t *)(void *)(bits + BITMAP_BYTES);
    r->domains = (uint64_t *)(void *)(bits + 2 * BITMAP_BYTES);
    r->watched_first = (uint8_t)capture->message[0];
    uint8_t letter = lower(r->watched_first);
    if (letter >= 'a' && letter <= 'z')
        r->watched_mask = 0xff & ~0x20;
    return true;
}

static bool has_bit(const uint64_t *bits, uint64_t i)
{
    return (__atomic_load_n(&bits[i / 64], __ATOMIC_RELAXED) >> (i % 64)) & 1;
}

static void set_bit(uint64_t *bits, uint64_t i)
{
    (void)__atomic_fetch_or(&bits[i / 64], 1ULL << (i % 64), __ATOMIC_RELAXED);
}

RF_COLD void rf_trigger_see_string(uint64_t string, const char *text)
{
    struct rf_recorder *r = &rf_recorder;
    if (r->watched == NULL || text == NULL || string >= WATCHED_STRINGS ||
        !is_same_but_case(text, capture_of()->message))
        return;
    if (strcmp(text, capture_of()->message) == 0)
        set_bit(r->equal, string);
    set_bit(r->watched, string);
    uint64_t limit = __atomic_load_n(&r->watched_limit, __ATOMIC_RELAXED);
    while (limit <= string &&
           !__atomic_compare_exchange_n(&r->watched_limit, &limit, string + 1, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

bool rf_trigger_is_in_domain(const char *name)
{
    return rf_recorder.domains != NULL && capture_of()->domain_kind == RF_CAPTURE_DOMAIN_NAMED &&
           name != NULL && strcmp(name, capture_of()->domain) == 0;
}

RF_COLD void rf_trigger_see_domain(uint64_t domain, const char *name)
{
    if (domain < RF_MAX_DOMAIN && rf_trigger_is_in_domain(name))
        set_bit(rf_recorder.domains, domain);
}

/* ---- Is it one? ---- */

static bool is_domain_right(uint64_t domain)
{
    switch (capture_of()->domain_kind) {
    case RF_CAPTURE_DOMAIN_DEFAULT:
        return domain == 0;
    case RF_CAPTURE_DOMAIN_ANY:
        return domain < RF_MAX_DOMAIN;
    default:
        return domain < RF_MAX_DOMAIN && has_bit(rf_recorder.domains, domain);
    }
}

/* Notes a range that would have been a trigger, once. */
static void note_near_miss(enum rf_near_miss_kind kind, const char *text, size_t size)
{
    struct rf_capture *capture = capture_of();
    char copy[sizeof(capture->near_miss[0].text)] = {0};
    memcpy(copy, text, size < sizeof(copy) ? size : sizeof(copy) - 1);
    for (uint32_t i = 0; i < RF_MAX_NEAR_MISSES; i++)
        if (__atomic_load_n(&capture->near_miss[i].kind, __ATOMIC_ACQUIRE) == kind &&
            strcmp(capture->near_miss[i].text, copy) == 0)
            return;
    if (__atomic_load_n(&capture->n_near_misses, __ATOMIC_RELAXED) >= RF_MAX_NEAR_MISSES)
        return;
    uint32_t i = __atomic_fetch_add(&capture->n_near_misses, 1, __ATOMIC_RELAXED);
    if (i >= RF_MAX_NEAR_MISSES)
        return;
    memcpy(capture->near_miss[i].text, copy, sizeof(copy));
    __atomic_store_n(&capture->near_miss[i].kind, kind, __ATOMIC_RELEASE);
}

/* Texts are compared no more. */
static void stop_watching_texts(void)
{
    __atomic_store_n(&rf_recorder.watched_mask, 0xff, __ATOMIC_RELAXED);
    __atomic_store_n(&rf_recorder.watched_first, 0, __ATOMIC_RELAXED);
}

static void note_domain(uint64_t domain)
{
    const struct rf_def *def = domain != 0 ? rf_defs_find(RF_REC_DOMAIN, domain) : NULL;
    if (domain == 0)
        note_near_miss(RF_NEAR_DOMAIN, "", 0);
    else if (def != NULL && def->text_size != RF_NO_TEXT)
        note_near_miss(RF_NEAR_DOMAIN, (const char *)(def + 1), def->text_size);
}

static void note_case(const struct rf_attributes *a)
{
    const struct rf_def *def =
        a->message == RF_MESSAGE_REGISTERED ? rf_defs_find(RF_REC_STRING, a->string) : NULL;
    if (def != NULL)
        note_near_miss(RF_NEAR_CASE, (const char *)(def + 1), def->text_size);
    else if (a->message == RF_MESSAGE_TEXT)
        note_near_miss(RF_NEAR_CASE, a->text, strlen(a->text));
}

RF_COLD static void consider(const struct rf_attributes *a, bool is_equal, bool counts,
                             bool is_right)
{
    if (rf_capture_phase(rf_capture_word(rf_recorder.control)) != 0) {
        if (!capture_of()->takes_unregistered)
            stop_watching_texts();
        return;
    }
    if (is_equal && counts) {
        note_domain(a->domain);
    } else if (is_equal && is_right) {
        note_near_miss(RF_NEAR_UNREGISTERED, "", 0);
        stop_watching_texts();
    } else if (counts && is_right) {
        note_case(a);
    }
}

bool rf_trigger_matches(const struct rf_attributes *a)
{
    const struct rf_capture *capture = capture_of();
    bool is_equal;
    bool counts = true;
    if (a->message == RF_MESSAGE_REGISTERED) {
        is_equal = has_bit(rf_recorder.equal, a->string);
    } else {
        if (!is_same_but_case(a->text, capture->message))
            return false;
        is_equal = strcmp(a->text, capture->message) == 0;
        counts = capture->takes_unregistered;
    }
    bool is_right = is_domain_right(a->domain);
    if (is_equal && counts && is_right)
        return true;
    consider(a, is_equal, counts, is_right);
    return false;
}

/* ---- Opening and closing ---- */

static void say_capture_changed(void)
{
    const struct rf_hooks *hooks = __atomic_load_n(&rf_hooks, __ATOMIC_ACQUIRE);
    if (RF_UNLIKELY(hooks != NULL))
        hooks->capture_changed();
}

static void open_trigger(void)
{
    struct rf_capture *capture = capture_of();
    (void)__atomic_fetch_add(&rf_pool_header()->n_open_triggers, 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&capture->n_trigger_hits, 1, __ATOMIC_RELAXED);
    (void)rf_capture_begin(rf_recorder.control, true, 0);
    say_capture_changed();
}

static void close_trigger(void)
{
    (void)rf_capture_end(rf_recorder.control, true, 0, 0);
    (void)__atomic_fetch_sub(&rf_pool_header()->n_open_triggers, 1, __ATOMIC_RELAXED);
    say_capture_changed();
}

static void count_lost_trigger(void)
{
    (void)__atomic_fetch_add(&capture_of()->n_lost_triggers, 1, __ATOMIC_RELAXED);
}

/* The thread's own writer, also in a signal handler that interrupted it. */
static struct rf_writer *own_writer(void)
{
    if (rf_tls_writer->part == NULL)
        (void)rf_writer_prepare();
    return rf_tls_writer->part != NULL ? rf_tls_writer : NULL;
}

static bool add_push(struct rf_writer *writer, uint64_t domain)
{
    uint64_t value = 1ULL << RF_TRIGGER_DEPTH_SHIFT | domain;
    for (uint32_t i = 0; i < RF_MAX_THREAD_TRIGGERS; i++) {
        uint64_t seen = 0;
        if (__atomic_compare_exchange_n(&writer->idle->trigger[i], &seen, value, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            writer->n_triggers++;
            return true;
        }
    }
    return false;
}

/* The trigger is opened before its place is taken: a handler that comes in between must not find
 * the place and no trigger open. */
static void open_push(struct rf_writer *writer, uint64_t domain)
{
    if (writer == NULL || writer->n_triggers >= RF_MAX_THREAD_TRIGGERS) {
        count_lost_trigger();
        return;
    }
    open_trigger();
    if (!add_push(writer, domain)) { /* handlers took the last places, and left them taken */
        close_trigger();
        count_lost_trigger();
    }
}

uint64_t rf_trigger_push(const struct rf_attributes *a)
{
    struct rf_writer *writer = own_writer();
    uint64_t *place = writer != NULL ? rf_focus_find_push(writer, a->domain) : NULL;
    if (place != NULL)
        rf_focus_change_depth(place, 1);
    else
        open_push(writer, a->domain);
    return rf_focus_record(RF_REC_PUSH, a);
}

void rf_trigger_pop(uint64_t domain, uint64_t *place)
{
    uint64_t value = 1ULL << RF_TRIGGER_DEPTH_SHIFT | domain;
    rf_focus_record_pop(domain, rf_capture_word(rf_recorder.control));
    /* exit() may have closed it meanwhile */
    if (__atomic_compare_exchange_n(place, &value, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        rf_tls_writer->n_triggers--;
        close_trigger();
    }
}

/* ---- Started ranges ---- */

static uint64_t *find_start(uint64_t id)
{
    struct rf_local *local = rf_recorder.local;
    for (uint32_t i = 0; i < RF_MAX_START_TRIGGERS; i++) {
        uint64_t *place = &local->start_trigger[(id + i) % RF_MAX_START_TRIGGERS];
        if (__atomic_load_n(place, __ATOMIC_RELAXED) == id)
            return place;
    }
    return NULL;
}

static bool add_start(uint64_t id)
{
    struct rf_local *local = rf_recorder.local;
    /* before the place is taken: whoever looks for it must not be told that there is none */
    (void)__atomic_fetch_add(&local->n_start_triggers, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < RF_MAX_START_TRIGGERS; i++) {
        uint64_t seen = 0;
        if (__atomic_compare_exchange_n(&local->start_trigger[(id + i) % RF_MAX_START_TRIGGERS],
                                        &seen, id, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return true;
    }
    (void)__atomic_fetch_sub(&local->n_start_triggers, 1, __ATOMIC_RELAXED);
    return false;
}

uint64_t rf_trigger_start(const struct rf_attributes *a)
{
    if (own_writer() == NULL) { /* the id would be worth nothing */
        count_lost_trigger();
        return 0;
    }
    open_trigger();
    uint64_t id = rf_focus_record(RF_REC_START, a);
    if (id == 0)
        id = rf_range_id(
            rf_recorder.process, UNRECORDED_SLOT,
            __atomic_add_fetch(&rf_recorder.local->n_unrecorded_ids, 1, __ATOMIC_RELAXED));
    if (!add_start(id)) {
        close_trigger();
        count_lost_trigger();
    }
    return id;
}

__attribute__((noinline)) void rf_trigger_end(uint64_t id)
{
    uint64_t *place = find_start(id);
    uint64_t slot = id >> RF_ID_COUNTER_BITS & ((1u << RF_ID_SLOT_BITS) - 1);
    if (slot != UNRECORDED_SLOT + 1)
        rf_focus_end_slow(RF_REC_END, 2, id);
    if (place != NULL &&
        __atomic_compare_exchange_n(place, &id, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        (void)__atomic_fetch_sub(&rf_recorder.local->n_start_triggers, 1, __ATOMIC_RELAXED);
        close_trigger();
    }
}

/* ---- The profiler's switch ---- */

void rf_trigger_profiler(bool is_on)
{
    struct rf_recorder *r = &rf_recorder;
    uint32_t seen = !is_on;
    if (r->control == NULL || !r->is_focused ||
        (capture_of()->triggers & RF_TRIGGER_PROFILER) == 0 || !rf_process_ensure())
        return;
    if (!__atomic_compare_exchange_n(&r->local->is_profiler_on, &seen, is_on, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    if (is_on)
        open_trigger();
    else
        close_trigger();
}

/* ---- Ends ---- */

static void close_all(uint64_t *places, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (__atomic_load_n(&places[i], __ATOMIC_RELAXED) != 0 &&
            __atomic_exchange_n(&places[i], 0, __ATOMIC_ACQ_REL) != 0)
            close_trigger();
}

RF_COLD void rf_trigger_thread_exit(struct rf_writer *writer)
{
    close_all(writer->idle->trigger, RF_MAX_THREAD_TRIGGERS);
    writer->n_triggers = 0;
}

RF_COLD void rf_trigger_process_exit(void)
{
    struct rf_local *local = rf_recorder.local;
    if (!rf_recorder.is_focused)
        return;
    uint32_t n_slots = __atomic_load_n(&local->n_slots, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n_slots && i < RF_MAX_SLOTS; i++)
        close_all(local->idle[i].trigger, RF_MAX_THREAD_TRIGGERS);
    close_all(local->start_trigger, RF_MAX_START_TRIGGERS);
    rf_trigger_profiler(false);
}
