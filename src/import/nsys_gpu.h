/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_GPU_H
#define RF_IMPORT_NSYS_GPU_H

#include "import/nsys_load.h"

/* Reads GPU work. It keeps its correlation ids; nsys_parts.c finds their calls. */
int nsys_load_gpu(struct nsys_load *load);

/* Work whose row has no process is read as that of a process which stands for its table: the
 * name of the table by the key of the process; NULL: it is a process like others. */
const char *nsys_table_of_unknown(uint64_t key);

#endif
