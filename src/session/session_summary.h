/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the CUDA work in a recording that was just packed, the same by the command line
 * and by Python. */
#ifndef RF_SESSION_SESSION_SUMMARY_H
#define RF_SESSION_SESSION_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_counts;

struct session_cuda_kind {
    int kind;         /* enum rf_cuda_kind */
    const char *work; /* what rf_gpu_op_kind_name() calls it; NULL: it is no GPU work */
    const char *name; /* for programs: "n_kernels" */
    const char *one, *many;
};

/* The kinds in the order in which they are told; NULL past the last. */
const struct session_cuda_kind *session_cuda_kind_at(size_t i);

/* The kind of records (enum rf_cuda_kind) of GPU work that is called so; 0: there is none. */
int session_cuda_kind_of_work(const char *work);

/* How much of CUDA there is in all. */
uint64_t session_summary_n_cuda(const struct rf_counts *counts);

/* Whether there is neither a range nor a mark, nor anything of CUDA. */
bool session_summary_is_empty(const struct rf_counts *counts);

/* Writes "300 calls, 100 kernels, 2 memcpys", or "" where there is none, and returns it. */
const char *session_summary_cuda(char *text, size_t size, const struct rf_counts *counts);

#endif
