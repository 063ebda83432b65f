/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA API and of the system. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_CALLS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_CALLS_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_calls(struct pf_writer *to);

#endif
