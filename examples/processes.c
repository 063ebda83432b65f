/* SPDX-License-Identifier: Apache-2.0 */
/* Forked workers: one command records the whole tree of processes, each with its own name and
 * command line, without an exec in between.
 *
 *     rangefinder profile -o processes.rf build/bin/example-processes
 *     rangefinder info processes.rf
 */
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_WORKERS = 3, N_TASKS = 4 };

static unsigned collatz_steps(unsigned long n)
{
    unsigned steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void work(int worker)
{
    nvtxRangePushA("worker");
    for (int task = 0; task < N_TASKS; task++) {
        char name[32];
        unsigned longest = 0;
        snprintf(name, sizeof name, "task %d.%d", worker, task);
        nvtxRangePushA(name); /* copied at the call: the buffer can be reused */
        for (unsigned long n = 1; n < 20000; n++) {
            unsigned steps = collatz_steps(n + 20000ul * (unsigned)(worker * N_TASKS + task));
            longest = steps > longest ? steps : longest;
        }
        nvtxRangePop();
        if (longest > 300)
            nvtxMarkA("long sequence");
    }
    nvtxRangePop();
}

int main(void)
{
    nvtxRangePushA("all workers");
    for (int worker = 0; worker < N_WORKERS; worker++) {
        pid_t pid = fork();
        if (pid < 0) {
            perror("fork");
            return 1;
        }
        if (pid == 0) {
            work(worker);
            return 0;
        }
    }
    int n_done = 0;
    while (wait(NULL) > 0)
        n_done++;
    nvtxRangePop();
    printf("%d workers done\n", n_done);
    return 0;
}
