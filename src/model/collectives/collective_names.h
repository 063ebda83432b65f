/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are those of operations of communication libraries. */
#ifndef RF_MODEL_COLLECTIVES_COLLECTIVE_NAMES_H
#define RF_MODEL_COLLECTIVES_COLLECTIVE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Part of a name. */
struct rf_operation {
    const char *text; /* "AllReduce"; NULL: it is no operation */
    size_t size;
};

/* Whether a kernel communicates between GPUs: those of NCCL and RCCL. */
bool rf_is_communication_kernel(const char *name, size_t size);

/* "AllReduce" of ncclDevKernel_AllReduce_Sum_f32_RING_LL. */
struct rf_operation rf_kernel_operation(const char *name, size_t size);

/* "AllReduce" of ncclAllReduce; nothing of ncclGroupStart. */
struct rf_operation rf_nccl_operation(const char *name, size_t size);

/* "Allreduce" of MPI_Allreduce; nothing of MPI_Send. */
struct rf_operation rf_mpi_operation(const char *name, size_t size);

#endif
