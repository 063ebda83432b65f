/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations of communication libraries. */
#include "unit.h"

#include "model/collectives/collective_names.h"

typedef struct rf_operation finder(const char *name, size_t size);

static void check(finder *find, const char *name, const char *expected)
{
    const struct rf_operation found = find(name, strlen(name));
    if (expected == NULL)
        assert_null(found.text);
    else if (found.text == NULL || found.size != strlen(expected) ||
             memcmp(found.text, expected, found.size) != 0)
        fail_msg("%s: found %.*s", name, (int)found.size, found.text != NULL ? found.text : "");
}

static void test_kernels(void **state)
{
    (void)state;
    check(rf_kernel_operation, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "AllReduce");
    check(rf_kernel_operation, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)",
          "SendRecv");
    check(rf_kernel_operation, "ncclDevKernel_Generic(ncclDevKernelArgs)", "Generic");
    check(rf_kernel_operation, "rcclKernel_Broadcast", "Broadcast");
    check(rf_kernel_operation, "ncclDevKernel_", NULL);
    check(rf_kernel_operation, "ncclDevKernel", NULL);
    check(rf_kernel_operation, "nccl", NULL);
    check(rf_kernel_operation, "gemm_AllReduce", NULL);
    check(rf_kernel_operation, "", NULL);
    assert_null(rf_kernel_operation(NULL, 0).text);
    assert_false(rf_is_communication_kernel(NULL, 0));
    assert_false(rf_is_communication_kernel("nccl", 4));
    assert_true(rf_is_communication_kernel("ncclX", 5));
}

static void test_nccl(void **state)
{
    (void)state;
    check(rf_nccl_operation, "ncclAllReduce", "AllReduce");
    check(rf_nccl_operation, "ncclReduceScatter", "ReduceScatter");
    check(rf_nccl_operation, "ncclSend", "Send");
    check(rf_nccl_operation, "ncclGroupStart", NULL);
    check(rf_nccl_operation, "ncclCommInitRank", NULL);
    check(rf_nccl_operation, "ncclAllReduce2", NULL);
    check(rf_nccl_operation, "AllReduce", NULL);
    check(rf_nccl_operation, "nccl", NULL);
    assert_null(rf_nccl_operation(NULL, 0).text);
}

static void test_mpi(void **state)
{
    (void)state;
    check(rf_mpi_operation, "MPI_Allreduce", "Allreduce");
    check(rf_mpi_operation, "MPI_Iallreduce", "Iallreduce");
    check(rf_mpi_operation, "MPI_Reduce_scatter_block", "Reduce_scatter_block");
    check(rf_mpi_operation, "MPI_Ireduce_scatter_block", "Ireduce_scatter_block");
    check(rf_mpi_operation, "MPI_Neighbor_alltoallw", "Neighbor_alltoallw");
    check(rf_mpi_operation, "MPI_Ineighbor_allgather", "Ineighbor_allgather");
    check(rf_mpi_operation, "MPI_Barrier", "Barrier");
    check(rf_mpi_operation, "MPI_Send", NULL);
    check(rf_mpi_operation, "MPI_Init", NULL);
    check(rf_mpi_operation, "MPI_", NULL);
    check(rf_mpi_operation, "MPI_Allreduce_of_a_name_that_is_much_too_long", NULL);
    check(rf_mpi_operation, "Allreduce", NULL);
    assert_null(rf_mpi_operation(NULL, 0).text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels), cmocka_unit_test(test_nccl),
                                       cmocka_unit_test(test_mpi)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
