/* SPDX-License-Identifier: Apache-2.0 */
/* usage: forks before|after|use|exec [KERNELS]
 *
 * before  a child is forked before CUDA is used; both use it
 * after   it is forked afterwards and uses no CUDA
 * use     it is forked afterwards and tries to use CUDA, which the driver refuses
 * exec    it is forked afterwards and becomes this program, with "none"
 *
 * The child ends with exit(), so that all that was registered for the end runs in it, too. */
#include "work.cuh"

#include <sys/wait.h>

static void work(const char *name, long n_kernels)
{
    nvtxRangePushA(name);
    for (long i = 0; i < n_kernels; i++)
        LAUNCH(empty, 1, 1, 0);
    CHECK(cudaDeviceSynchronize());
    nvtxRangePop();
}

static void in_child(const char *how, char *self, char *n_kernels)
{
    nvtxRangePushA("child");
    if (strcmp(how, "before") == 0)
        work("child's work", atol(n_kernels));
    if (strcmp(how, "use") == 0) {
        void *memory = NULL;
        exit(cudaMalloc(&memory, 1024) == cudaSuccess ? 9 : 0);
    }
    nvtxRangePop();
    if (strcmp(how, "exec") == 0)
        execl(self, self, "none", n_kernels, (char *)NULL);
    exit(0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "before";
    char otherwise[] = "500";
    char *n_kernels = argc > 2 ? argv[2] : otherwise;
    bool is_before = strcmp(how, "before") == 0;
    int status = 0;
    if (!is_before)
        work("parent's work", atol(n_kernels));
    if (strcmp(how, "none") != 0) {
        pid_t child = fork();
        if (child == 0)
            in_child(how, argv[0], n_kernels);
        if (is_before)
            work("parent's work", atol(n_kernels));
        waitpid(child, &status, 0);
    }
    if (strcmp(how, "none") != 0)
        printf("{\"kernels\": %s, \"child\": %d}\n", n_kernels, status);
    return 0;
}
