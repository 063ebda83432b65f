/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of domains and registered strings. */
#ifndef RF_RECORD_NAMES_DOMAIN_HANDLES_H
#define RF_RECORD_NAMES_DOMAIN_HANDLES_H

#include "record/recorder.h"

/* Domain handles from here on stand for domains that the user excluded. */
#define RF_EXCLUDED_DOMAIN         0xe00000u
#define RF_EXCLUDED_TRIGGER_DOMAIN 0xf00000u /* the one with the trigger */
#define RF_MAX_DOMAIN              (1u << 24)

/* The handle of a domain or registered string, the same for the same text. Never 0. */
uint32_t rf_domain_handle(const char *name);
uint32_t rf_string_handle(uint64_t domain, const char *text);

/* Creating the domain again gives a new handle, with strings of its own. */
void rf_domain_destroy(uint64_t domain);

bool rf_domain_is_default_excluded(void);

/* Is this an excluded domain, or a handle that looks so but was never given out? */
RF_INLINE bool rf_domain_is_excluded(uint64_t domain)
{
    return RF_UNLIKELY(domain - rf_recorder.domain_floor >=
                       RF_EXCLUDED_DOMAIN - rf_recorder.domain_floor) &&
           domain < RF_ATTR_DOMAIN_ESCAPE;
}

#endif
