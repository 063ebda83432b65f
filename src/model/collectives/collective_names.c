/* SPDX-License-Identifier: Apache-2.0 */
#include "model/collectives/collective_names.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Takes a prefix off. */
static bool skip(struct rf_operation *name, const char *prefix)
{
    size_t size = strlen(prefix);
    if (name->size < size || memcmp(name->text, prefix, size) != 0)
        return false;
    name->text += size;
    name->size -= size;
    return true;
}

static bool is_one_of(const struct rf_operation *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == name->size && memcmp(list[i], name->text, name->size) == 0)
            return true;
    return false;
}

bool rf_is_communication_kernel(const char *name, size_t size)
{
    return name != NULL && size > 4 &&
           (memcmp(name, "nccl", 4) == 0 || memcmp(name, "rccl", 4) == 0);
}

struct rf_operation rf_kernel_operation(const char *name, size_t size)
{
    struct rf_operation of = {name, size};
    if (!rf_is_communication_kernel(name, size))
        return (struct rf_operation){NULL, 0};
    of.text += 4;
    of.size -= 4;
    if (!skip(&of, "DevKernel_") && !skip(&of, "Kernel_"))
        return (struct rf_operation){NULL, 0};
    size_t n = 0;
    while (n < of.size && memchr("_(< ", of.text[n], 4) == NULL)
        n++;
    return n > 0 ? (struct rf_operation){of.text, n} : (struct rf_operation){NULL, 0};
}

struct rf_operation rf_nccl_operation(const char *name, size_t size)
{
    static const char *const operations[] = {"AllReduce", "Broadcast",     "Bcast",    "Reduce",
                                             "AllGather", "ReduceScatter", "AlltoAll", "Gather",
                                             "Scatter",   "Send",          "Recv"};
    struct rf_operation of = {name, size};
    bool is_one =
        name != NULL && skip(&of, "nccl") && is_one_of(&of, operations, COUNT(operations));
    return is_one ? of : (struct rf_operation){NULL, 0};
}

/* Those that do not block begin with I, and those of neighbours with Neighbor_ or Ineighbor_. */
struct rf_operation rf_mpi_operation(const char *name, size_t size)
{
    static const char *const operations[] = {
        "barrier",       "bcast",      "reduce",   "allreduce",
        "gather",        "gatherv",    "scatter",  "scatterv",
        "allgather",     "allgatherv", "alltoall", "alltoallv",
        "alltoallw",     "scan",       "exscan",   "reduce_scatter_block",
        "reduce_scatter"};
    struct rf_operation of = {name, size}, rest;
    char small[32];
    if (name == NULL || !skip(&of, "MPI_") || of.size == 0 || of.size >= sizeof(small))
        return (struct rf_operation){NULL, 0};
    for (size_t i = 0; i < of.size; i++)
        small[i] =
            (char)(of.text[i] >= 'A' && of.text[i] <= 'Z' ? of.text[i] + 'a' - 'A' : of.text[i]);
    rest = (struct rf_operation){small, of.size};
    if (!skip(&rest, "neighbor_") && !skip(&rest, "ineighbor_") &&
        !is_one_of(&rest, operations, COUNT(operations)))
        (void)skip(&rest, "i");
    bool is_one = is_one_of(&rest, operations, COUNT(operations));
    return is_one ? of : (struct rf_operation){NULL, 0};
}
