/* SPDX-License-Identifier: Apache-2.0 */
/* What the python3 that users have says of its packages. */
#ifndef RF_CLI_ASK_PYTHON_H
#define RF_CLI_ASK_PYTHON_H

#include <stddef.h>

/* What a script for python3 -c begins with. Python searches the current folder first for what is
 * imported, and a folder of recordings may come from others. PYTHONPATH and the user's packages
 * stay
 * (-I loses them, and -P is not known before Python 3.11). No single quotes. */
#define CLI_PYTHON_LEAVES_FOLDER                                                                   \
    "import sys\n"                                                                                 \
    "sys.path[:1] == [\"\"] and sys.path.pop(0)\n"

/* Copies the first line that a script prints, without its end; "" if there is none, or no python3.
 * script: without single quotes, less than 1200 bytes. */
void cli_ask_python(const char *script, char *line, size_t size);

#endif
