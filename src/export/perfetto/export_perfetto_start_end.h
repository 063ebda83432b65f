/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of processes. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_START_END_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_START_END_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_start_ends(struct pf_writer *to);

#endif
