/* SPDX-License-Identifier: Apache-2.0 */
/* What was sampled. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_COUNTERS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_COUNTERS_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_counters(struct pf_writer *to);

#endif
