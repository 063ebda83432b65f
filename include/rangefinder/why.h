/* SPDX-License-Identifier: Apache-2.0 */
/* Why instances of a range were slow: what the slow ones have that typical ones have not.
 *
 * Every moment of an instance belongs to what its thread was in: the innermost push/pop range, a
 * call that was recorded, or the time between the ranges directly inside the instance. So the parts
 * of an instance add up to its duration, and the excess of a slow one is shared among them. Names
 * that differ only by numbers are one part.
 *
 * Slow are the instances whose duration lies far above the others': the logarithm of the duration
 * is more than two interquartile ranges above the upper quartile, and the duration at least 3 %
 * above the median. Where none is, but the upper tenth begins at least 25 % above the median, the
 * tenth with the longest durations is slow. Typical are those between the quartiles.
 *
 * Ownership, errors and NULL are those of rangefinder.h. An object belongs to one thread. */
#ifndef RANGEFINDER_WHY_H
#define RANGEFINDER_WHY_H

#include "rangefinder/rangefinder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_why rf_why;

/* What came out. */
enum rf_why_outcome {
    RF_WHY_TOO_FEW = 0,     /* fewer than RF_WHY_MIN_INSTANCES: nothing can be compared */
    RF_WHY_ALIKE = 1,       /* no instance is slow */
    RF_WHY_CAUSED = 2,      /* at least one cause is more than chance */
    RF_WHY_UNEXPLAINED = 3, /* instances are slow, and no part of them explains it */
};

#define RF_WHY_MIN_INSTANCES 8

#define RF_WHY_CHANCE 0.01

/* What a part of an instance is. */
enum rf_why_part {
    RF_WHY_RANGE = 0, /* a range with all that is in it */
    RF_WHY_SELF = 1,  /* a range, but for the ranges and calls in it */
    RF_WHY_CALL = 2,  /* a call of CUDA or of the operating system */
    RF_WHY_GAP = 3,   /* the time before a range directly inside the instance, or after the last */
    RF_WHY_GAPS = 4,  /* all of these together */
    RF_WHY_MORE = 5,  /* a range that comes more often than in typical instances */
};

struct rf_why_verdict {
    size_t size;           /* of this struct: RF_WHY_VERDICT_INIT sets it */
    int outcome;           /* enum rf_why_outcome */
    uint64_t n_instances;  /* of the range */
    uint64_t n_left_out;   /* more, whose end was not recorded, or that overlap too many others */
    uint64_t n_slow;       /* of the instances */
    uint64_t n_explained;  /* of the slow ones: causes carry their excess */
    uint64_t median_ns;    /* of the durations */
    uint64_t slow_from_ns; /* the shortest duration of a slow one; 0: there is none */
    uint64_t slowest_ns;   /* the longest duration */
    uint64_t excess_ns;    /* mean of the slow durations less that of the typical ones */
    uint64_t n_causes;     /* see rf_why_cause_at() */
};

#define RF_WHY_VERDICT_INIT                                                                        \
    {                                                                                              \
        sizeof(struct rf_why_verdict), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                \
    }

/* A part of the range that carries the excess of some slow instances: at least 60 % of it. Means
 * are over these instances. */
struct rf_why_cause {
    size_t size;          /* of this struct: RF_WHY_CAUSE_INIT sets it */
    int part;             /* enum rf_why_part */
    const char *path;     /* "load > read": the names of ranges from the instance inwards, with #
                           * for each number; of GAP the range that it comes before, "" after
                           * the last; "" for the instance itself */
    const char *call;     /* CALL: its name; else "" */
    uint64_t n_slow;      /* slow instances whose excess it carries */
    uint64_t ns;          /* its time in them, mean */
    uint64_t typical_ns;  /* and in typical instances */
    double count;         /* how many there are in them, mean; GAP: 0 */
    double typical_count; /* and in typical instances */
    double share;         /* of the excess of these instances that it carries, in percent */
    double chance;        /* the probability that it carries so many by chance, if excess falls on
                           * parts in proportion to their time, or to its square where that is
                           * more; of GPU work that makes up half of it, if less, that it
                           * takes so long; 0 to 1. Below RF_WHY_CHANCE it is an explanation */
    const char *work;     /* the GPU work of these instances, by name, that takes longer than in
                           * typical ones; "": it is not known, or explains less than half */
    uint64_t work_ns;     /* its time in them, mean, and in typical instances */
    uint64_t typical_work_ns;
    const char *other; /* what another thread of the process was directly in for a larger part
                        * of these instances than of typical ones, by at least half of the
                        * time: a range; "": nothing, or threads were too many */
    const char *other_thread; /* its name, or its number; "": none */
    uint64_t other_ns;        /* its time in these instances, mean, and in typical ones */
    uint64_t typical_other_ns;
};

#define RF_WHY_CAUSE_INIT                                                                          \
    {                                                                                              \
        sizeof(struct rf_why_cause), 0, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL,   \
            0, 0                                                                                   \
    }

/* A slow instance. */
struct rf_why_instance {
    size_t size;       /* of this struct: RF_WHY_INSTANCE_INIT sets it */
    const char *input; /* path of its recording */
    const char *view;  /* "MESSAGE@DOMAIN/INDEX", as `rangefinder open --at` takes it */
    uint32_t pid, tid; /* of its thread */
    int64_t start_ns;  /* after time 0 of its recording */
    uint64_t duration_ns;
    uint64_t excess_ns; /* over the mean of typical ones */
    uint64_t cause;     /* for rf_why_cause_at(); UINT64_MAX: no part carries its excess */
};

#define RF_WHY_INSTANCE_INIT                                                                       \
    {                                                                                              \
        sizeof(struct rf_why_instance), NULL, NULL, 0, 0, 0, 0, 0, 0                               \
    }

/* range: as `--filter-nvtx` spells it, MESSAGE[@DOMAIN]; ranges whose names differ from it only by
 * numbers count too. *out is NULL on failure. */
RF_API int rf_why_new(const char *range, rf_why **out, struct rf_err *err);
RF_API void rf_why_free(rf_why *why);

/* Adds the instances of a recording, which may be closed afterwards. path: what it is called in
 * results. RF_ERR_NOT_FOUND: it has no such range, RF_ERR_EXISTS: it was added before, maybe from a
 * copy; nothing was added then. */
RF_API int rf_why_add(rf_why *why, const rf_recording *rec, const char *path, struct rf_err *err);

/* Finds out. After this nothing can be added. */
RF_API int rf_why_find(rf_why *why, struct rf_why_verdict *verdict, struct rf_err *err);

/* After rf_why_find(): the causes; explanations first, and of each kind those that carry most
 * excess. The struct's strings belong to the object. Returns RF_OK.
 * RF_ERR_USAGE: there is none, or out->size is not set. */
RF_API int rf_why_cause_at(const rf_why *why, size_t i, struct rf_why_cause *out);

/* Where a cause is, in words: "in 'load > read' itself", a part of a line that is safe on a
 * terminal. What does not fit into size bytes, NUL included, is left out, and ... stands there. As
 * rf_why_cause_at(). */
RF_API int rf_why_cause_text(const rf_why *why, size_t i, char *text, size_t size);

/* The slow instances, those with most excess first. As rf_why_cause_at(). */
RF_API int rf_why_instance_at(const rf_why *why, size_t i, struct rf_why_instance *out);

#ifdef __cplusplus
}
#endif

#endif
