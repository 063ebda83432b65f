/* SPDX-License-Identifier: Apache-2.0 */
/* What payloads are decoded by: NVTX_PAYLOAD_*, RANGEFINDER_NVTX_TYPE_SIZES and _STRINGS. Databases
 * of nsys do not say whose a layout is: it then belongs to the domains of its number in every
 * process, and of different ones of one id the last is taken. */
#ifndef RF_IMPORT_NSYS_LAYOUTS_H
#define RF_IMPORT_NSYS_LAYOUTS_H

#include "import/nsys_load.h"

/* Reads the tables. Sets load->has_own_layouts. */
int nsys_load_layouts(struct nsys_load *load);

/* Defines what was read, and lays it out: processes and domains have their final places. */
int nsys_finish_layouts(struct nsys_load *load);

/* NULL is accepted. */
void nsys_layouts_free(struct nsys_layouts *layouts);

#endif
