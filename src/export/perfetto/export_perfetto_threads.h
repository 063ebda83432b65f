/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did, and start/end ranges. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_THREADS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_THREADS_H

#include "export/perfetto/export_perfetto.h"

/* All return the writer's status. pf_write_start_ends() comes after pf_write_threads(). */
int pf_write_threads(struct pf_writer *to);
int pf_write_start_ends(struct pf_writer *to);
int pf_write_calls(struct pf_writer *to);

#endif
