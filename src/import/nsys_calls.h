/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_CALLS_H
#define RF_IMPORT_NSYS_CALLS_H

#include "import/nsys_load.h"

/* Says which tables of ranges, calls and GPU work are not read: those that sums do without, by the
 * flags of rf_open(). */
void nsys_leave_out(struct nsys_load *load);

/* Calls of CUDA and of the operating system's libraries. */
int nsys_load_calls(struct nsys_load *load);

/* Adds a call to a thread of load, in any order. */
int nsys_add_call(struct nsys_load *load, uint32_t thread, const struct rf_call *call);

/* Sorts all calls and makes load->call_of. *n_twice: calls whose correlation id another call has.
 */
int nsys_index_calls(struct nsys_load *load, uint64_t *n_twice);

/* The only process with a call of a correlation id; RF_NO_INDEX: none has one, or several
 * (*is_several). Returns 0 or RF_ERR_NO_MEMORY. After nsys_index_calls(). */
int nsys_only_process(struct nsys_load *load, uint32_t correlation, uint32_t *process,
                      bool *is_several);

#endif
