/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/wildcard.h"
#include "cli/ring/amounts_option.h"

struct form {
    const char *word;
    enum rule_kind kind;
    const char *form;
};

static const struct form forms[] = {
    {"mark", RULE_MARK, "mark:MESSAGE[@DOMAIN], such as mark:error@server"},
    {"slow", RULE_SLOW,
     "slow:RANGE[@DOMAIN]:TIME or slow:RANGE[@DOMAIN]:Kx, which is K times its median, such as "
     "slow:request@server:100ms or slow:step:3x"},
    {"open", RULE_OPEN, "open:RANGE[@DOMAIN]:TIME, such as open:request@server:10s"},
    {"exit", RULE_EXIT, "exit, without anything behind it"},
    {"crash", RULE_CRASH, "crash, without anything behind it"},
};

#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

static int fail_form(const char *text, const char *form, struct rf_err *err)
{
    return rf_fail(err, RF_ERR_USAGE, "'--snapshot-on=%s': give %s", text, form);
}

/* The form that a rule begins with; NULL: none. *behind: what follows its colon, or NULL. */
static const struct form *find_form(const char *text, const char **behind)
{
    const size_t n = strcspn(text, ":");
    *behind = text[n] == ':' ? text + n + 1 : NULL;
    for (size_t i = 0; i < N_FORMS; i++)
        if (strlen(forms[i].word) == n && memcmp(text, forms[i].word, n) == 0)
            return &forms[i];
    return NULL;
}

/* Splits what stands behind the last colon off the name, and reads it. */
static bool parse_limit(struct rule *rule)
{
    char *colon = strrchr(rule->message, ':');
    double ns = 0, times = 0;
    if (colon == NULL)
        return false;
    const size_t n = strlen(colon + 1);
    *colon = '\0';
    if (rule->kind == RULE_SLOW && cli_parse_times(&times, colon + 1, n)) {
        rule->times = times;
        return times > 1 && times < 1e9;
    }
    if (!cli_parse_time(&ns, colon + 1, n) || ns < 1 || ns > 9e18)
        return false;
    rule->time_ns = (int64_t)ns;
    return true;
}

/* The last @ begins the domain, as in --filter-nvtx. */
static bool parse_name(struct rule *rule)
{
    char *at = strrchr(rule->message, '@');
    if (at != NULL) {
        *at = '\0';
        rule->domain = at + 1;
    }
    rule->n_message = (uint32_t)strlen(rule->message);
    rule->has_star = strchr(rule->message, '*') != NULL;
    return rule->n_message > 0;
}

int rules_add(struct rules *rules, const char *text, struct rf_err *err)
{
    const char *behind;
    const struct form *form = find_form(text, &behind);
    struct rule rule = {.text = text};
    if (form == NULL)
        return rf_fail(err, RF_ERR_USAGE,
                       "'--snapshot-on=%s': give mark:MESSAGE[@DOMAIN], "
                       "slow:RANGE[@DOMAIN]:TIME or :Kx, open:RANGE[@DOMAIN]:TIME, exit or crash",
                       text);
    if (rules->n == RULES_MOST)
        return rf_fail(err, RF_ERR_USAGE, "more than %u options --snapshot-on", RULES_MOST);
    rule.kind = form->kind;
    const bool has_name = rule.kind == RULE_MARK || rule_is_of_ranges(&rule);
    if (has_name != (behind != NULL))
        return fail_form(text, form->form, err);
    if (has_name) {
        rule.message = strdup(behind);
        if (rule.message == NULL)
            return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
        if ((rule_is_of_ranges(&rule) && !parse_limit(&rule)) || !parse_name(&rule)) {
            free(rule.message);
            return fail_form(text, form->form, err);
        }
    }
    rules->rule[rules->n++] = rule;
    return RF_OK;
}

void rules_release(struct rules *rules)
{
    for (uint32_t i = 0; i < rules->n; i++)
        free(rules->rule[i].message);
    rules->n = 0;
}

enum rule_fit rule_fits_message(const struct rule *rule, const char *text, uint32_t n)
{
    if (!rule->has_star && n != rule->n_message)
        return RULE_FITS_NOT;
    if (rf_wildcard_fits(rule->message, text, n, false))
        return RULE_FITS;
    return rf_wildcard_fits(rule->message, text, n, true) ? RULE_FITS_NEARLY : RULE_FITS_NOT;
}

bool rule_fits_domain(const struct rule *rule, const char *name, uint32_t n)
{
    if (rule->domain == NULL || strcmp(rule->domain, "*") == 0)
        return true;
    if (name == NULL || rule->domain[0] == '\0')
        return name == NULL && rule->domain[0] == '\0';
    return rf_wildcard_fits(rule->domain, name, n, false);
}
