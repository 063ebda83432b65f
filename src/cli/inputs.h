/* SPDX-License-Identifier: Apache-2.0 */
/* The recordings that a verb reads: files, session directories, and folders of them. */
#ifndef RF_CLI_INPUTS_H
#define RF_CLI_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/map.h"
#include "cli/option_parser.h"

struct cli_input {
    char *path; /* as given; those of a folder, and of folders in it, in the order of their
                 * names, 2 before 10 */
    dev_t device;
    ino_t inode; /* 0: there is no such file */
};

struct cli_inputs {
    struct cli_input *input;
    size_t n, room;
    struct rf_map of_file; /* device, inode -> input */
    bool are_many;         /* several operands, or a folder */
    bool are_merged;       /* set before: they go into one trace. Summaries in folders are left out,
                            * and a file that comes again is an error */
};

/* Lists the operands' recordings. A file that comes again is left out, with a message; see also
 * are_merged. Returns
 * CLI_OK, or an exit status after a message. Release it either way. */
int cli_inputs_list(struct cli_inputs *inputs, const struct cli_parser *parser);
void cli_inputs_release(struct cli_inputs *inputs);

#endif
