/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of domains and registered strings. */
#ifndef RF_RECORD_NAMES_DOMAIN_HANDLES_H
#define RF_RECORD_NAMES_DOMAIN_HANDLES_H

#include "record/recorder.h"

/* Handles from RF_EXCLUDED_DOMAIN on stand for domains that the user excluded. A focused run gives
 * the first of them, because their events may be triggers. A whole run gives the last, with which
 * programs that are built with include/nvtx3 do not call the recorder. */
#define RF_N_EXCLUDED_DOMAINS      0x100000u /* of each; a power of two */
#define RF_EXCLUDED_DOMAIN         (RF_EXCLUDED_TRIGGER_DOMAIN - RF_N_EXCLUDED_DOMAINS)
#define RF_EXCLUDED_TRIGGER_DOMAIN (RF_SILENT_DOMAIN - 1) /* the one with the trigger */
#define RF_SILENT_DOMAIN           0xffffffffffe00000u

#define RF_MAX_DOMAIN 0xe00000u /* other handles are below this one */

/* Numbers of both, which triggers know domains by. */
#define RF_N_DOMAIN_NUMBERS (1u << 24)

RF_INLINE uint64_t rf_domain_number(uint64_t domain)
{
    return domain - RF_EXCLUDED_DOMAIN <= RF_N_EXCLUDED_DOMAINS
               ? domain - RF_EXCLUDED_DOMAIN + RF_MAX_DOMAIN
               : domain;
}

/* The handle of a domain or registered string, the same for the same text. Never 0. */
uint64_t rf_domain_handle(const char *name);
uint32_t rf_string_handle(uint64_t domain, const char *text);

/* Creating the domain again gives a new handle, with strings of its own. */
void rf_domain_destroy(uint64_t domain);

/* Before the first event: which handles are excluded. */
void rf_domain_handles_begin(void);

/* Is this an excluded domain, or a handle that looks so but was never given out? */
RF_INLINE bool rf_domain_is_excluded(uint64_t domain)
{
    return RF_UNLIKELY(domain - RF_EXCLUDED_DOMAIN < rf_recorder.n_excluded_handles);
}

#endif
