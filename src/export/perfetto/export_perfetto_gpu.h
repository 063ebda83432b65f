/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the GPU. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_GPU_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_GPU_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_gpu(struct pf_writer *to);

#endif
