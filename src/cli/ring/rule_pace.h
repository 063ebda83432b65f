/* SPDX-License-Identifier: Apache-2.0 */
/* How long the ranges of a rule take, name by name: the running medians that Kx is a multiple of.
 */
#ifndef RF_CLI_RING_RULE_PACE_H
#define RF_CLI_RING_RULE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define RULE_PACE_WARM_UP 20u  /* ranges of a name before the first that can be slow */
#define RULE_PACE_NAMES   256u /* of a rule; the others have one median together */

/* All zero: nothing yet. */
struct rule_pace {
    struct rule_pace_name *name; /* a table by hash */
    uint32_t n_names;
};

/* Adds the duration of a range, in ticks, whose name has this hash. Returns the median of those
 * before it, or 0 during the warm-up, and where there is no memory. */
uint64_t rule_pace_add(struct rule_pace *pace, uint64_t name, uint64_t ticks);

void rule_pace_release(struct rule_pace *pace);

#endif
