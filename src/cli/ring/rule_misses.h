/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that never saw what they name, and what nearly was it. */
#ifndef RF_CLI_RING_RULE_MISSES_H
#define RF_CLI_RING_RULE_MISSES_H

#include "cli/ring/rule_names.h"

/* Of a rule that has a name. All zero: nothing was seen. */
struct rule_miss {
    enum { MISS_NONE = 0, MISS_DOMAIN, MISS_CASE, MISS_KIND } kind;
    char message[128], domain[128]; /* that were there; domain "": the default one */
};

/* A mark or range of these names has come, which rule number i does not match. domain NULL: the
 * default one. */
void rule_miss_note(struct rule_miss *miss, const struct rule *rule, uint32_t i, bool is_mark,
                    const struct rule_name *domain, const struct rule_name *message);

/* Says so of the rule. domains: names of those that were there, each once. */
void rule_miss_say(const struct rule_miss *miss, const struct rule *rule,
                   const char *const *domains, size_t n_domains);

#endif
