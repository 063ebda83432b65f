/* SPDX-License-Identifier: Apache-2.0 */
/* Where this installation's own files are, wherever the tree was put. */
#ifndef RF_CLI_INSTALL_H
#define RF_CLI_INSTALL_H

#include <stddef.h>

#include "rangefinder/rangefinder.h"

#define CLI_INJECT_NAME "librangefinder-inject.so"

/* The path of the running rangefinder itself. */
int cli_install_self(char *path, size_t size, struct rf_err *err);

/* The absolute path of the library that programs load. */
int cli_install_inject(char *path, size_t size, struct rf_err *err);

#endif
