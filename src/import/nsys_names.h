/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_NAMES_H
#define RF_IMPORT_NSYS_NAMES_H

#include "import/nsys_load.h"

int nsys_load_names(struct nsys_load *load);
int nsys_load_session(struct nsys_load *load);

/* The string of an id; "0x..." where StringIds lacks it, which is counted; *is_bad (may be NULL)
 * says so. RF_NO_STRING only when out of memory. */
uint32_t nsys_string(struct nsys_load *load, const struct nsys_row *row, int64_t id, int *is_bad);

#endif
