/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs. */
#ifndef RF_EXPORT_PERFETTO_EXPORT_PERFETTO_GPUS_H
#define RF_EXPORT_PERFETTO_EXPORT_PERFETTO_GPUS_H

#include "export/perfetto/export_perfetto.h"

/* Returns the writer's status. */
int pf_write_gpu_info(struct pf_writer *to);

#endif
