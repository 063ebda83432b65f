/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges as the GPU saw them. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_PROJECTION_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_PROJECTION_H

#include "export/perfetto/export_perfetto_packets.h"

/* Both return the writer's status. */
int pf_project(struct pf_writer *to);
int pf_write_projections(struct pf_writer *to);

/* The range over the call of a piece of work. */
void pf_put_owner(struct pf_writer *to, enum pf_kind kind, uint32_t op);

#endif
