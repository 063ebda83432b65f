/* SPDX-License-Identifier: Apache-2.0 */
/* The operations in which processes or GPUs exchange data, as a recording has them. */
#ifndef RF_MODEL_COLLECTIVES_COLLECTIVES_H
#define RF_MODEL_COLLECTIVES_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/collectives/collective_payload.h"
#include "model/collectives/streamed_collectives.h"
#include "rangefinder/rangefinder.h"

/* What says that there was an operation, and how that is called. */
#define RF_COLLECTIVE_KINDS(X)                                                                     \
    X(NCCL, "nccl")               /* ranges of the domain NCCL */                                  \
    X(NCCL_KERNEL, "nccl_kernel") /* kernels of NCCL and RCCL */                                   \
    X(MPI, "mpi")                 /* collectives that nsys recorded */                             \
    X(MPI_RANGE, "mpi_range")     /* ranges of the domain MPI */                                   \
    X(RANGE, "range")             /* ranges that were asked for */                                 \
    X(TORCH, "torch")             /* ranges record_param_comms of PyTorch */

enum rf_collective_kind {
#define RF_KIND(symbol, name) RF_COLLECTIVE_##symbol,
    RF_COLLECTIVE_KINDS(RF_KIND)
#undef RF_KIND
        RF_COLLECTIVE_N_KINDS
};

struct rf_collective {
    int64_t start_ns, end_ns; /* end_ns >= start_ns */
    const char *operation;    /* "AllReduce": of the recording, not NUL-ended */
    size_t operation_size;
    uint64_t communicator, bytes; /* where has_... says so */
    uint64_t number; /* among those of its kind, operation, communicator, and thread or stream, by
                      * start, from 1 */
    int64_t rank;    /* of the process; -1: unknown */
    uint32_t process, thread, track; /* indices; RF_NO_INDEX: none. track: of kernels */
    uint8_t kind;                    /* enum rf_collective_kind */
    bool has_communicator, has_bytes;
};

struct rf_collectives {
    struct rf_collective *item; /* by start */
    size_t n, room;
    uint64_t n_more;  /* that begin behind them */
    bool is_searched; /* false: it may have some, but its ranges were summed up as it was read */
};

const char *rf_collective_kind_name(uint32_t kind);

/* Whether it ends when the operation is done: calls that queue one return before, and their
 * durations say nothing of it. kind: enum rf_collective_kind. */
bool rf_collective_waits(uint32_t kind, const char *operation, size_t size);

/* By kind, operation and communicator. */
int rf_collective_compare_names(const struct rf_collective *a, const struct rf_collective *b);

/* The kind of the ranges of a domain that are collectives; -1: none are. */
int rf_collective_kind_of_domain(const rf_recording *rec, uint32_t domain);

/* Whether a range of this name, or a kernel of this short name, is a collective of a kind. */
bool rf_collective_is(const rf_recording *rec, uint32_t kind, uint32_t name);

/* Sets what the payload of a range says of it. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_collective_read_payload(struct rf_collective_payload *payload, const rf_recording *rec,
                               const struct rf_event *range, struct rf_streamed_collective *item);

/* Finds them. range: MESSAGE[@DOMAIN] of others; NULL: none. RF_ERR_NOT_FOUND: there is no such
 * range. Release the result either way. */
int rf_collectives_find(const rf_recording *rec, const char *range, struct rf_collectives *found,
                        struct rf_err *err);
void rf_collectives_release(struct rf_collectives *found);

#endif
