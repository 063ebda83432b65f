/* SPDX-License-Identifier: Apache-2.0 */
/* Heat that spreads along a rod, over the ranks of an MPI job. The last rank has twice the cells of
 * the others, so that they wait for it in MPI_Allreduce: its ranges there are the shortest. The
 * argument is the number of steps (100).
 *
 *     mpicc -O2 -I include -o heat examples/mpi/heat.c -ldl
 *     mkdir job
 *     mpirun -n 4 rangefinder profile -o job/rank%r ./heat
 *     rangefinder stats -r nvtx_sum job
 */
#include <mpi.h>
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <stdlib.h>

enum { N_CELLS = 50000, N_SWEEPS = 20 };

static nvtxDomainHandle_t mpi; /* the domain of what MPI does */

static void push(const char *name)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(mpi, &attributes);
}

/* The cells beside this rank's come from its neighbours. */
static void exchange(double *cell, int n, int rank, int n_ranks)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL;
    push("MPI_Sendrecv");
    MPI_Sendrecv(&cell[1], 1, MPI_DOUBLE, left, 0, &cell[n + 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&cell[n], 1, MPI_DOUBLE, right, 0, &cell[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    nvtxDomainRangePop(mpi);
}

/* Returns the largest change of a cell. */
static double spread(double *cell, int n)
{
    double largest = 0;
    nvtxRangePushA("spread");
    for (int sweep = 0; sweep < N_SWEEPS; sweep++) {
        largest = 0;
        for (int i = 1; i <= n; i++) {
            double change = 0.25 * (cell[i - 1] - 2 * cell[i] + cell[i + 1]);
            cell[i] += change;
            if (change < 0)
                change = -change;
            largest = change > largest ? change : largest;
        }
    }
    nvtxRangePop();
    return largest;
}

static double run_step(double *cell, int n, int rank, int n_ranks)
{
    double change, largest;
    nvtxRangePushA("step");
    exchange(cell, n, rank, n_ranks);
    change = spread(cell, n);
    push("MPI_Allreduce");
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    nvtxDomainRangePop(mpi);
    nvtxRangePop();
    return largest;
}

int main(int argc, char **argv)
{
    int rank, n_ranks, n_steps = argc > 1 ? atoi(argv[1]) : 100;
    double change = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    mpi = nvtxDomainCreateA("MPI");
    int n = rank == n_ranks - 1 ? 2 * N_CELLS : N_CELLS;
    double *cell = calloc((size_t)n + 2, sizeof(*cell));
    if (cell == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    cell[1] = rank == 0 ? 1000 : 0;
    for (int step = 0; step < n_steps; step++)
        change = run_step(cell, n, rank, n_ranks);
    if (rank == 0)
        printf("largest change in the last sweep: %.2g\n", change);
    free(cell);
    MPI_Finalize();
    return 0;
}
