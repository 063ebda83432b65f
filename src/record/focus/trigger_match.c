/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranges are triggers. Near misses are noted for the user. */
#include "record/focus/trigger_match.h"

#include "log/capture.h"
#include "record/names/interned.h"

static struct rf_capture *capture_of(void)
{
    return &rf_recorder.control->capture;
}

static bool is_domain_right(uint64_t domain)
{
    uint64_t number = rf_domain_number(domain);
    switch (capture_of()->domain_kind) {
    case RF_CAPTURE_DOMAIN_DEFAULT:
        return domain == 0;
    case RF_CAPTURE_DOMAIN_ANY:
        return number < RF_N_DOMAIN_NUMBERS;
    default:
        return number < RF_N_DOMAIN_NUMBERS && rf_trigger_has_bit(rf_recorder.domains, number);
    }
}

/* Notes a near miss, once. */
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

/* From now on texts are not compared with the trigger's message. */
static void stop_watching_texts(void)
{
    __atomic_store_n(&rf_recorder.watched_mask, 0xff, __ATOMIC_RELAXED);
    __atomic_store_n(&rf_recorder.watched_first, 0, __ATOMIC_RELAXED);
}

static void note_domain(uint64_t domain)
{
    const struct rf_def *def = domain != 0 ? rf_interned_find(RF_REC_DOMAIN, domain) : NULL;
    if (domain == 0)
        note_near_miss(RF_NEAR_DOMAIN, "", 0);
    else if (def != NULL && def->text_size != RF_NO_TEXT)
        note_near_miss(RF_NEAR_DOMAIN, (const char *)(def + 1), def->text_size);
}

static void note_case(const struct rf_attributes *a)
{
    const struct rf_def *def =
        a->message == RF_MESSAGE_REGISTERED ? rf_interned_find(RF_REC_STRING, a->string) : NULL;
    if (def != NULL)
        note_near_miss(RF_NEAR_CASE, (const char *)(def + 1), def->text_size);
    else if (a->message == RF_MESSAGE_TEXT)
        note_near_miss(RF_NEAR_CASE, a->text, strlen(a->text));
}

RF_COLD static void note_miss(const struct rf_attributes *a, bool is_equal, bool is_accepted,
                              bool has_domain)
{
    if (rf_capture_phase(rf_capture_word(rf_recorder.control)) != 0) {
        if (!capture_of()->takes_unregistered)
            stop_watching_texts();
        return;
    }
    if (is_equal && is_accepted) {
        note_domain(a->domain);
    } else if (is_equal && has_domain) {
        note_near_miss(RF_NEAR_UNREGISTERED, "", 0);
        stop_watching_texts();
    } else if (is_accepted && has_domain) {
        note_case(a);
    }
}

bool rf_trigger_matches(const struct rf_attributes *a)
{
    const struct rf_capture *capture = capture_of();
    bool is_equal;
    bool is_accepted = true;
    if (a->message == RF_MESSAGE_REGISTERED) {
        is_equal = rf_trigger_has_bit(rf_recorder.equal, a->string);
    } else {
        if (!rf_trigger_is_similar(a->text))
            return false;
        is_equal = strcmp(a->text, capture->message) == 0;
        is_accepted = capture->takes_unregistered;
    }
    bool has_domain = is_domain_right(a->domain);
    if (is_equal && is_accepted && has_domain)
        return true;
    note_miss(a, is_equal, is_accepted, has_domain);
    return false;
}
