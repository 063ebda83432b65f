/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask_python.h"

#include <stdio.h>
#include <string.h>

void cli_ask_python(const char *script, char *line, size_t size)
{
    char command[1408];
    (void)snprintf(command, sizeof(command),
                   "exec timeout 20 python3 -c '" CLI_PYTHON_LEAVES_FOLDER "%s' 2>/dev/null",
                   script);
    FILE *python = popen(command, "re");
    if (python == NULL || fgets(line, (int)size, python) == NULL)
        line[0] = '\0';
    if (python != NULL)
        (void)pclose(python);
    line[strcspn(line, "\n")] = '\0';
}
