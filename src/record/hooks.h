/* SPDX-License-Identifier: Apache-2.0 */
/* How src/record reaches src/cuda, once the program uses CUDA. */
#ifndef RF_RECORD_HOOKS_H
#define RF_RECORD_HOOKS_H

#include <stdint.h>

#include "log/layout.h"
#include "record/recorder.h"

struct rf_hooks {
    /* A trigger of this process opened or closed: a capture may have begun or ended. */
    void (*capture_changed)(void);
    /* The program named an object; a CUDA handle. */
    void (*object_named)(enum rf_object kind, uint64_t handle);
    /* In standby: the session is about to end. What is recorded until this returns belongs to it.
     */
    void (*session_ends)(void);
};

/* NULL until the program uses CUDA; atomic. */
extern RF_HIDDEN const struct rf_hooks *rf_hooks;

#endif
