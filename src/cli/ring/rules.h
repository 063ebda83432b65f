/* SPDX-License-Identifier: Apache-2.0 */
/* --snapshot-on: what a flight recorder takes snapshots of by itself. */
#ifndef RF_CLI_RING_RULES_H
#define RF_CLI_RING_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "rangefinder/rangefinder.h"

#define RULES_MOST 32u /* a bit for each */

enum rule_kind {
    RULE_MARK,  /* a mark of this name */
    RULE_SLOW,  /* a range of this name that took this long */
    RULE_OPEN,  /* one that is open for this long */
    RULE_EXIT,  /* a process ends */
    RULE_CRASH, /* one ends by a signal */
};

struct rule {
    enum rule_kind kind;
    const char *text; /* as it was given */
    char *message;    /* the name; * stands for any bytes, likewise below */
    uint32_t n_message;
    bool has_star;
    char *domain;    /* in message's memory. "": the default domain; NULL: any */
    int64_t time_ns; /* SLOW, OPEN; 0: */
    double times;    /* SLOW: this many times the running median of the name */
};

struct rules {
    struct rule rule[RULES_MOST];
    uint32_t n;
};

/* Adds a rule. text outlives the rules. RF_ERR_USAGE: err shows the form. */
int rules_add(struct rules *rules, const char *text, struct rf_err *err);
void rules_release(struct rules *rules);

/* Whether the rule is about ranges: they are paired for it. */
static inline bool rule_is_of_ranges(const struct rule *rule)
{
    return rule->kind == RULE_SLOW || rule->kind == RULE_OPEN;
}

/* How a name is to fit. */
enum rule_fit {
    RULE_FITS,
    RULE_FITS_NEARLY, /* but for upper and lower case */
    RULE_FITS_NOT,
};

/* Whether a message of n bytes fits a rule that has one. */
enum rule_fit rule_fits_message(const struct rule *rule, const char *text, uint32_t n);

/* Likewise the name of a domain; NULL: the default domain. */
bool rule_fits_domain(const struct rule *rule, const char *name, uint32_t n);

#endif
