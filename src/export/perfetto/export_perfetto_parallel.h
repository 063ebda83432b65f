/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that write the trace. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_PARALLEL_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_PARALLEL_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_in_parallel(struct pf_writer *to);

#endif
