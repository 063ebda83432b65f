/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RF_NVTX_DOMAIN_TYPE_H
#define RF_NVTX_DOMAIN_TYPE_H

#include "nvtx_python.h"

extern PyTypeObject nvtx_domain_type, nvtx_dummy_domain_type;

#endif
