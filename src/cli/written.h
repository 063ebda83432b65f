/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a verb wrote, for programs: the document of --json (docs/json/written.schema.json).
 */
#ifndef RF_CLI_WRITTEN_H
#define RF_CLI_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

struct cli_written_file {
    const char *path;
    const char *format; /* "rf", or as export -t has it */
    bool was_there;     /* it has what it should have already, and was not written */
};

/* Prints the document. The verb next_verb comes next, of the file next_path; NULL: none does.
 * Returns CLI_OK, or CLI_FAILED after a message. */
int cli_written_print(const char *verb, const struct cli_written_file *file, size_t n,
                      const char *next_verb, const char *next_path);

#endif
