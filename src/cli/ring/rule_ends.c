/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rule_ends.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "log/liveness.h"

static bool is_same_process(const struct rf_pool_header *a, const struct rf_pool_header *b)
{
    return a->pid == b->pid && a->start_time == b->start_time && a->pid_ns == b->pid_ns;
}

static bool has_next_image(const struct rf_follow *follow, uint32_t process,
                           const struct rf_pool_header *header)
{
    for (uint32_t i = process + 1; i < rf_follow_n_processes(follow); i++) {
        const struct rf_pool_header *next = rf_follow_pool(follow, i);
        if (next != NULL && is_same_process(header, next))
            return true;
    }
    return false;
}

/* Signals by which programs are asked to end. */
static bool is_request(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

enum process_end process_end_of_status(int status, char *how, size_t size)
{
    if (!WIFSIGNALED(status)) {
        (void)snprintf(how, size, "exited with status %d", WEXITSTATUS(status));
        return PROCESS_EXITED;
    }
    (void)snprintf(how, size, "was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    return is_request(WTERMSIG(status)) ? PROCESS_EXITED : PROCESS_CRASHED;
}

enum process_end process_end_of(const struct rf_follow *follow, uint32_t process, bool has_exited,
                                bool is_busy, char *how, size_t size)
{
    const struct rf_pool_header *header = rf_follow_pool(follow, process);
    int status;
    if (rf_process_liveness(header->pid, header->start_time, header->pid_ns) != RF_LIVENESS_ENDED)
        return has_next_image(follow, process, header) ? PROCESS_BECAME_ANOTHER : PROCESS_RUNS;
    if (has_next_image(follow, process, header))
        return PROCESS_BECAME_ANOTHER;
    if (rf_process_ending(header->pid, header->start_time, header->pid_ns, &status))
        return process_end_of_status(status, how, size);
    const bool has_crashed = is_busy && !has_exited;
    (void)snprintf(how, size, "%s",
                   has_crashed  ? "ended without exit(), with ranges open"
                   : has_exited ? "exited"
                                : "ended");
    return has_crashed ? PROCESS_CRASHED : PROCESS_EXITED;
}
