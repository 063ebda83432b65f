/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of one output on one timeline. Anchors are looked for where there are several
 * machines: then each input is read once more before it is written. */
#ifndef RF_CLI_INPUT_ALIGNMENT_H
#define RF_CLI_INPUT_ALIGNMENT_H

#include "cli/merged_output.h"
#include "rangefinder/clocks.h"

struct cli_alignment {
    rf_align *align;   /* solved; NULL: there are no inputs */
    const char **path; /* of those that are in it */
    size_t n;
};

/* Returns an exit status, after a message where it fails. Release it either way. */
int cli_align_inputs(struct cli_alignment *alignment, const struct cli_merged_output *merged);

/* Says how the times were put side by side, and how well. */
void cli_say_alignment(const struct cli_alignment *alignment);

void cli_alignment_release(struct cli_alignment *alignment);

#endif
