/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_READER_KINDS_PROCESS_H
#define RF_READER_KINDS_PROCESS_H

#include "kind.h"

extern const struct column process_columns[], thread_columns[], domain_columns[], capture_columns[];
extern const PyGetSetDef process_objects[], thread_objects[];

int run_of_processes(const struct held *held, uint32_t i, struct run *run);
int run_of_threads(const struct held *held, uint32_t i, struct run *run);
int run_of_domains(const struct held *held, uint32_t i, struct run *run);
int run_of_captures(const struct held *held, uint32_t i, struct run *run);

#endif
