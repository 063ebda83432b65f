/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations on tracks of the places where they were. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_SCOPES_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_SCOPES_H

#include "export/perfetto/export_perfetto.h"

/* Writes what rf_event_scope() says of. Returns the writer's status. */
int pf_write_scopes(struct pf_writer *to);

#endif
