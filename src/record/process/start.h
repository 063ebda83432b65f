/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_PROCESS_START_H
#define RF_RECORD_PROCESS_START_H

#include <stdbool.h>

/* Starts the recorder; called once per copy of NVTX in the process. True: callbacks may come. */
bool rf_recorder_start(void);

#endif
