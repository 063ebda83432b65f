/* SPDX-License-Identifier: Apache-2.0 */
/* Start/end ranges by their link. */
#ifndef RF_READER_START_ENDS_H
#define RF_READER_START_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "places.h"

struct start_ends {
    size_t n, room;
    struct place *at; /* run RF_NO_INDEX: it is not shown */
};

/* Sets the place of a link. Returns 0, or -1 where memory is short. */
int start_ends_put(struct start_ends *all, uint32_t link, uint32_t run, uint32_t index);

void start_ends_free(struct start_ends *all); /* NULL is accepted */

#endif
