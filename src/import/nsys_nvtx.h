/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_IMPORT_NSYS_NVTX_H
#define RF_IMPORT_NSYS_NVTX_H

#include "import/nsys_load.h"

int nsys_load_nvtx(struct nsys_load *load);

/* Gives every process the default domain. */
int nsys_add_default_domains(struct nsys_load *load);

#endif
