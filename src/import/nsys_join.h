/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_JOIN_H
#define RF_IMPORT_NSYS_JOIN_H

#include "import/nsys_part.h"

/* Gives the strings, processes, tracks and details of load->parts numbers in the load, as if one
 * thread had read all jobs. The work itself stays in the parts: see nsys_group.h. Returns 0 or a
 * negative error. */
int nsys_join_parts(struct nsys_load *load);

#endif
