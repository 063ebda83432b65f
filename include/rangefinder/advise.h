/* SPDX-License-Identifier: Apache-2.0 */
/* What would make a program faster, as far as recordings tell: a list of findings, which is empty
 * where nothing is wrong. Each says how much time there is to gain at most, what shows it, and
 * which command shows more.
 *
 * Ownership, errors and NULL are those of rangefinder.h. An object belongs to one thread. */
#ifndef RANGEFINDER_ADVISE_H
#define RANGEFINDER_ADVISE_H

#include "rangefinder/rangefinder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_advice rf_advice;

/* A finding. Its texts are lines that are safe on a terminal, and belong to the object. */
struct rf_finding {
    size_t size;          /* of this struct: RF_FINDING_INIT sets it */
    const char *id;       /* of the rule, "slow-instances": it does not change between versions */
    const char *subject;  /* what it is about: a range, a GPU */
    const char *title;    /* what is wrong */
    const char *evidence; /* the figures */
    const char *advice;   /* what can be done */
    const char *command;  /* of a shell: it shows more */
    uint64_t gain_ns;     /* the time to gain, at most; 0: the finding is about the recording */
    uint64_t of_ns;       /* the time that it is a part of; 0: none */
    const char *of;       /* what that is: "the steps"; "": none */
    uint64_t n_inputs;    /* recordings that have it */
};

#define RF_FINDING_INIT                                                                            \
    {                                                                                              \
        sizeof(struct rf_finding), NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, 0               \
    }

/* A rule, by number. NULL past the last: its id; *meaning (may be NULL) is one line. */
RF_API const char *rf_advice_rule_at(size_t i, const char **meaning);

/* *out is NULL on failure. The caller frees it with rf_advice_free(). */
RF_API int rf_advice_new(rf_advice **out, struct rf_err *err);
RF_API void rf_advice_free(rf_advice *advice);

/* Examines a recording, which may be closed afterwards. path: what it is called in commands.
 * RF_ERR_EXISTS: it was examined before, maybe from a copy; nothing was added. */
RF_API int rf_advice_add(rf_advice *advice, const rf_recording *rec, const char *path,
                         struct rf_err *err);

/* Weighs what all recordings have together. After this nothing can be added. *n (may be NULL): how
 * many findings there are. */
RF_API int rf_advice_find(rf_advice *advice, size_t *n, struct rf_err *err);

/* After rf_advice_find(): the findings, those with most time to gain first. Returns RF_OK.
 * RF_ERR_USAGE: there is none, or out->size is not set. */
RF_API int rf_advice_finding_at(const rf_advice *advice, size_t i, struct rf_finding *out);

#ifdef __cplusplus
}
#endif

#endif
