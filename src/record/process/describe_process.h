/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_RECORD_PROCESS_DESCRIBE_PROCESS_H
#define RF_RECORD_PROCESS_DESCRIBE_PROCESS_H

#include "log/layout.h"
#include "record/recorder.h"

/* Adds the definitions that describe this process: its program, arguments, environment and so on.
 */
void rf_describe_process(void);

/* Adds one of them. */
void rf_describe_process_number(enum rf_proc_key key, uint64_t value);

#endif
