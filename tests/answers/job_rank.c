/* SPDX-License-Identifier: Apache-2.0 */
/* job_rank FILE RANKS RANK STEPS [SLOW]: a rank of a job. Each step is some work, which the rank
 * SLOW takes twice as long for, and a barrier of all ranks in FILE, as a library of MPI would
 * annotate it. */
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "nvtx3/nvToolsExt.h"

/* The ranks that came to all barriers so far. */
static void wait_for_all(_Atomic uint32_t *n_came, uint32_t n_ranks)
{
    const uint32_t mine = atomic_fetch_add(n_came, 1);
    const uint32_t all = (mine / n_ranks + 1) * n_ranks;
    uint32_t seen;
    (void)syscall(SYS_futex, n_came, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    while ((seen = atomic_load(n_came)) < all)
        (void)syscall(SYS_futex, n_came, FUTEX_WAIT, seen, NULL, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const uint32_t n_ranks = (uint32_t)atoi(argv[2]);
    const int rank = atoi(argv[3]), steps = atoi(argv[4]), slow = argc > 5 ? atoi(argv[5]) : -1;
    const int file = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (n_ranks == 0 || file < 0 || ftruncate(file, 4096) != 0)
        return 1;
    _Atomic uint32_t *n_came = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (n_came == MAP_FAILED)
        return 1;
    const nvtxDomainHandle_t mpi = nvtxDomainCreateA("MPI");
    const nvtxEventAttributes_t barrier = {.version = NVTX_VERSION,
                                           .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                           .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                           .message.ascii = "MPI_Barrier"};
    const struct timespec work = {0, rank == slow ? 4000000 : 2000000};
    wait_for_all(n_came, n_ranks);
    for (int i = 0; i < steps; i++) {
        nvtxRangePushA("step");
        nvtxRangePushA("work");
        (void)nanosleep(&work, NULL);
        nvtxRangePop();
        nvtxDomainRangePushEx(mpi, &barrier);
        wait_for_all(n_came, n_ranks);
        nvtxDomainRangePop(mpi);
        nvtxRangePop();
    }
    return 0;
}
