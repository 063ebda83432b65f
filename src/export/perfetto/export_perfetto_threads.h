/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_THREADS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_THREADS_H

#include "export/perfetto/export_perfetto.h"

/* Both return the writer's status. */
int pf_write_threads(struct pf_writer *to);
int pf_write_calls(struct pf_writer *to);

#endif
