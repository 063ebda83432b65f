/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/compare/compare_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text_sink.h"
#include "summary/settings_data.h"

/* A setting of an input. */
struct fact {
    const char *name, *value;
    uint32_t input;
    int side;
};

struct facts {
    struct fact *fact;
    size_t n;
    bool *is_known;      /* by input: its settings are */
    size_t n_known[2];   /* inputs by side */
    uint32_t *last_name; /* by input: 1 more than the number of the last name that it has */
};

static int compare_facts(const void *a, const void *b)
{
    const struct fact *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0 && x->side != y->side)
        return x->side < y->side ? -1 : 1;
    if (order == 0)
        order = strcmp(x->value, y->value);
    return order != 0 ? order : (x->input > y->input) - (x->input < y->input);
}

static const char *text_of(const rf_summary *summary, uint32_t string)
{
    size_t size;
    const char *text = rf_summary_text(summary, string, &size);
    return text != NULL ? text : "";
}

/* Older summaries have no settings at all; what selected a part of a recording is one of each. */
static bool list_facts(struct facts *facts, const rf_summary *summary, const uint8_t *side)
{
    const struct rf_summary_settings *all = &summary->settings;
    facts->fact = malloc((all->n + summary->n_inputs + 1) * sizeof(*facts->fact));
    facts->is_known = calloc(summary->n_inputs + 1, sizeof(*facts->is_known));
    facts->last_name = calloc(summary->n_inputs + 1, sizeof(*facts->last_name));
    if (facts->fact == NULL || facts->is_known == NULL || facts->last_name == NULL)
        return false;
    for (size_t i = 0; i < all->n; i++) {
        const struct rf_summary_setting *item = &all->item[i];
        const char *name = text_of(summary, item->name);
        facts->is_known[item->input] = true;
        if (strcmp(name, RF_SUMMARY_JOB) != 0 && strcmp(name, RF_SUMMARY_PROGRAM) != 0 &&
            !rf_summary_is_rank_variable(name))
            facts->fact[facts->n++] =
                (struct fact){name, text_of(summary, item->value), item->input, side[item->input]};
    }
    for (uint32_t i = 0; i < summary->n_inputs; i++) {
        facts->n_known[side[i]] += facts->is_known[i];
        facts->fact[facts->n++] = (struct fact){"filter", summary->input[i].filter, i, side[i]};
    }
    qsort(facts->fact, facts->n, sizeof(*facts->fact), compare_facts);
    return true;
}

/* Whether the word list has a word; "all" is each. */
static bool is_ignored(const char *ignored, const char *name)
{
    const size_t size = strlen(name);
    if (ignored == NULL)
        return false;
    if (strcmp(ignored, "all") == 0)
        return true;
    for (const char *word = ignored; *word != '\0';) {
        const size_t n = strcspn(word, ",");
        if (n == size && memcmp(word, name, n) == 0)
            return true;
        word += n + (word[n] == ',');
    }
    return false;
}

/* What an input that lacks a name says: a variable is not set, but what older recorders did not
 * write down is not known. */
static bool is_unset_where_missing(const char *name)
{
    return strcmp(name, "cpu") != 0 && strcmp(name, "cpus") != 0 && strcmp(name, "recorder") != 0;
}

/* The values that a side has of a name. */
struct values {
    const struct fact *fact; /* by value */
    size_t n, n_inputs;
    bool has_unset;
};

static struct values take_values(struct facts *facts, size_t *at, size_t end, int side,
                                 uint32_t number)
{
    struct values values = {.fact = &facts->fact[*at]};
    for (; *at < end && facts->fact[*at].side == side; (*at)++, values.n++) {
        uint32_t *last = &facts->last_name[facts->fact[*at].input];
        values.n_inputs += *last != number;
        *last = number;
    }
    const char *name = facts->fact[*at < end ? *at : end - 1].name;
    values.has_unset = values.n_inputs < facts->n_known[side] && is_unset_where_missing(name);
    return values;
}

static size_t skip_equal(const struct values *values, size_t i)
{
    const char *value = values->fact[i].value;
    while (i < values->n && strcmp(values->fact[i].value, value) == 0)
        i++;
    return i;
}

static bool is_same(const struct values *a, const struct values *b)
{
    size_t i = 0, k = 0;
    while (i < a->n && k < b->n && strcmp(a->fact[i].value, b->fact[k].value) == 0) {
        i = skip_equal(a, i);
        k = skip_equal(b, k);
    }
    return i == a->n && k == b->n && a->has_unset == b->has_unset;
}

/* "2, 4", with "not set" for what lacks it; NULL: out of memory. */
static char *join(struct rf_text_sink *text, const struct values *values)
{
    bool is_first = true;
    for (size_t i = 0; i < values->n; i = skip_equal(values, i)) {
        rf_sink_text(&text->sink, is_first ? "" : ", ");
        rf_sink_text(&text->sink, values->fact[i].value);
        is_first = false;
    }
    if (values->has_unset)
        rf_sink_text(&text->sink, is_first ? "not set" : ", not set");
    return rf_text_sink_take(text);
}

static int add_setting(struct rf_compare_settings *settings, const char *name,
                       const struct values side[2])
{
    struct rf_text_sink text;
    struct rf_compare_setting item = RF_COMPARE_SETTING_INIT;
    int status = rf_text_sink_init(&text);
    item.name = name;
    if (status == RF_OK) {
        item.a = join(&text, &side[0]);
        item.b = join(&text, &side[1]);
    }
    rf_text_sink_release(&text);
    if (item.a == NULL || item.b == NULL ||
        rf_grow_array(&settings->item, settings->n, &settings->room, sizeof(item)) != RF_OK) {
        free((char *)item.a);
        free((char *)item.b);
        return RF_ERR_NO_MEMORY;
    }
    settings->item[settings->n++] = item;
    return RF_OK;
}

static int compare_names(struct rf_compare_settings *settings, struct facts *facts,
                         const char *ignored)
{
    int status = RF_OK;
    uint32_t number = 0;
    for (size_t at = 0, end; at < facts->n && status == RF_OK; at = end) {
        const char *name = facts->fact[at].name;
        for (end = at; end < facts->n && strcmp(facts->fact[end].name, name) == 0;)
            end++;
        number++;
        const struct values a = take_values(facts, &at, end, 0, number);
        const struct values b = take_values(facts, &at, end, 1, number);
        const struct values both[] = {a, b};
        const bool is_known = a.n + a.has_unset > 0 && b.n + b.has_unset > 0;
        if (is_known && !is_same(&a, &b) && !is_ignored(ignored, name))
            status = add_setting(settings, name, both);
    }
    return status;
}

int rf_compare_settings_make(struct rf_compare_settings *settings, const rf_summary *summary,
                             const uint8_t *side, const char *ignored)
{
    struct facts facts = {.n = 0};
    int status = RF_ERR_NO_MEMORY;
    if (list_facts(&facts, summary, side))
        status = compare_names(settings, &facts, ignored);
    free(facts.fact);
    free(facts.is_known);
    free(facts.last_name);
    return status;
}

void rf_compare_settings_release(struct rf_compare_settings *settings)
{
    for (size_t i = 0; i < settings->n; i++) {
        free((char *)settings->item[i].a);
        free((char *)settings->item[i].b);
    }
    free(settings->item);
    *settings = (struct rf_compare_settings){.n = 0};
}
