/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rule_misses.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/say.h"

static void copy(char text[128], const struct rule_name *name)
{
    const int n =
        name != NULL && name->text != NULL ? (int)(name->n_text < 127 ? name->n_text : 127) : 0;
    (void)snprintf(text, 128, "%.*s", n, n > 0 ? name->text : "");
}

void rule_miss_note(struct rule_miss *miss, const struct rule *rule, uint32_t i, bool is_mark,
                    const struct rule_name *domain, const struct rule_name *message)
{
    const bool fits_domain =
        domain != NULL ? (domain->fits >> i & 1) != 0 : rule_fits_domain(rule, NULL, 0);
    const bool is_kind = is_mark != rule_is_of_ranges(rule);
    if (message->fits >> i & 1 && fits_domain && !is_kind)
        miss->kind = MISS_KIND;
    else if (message->fits >> i & 1 && !fits_domain && is_kind)
        miss->kind = MISS_DOMAIN;
    else if (message->nearly >> i & 1 && fits_domain && is_kind)
        miss->kind = MISS_CASE;
    if (miss->kind == MISS_NONE)
        return;
    copy(miss->message, message);
    copy(miss->domain, domain);
}

static const char *what(const struct rule *rule)
{
    return rule_is_of_ranges(rule) ? "range" : "mark";
}

static bool is_there(const struct rule *rule, const char *const *domains, size_t n)
{
    bool is = rule->domain == NULL || rule_fits_domain(rule, NULL, 0);
    for (size_t i = 0; i < n && !is; i++)
        is = rule_fits_domain(rule, domains[i], (uint32_t)strlen(domains[i]));
    return is;
}

void rule_miss_say(const struct rule_miss *miss, const struct rule *rule,
                   const char *const *domains, size_t n_domains)
{
    const char *near;
    if (miss->kind == MISS_DOMAIN && miss->domain[0] == '\0')
        cli_say("'--snapshot-on=%s': there was no such %s, but one '%s' of the default domain",
                rule->text, what(rule), miss->message);
    else if (miss->kind == MISS_DOMAIN)
        cli_say("'--snapshot-on=%s': there was no such %s, but one '%s' of the domain '%s'",
                rule->text, what(rule), miss->message, miss->domain);
    else if (miss->kind == MISS_CASE)
        cli_say("'--snapshot-on=%s': there was no such %s, but one '%s', which differs by upper "
                "and lower case",
                rule->text, what(rule), miss->message);
    else if (miss->kind == MISS_KIND)
        cli_say("'--snapshot-on=%s': there was no such %s, but a %s '%s'", rule->text, what(rule),
                rule_is_of_ranges(rule) ? "mark" : "range", miss->message);
    else if (!is_there(rule, domains, n_domains)) {
        near = rf_nearest_name(rule->domain, domains, n_domains);
        cli_say("'--snapshot-on=%s': there was no domain '%s'%s%s%s", rule->text, rule->domain,
                near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                near != NULL ? "'?" : "");
    } else
        cli_say("'--snapshot-on=%s': there was no such %s", rule->text, what(rule));
}
