/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_GPU_H
#define RF_IMPORT_NSYS_GPU_H

#include "import/nsys_load.h"
#include "import/nsys_pages.h"

/* The tables of GPU work by number, in the order in which they are read; NULL past the last. */
const char *nsys_work_table(size_t table);

/* Reads one, if it is there, or some of its leaves. The work keeps its correlation ids:
 * nsys_group.c finds their calls. Return 0 or a negative error. */
int nsys_read_work(struct nsys_load *load, size_t table);
int nsys_read_work_leaves(struct nsys_load *load, size_t table, struct nsys_walk *walk,
                          size_t first, size_t end);

/* Work whose row has no process is read as that of a process which stands for its table: the
 * name of the table by the key of the process; NULL: it is a process like others. */
const char *nsys_table_of_unknown(uint64_t key);

#endif
