/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_GROUP_H
#define RF_IMPORT_NSYS_GROUP_H

#include "import/nsys_part.h"

/* Brings the work of load->parts into its final order, by track and start, and links it with the
 * calls. Processes and threads have their places, and tracks those of their processes. Frees the
 * parts. Returns 0 or RF_ERR_NO_MEMORY. */
int nsys_group_work(struct nsys_load *load);

#endif
