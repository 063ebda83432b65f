/* SPDX-License-Identifier: Apache-2.0 */
/* How the interpreter reports calls: profile_hook.c before Python 3.12, profile_monitor.c since. */
#ifndef RF_NVTX_PROFILE_CALLS_H
#define RF_NVTX_PROFILE_CALLS_H

#include "nvtx_python.h"

#include "profile.h"

/* Start and stop the interpreter's reports of calls for a profile. Each returns 0, or -1 with an
 * exception. */
int nvtx_profile_begin(const struct profile *profile);
int nvtx_profile_end(const struct profile *profile);

#endif
