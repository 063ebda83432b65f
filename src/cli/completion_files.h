/* SPDX-License-Identifier: Apache-2.0 */
/* The files of completions/, which the build turns into these. */
#ifndef RF_CLI_COMPLETION_FILES_H
#define RF_CLI_COMPLETION_FILES_H

#include <stddef.h>

extern const char rf_rangefinder_bash[], rf_rangefinder[], rf_rangefinder_fish[];
extern const size_t rf_rangefinder_bash_size, rf_rangefinder_size, rf_rangefinder_fish_size;

#endif
