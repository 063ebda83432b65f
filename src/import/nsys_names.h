/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_NAMES_H
#define RF_IMPORT_NSYS_NAMES_H

#include "import/nsys_load.h"

int nsys_load_names(struct nsys_load *load);
int nsys_load_session(struct nsys_load *load);

/* The string of an id; "0x..." where StringIds lacks it, which is counted; *is_bad (may be NULL)
 * says so. RF_NO_STRING only when out of memory. */
uint32_t nsys_string(struct nsys_load *load, const struct nsys_row *row, int64_t id, bool *is_bad);

/* The string whose id a column has; RF_NO_STRING where it has none. Returns 0 or
 * RF_ERR_NO_MEMORY. */
int nsys_read_string_id(struct nsys_load *load, struct nsys_row *row, int column, uint32_t *string);

/* The text of a column as a string of the recording; see nsys_read_string_id(). */
int nsys_read_text(struct nsys_load *load, struct nsys_row *row, int column, uint32_t *string);

#endif
