/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations of threads. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_THREADS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_THREADS_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_threads(struct pf_writer *to);

#endif
