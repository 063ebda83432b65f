/* SPDX-License-Identifier: Apache-2.0 */
/* Finds this installation's own files, wherever the tree was moved. */
#ifndef RF_CLI_INSTALL_H
#define RF_CLI_INSTALL_H

#include <stdbool.h>
#include <stddef.h>

#include "rangefinder/rangefinder.h"

#define CLI_INJECT_NAME "librangefinder-inject.so"

/* The path of the running rangefinder itself. */
int cli_install_self(char *path, size_t size, struct rf_err *err);

#define CLI_PROFILER_NAME "librangefinder-profiler.so"
#define CLI_CHAIN_NAME    "librangefinder-chain.so"

/* The absolute path of a library that programs load: one of the names above. */
int cli_install_library(const char *name, char *path, size_t size, struct rf_err *err);

/* The recorder, as cli_install_library() finds it. One of another version is refused, with both
 * versions and paths in err: two installations are mixed. */
int cli_install_recorder(char *path, size_t size, struct rf_err *err);

/* Whether every user may read a file, along its whole path. */
bool cli_install_is_for_all(const char *path);

#endif
