/* SPDX-License-Identifier: Apache-2.0 */
/* unit.c, compiled with UNIT=a or b and as C or C++, alone or into a shared library. */
#ifndef NVTX_TEST_UNIT_H
#define NVTX_TEST_UNIT_H

#include <nvtx3/nvToolsExt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each annotates, and returns what the tool answered. */
int annotate_unit_a(void);
int annotate_unit_b(void);

#ifdef __cplusplus
}
#endif

#endif /* NVTX_TEST_UNIT_H */
