/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of an event of a trace, by its phase. */
#ifndef RF_IMPORT_KINETO_TAKE_H
#define RF_IMPORT_KINETO_TAKE_H

#include "import/kineto_load.h"

/* Takes the events of a part, in their order. Returns RF_OK or an error. */
int kineto_take_part(struct kineto_load *load, const struct kineto_part *part);

#endif
