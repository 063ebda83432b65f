/* SPDX-License-Identifier: Apache-2.0 */
/* A signal at every instruction. A tracer steps through one annotation by K instructions, then lets
 * a signal in whose handler annotates more than a part holds; then the same with K + 1. No window
 * in the recorder is too small to be hit: what both wrote must be there, whole and in order. */
#include "truth.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { N_STEPS = 350, N_IN_HANDLER = 140, TEXT_SIZE = 480 };

static int step; /* how far into the annotation the signal comes */

static void annotate_long(const char *who, int number, int i)
{
    char text[TEXT_SIZE + 1];
    memset(text, '.', TEXT_SIZE);
    text[TEXT_SIZE] = 0;
    int n = snprintf(text, sizeof text, "%s %d %d", who, number, i);
    text[n] = '.';
    nvtxMarkA(text);
}

static void handler(int signal_number)
{
    (void)signal_number;
    for (int i = 0; i < N_IN_HANDLER; i++)
        annotate_long("handler", step, i);
}

#if defined(__x86_64__)
#define BREAKPOINT() __asm__ volatile("int3")
#else
#define BREAKPOINT() ((void)0)
#endif

/* The tracee: annotates once after each stop, in one of three ways. */
static int annotate_in_steps(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    nvtxMarkA("before");
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 77;
    raise(SIGSTOP);
    for (step = 0; step < N_STEPS; step++) {
        char text[32];
        snprintf(text, sizeof text, "main %d", step);
        nvtxRangePushA("around");
        BREAKPOINT();
        if (step % 2)
            nvtxMarkA(text);
        else
            nvtxRangePop();
        if (step % 2)
            nvtxRangePop();
        else
            nvtxMarkA(text);
        for (volatile int i = 0; i < N_STEPS; i++)
            ; /* the steps must end before the next breakpoint */
    }
    return 0;
}

/* Waits for a stop; returns 0 at the end of the tracee, with its status in *status. */
static int wait_for_stop(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return WIFSTOPPED(*status);
}

static int trace(pid_t pid)
{
    int status;
    if (!wait_for_stop(pid, &status)) /* SIGSTOP */
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    for (int k = 0; k < N_STEPS; k++) {
        ptrace(PTRACE_CONT, pid, NULL, NULL);
        if (!wait_for_stop(pid, &status) || WSTOPSIG(status) != SIGTRAP) /* the breakpoint */
            return 1;
        for (int i = 0; i < k; i++) {
            ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
            if (!wait_for_stop(pid, &status) || WSTOPSIG(status) != SIGTRAP)
                return 1;
        }
        ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(uintptr_t)SIGUSR1); /* into the handler */
        if (!wait_for_stop(pid, &status))
            return 1;
    }
    ptrace(PTRACE_CONT, pid, NULL, NULL);
    return wait_for_stop(pid, &status) ? 1 : WEXITSTATUS(status);
}

int main(void)
{
#if !defined(__x86_64__)
    return 77; /* the breakpoint */
#endif
    pid_t pid = fork();
    if (pid < 0)
        return 1;
    if (pid == 0)
        exit(annotate_in_steps());
    return trace(pid);
}
