/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_KINETO_FINISH_H
#define RF_IMPORT_KINETO_FINISH_H

#include "import/kineto_load.h"

/* Makes the recording of what was read. Its time 0 is where the first event begins. Returns RF_OK
 * or an error. */
int kineto_finish(struct kineto_load *load);

#endif
