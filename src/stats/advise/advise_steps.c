/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/advise/advise_steps.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/grow.h"
#include "base/map.h"
#include "stats/why/why_words.h"

#define MAX_RANGES  3   /* of a recording */
#define MIN_SHARE   0.1 /* of the time of the first of these that each other has */
#define MIN_PERCENT 1   /* of the time of all instances that a cause is to take */

const struct rf_advice_rule rf_advice_slow_rule = {
    .id = "slow-instances",
    .meaning = "some instances of the step are slow, `rangefinder why` says what carries their "
               "excess, and that is at least 1 % of the time of all steps",
};

void rf_asked_release(struct rf_asked *asked)
{
    for (size_t i = 0; i < asked->n; i++) {
        free(asked->range[i].text);
        free(asked->range[i].range);
        rf_why_free(asked->range[i].why);
    }
    free(asked->range);
    *asked = (struct rf_asked){.n = 0};
}

/* ---- Which ranges ---- */

struct candidate {
    uint32_t key; /* of the steps */
    uint32_t n;
    uint64_t total_ns;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The names of steps, those with most time first; *n: how many can be asked of. */
static struct candidate *rank_names(const struct rf_steps *steps, size_t *n)
{
    struct candidate *all = calloc(steps->keys.n + 1, sizeof(*all));
    *n = 0;
    if (all == NULL)
        return NULL;
    for (size_t i = 0; i < steps->n; i++) {
        struct candidate *of = &all[steps->step[i].key];
        of->key = steps->step[i].key;
        of->n++;
        of->total_ns += steps->step[i].duration_ns;
    }
    for (size_t k = 0; k < steps->keys.n; k++)
        if (all[k].n > 0 && steps->keys.key[k].name != RF_NO_STRING)
            all[(*n)++] = all[k];
    qsort(all, *n, sizeof(*all), compare_candidates);
    if (*n > MAX_RANGES)
        *n = MAX_RANGES;
    while (*n > 0 && (double)all[*n - 1].total_ns < MIN_SHARE * (double)all[0].total_ns)
        --*n;
    return all;
}

/* "MESSAGE@DOMAIN" as options spell it; NULL: out of memory. */
static char *new_range(const rf_recording *rec, const struct rf_range_key *key,
                       struct rf_text_sink *words)
{
    const struct rf_domain *domain = rf_domain_at(rec, key->domain);
    const char *domain_name = domain != NULL ? rf_string(rec, domain->name, NULL) : NULL;
    rf_sink_text(&words->sink, rf_string(rec, key->name, NULL));
    rf_sink_char(&words->sink, '@');
    if (domain_name != NULL)
        rf_sink_text(&words->sink, domain_name);
    return rf_text_sink_take(words);
}

static char *new_folded(const char *range)
{
    char *folded = strdup(range), *to = folded;
    bool is_in_number = false;
    for (const char *from = range; folded != NULL && *from != '\0'; from++) {
        const bool is_digit = *from >= '0' && *from <= '9';
        if (!is_digit || !is_in_number)
            *to++ = is_digit ? '#' : *from;
        is_in_number = is_digit;
    }
    if (folded != NULL)
        *to = '\0';
    return folded;
}

static struct rf_asked_range *find(struct rf_asked *asked, const char *range, struct rf_err *err)
{
    struct rf_asked_range added = {.text = new_folded(range)};
    for (size_t i = 0; i < asked->n && added.text != NULL; i++)
        if (strcmp(asked->range[i].text, added.text) == 0) {
            free(added.text);
            return &asked->range[i];
        }
    added.range = strdup(range);
    if (added.text == NULL || added.range == NULL || rf_why_new(range, &added.why, err) != RF_OK ||
        rf_grow_array(&asked->range, asked->n, &asked->room, sizeof(*asked->range)) != RF_OK) {
        free(added.text);
        free(added.range);
        rf_why_free(added.why);
        (void)rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    asked->range[asked->n++] = added;
    return &asked->range[asked->n - 1];
}

int rf_asked_add(struct rf_asked *asked, const rf_recording *rec, const struct rf_steps *steps,
                 const char *path, struct rf_err *err)
{
    struct rf_text_sink words;
    size_t n = 0;
    if (asked->max_instances > 0 && asked->n_instances > asked->max_instances) {
        asked->n_left_out++;
        return RF_OK;
    }
    asked->n_instances += steps->n;
    struct candidate *candidate = rank_names(steps, &n);
    int status = rf_text_sink_init(&words);
    if (candidate == NULL)
        status = RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        char *range = new_range(rec, &steps->keys.key[candidate[i].key], &words);
        struct rf_asked_range *of = range != NULL ? find(asked, range, err) : NULL;
        status = of != NULL ? rf_why_add(of->why, rec, path, err) : RF_ERR_NO_MEMORY;
        free(range);
        if (status == RF_OK) {
            of->total_ns += candidate[i].total_ns;
            of->n_inputs++;
        }
        if (status == RF_ERR_NOT_FOUND) /* the name cannot be spelled as a range: it has a NUL */
            status = RF_OK;
    }
    free(candidate);
    rf_text_sink_release(&words);
    return status == RF_ERR_NO_MEMORY ? rf_fail(err, status, "out of memory") : status;
}

/* ---- The answers ---- */

static void put_ns(struct rf_sink *sink, uint64_t ns)
{
    char text[40];
    rf_sink_text(sink, rf_format_duration(text, sizeof(text), (int64_t)ns));
}

static const char *advice_of(const struct rf_why_cause *cause)
{
    if (cause->other[0] != '\0')
        return "look at what that thread does then: it holds or makes what this one waits for";
    switch (cause->part) {
    case RF_WHY_SELF:
        return "it may compute longer, wait for a lock or a disk, or be off its core: ranges in it "
               "would tell";
    case RF_WHY_GAP:
    case RF_WHY_GAPS:
        return "nothing is recorded there: a range around it would tell more";
    case RF_WHY_CALL:
        return "look at what the call waits for";
    default:
        return "look at one of these instances";
    }
}

static uint64_t gain_of(const struct rf_why_cause *cause)
{
    const uint64_t more_ns = cause->ns > cause->typical_ns ? cause->ns - cause->typical_ns : 0;
    return cause->n_slow > 0 && more_ns > UINT64_MAX / cause->n_slow ? UINT64_MAX
                                                                     : more_ns * cause->n_slow;
}

/* The default domain need not be said. */
static void put_range(struct rf_sink *sink, const char *range)
{
    const size_t n = strlen(range);
    rf_sink_char(sink, '\'');
    rf_sink_printable(sink, range, n > 0 && range[n - 1] == '@' ? n - 1 : n);
    rf_sink_char(sink, '\'');
}

static char *new_title(const struct rf_asked_range *of, const struct rf_why_cause *cause,
                       const struct rf_why_verdict *verdict, struct rf_text_sink *words)
{
    struct rf_sink *sink = &words->sink;
    rf_sink_u64(sink, cause->n_slow);
    rf_sink_text(sink, " of ");
    rf_sink_u64(sink, verdict->n_instances);
    rf_sink_text(sink, " instances of ");
    put_range(sink, of->range);
    rf_sink_text(sink, " are slow: the time is ");
    rf_why_put_where(sink, cause);
    return rf_text_sink_take(words);
}

static char *new_evidence(const struct rf_why_cause *cause, struct rf_text_sink *words)
{
    struct rf_sink *sink = &words->sink;
    put_ns(sink, cause->ns);
    rf_sink_text(sink, " there instead of ");
    put_ns(sink, cause->typical_ns);
    if (cause->work[0] != '\0') {
        rf_sink_text(sink, "; GPU work ");
        rf_sink_quoted(sink, cause->work);
    }
    if (cause->other[0] != '\0') {
        rf_sink_text(sink, "; meanwhile, thread ");
        rf_sink_quoted(sink, cause->other_thread);
        rf_sink_text(sink, " is in ");
        rf_sink_quoted(sink, cause->other);
    }
    return rf_text_sink_take(words);
}

static char *new_command(const struct rf_asked_range *of, const struct rf_findings *findings,
                         struct rf_text_sink *words)
{
    rf_sink_text(&words->sink, "rangefinder why ");
    rf_sink_shell_word(&words->sink, of->range);
    rf_findings_put_paths(findings, &words->sink);
    return rf_text_sink_take(words);
}

/* In how many recordings the cause with this number is. Paths are the object's own: the same one
 * stands at the same place. */
static uint64_t count_inputs(const struct rf_asked_range *of, size_t number)
{
    struct rf_why_instance instance = RF_WHY_INSTANCE_INIT;
    struct rf_map seen = {.n = 0};
    for (size_t i = 0; rf_why_instance_at(of->why, i, &instance) == RF_OK; i++)
        if (instance.cause == number)
            (void)rf_map_set(&seen, (uint64_t)(uintptr_t)instance.input, 0, 0);
    const uint64_t n = seen.n;
    rf_map_release(&seen);
    return n;
}

static int say(const struct rf_asked_range *of, const struct rf_why_verdict *verdict, size_t number,
               const struct rf_why_cause *cause, struct rf_findings *findings,
               struct rf_text_sink *words)
{
    const uint64_t gain_ns = gain_of(cause);
    if (100 * (double)gain_ns < MIN_PERCENT * (double)of->total_ns)
        return RF_OK;
    const struct rf_said said = {
        .id = rf_advice_slow_rule.id,
        .subject = strdup(of->range),
        .title = new_title(of, cause, verdict, words),
        .evidence = new_evidence(cause, words),
        .command = new_command(of, findings, words),
        .advice = advice_of(cause),
        .of = "all instances",
        .gain_ns = gain_ns,
        .of_ns = of->total_ns,
        .n_inputs = count_inputs(of, number),
    };
    return rf_findings_say(findings, &said);
}

static int answer(struct rf_asked_range *of, struct rf_findings *findings,
                  struct rf_text_sink *words, struct rf_err *err)
{
    struct rf_why_verdict verdict = RF_WHY_VERDICT_INIT;
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    int status = rf_why_find(of->why, &verdict, err);
    for (size_t i = 0; status == RF_OK && rf_why_cause_at(of->why, i, &cause) == RF_OK; i++)
        if (cause.chance < RF_WHY_CHANCE)
            status = say(of, &verdict, i, &cause, findings, words);
    return status;
}

int rf_asked_answer(struct rf_asked *asked, struct rf_findings *findings,
                    struct rf_text_sink *words, struct rf_err *err)
{
    int status = RF_OK;
    for (size_t i = 0; i < asked->n && status == RF_OK; i++)
        if (asked->range[i].n_inputs > 0)
            status = answer(&asked->range[i], findings, words, err);
    return status;
}
