/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_GENERIC_H
#define RF_IMPORT_NSYS_GENERIC_H

#include "import/nsys_counters.h"

/* GPU metrics of old exports, which stand as JSON in GENERIC_EVENTS. */
int nsys_load_generic(struct nsys_counters *all);

#endif
