/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_FINISH_H
#define RF_IMPORT_NSYS_FINISH_H

#include "import/nsys_load.h"

int nsys_finish(struct nsys_load *load);

/* Lists what was left out. *room: of rec->skipped, at first 0. */
int nsys_add_skipped(struct nsys_load *load, size_t *room, const struct nsys_skip *skip);

/* What rf_get_info() says of an import, once all is read. */
void nsys_set_info(struct nsys_load *load);

#endif
