/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/advise/advise.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"
#include "model/same_recording.h"
#include "stats/advise/advise_ranks.h"
#include "stats/advise/advise_steps.h"
#include "stats/advise/advise_work.h"
#include "stats/advise/findings.h"

struct rf_advice {
    struct rf_seen_recordings seen;
    struct rf_findings findings;
    struct rf_asked asked;
    rf_summary *job;             /* of the recordings that have a rank; NULL: none */
    const rf_summary *other_job; /* rf_advice_set_job() */
    struct rf_text_sink words;
    bool has_tried, is_found;
};

static int no_memory(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

const char *rf_advice_rule_at(size_t i, const char **meaning)
{
    const struct rf_advice_rule *rule = i == 0   ? &rf_advice_slow_rule
                                        : i == 1 ? &rf_advice_straggler_rule
                                                 : rf_advice_work_rule(i - 2);
    if (rule != NULL && meaning != NULL)
        *meaning = rule->meaning;
    return rule != NULL ? rule->id : NULL;
}

int rf_advice_new(rf_advice **out, struct rf_err *err)
{
    if (out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_advice_new: out is NULL");
    *out = NULL;
    rf_advice *advice = calloc(1, sizeof(*advice));
    if (advice == NULL || rf_text_sink_init(&advice->words) != RF_OK) {
        free(advice);
        return no_memory(err);
    }
    *out = advice;
    return RF_OK;
}

void rf_advice_free(rf_advice *advice)
{
    if (advice == NULL)
        return;
    rf_seen_recordings_release(&advice->seen);
    rf_findings_release(&advice->findings);
    rf_asked_release(&advice->asked);
    rf_summary_free(advice->job);
    rf_text_sink_release(&advice->words);
    free(advice);
}

int rf_advice_add_steps(rf_advice *advice, const rf_recording *rec, const char *path,
                        const struct rf_steps *steps, struct rf_err *err)
{
    if (rf_findings_begin(&advice->findings, path) != RF_OK)
        return no_memory(err);
    int status = rf_asked_add(&advice->asked, rec, steps, path, err);
    if (status == RF_OK && rf_advice_add_work(&advice->findings, rec, steps) != RF_OK)
        status = no_memory(err);
    return status;
}

void rf_advice_set_job(rf_advice *advice, const rf_summary *job)
{
    advice->other_job = job;
}

void rf_advice_set_limit(rf_advice *advice, size_t n_instances)
{
    advice->asked.max_instances = n_instances;
}

size_t rf_advice_n_left_out(const rf_advice *advice)
{
    return advice->asked.n_left_out;
}

int rf_advice_add(rf_advice *advice, const rf_recording *rec, const char *path, struct rf_err *err)
{
    const struct rf_steps_options options = {.folds_numbers = true};
    struct rf_steps steps;
    if (advice == NULL || rec == NULL || path == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_advice_add: advice, rec or path is NULL");
    if (advice->has_tried)
        return rf_fail(err, RF_ERR_USAGE, "rf_advice_add: the findings were made before");
    int status = rf_seen_recordings_add(&advice->seen, rec, path, err);
    if (status != RF_OK)
        return status;
    status = rf_steps_init(&steps, rec, &options, err);
    if (status == RF_OK)
        status = rf_advice_add_steps(advice, rec, path, &steps, err);
    if (status == RF_OK)
        status = rf_advice_add_rank(&advice->job, rec, path, err);
    else if (status == RF_ERR_NO_MEMORY)
        (void)no_memory(err);
    rf_steps_release(&steps);
    return status;
}

static int find(rf_advice *advice, struct rf_err *err)
{
    int status = rf_asked_answer(&advice->asked, &advice->findings, &advice->words, err);
    if (status == RF_OK)
        status =
            rf_advice_compare_ranks(advice->other_job != NULL ? advice->other_job : advice->job,
                                    &advice->findings, &advice->words);
    if (status == RF_OK)
        status = rf_findings_weigh(&advice->findings, &advice->words);
    rf_findings_sort(&advice->findings);
    return status;
}

int rf_advice_find(rf_advice *advice, size_t *n, struct rf_err *err)
{
    if (advice == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_advice_find: advice is NULL");
    if (!advice->has_tried)
        advice->is_found = find(advice, err) == RF_OK;
    advice->has_tried = true;
    if (!advice->is_found)
        return no_memory(err);
    if (n != NULL)
        *n = advice->findings.n_said;
    return RF_OK;
}

int rf_advice_finding_at(const rf_advice *advice, size_t i, struct rf_finding *out)
{
    if (advice == NULL || !advice->is_found || i >= advice->findings.n_said)
        return RF_ERR_USAGE;
    const struct rf_said *said = &advice->findings.said[i];
    const struct rf_finding finding = {
        .id = said->id,
        .subject = said->subject,
        .title = said->title,
        .evidence = said->evidence,
        .advice = said->advice,
        .command = said->command,
        .gain_ns = said->gain_ns,
        .of_ns = said->of_ns,
        .of = said->of,
        .n_inputs = said->n_inputs,
    };
    return rf_sized_write(out, sizeof(finding), &finding) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}
