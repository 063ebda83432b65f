/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/why_text.h"

#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "base/escape.h"
#include "cli/text_out.h"

#define MAX_CAUSES    3
#define MAX_INSTANCES 3
#define SURE          0.0001 /* a chance below this */
#define MOST          0.8    /* of the excess */
#define FAR_SLOWER    2.0    /* times what is typical */

static void put_ns(struct rf_sink *sink, uint64_t ns)
{
    char text[40];
    rf_sink_text(sink, rf_format_duration(text, sizeof(text), (int64_t)ns));
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- How many, how long ---- */

static void put_head(struct rf_sink *sink, const struct rf_why_verdict *verdict,
                     const struct why_request *request)
{
    rf_sink_quoted(sink, request->range);
    rf_sink_format(sink, ": %llu instance%s", (unsigned long long)verdict->n_instances,
                   plural(verdict->n_instances));
    if (request->n_inputs > 1)
        rf_sink_format(sink, " in %zu recordings", request->n_inputs);
    if (verdict->outcome != RF_WHY_TOO_FEW) {
        rf_sink_text(sink, ", median ");
        put_ns(sink, verdict->median_ns);
    }
    if (verdict->n_left_out > 0)
        rf_sink_format(
            sink, "; %llu more without a recorded end, or that overlap too many others, left out",
            (unsigned long long)verdict->n_left_out);
    rf_sink_char(sink, '\n');
}

static void put_slow(struct rf_sink *sink, const struct rf_why_verdict *verdict)
{
    rf_sink_format(sink, "%llu %s slow: ", (unsigned long long)verdict->n_slow,
                   verdict->n_slow == 1 ? "is" : "are");
    put_ns(sink, verdict->slow_from_ns);
    if (verdict->n_slow > 1) {
        rf_sink_text(sink, " to ");
        put_ns(sink, verdict->slowest_ns);
    }
    rf_sink_text(sink, verdict->n_slow > 1 ? ", on average " : ", ");
    put_ns(sink, verdict->excess_ns);
    rf_sink_text(sink, " more than a typical one\n");
}

/* ---- Causes ---- */

static bool is_explanation(const struct rf_why_cause *cause)
{
    return cause->chance < RF_WHY_CHANCE;
}

static void put_where(struct rf_sink *sink, const rf_why *why, size_t i)
{
    char text[1024];
    if (rf_why_cause_text(why, i, text, sizeof(text)) == RF_OK)
        rf_sink_text(sink, text);
}

/* thread: NULL: what is of none. */
static void put_evidence(struct rf_sink *sink, const char *what, const char *thread,
                         const char *name, uint64_t ns, uint64_t typical_ns)
{
    rf_sink_format(sink, "   %s ", what);
    if (thread != NULL) {
        rf_sink_quoted(sink, thread);
        rf_sink_text(sink, " in ");
    }
    rf_sink_quoted(sink, name);
    rf_sink_text(sink, ": ");
    put_ns(sink, ns);
    rf_sink_text(sink, " instead of ");
    put_ns(sink, typical_ns);
    rf_sink_char(sink, '\n');
}

static void put_times(struct rf_sink *sink, const struct rf_why_cause *cause)
{
    rf_sink_text(sink, "   ");
    put_ns(sink, cause->ns);
    rf_sink_text(sink, " instead of ");
    put_ns(sink, cause->typical_ns);
    if (cause->part == RF_WHY_MORE)
        rf_sink_format(sink, ", %.3g of them instead of %.3g", cause->count, cause->typical_count);
    rf_sink_format(sink, ": %.0f %% of the excess of %llu of the slow instances; %s\n",
                   cause->share, (unsigned long long)cause->n_slow,
                   cause->chance < SURE ? "sure" : "likely");
    if (cause->work[0] != '\0')
        put_evidence(sink, "GPU work", NULL, cause->work, cause->work_ns, cause->typical_work_ns);
    if (cause->other[0] != '\0')
        put_evidence(sink, "Meanwhile, thread", cause->other_thread, cause->other, cause->other_ns,
                     cause->typical_other_ns);
}

/* What is not recorded, and how to see it. */
static void put_hint(struct rf_sink *sink, const struct rf_why_cause *cause)
{
    if (cause->other[0] != '\0')
        return;
    if (cause->part == RF_WHY_SELF)
        rf_sink_text(sink, "   It may compute longer, wait for a lock or a disk, or be off its "
                           "core: none of these is recorded. Ranges in it would tell.\n");
    else if (cause->part == RF_WHY_GAP || cause->part == RF_WHY_GAPS)
        rf_sink_text(sink, "   Nothing is recorded there: a range around it would tell more.\n");
}

static void put_causes(struct rf_sink *sink, const rf_why *why)
{
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    for (size_t i = 0; rf_why_cause_at(why, i, &cause) == RF_OK && is_explanation(&cause); i++) {
        if (i == MAX_CAUSES) {
            rf_sink_text(sink, "and more, with less excess: --json has all\n");
            return;
        }
        rf_sink_format(sink, "%zu. ", i + 1);
        put_where(sink, why, i);
        rf_sink_char(sink, '\n');
        put_times(sink, &cause);
        put_hint(sink, &cause);
    }
}

/* The share of a cause in the excess of the instances that nothing explains, from 0 to 1. */
static double share_of_rest(const rf_why *why, size_t cause)
{
    struct rf_why_instance instance = RF_WHY_INSTANCE_INIT;
    struct rf_why_cause of = RF_WHY_CAUSE_INIT;
    double own_ns = 0, all_ns = 0;
    for (size_t i = 0; rf_why_instance_at(why, i, &instance) == RF_OK; i++) {
        if (rf_why_cause_at(why, instance.cause, &of) == RF_OK && is_explanation(&of))
            continue;
        all_ns += (double)instance.excess_ns;
        own_ns += instance.cause == cause ? (double)instance.excess_ns : 0;
    }
    return all_ns > 0 ? own_ns / all_ns : 0;
}

/* Few instances prove no cause, however slow they are: a part that is far slower in most of them is
 * named all the same. */
static bool is_most(const struct rf_why_cause *cause, double share)
{
    return share >= MOST && (double)cause->ns >= FAR_SLOWER * (double)cause->typical_ns;
}

static void put_most(struct rf_sink *sink, const rf_why *why, size_t i,
                     const struct rf_why_cause *cause, double share)
{
    rf_sink_format(sink, "too few to be sure of a cause. %.0f %% of the excess is that of %llu ",
                   100 * share, (unsigned long long)cause->n_slow);
    put_where(sink, why, i);
    rf_sink_text(sink, ":\n   ");
    put_ns(sink, cause->ns);
    rf_sink_text(sink, " instead of ");
    put_ns(sink, cause->typical_ns);
    rf_sink_text(sink, ": look there first\n");
    put_hint(sink, cause);
}

static void put_by_chance(struct rf_sink *sink, const rf_why *why, size_t first)
{
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    rf_sink_text(sink, "nothing recorded explains the excess, which falls on parts of the range as "
                       "chance has it:");
    size_t i = first;
    for (; i < first + MAX_CAUSES && rf_why_cause_at(why, i, &cause) == RF_OK; i++) {
        rf_sink_text(sink, i == first ? "\n   " : ", ");
        rf_sink_format(sink, "%llu ", (unsigned long long)cause.n_slow);
        put_where(sink, why, i);
    }
    rf_sink_text(sink, i == first ? " no part carries it.\n" : "\n");
    rf_sink_text(sink, "The thread may have been off its core, or the machine slower: neither is "
                       "recorded.\n");
}

/* Where the excess is that nothing explains. */
static void put_rest(struct rf_sink *sink, const rf_why *why, const struct rf_why_verdict *verdict)
{
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    uint64_t rest = verdict->n_slow - verdict->n_explained;
    size_t first = 0; /* that is no explanation: that with most excess */
    if (rest == 0)
        return;
    if (verdict->n_explained > 0)
        rf_sink_format(sink, "%llu other%s: ", (unsigned long long)rest, plural(rest));
    while (rf_why_cause_at(why, first, &cause) == RF_OK && is_explanation(&cause))
        first++;
    const double share = share_of_rest(why, first);
    if (is_most(&cause, share))
        put_most(sink, why, first, &cause, share);
    else
        put_by_chance(sink, why, first);
}

/* ---- Where to look ---- */

static void put_instance(struct rf_sink *sink, const struct rf_why_instance *instance,
                         const struct why_request *request, bool has_cause)
{
    rf_sink_text(sink, "   rangefinder open ");
    rf_sink_shell_word(sink, instance->input);
    rf_sink_text(sink, " --at ");
    rf_sink_shell_word(sink, instance->view);
    if (request->filter[0] != '\0')
        rf_sink_format(sink, " %s", request->filter);
    rf_sink_text(sink, "  # ");
    put_ns(sink, instance->duration_ns);
    if (has_cause)
        rf_sink_format(sink, ", cause %llu", (unsigned long long)instance->cause + 1);
    rf_sink_char(sink, '\n');
}

/* Of the slow instances those that are explained, if any is. */
static void put_instances(struct rf_sink *sink, const rf_why *why,
                          const struct rf_why_verdict *verdict, const struct why_request *request)
{
    struct rf_why_instance instance = RF_WHY_INSTANCE_INIT;
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    size_t n = 0;
    rf_sink_text(sink, "look at:\n");
    for (size_t i = 0; n < MAX_INSTANCES && rf_why_instance_at(why, i, &instance) == RF_OK; i++) {
        bool has_cause =
            rf_why_cause_at(why, instance.cause, &cause) == RF_OK && is_explanation(&cause);
        if (!has_cause && verdict->n_explained > 0)
            continue;
        put_instance(sink, &instance, request, has_cause);
        n++;
    }
}

/* ---- All ---- */

static void put_answer(struct rf_sink *sink, const rf_why *why,
                       const struct rf_why_verdict *verdict, const struct why_request *request)
{
    put_head(sink, verdict, request);
    if (verdict->outcome == RF_WHY_TOO_FEW)
        rf_sink_format(
            sink,
            "too few to compare: at least %d are needed; more recordings of the same program "
            "can be given\n",
            RF_WHY_MIN_INSTANCES);
    else if (verdict->outcome == RF_WHY_ALIKE)
        rf_sink_text(sink, "none is slow: they differ no more than such times do\n");
    if (verdict->n_slow == 0)
        return;
    put_slow(sink, verdict);
    put_causes(sink, why);
    put_rest(sink, why, verdict);
    put_instances(sink, why, verdict, request);
}

int why_print(const rf_why *why, const struct rf_why_verdict *verdict,
              const struct why_request *request, struct rf_err *err)
{
    struct text_out out;
    int status = text_begin(&out, err);
    if (status != RF_OK)
        return status;
    put_answer(&out.sink, why, verdict, request);
    return text_end(&out, err);
}
