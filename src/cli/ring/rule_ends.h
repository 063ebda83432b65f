/* SPDX-License-Identifier: Apache-2.0 */
/* How the processes of a flight recorder ended. */
#ifndef RF_CLI_RING_RULE_ENDS_H
#define RF_CLI_RING_RULE_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/follow.h"

enum process_end {
    PROCESS_RUNS,
    PROCESS_BECAME_ANOTHER, /* by exec: it has another number from now on */
    PROCESS_EXITED,
    PROCESS_CRASHED, /* by a signal that nobody sends to end it */
};

/* What became of a process. has_exited: it has called exit(); is_busy: ranges are open in it: where
 * nobody knows its status, it crashed if they were and it did not exit. how (size bytes): what to
 * say of that. */
enum process_end process_end_of(const struct rf_follow *follow, uint32_t process, bool has_exited,
                                bool is_busy, char *how, size_t size);

/* The same of a status of waitpid(). */
enum process_end process_end_of_status(int status, char *how, size_t size);

#endif
