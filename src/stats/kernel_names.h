/* SPDX-License-Identifier: Apache-2.0 */
/* How a table names kernels, by rf_table.kernel_naming and with_ranges, and other work. */
#ifndef RF_STATS_KERNEL_NAMES_H
#define RF_STATS_KERNEL_NAMES_H

#include "model/sums/work_sums.h"
#include "stats/table.h"

struct rf_kernel_names;

/* Begins; *out belongs to the table. Returns RF_OK, or another status after a message. */
int rf_kernel_names_begin(const rf_recording *rec, struct rf_table *table,
                          struct rf_kernel_names **out, struct rf_err *err);

/* The same for a table in which names that differ by numbers alone are one, if numbers are folded:
 * a row for each name, not for each kernel. */
int rf_kernel_names_begin_sums(const rf_recording *rec, struct rf_table *table,
                               struct rf_kernel_names **out, struct rf_err *err);

/* Gives the number of a kernel's name, the same for the same name. op is one of rf_gpu_ops().
 * false: out of memory. */
bool rf_kernel_names_find(struct rf_kernel_names *names, const struct rf_gpu_op *op,
                          uint32_t *name);

/* The same of a sum of kernels. Without ranges around them. */
bool rf_kernel_names_find_sum(struct rf_kernel_names *names, const struct rf_work_sum *sum,
                              uint32_t *name);

/* The same of a kernel that is called that already, but for its numbers. */
bool rf_kernel_names_find_label(struct rf_kernel_names *names, uint32_t label, uint32_t *name);

/* Fetches what is known of the kernel of a row RF_KERNELS_AHEAD further on: kernels lie scattered,
 * and waiting for one would take longer than making its row. */
#define RF_KERNELS_AHEAD 8
void rf_kernel_fetch(const rf_recording *rec, const struct rf_gpu_op *op);

/* Sets a cell of type WORD to the name with this number. */
void rf_kernel_names_set(const struct rf_kernel_names *names, struct rf_cell *cell, uint32_t name);

/* A name of work of any kind. */
struct rf_work_name {
    uint32_t kind; /* enum rf_gpu_op_kind */
    uint32_t name; /* of a kernel, as above; of a copy or a set its rf_memory_code(); 0 */
};

/* The same for any work but waits. */
bool rf_work_name_find(struct rf_kernel_names *names, const struct rf_gpu_op *op,
                       struct rf_work_name *name);
void rf_work_name_set(const struct rf_kernel_names *names, struct rf_cell *cell,
                      struct rf_work_name name);

#endif
