/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the processes of a session still run. */
#ifndef RF_LOG_LIVENESS_H
#define RF_LOG_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "log/chunks.h"
#include "log/reader.h"

enum rf_liveness {
    RF_LIVENESS_ENDED = 0,
    RF_LIVENESS_RUNNING = 1,
    RF_LIVENESS_UNKNOWN = 2, /* it was in another pid namespace */
};

/* pid_ns: inode of its pid namespace, 0 if not known. The boot must be this one. */
enum rf_liveness rf_process_liveness(uint32_t pid, uint64_t start_time, uint64_t pid_ns);

/* How a process ended that nobody has waited for yet: *status as of waitpid(). Returns false where
 * that is not known. */
bool rf_process_ending(uint32_t pid, uint64_t start_time, uint64_t pid_ns, int *status);

/* As rf_process_liveness(), for a process of a recording. One that ended after it was read is still
 * running. */
enum rf_liveness rf_log_process_liveness(const struct rf_log *log,
                                         const struct rf_log_process *process);

/* The same for all processes of a recording: running or unknown if one is. */
enum rf_liveness rf_log_liveness(const struct rf_log *log);

/* Whether a recording was made since this machine was started. */
bool rf_is_this_boot(const struct rf_control *control);

#endif
