/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through the text of a trace, piece by piece. Only what of a piece belongs to the next one is
 * kept: an event or member that the end of the piece cuts. */
#ifndef RF_IMPORT_KINETO_WALK_H
#define RF_IMPORT_KINETO_WALK_H

#include "import/kineto_load.h"
#include "import/kineto_pieces.h"

/* Takes all there is. With RF_OPEN_SALVAGE what is behind damage is counted, and is no error.
 * Returns RF_OK or an error. */
int kineto_walk(struct kineto_load *load, struct kineto_pieces *pieces);

#endif
