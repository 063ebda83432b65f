/* SPDX-License-Identifier: Apache-2.0 */
/* What the args of an event say, by what the event is. */
#ifndef RF_IMPORT_KINETO_ARGS_H
#define RF_IMPORT_KINETO_ARGS_H

#include "import/kineto_part.h"

/* Reads the members of part, which are the args of an event that is complete otherwise: of GPU work
 * and calls item->work, of counters samples, of metadata item->payload is the name, of ranges and
 * marks it is JSON of what is kept. */
void kineto_read_args(struct kineto_part *part, struct kineto_item *item,
                      const struct rf_strings *strings);

/* Reads the name of a copy, "Memcpy HtoD (Pageable -> Device)", or of a set, "Memset (Device)". */
void kineto_read_transfer_name(const struct kineto_text *name, struct rf_transfer *transfer);

#endif
