/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ring/ring_triggers.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/gpu_metrics/gpu_sampler.h"
#include "cli/ring/ring.h"
#include "cli/say.h"
#include "log/ticks.h"

void ring_triggers_init(struct ring_triggers *t, const struct cli_ring_config *config)
{
    *t = (struct ring_triggers){.snapshots = {.config = config->snapshots},
                                .rules = config->rules,
                                .after_ns = config->after_ns,
                                .cool_down_ns = config->cool_down_ns};
}

void ring_triggers_release(struct ring_triggers *t)
{
    rule_watch_free(t->watch);
    t->watch = NULL;
    snapshots_release(&t->snapshots);
}

/* ---- What is found ---- */

static bool is_about_ends(const struct rule *rule)
{
    return rule != NULL && rule->message == NULL;
}

static void say_over(struct ring_triggers *t)
{
    if (!t->has_said_over && !t->snapshots.config.is_quiet)
        cli_say("%" PRIu32 " snapshot%s taken: the rules are off (--snapshots)",
                t->snapshots.n_taken, t->snapshots.n_taken == 1 ? " was" : "s were");
    t->has_said_over = true;
}

/* The end of a process is not left out because of what was found just before it. */
static bool is_wanted(void *context, const struct rule *rule)
{
    struct ring_triggers *t = context;
    const bool is_end = is_about_ends(rule);
    const bool is_quiet = rf_clock_ns(CLOCK_MONOTONIC) < (is_end ? t->end_quiet_ns : t->quiet_ns) ||
                          (t->due.is_wanted && (!is_end || is_about_ends(t->due.why.rule)));
    t->n_cooled += is_quiet && (rule == NULL || rule->kind != RULE_OPEN);
    return !is_quiet;
}

static void on_fire(void *context, const struct rule_firing *firing)
{
    struct ring_triggers *t = context;
    const int64_t now = rf_clock_ns(CLOCK_MONOTONIC);
    t->n_cooled += t->due.is_wanted; /* an end takes its place */
    t->due = (struct ring_due){.is_wanted = true,
                               .due_ns = now + t->after_ns,
                               .why = *firing,
                               .ticks = rf_ticks(t->snapshots.config.control->clock_kind)};
    t->quiet_ns = now + t->cool_down_ns;
    if (is_about_ends(firing->rule))
        t->end_quiet_ns = t->quiet_ns;
}

static void take(struct ring_triggers *t)
{
    const struct rule_firing *why = &t->due.why;
    const struct snapshot_reason reason = {
        .text = why->reason[0] != '\0' ? why->reason : "asked for by the program",
        .rule = why->rule != NULL ? why->rule->text : "",
        .value_ns = why->value_ns,
        .ticks = t->due.ticks};
    char path[PATH_MAX + 48];
    struct rf_err err;
    t->due.is_wanted = false;
    if (!snapshots_are_over(&t->snapshots) &&
        snapshots_take(&t->snapshots, &reason, path, sizeof(path), &err) != RF_OK) {
        if (!t->has_said_failure)
            cli_say("no snapshot could be taken: %s; the recording goes on", err.text);
        t->has_said_failure = true;
    }
    if (snapshots_are_over(&t->snapshots) && t->rules->n > 0)
        say_over(t);
}

/* ---- Looking ---- */

/* Without rules what the programs record is looked at only from when one of them may ask. */
static bool has_watch(struct ring_triggers *t)
{
    const struct snapshots_config *config = &t->snapshots.config;
    const bool may_ask = __atomic_load_n(&config->control->ring.asks, __ATOMIC_RELAXED) != 0;
    const struct rule_watch_config watch = {.dir = config->dir,
                                            .control = config->control,
                                            .rules = t->rules,
                                            .is_wanted = is_wanted,
                                            .fire = on_fire,
                                            .context = t};
    if (t->watch != NULL || t->has_no_memory || (t->rules->n == 0 && !may_ask))
        return t->watch != NULL;
    t->watch = rule_watch_new(&watch, config->control->ring.n_bytes > 0);
    t->has_no_memory = t->watch == NULL;
    if (t->has_no_memory)
        cli_say("no snapshot will be taken of what the rules ask for: out of memory");
    return t->watch != NULL;
}

static void look_at_root(struct ring_triggers *t)
{
    if (__atomic_exchange_n(&t->has_root_ended, false, __ATOMIC_ACQUIRE))
        rule_watch_root_ended(t->watch, t->root_status);
}

bool ring_triggers_look(struct ring_triggers *t)
{
    if (!has_watch(t) || snapshots_are_over(&t->snapshots))
        return false;
    const bool has_more = rule_watch_round(t->watch);
    t->next_ns = has_more ? 0 : rf_clock_ns(CLOCK_MONOTONIC) + RING_LOOK_NS;
    look_at_root(t);
    return has_more;
}

static void look_at_key(struct ring_triggers *t)
{
    const struct snapshot_reason reason = {.text = "the key", .rule = "", .value_ns = -1};
    char path[PATH_MAX + 48];
    struct rf_err err;
    t->key.until_ns = 0;
    if (__atomic_exchange_n(&t->is_pressed, false, __ATOMIC_ACQUIRE) &&
        snapshots_take(&t->snapshots, &reason, path, sizeof(path), &err) != RF_OK)
        cli_say("%s", err.text);
}

/* The work of GPUs comes into the logs later than ranges do. */
bool ring_triggers_has_gpu_work(const struct ring_triggers *t, struct cuda_wait *wait)
{
    if (!cuda_run_has_come(wait, t->snapshots.config.control, t->snapshots.config.dir))
        return false;
    return cli_gpu_sampler_has_come(t->sampler, wait->real_ns) ||
           rf_clock_ns(CLOCK_MONOTONIC) >= wait->until_ns;
}

void ring_triggers_run(struct ring_triggers *t)
{
    if (rf_clock_ns(CLOCK_MONOTONIC) >= t->next_ns)
        (void)ring_triggers_look(t);
    if (t->due.is_wanted && rf_clock_ns(CLOCK_MONOTONIC) >= t->due.due_ns &&
        ring_triggers_has_gpu_work(t, &t->due.gpu))
        take(t);
    if (__atomic_load_n(&t->is_pressed, __ATOMIC_ACQUIRE) && ring_triggers_has_gpu_work(t, &t->key))
        look_at_key(t);
}

/* ---- The end ---- */

static void say_counts(const struct ring_triggers *t)
{
    const uint64_t n_unseen = t->watch != NULL ? rule_watch_n_unseen(t->watch) : 0;
    if (t->n_cooled > 0 && !t->snapshots.config.is_quiet)
        cli_say("%" PRIu64 " more %s found or asked for while a snapshot was due or within "
                "--cool-down: none was taken",
                t->n_cooled, t->n_cooled == 1 ? "was" : "were");
    if (t->snapshots.n_removed > 0 && !t->snapshots.config.is_quiet)
        cli_say("%" PRIu32 " of %" PRIu32 " snapshots were removed for newer ones "
                "(--snapshot-quota)",
                t->snapshots.n_removed, t->snapshots.n_taken);
    if (t->snapshots.n_failed > 0)
        cli_say("LOST %" PRIu32 " snapshot%s: %s could not be written", t->snapshots.n_failed,
                t->snapshots.n_failed == 1 ? "" : "s", t->snapshots.n_failed == 1 ? "it" : "they");
    if (n_unseen > 0)
        cli_say("the rules did not see %" PRIu64 " part%s of what was recorded: the program was "
                "faster, or they were lost",
                n_unseen, n_unseen == 1 ? "" : "s");
}

void ring_triggers_finish(struct ring_triggers *t)
{
    if (has_watch(t) && !snapshots_are_over(&t->snapshots)) {
        rule_watch_finish(t->watch);
        look_at_root(t);
    }
    if (t->due.is_wanted)
        take(t);
    look_at_key(t);
    say_counts(t);
    if (t->watch != NULL && !t->snapshots.config.is_quiet && !snapshots_are_over(&t->snapshots))
        rule_watch_say_unmatched(t->watch);
}
