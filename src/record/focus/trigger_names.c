/* SPDX-License-Identifier: Apache-2.0 */
/* Which strings and domains triggers have: bitmaps by handle, so that an event with a registered
 * message needs one load. */
#include "record/focus/trigger_names.h"

#include <string.h>

#include "log/capture.h"
#include "record/names/domain_handles.h"

#define WATCHED_STRINGS (1u << 25) /* the definitions have no room for more */

#define BITMAP_BYTES ((size_t)WATCHED_STRINGS / 8)

static struct rf_capture *capture_of(void)
{
    return &rf_recorder.control->capture;
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

bool rf_trigger_is_similar(const char *text)
{
    const char *a = text;
    const char *b = capture_of()->message;
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
    r->watched_mask =
        0xff; /* with watched_first 0: only empty texts are compared, which are no triggers */
    if ((capture->triggers & RF_TRIGGER_NVTX) == 0)
        return true;
    uint8_t *bits = rf_sys_mmap(2 * BITMAP_BYTES + RF_N_DOMAIN_NUMBERS / 8, PROT_READ | PROT_WRITE,
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

static void set_bit(uint64_t *bits, uint64_t i)
{
    (void)__atomic_fetch_or(&bits[i / 64], 1ULL << (i % 64), __ATOMIC_RELAXED);
}

RF_COLD void rf_trigger_add_string(uint64_t string, const char *text)
{
    struct rf_recorder *r = &rf_recorder;
    if (r->watched == NULL || text == NULL || string >= WATCHED_STRINGS ||
        !rf_trigger_is_similar(text))
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

RF_COLD void rf_trigger_add_domain(uint64_t domain, const char *name)
{
    uint64_t number = rf_domain_number(domain);
    if (number < RF_N_DOMAIN_NUMBERS && rf_trigger_is_in_domain(name))
        set_bit(rf_recorder.domains, number);
}
