/* SPDX-License-Identifier: Apache-2.0 */
/* One timeline for several recordings, by which method each was put on it, and how exactly.
 * docs/clocks.md says how it is found.
 *
 * Recordings of one machine that has not booted since share a clock. Others are put beside them by
 * anchors, which are moments that all of them saw: ends of operations in which everybody waits for
 * the last one. Without anchors the time of day is all there is.
 *
 * Ownership, errors and NULL are those of rangefinder.h. An object belongs to one thread. */
#ifndef RANGEFINDER_CLOCKS_H
#define RANGEFINDER_CLOCKS_H

#include "rangefinder/rangefinder.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_align rf_align;

/* How the time of a recording was found. */
enum rf_align_method {
    RF_ALIGN_NONE = 0,      /* it was not: nothing of it can be compared with the first one */
    RF_ALIGN_FIRST = 1,     /* it is the first one: the others are put beside it */
    RF_ALIGN_MONOTONIC = 2, /* CLOCK_MONOTONIC of the same machine, since it booted: exact */
    RF_ALIGN_COUNTER = 3,   /* the same, by the processor's counter: CLOCK_MONOTONIC of the two
                             * differs, by a time namespace or because it was faked */
    RF_ALIGN_REALTIME = 4,  /* the time of day of two machines */
    RF_ALIGN_ANCHORS = 5,   /* ends of operations that synchronise */
};

/* The clock of a recording. What is not known is 0, except where another value is named. */
struct rf_clock {
    size_t size;             /* of this struct: RF_CLOCK_INIT sets it */
    uint8_t boot_id[16];     /* of the machine, since it booted */
    uint64_t time_namespace; /* inode number of its time namespace */
    int is_counter;          /* 1: ticks are the processor's counter */
    uint64_t ticks;          /* at time 0 of the recording */
    double hz;               /* ticks per second */
    int64_t mono_ns;         /* CLOCK_MONOTONIC at time 0 */
    int64_t utc_ns;          /* CLOCK_REALTIME at time 0 */
    int64_t utc_error_ns;    /* how far that may be off; -1: unknown. The kernel's bound, and by how
                              * much it moved against CLOCK_MONOTONIC during the recording */
    int is_mono_faked;       /* 1: programs were told another CLOCK_MONOTONIC, as by libfaketime.
                              * Times in the recording are the kernel's if is_counter */
    int is_utc_faked;        /* 1: utc_ns is what programs were told, not the kernel's time */
    uint32_t n_steps;        /* how often CLOCK_MONOTONIC was set while it was recorded */
    int64_t step_ns;         /* by how much in all. Times in the recording do not have it */
};

#define RF_CLOCK_INIT                                                                              \
    {                                                                                              \
        sizeof(struct rf_clock), {0}, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0                             \
    }

/* A moment at which all clocks were read. */
struct rf_clock_moment {
    size_t size;          /* of this struct: RF_CLOCK_MOMENT_INIT sets it */
    uint64_t ticks;       /* the clock of the recording */
    int64_t mono_ns;      /* CLOCK_MONOTONIC */
    int64_t boot_ns;      /* CLOCK_BOOTTIME; 0: not taken */
    int64_t utc_ns;       /* CLOCK_REALTIME */
    int64_t max_error_ns; /* the kernel's bound for its error; -1: unknown, likewise below */
    int64_t est_error_ns; /* the kernel's estimate; 65,535,000: that or more */
    int is_synchronised;  /* 1: to a time source, as the kernel says; 0: not; -1: unknown */
};

#define RF_CLOCK_MOMENT_INIT                                                                       \
    {                                                                                              \
        sizeof(struct rf_clock_moment), 0, 0, 0, 0, -1, -1, -1                                     \
    }

/* What a recording saw of an operation in which everybody waits for the last one. */
struct rf_anchor {
    uint64_t key;     /* the same number in all recordings, and of no other operation. A recording
                       * of several processes has it once for each */
    int64_t start_ns; /* both in the recording's own time */
    int64_t end_ns;
};

/* Where the time of a recording is on the timeline of the first one. A time t of it is there
 * offset_ns + t * (1 + drift): see rf_aligned_ns(). */
struct rf_alignment {
    size_t size;              /* of this struct: RF_ALIGNMENT_INIT sets it */
    int method;               /* enum rf_align_method */
    uint32_t machine;         /* the first recording that has the same clock */
    int64_t offset_ns;        /* the time there at time 0 here */
    double drift;             /* 1e-6: a second here is 1,000,001 us there */
    int64_t uncertainty_ns;   /* plus and minus this; -1: unknown. Of anchors, from the first to the
                               * last one: as far as the order of starts and ends lets it be, or
                               * twice the scatter where that cannot be said */
    uint64_t n_anchors;       /* that its machine shares with others */
    int64_t residual_ns;      /* scatter of their ends about the others': 1.4826 times the median
                               * distance, which is one standard deviation; -1: there is none */
    uint64_t n_violations;    /* anchors that ended here before the last one had begun */
    uint64_t n_left;          /* of these, after the machine was moved as far as is sound */
    int64_t violation_ns;     /* the largest that is left */
    int64_t moved_ns;         /* that was added to offset_ns because of violations */
    int is_bent;              /* the ends do not lie on one line: the clock was set, or changed its
                               * speed, or anchors of different operations were matched */
    int64_t utc_disagrees_ns; /* what the time of day would add to offset_ns; RF_NO_TIME: unknown */
};

#define RF_ALIGNMENT_INIT                                                                          \
    {                                                                                              \
        sizeof(struct rf_alignment), 0, 0, 0, 0, -1, 0, -1, 0, 0, 0, 0, 0, RF_NO_TIME              \
    }

/* "monotonic" and so on; NULL: there is no such method. */
RF_API const char *rf_align_method_name(int method);

/* What a recording says of its clock. */
RF_API int rf_clock_of(const rf_recording *rec, struct rf_clock *out, struct rf_err *err);

/* Moments at which the clocks of a recording were read, by ticks. RF_ERR_USAGE: there is none. */
RF_API uint32_t rf_n_clock_moments(const rf_recording *rec);
RF_API int rf_clock_moment_at(const rf_recording *rec, uint32_t i, struct rf_clock_moment *out);

/* Makes an empty alignment. *out is NULL on failure. */
RF_API int rf_align_new(rf_align **out, struct rf_err *err);
RF_API void rf_align_free(rf_align *align);

/* Adds a recording by what is known of it. anchor: n of them, in any order; they are copied.
 * Numbers count from 0. */
RF_API int rf_align_add(rf_align *align, const struct rf_clock *clock,
                        const struct rf_anchor *anchor, size_t n, struct rf_err *err);

/* Adds a recording by rf_clock_of() and the anchors in it: collectives that synchronise, and ranges
 * MESSAGE[@DOMAIN]; NULL: collectives alone. RF_ERR_NOT_FOUND: range is none. Unless ranges were
 * named, anchors that contradict the time of day by more than 2.5 s are not used: they are those of
 * two jobs. */
RF_API int rf_align_add_recording(rf_align *align, const rf_recording *rec, const char *range,
                                  struct rf_err *err);

/* Puts all of them on the timeline of the first one. Places depend on the machines, their order and
 * the anchors alone. */
RF_API int rf_align_solve(rf_align *align, struct rf_err *err);

/* Where recording i is. RF_ERR_USAGE: there is none, or rf_align_solve() was not called. */
RF_API int rf_align_at(const rf_align *align, uint32_t i, struct rf_alignment *out);

/* As rf_open(), with times that run at the speed of the first recording: those of a recording with
 * drift are stretched about its time 0, so that offset_ns alone is left to add. Imports are not
 * stretched; rf_opened_drift() says what was done. */
RF_API int rf_open_aligned(const char *path, unsigned flags, const struct rf_alignment *alignment,
                           rf_recording **out, struct rf_err *err);

/* The drift by which the times of a recording were stretched; 0: they are as recorded. */
RF_API double rf_opened_drift(const rf_recording *rec);

/* A time of a recording on the timeline of the first one. */
RF_API int64_t rf_aligned_ns(const struct rf_alignment *alignment, int64_t at_ns);

/* The inputs of a merged file are those of align, which is solved, in the same order: they stand
 * where it says. To be called before the first one is added; align must outlive merged. */
RF_API int rf_merged_export_align(rf_merged_export *merged, const rf_align *align,
                                  struct rf_err *err);

#ifdef __cplusplus
}
#endif

#endif
