/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables RANGEFINDER_* of our own databases say of processes: when they ended, the
 * variables that were recorded, and their ranks. */
#ifndef RF_IMPORT_NSYS_OWN_PROCESSES_H
#define RF_IMPORT_NSYS_OWN_PROCESSES_H

#include "import/nsys_load.h"

/* After nsys_finish(): the processes have their final places. */
int nsys_load_own_processes(struct nsys_load *load);

#endif
