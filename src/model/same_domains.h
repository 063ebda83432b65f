/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_MODEL_SAME_DOMAINS_H
#define RF_MODEL_SAME_DOMAINS_H

#include <stdint.h>

#include "rangefinder/rangefinder.h"

/* By domain, the first domain of its name in any process. The caller frees it. NULL: out of
 * memory. */
uint32_t *rf_same_domains(const rf_recording *rec);

#endif
