/* SPDX-License-Identifier: Apache-2.0 */
/* What the python3 that users have says of its packages. */
#ifndef RF_CLI_ASK_PYTHON_H
#define RF_CLI_ASK_PYTHON_H

#include <stddef.h>

/* Copies the first line that a script prints, without its end; "" if there is none, or no python3.
 * script: without single quotes, less than 1200 bytes. */
void cli_ask_python(const char *script, char *line, size_t size);

#endif
