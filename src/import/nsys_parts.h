/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_PARTS_H
#define RF_IMPORT_NSYS_PARTS_H

#include "import/nsys_part.h"

/* Reads NVTX_EVENTS, calls and counters, and GPU work beside them into load->parts. Returns 0 or a
 * negative error. */
int nsys_load_parts(struct nsys_load *load);

#endif
