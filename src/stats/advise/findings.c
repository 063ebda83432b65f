/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/advise/findings.h"

#include <stdlib.h>

#include "base/amounts.h"
#include "base/escape.h"
#include "base/grow.h"

#define MAX_PATHS 4 /* in a command */

static void free_said(struct rf_said *said)
{
    free(said->subject);
    free(said->title);
    free(said->evidence);
    free(said->command);
}

void rf_findings_release(struct rf_findings *findings)
{
    for (size_t i = 0; i < findings->n_found; i++) {
        free(findings->found[i].subject);
        free(findings->found[i].most);
    }
    for (size_t i = 0; i < findings->n_said; i++)
        free_said(&findings->said[i]);
    for (size_t i = 0; i < findings->n_paths; i++)
        free(findings->path[i]);
    free(findings->found);
    free(findings->said);
    free(findings->path);
    *findings = (struct rf_findings){.n_found = 0};
}

int rf_findings_begin(struct rf_findings *findings, const char *path)
{
    char *copy = strdup(path);
    if (copy == NULL || rf_grow_array(&findings->path, findings->n_paths, &findings->path_room,
                                      sizeof(*findings->path)) != RF_OK) {
        free(copy);
        return RF_ERR_NO_MEMORY;
    }
    findings->path[findings->n_paths++] = copy;
    return RF_OK;
}

/* ---- What is found ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct rf_case *find(struct rf_findings *findings, const struct rf_advice_rule *rule,
                            const char *subject)
{
    for (size_t i = 0; i < findings->n_found; i++)
        if (findings->found[i].rule == rule && strcmp(findings->found[i].subject, subject) == 0)
            return &findings->found[i];
    char *copy = strdup(subject);
    if (copy == NULL || rf_grow_array(&findings->found, findings->n_found, &findings->found_room,
                                      sizeof(*findings->found)) != RF_OK) {
        free(copy);
        return NULL;
    }
    struct rf_case *found = &findings->found[findings->n_found++];
    *found = (struct rf_case){.rule = rule, .subject = copy};
    return found;
}

int rf_findings_add(struct rf_findings *findings, const struct rf_advice_rule *rule,
                    const struct rf_measure *measure)
{
    struct rf_case *found = find(findings, rule, measure->subject);
    if (found == NULL)
        return RF_ERR_NO_MEMORY;
    if (measure->most != NULL && measure->most_ns >= found->most_ns) {
        char *most = strdup(measure->most);
        if (most == NULL)
            return RF_ERR_NO_MEMORY;
        free(found->most);
        found->most = most;
        found->most_ns = measure->most_ns;
    }
    if (found->n_inputs == 0 || measure->gain_ns > found->input_ns) {
        found->input = (uint32_t)findings->n_paths - 1;
        found->input_ns = measure->gain_ns;
    }
    found->gain_ns = add(found->gain_ns, measure->gain_ns);
    found->of_ns = add(found->of_ns, measure->of_ns);
    found->n = add(found->n, measure->n);
    found->n_inputs += measure->gain_ns > 0 || measure->n > 0;
    return RF_OK;
}

/* ---- What is said ---- */

static void put_ns(struct rf_sink *sink, uint64_t ns)
{
    char text[40];
    rf_sink_text(sink,
                 rf_format_duration(text, sizeof(text), ns < INT64_MAX ? (int64_t)ns : INT64_MAX));
}

static void put_count(struct rf_sink *sink, uint64_t n)
{
    char text[40];
    rf_sink_text(sink, rf_format_count(text, sizeof(text), n));
}

void rf_findings_put_paths(const struct rf_findings *findings, struct rf_sink *sink)
{
    const bool has_room = findings->n_paths <= MAX_PATHS;
    for (size_t i = 0; i < (has_room ? findings->n_paths : MAX_PATHS - 1); i++) {
        rf_sink_char(sink, ' ');
        rf_sink_shell_word(sink, findings->path[i]);
    }
    if (!has_room)
        rf_sink_text(sink, " ...");
}

static char *new_title(const struct rf_case *found, struct rf_text_sink *words)
{
    struct rf_sink *sink = &words->sink;
    if (found->rule->is_about_recording) {
        put_count(sink, found->n);
        rf_sink_char(sink, ' ');
    } else {
        rf_sink_printable(sink, found->subject, strlen(found->subject));
        rf_sink_char(sink, ' ');
    }
    rf_sink_text(sink, found->rule->says);
    return rf_text_sink_take(words);
}

static char *new_evidence(const struct rf_case *found, struct rf_text_sink *words)
{
    struct rf_sink *sink = &words->sink;
    rf_sink_text(sink, found->rule->evidence);
    if (found->n > 0 && !found->rule->is_about_recording) {
        rf_sink_text(sink, "; there are ");
        put_count(sink, found->n);
    }
    if (found->most != NULL) {
        rf_sink_text(sink, ", most of the time in ");
        rf_sink_quoted(sink, found->most);
        rf_sink_text(sink, ": ");
        put_ns(sink, found->most_ns);
    }
    return rf_text_sink_take(words);
}

/* The recording with most of it is enough to see it. */
static char *new_command(const struct rf_findings *findings, const struct rf_case *found,
                         struct rf_text_sink *words)
{
    struct rf_sink *sink = &words->sink;
    rf_sink_text(sink, "rangefinder ");
    rf_sink_text(sink, found->rule->command);
    rf_sink_char(sink, ' ');
    rf_sink_shell_word(sink, findings->path[found->input]);
    return rf_text_sink_take(words);
}

static bool is_large(const struct rf_case *found)
{
    if (found->rule->is_about_recording)
        return found->n > 0;
    return found->gain_ns > 0 && found->of_ns > 0 &&
           100 * (double)found->gain_ns >= found->rule->min_percent * (double)found->of_ns;
}

int rf_findings_say(struct rf_findings *findings, const struct rf_said *said)
{
    struct rf_said copy = *said;
    if (said->subject == NULL || said->title == NULL || said->evidence == NULL ||
        said->command == NULL ||
        rf_grow_array(&findings->said, findings->n_said, &findings->said_room,
                      sizeof(*findings->said)) != RF_OK) {
        free_said(&copy);
        return RF_ERR_NO_MEMORY;
    }
    findings->said[findings->n_said++] = copy;
    return RF_OK;
}

int rf_findings_weigh(struct rf_findings *findings, struct rf_text_sink *words)
{
    int status = RF_OK;
    for (size_t i = 0; i < findings->n_found && status == RF_OK; i++) {
        const struct rf_case *found = &findings->found[i];
        if (!is_large(found))
            continue;
        const struct rf_said said = {
            .id = found->rule->id,
            .subject = strdup(found->subject),
            .title = new_title(found, words),
            .evidence = new_evidence(found, words),
            .command = new_command(findings, found, words),
            .advice = found->rule->advice,
            .of = found->rule->of,
            .gain_ns = found->gain_ns,
            .of_ns = found->of_ns,
            .n_inputs = found->n_inputs,
        };
        status = rf_findings_say(findings, &said);
    }
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct rf_said *a = left, *b = right;
    if (a->gain_ns != b->gain_ns)
        return a->gain_ns > b->gain_ns ? -1 : 1;
    int order = strcmp(a->id, b->id);
    return order != 0 ? order : strcmp(a->title, b->title);
}

void rf_findings_sort(struct rf_findings *findings)
{
    if (findings->n_said > 0)
        qsort(findings->said, findings->n_said, sizeof(*findings->said), compare);
}
