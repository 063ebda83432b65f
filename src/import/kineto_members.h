/* SPDX-License-Identifier: Apache-2.0 */
/* The members of the args of an event. */
#ifndef RF_IMPORT_KINETO_MEMBERS_H
#define RF_IMPORT_KINETO_MEMBERS_H

#include "import/kineto_part.h"

/* Reads the object that begins at the scanner into part->member. Of members of the same key one is
 * kept, with the last value. Returns false where the scanner failed, or out of memory. */
bool kineto_read_members(struct kineto_part *part, struct kineto_scan *scan,
                         const struct rf_strings *strings);

#endif
