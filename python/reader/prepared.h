/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_PREPARED_H
#define RF_READER_PREPARED_H

#include "held.h"
#include "places.h"

/* The rows of a kind, run: of one run only, or -1. Releases the GIL meanwhile. NULL with an
 * exception. */
const struct prepared *held_prepare(const struct held *held, const struct kind *kind, int64_t run);

#endif
