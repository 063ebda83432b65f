/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_EXTRA_H
#define RF_IMPORT_NSYS_EXTRA_H

#include "import/nsys_load.h"

/* Reads them, after the calls, whose times some of them take. */
int nsys_load_extras(struct nsys_load *load);

/* Gives them the final indices of processes and threads, and sorts them. */
int nsys_finish_extras(struct nsys_load *load);

#endif
