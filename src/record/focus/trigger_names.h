/* SPDX-License-Identifier: Apache-2.0 */
/* Which strings and domains triggers have. */
#ifndef RF_RECORD_FOCUS_TRIGGER_NAMES_H
#define RF_RECORD_FOCUS_TRIGGER_NAMES_H

#include "record/recorder.h"

/* Once, when the process has its session. False: no memory. */
bool rf_trigger_prepare(void);

/* A string was registered, or a domain was made; the program may have got this handle before. */
void rf_trigger_add_string(uint64_t string, const char *text);
void rf_trigger_add_domain(uint64_t domain, const char *name);

/* Is this the name of the trigger's domain? */
bool rf_trigger_is_in_domain(const char *name);

/* Does the text equal the trigger's message, but for the case of its ASCII letters? */
bool rf_trigger_is_similar(const char *text);

RF_INLINE bool rf_trigger_has_bit(const uint64_t *bits, uint64_t i)
{
    return (__atomic_load_n(&bits[i / 64], __ATOMIC_RELAXED) >> (i % 64)) & 1;
}

#endif
