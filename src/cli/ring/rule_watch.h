/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for what the rules of a flight recorder ask for, in what its programs record. Not for
 * several threads at once. */
#ifndef RF_CLI_RING_RULE_WATCH_H
#define RF_CLI_RING_RULE_WATCH_H

#include "cli/ring/rules.h"
#include "log/layout.h"

struct rule_watch;

/* What a rule found. */
struct rule_firing {
    const struct rule *rule; /* NULL: the program asked for a snapshot */
    int64_t value_ns;        /* how long it took, or is open; -1: nothing was measured */
    char reason[128];
};

struct rule_watch_config {
    const char *dir; /* of the session; all that stands here outlives the watch */
    const struct rf_control *control;
    const struct rules *rules;
    /* Whether what a rule (NULL: the program) found is to be reported now. What is not is counted,
     * but for a range that is still open, which is reported later. */
    bool (*is_wanted)(void *context, const struct rule *rule);
    void (*fire)(void *context, const struct rule_firing *firing);
    void *context;
};

/* from_now_on: records were recycled already. NULL: out of memory. */
struct rule_watch *rule_watch_new(const struct rule_watch_config *config, bool from_now_on);

/* Looks at what came since. Returns whether there is more of it, for another round. */
bool rule_watch_round(struct rule_watch *watch);

/* The last look: at all that there is, and at what has ended. */
void rule_watch_finish(struct rule_watch *watch);

/* The program that the command line started has ended; status: as of waitpid(). */
void rule_watch_root_ended(struct rule_watch *watch, int status);

/* Says which rules never saw what they name, and what nearly was it. */
void rule_watch_say_unmatched(const struct rule_watch *watch);

/* Parts that were recycled or lost before they were looked at. */
uint64_t rule_watch_n_unseen(const struct rule_watch *watch);

/* NULL is accepted. */
void rule_watch_free(struct rule_watch *watch);

#endif
