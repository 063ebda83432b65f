/* SPDX-License-Identifier: Apache-2.0 */
/* What rules have found, over all recordings. */
#ifndef RF_STATS_ADVISE_FINDINGS_H
#define RF_STATS_ADVISE_FINDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/text_sink.h"
#include "rangefinder/advise.h"

/* A rule. What it finds is said if it is a large enough part of what it is measured by. Texts are
 * parts of sentences behind the subject. */
struct rf_advice_rule {
    const char *id;
    const char *meaning;  /* one line, for documents: when it is said */
    const char *says;     /* "GPU 0" "waits for the host" */
    const char *of;       /* what of_ns is: "the steps" */
    const char *evidence; /* how it is known */
    const char *advice;
    const char *command;    /* the words between "rangefinder" and the files */
    double min_percent;     /* of of_ns */
    int is_about_recording; /* there is nothing to gain, and `n` is what counts */
};

/* What a rule finds in one recording. */
struct rf_measure {
    const char *subject;
    uint64_t gain_ns, of_ns;
    uint64_t n;       /* of what makes it up: calls, copies, events; 0: not counted */
    const char *most; /* what has most of the gain: a call; NULL: no such thing */
    uint64_t most_ns;
};

struct rf_case {
    const struct rf_advice_rule *rule;
    char *subject, *most;
    uint64_t gain_ns, of_ns, n, most_ns;
    uint32_t input; /* the recording with the largest gain */
    uint64_t input_ns;
    uint64_t n_inputs;
};

/* A finding with its texts, which it owns. */
struct rf_said {
    const char *id;
    char *subject, *title, *evidence, *command;
    const char *advice, *of;
    uint64_t gain_ns, of_ns, n_inputs;
};

struct rf_findings {
    struct rf_case *found;
    size_t n_found, found_room;
    struct rf_said *said;
    size_t n_said, said_room;
    char **path; /* of the recordings */
    size_t n_paths, path_room;
};

void rf_findings_release(struct rf_findings *findings);

/* Begins the next recording. Returns RF_OK or RF_ERR_NO_MEMORY, like all of these. */
int rf_findings_begin(struct rf_findings *findings, const char *path);

/* Adds what a rule found in it to what it found in others of the same subject. */
int rf_findings_add(struct rf_findings *findings, const struct rf_advice_rule *rule,
                    const struct rf_measure *measure);

/* Makes findings of what is large enough. */
int rf_findings_weigh(struct rf_findings *findings, struct rf_text_sink *words);

/* Adds a finding, whose texts become its own, or are freed. */
int rf_findings_say(struct rf_findings *findings, const struct rf_said *said);

/* Those with most time to gain come first. */
void rf_findings_sort(struct rf_findings *findings);

/* Writes " 'a.rf' 'b.rf'": all recordings, or the first ones and "...". */
void rf_findings_put_paths(const struct rf_findings *findings, struct rf_sink *sink);

#endif
