/* SPDX-License-Identifier: Apache-2.0 */
/* The file of --python-functions-trace. */
#ifndef RF_CLI_PROFILE_FUNCTIONS_FILE_H
#define RF_CLI_PROFILE_FUNCTIONS_FILE_H

#include "rangefinder/rangefinder.h"

/* Checks the file of --python-functions-trace: nsys's form of it, a list of objects with "module"
 * and "functions", and perhaps "domain" and "color". Returns 0, RF_ERR_IO where it cannot be read,
 * or RF_ERR_FORMAT with the position of the error. */
int cli_python_functions_check(const char *path, struct rf_err *err);

#endif
