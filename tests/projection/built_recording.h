/* SPDX-License-Identifier: Apache-2.0 */
/* A recording with calls and GPU work, built in memory in the model's own arrays. A failed
 * allocation aborts. */
#ifndef TESTS_PROJECT_BUILT_RECORDING_H
#define TESTS_PROJECT_BUILT_RECORDING_H

#include "rangefinder/rangefinder.h"

/* With one process (pid 100), its default domain (0), and no thread. */
rf_recording *built_new(void);
void built_free(rf_recording *rec);

uint32_t built_process(rf_recording *rec, uint32_t pid);
uint32_t built_thread(rf_recording *rec, uint32_t process, uint32_t tid);
uint32_t built_domain(rf_recording *rec, uint32_t process, uint32_t id, const char *name);

/* A range after those that the thread has; its index there. name may be NULL. */
uint32_t built_range(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                     uint32_t domain, const char *name);
uint32_t built_start_end(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns,
                         uint32_t end_thread, const char *name);
uint32_t built_mark(rf_recording *rec, uint32_t thread, int64_t ns, const char *name);

/* A call after those that the thread has; its index there. */
uint32_t built_call(rf_recording *rec, uint32_t thread, int64_t start_ns, int64_t end_ns);

/* Work of a call; thread may be RF_NO_INDEX: nobody knows who called. Returns its index. */
uint32_t built_op(rf_recording *rec, int kind, int64_t start_ns, int64_t end_ns, uint32_t thread,
                  uint32_t call, const char *name);

#endif
