/* SPDX-License-Identifier: Apache-2.0 */
/* Which version a libcupti is of. Its name tells the major one alone. */
#ifndef RF_BASE_CUPTI_VERSION_H
#define RF_BASE_CUPTI_VERSION_H

#include <stdint.h>

/* What cuptiGetVersion() of this file gives, read from its code: the file is not loaded, for what a
 * process has loaded of CUPTI may stay, and two of it disturb each other. 0: it cannot be read. */
uint32_t rf_cupti_version_of_file(const char *path);

#endif
