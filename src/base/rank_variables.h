/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables by which launchers (torchrun, MPI, Slurm) tell a process its rank. */
#ifndef RF_BASE_RANK_VARIABLES_H
#define RF_BASE_RANK_VARIABLES_H

#include <stdint.h>

enum rf_rank_number { RF_RANK_GLOBAL, RF_RANK_LOCAL, RF_RANK_WORLD_SIZE, RF_N_RANK_NUMBERS };

/* The variables of rank_variables.c that give the rank, for messages. */
#define RF_RANK_VARIABLES                                                                          \
    "RANK, OMPI_COMM_WORLD_RANK, MV2_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK, SLURM_PROCID"

/* What the first variable that holds a number says; -1: none does. get returns the value of a
 * variable, or NULL. */
int32_t rf_rank_find(enum rf_rank_number which,
                     const char *(*get)(const void *context, const char *name),
                     const void *context);

#endif
