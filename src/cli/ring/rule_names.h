/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules the names of a process fit: its domains and registered strings, by their handles.
 * They are read as they are needed, so that names may come at any time. */
#ifndef RF_CLI_RING_RULE_NAMES_H
#define RF_CLI_RING_RULE_NAMES_H

#include <stddef.h>

#include "cli/ring/rules.h"
#include "log/follow_defs.h"

/* A name, as far as rules are concerned. */
struct rule_name {
    uint32_t fits;   /* a bit per rule */
    uint32_t nearly; /* of messages: they fit but for upper and lower case */
    uint64_t hash;   /* the same for the same text; 0: nobody has defined this handle */
    char *text;      /* of domains, and of messages that fit or nearly do; or NULL */
    uint32_t n_text;
    bool asks; /* a domain whose marks ask for snapshots */
};

struct rule_names {
    const struct rules *rules;
    const char *dir;  /* of the session */
    uint32_t process; /* its number */
    struct rf_follow_defs read;
    struct rule_name *domain; /* by handle, likewise below */
    size_t n_domains, domain_room;
    struct rule_name *string;
    size_t n_strings, string_room;
    uint32_t origin;       /* number + 1 of the process that it was forked from; 0: none */
    bool has_exited;       /* it has called exit() */
    uint32_t default_fits; /* rules that the default domain fits: a bit each */
};

/* Nothing is read yet. What it is given outlives it. process: its number. */
void rule_names_init(struct rule_names *names, const struct rules *rules, const char *session_dir,
                     uint32_t process);

/* What a text in a record comes to; its text is NULL. */
struct rule_name rule_name_of_text(const struct rules *rules, const char *text, uint32_t n);

/* Reads the definitions that came since. */
void rule_names_read(struct rule_names *names);

/* The name of a handle, or NULL: it has none (yet). */
const struct rule_name *rule_names_domain(const struct rule_names *names, uint64_t handle);
const struct rule_name *rule_names_string(const struct rule_names *names, uint64_t handle);

void rule_names_release(struct rule_names *names);

#endif
