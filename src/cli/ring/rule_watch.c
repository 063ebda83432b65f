/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of domains that no rule names are passed over; of the others pushes are kept, so that pops
 * find theirs, and started ranges that a rule is about. */
#include "cli/ring/rule_watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amounts.h"
#include "base/grow.h"
#include "base/map.h"
#include "cli/ring/ring_clock.h"
#include "cli/ring/rule_ends.h"
#include "cli/ring/rule_misses.h"
#include "cli/ring/rule_names.h"
#include "cli/ring/rule_pace.h"
#include "cli/ring/rule_ranges.h"
#include "cli/ring/rule_texts.h"
#include "log/attributes.h"
#include "log/follow.h"

#define MOST_EARLY    4096u /* ENDs that were read before their START */
#define EARLY_ROUNDS  3u    /* for which they wait for it */
#define FORK_DEPTH    256
#define ENDS_EVERY_NS 200000000LL /* between looks at which processes have ended */
#define MOST_DOMAINS  1000u       /* that are compared with one that is not there */
#define NAME_SIZE     60          /* bytes of a name in a reason */

struct process {
    struct rule_names names;
    bool is_over; /* it has ended, and that was reported */
};

/* An END that was read before its START. */
struct early_end {
    uint64_t id, ticks;
    uint32_t process, round;
};

struct rule_state {
    struct rule_pace pace;
    struct rule_miss miss;
};

struct rule_watch {
    struct rule_watch_config config;
    struct rf_follow *follow;
    struct process *process;
    size_t n_processes, process_room;
    struct rule_state rule[RULES_MOST];
    struct rule_texts texts;
    struct early_end *early;
    size_t n_early, early_room;
    uint32_t round;
    uint32_t of_marks, of_ranges, of_open, of_ends; /* which rules are: a bit each */
    uint32_t unmatched; /* of those with a name: nothing like it was seen */
    uint32_t matched;   /* of all: one was there */
    int64_t ends_next_ns;
    struct ring_clock clock; /* of this round */
};

/* ---- Firing ---- */

static bool is_wanted(struct rule_watch *w, const struct rule *rule)
{
    return w->config.is_wanted(w->config.context, rule);
}

__attribute__((format(printf, 4, 5))) static void
fire(struct rule_watch *w, const struct rule *rule, int64_t value_ns, const char *format, ...)
{
    struct rule_firing firing = {.rule = rule, .value_ns = value_ns};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(firing.reason, sizeof(firing.reason), format, args);
    va_end(args);
    w->config.fire(w->config.context, &firing);
}

static int64_t ns_of(const struct rule_watch *w, uint64_t ticks)
{
    return (int64_t)((double)ticks * w->clock.ns_per_tick);
}

/* The message of a range, or else what the rule calls it. */
static const char *text_of(const struct rule_watch *w, const struct rule *rule,
                           const struct rule_range *range)
{
    const char *text = rule_texts_find(&w->texts, range->name);
    return text != NULL ? text : rule->message;
}

/* ---- Ranges that end ---- */

static void report_slow(struct rule_watch *w, const struct rule *rule, uint32_t tid,
                        const struct rule_range *range, uint64_t ticks, uint64_t median)
{
    const int64_t ns = ns_of(w, ticks);
    char took[32], usual[32], more[48] = "";
    if (!is_wanted(w, rule))
        return;
    if (median > 0)
        (void)snprintf(more, sizeof(more), "; its median is %s",
                       rf_format_duration(usual, sizeof(usual), ns_of(w, median)));
    fire(w, rule, ns, "'%.*s' took %s in thread %" PRIu32 "%s", NAME_SIZE, text_of(w, rule, range),
         rf_format_duration(took, sizeof(took), ns), tid, more);
}

static void end_range(struct rule_watch *w, uint32_t tid, const struct rule_range *range,
                      uint64_t end_ticks)
{
    const uint64_t ticks = end_ticks > range->ticks ? end_ticks - range->ticks : 0;
    for (uint32_t i = 0; i < RULES_MOST && range->rules >> i != 0; i++) {
        const struct rule *rule = &w->config.rules->rule[i];
        if ((range->rules >> i & 1) == 0 || rule->kind != RULE_SLOW)
            continue;
        uint64_t median = 0;
        double limit = (double)rule->time_ns / w->clock.ns_per_tick;
        if (rule->times > 0) {
            median = rule_pace_add(&w->rule[i].pace, range->name, ticks);
            limit = (double)median * rule->times;
        }
        if ((double)ticks > limit && (median > 0 || rule->times == 0))
            report_slow(w, rule, tid, range, ticks, median);
    }
}

static void take_pop(struct rule_watch *w, struct rf_followed *stream, uint64_t domain,
                     uint64_t ticks)
{
    struct rule_ranges *ranges = stream->state;
    struct rule_range range;
    if (ranges == NULL)
        return;
    ranges->depth--;
    if (rule_ranges_pop(ranges, domain, &range))
        end_range(w, stream->tid, &range, ticks);
}

/* Ends the range of an id in the process that can have begun it. Returns false where its stream was
 * not read up to there. */
static bool end_in(struct rule_watch *w, uint32_t process, uint64_t id, uint64_t ticks)
{
    const uint32_t slot = (uint32_t)(id >> RF_ID_COUNTER_BITS) & ((1u << RF_ID_SLOT_BITS) - 1);
    const uint64_t counter = id & ((1ULL << RF_ID_COUNTER_BITS) - 1);
    struct rf_followed *stream = slot > 0 ? rf_follow_stream(w->follow, process, slot - 1) : NULL;
    struct rule_range range;
    if (stream == NULL)
        return slot == 0;
    if (stream->state == NULL || !rule_ranges_end(stream->state, counter, &range))
        return stream->n_starts >= counter;
    end_range(w, stream->tid, &range, ticks);
    return true;
}

/* process: whose END it is. It can end a range of another one, such as its parent's. */
static bool end(struct rule_watch *w, uint32_t process, uint64_t id, uint64_t ticks)
{
    uint32_t number = (uint32_t)(id >> (RF_ID_COUNTER_BITS + RF_ID_SLOT_BITS));
    if ((process & 1023u) == number)
        return end_in(w, process, id, ticks);
    for (; number < rf_follow_n_processes(w->follow); number += 1024)
        if (rf_follow_pool(w->follow, number) != NULL)
            return end_in(w, number, id, ticks);
    return true;
}

static void take_end(struct rule_watch *w, const struct rf_followed *stream,
                     const struct rf_record *r)
{
    const uint64_t id = r->n_words > 1 ? rf_load64(r->words + 8) : 0;
    if (w->of_ranges == 0 || end(w, stream->process, id, r->ticks) || w->n_early == MOST_EARLY)
        return;
    if (rf_grow_array(&w->early, w->n_early, &w->early_room, sizeof(*w->early)) == RF_OK)
        w->early[w->n_early++] = (struct early_end){id, r->ticks, stream->process, w->round};
}

static void settle_early(struct rule_watch *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_early; i++) {
        const struct early_end early = w->early[i];
        if (!end(w, early.process, early.id, early.ticks) && w->round - early.round < EARLY_ROUNDS)
            w->early[n++] = early;
    }
    w->n_early = n;
}

/* ---- Names ---- */

static const struct rule_name *find_name(const struct rule_watch *w, uint32_t process,
                                         uint64_t handle, bool is_domain)
{
    for (int depth = 0; depth < FORK_DEPTH && process < w->n_processes; depth++) {
        const struct rule_names *names = &w->process[process].names;
        const struct rule_name *name =
            is_domain ? rule_names_domain(names, handle) : rule_names_string(names, handle);
        if (name != NULL || names->origin == 0)
            return name;
        process = names->origin - 1;
    }
    return NULL;
}

static void read_names(struct rule_watch *w, uint32_t process)
{
    for (int depth = 0; depth < FORK_DEPTH && process < w->n_processes; depth++) {
        struct rule_names *names = &w->process[process].names;
        rule_names_read(names);
        if (names->origin == 0)
            return;
        process = names->origin - 1;
    }
}

/* The name of a handle that a record has; NULL: nobody has defined it. */
static const struct rule_name *name_of(struct rule_watch *w, uint32_t process, uint64_t handle,
                                       bool is_domain)
{
    const struct rule_name *name = find_name(w, process, handle, is_domain);
    if (name != NULL || process >= w->n_processes)
        return name;
    read_names(w, process);
    return find_name(w, process, handle, is_domain);
}

/* Which rules are about a domain. *name: NULL for the default one. */
static uint32_t rules_of_domain(struct rule_watch *w, uint32_t process, uint64_t handle,
                                const struct rule_name **name)
{
    *name = handle != 0 ? name_of(w, process, handle, true) : NULL;
    if (handle != 0)
        return *name != NULL ? (*name)->fits : 0;
    return w->process[process].names.default_fits;
}

/* The message of a record; its text is borrowed. */
static struct rule_name message_of(struct rule_watch *w, uint32_t process,
                                   const struct rf_attributes *a)
{
    const struct rule_name *name =
        a->message == RF_MESSAGE_REGISTERED ? name_of(w, process, a->string, false) : NULL;
    if (name != NULL)
        return *name;
    struct rule_name text = rule_name_of_text(w->config.rules, a->text, a->n_text);
    text.text = (char *)(uintptr_t)a->text;
    text.n_text = a->n_text;
    return text;
}

/* ---- Records ---- */

static void note_misses(struct rule_watch *w, uint32_t rules, bool is_mark,
                        const struct rule_name *domain, const struct rule_name *message)
{
    w->matched |= rules;
    w->unmatched &= ~rules;
    for (uint32_t i = 0; i < w->config.rules->n; i++) {
        struct rule_miss *miss = &w->rule[i].miss;
        if (w->unmatched >> i & 1)
            rule_miss_note(miss, &w->config.rules->rule[i], i, is_mark, domain, message);
        if (miss->kind != MISS_NONE)
            w->unmatched &= ~(1u << i);
    }
}

static void take_mark(struct rule_watch *w, uint32_t tid, uint32_t rules,
                      const struct rule_name *message)
{
    const int n = message->n_text < RULE_TEXT_SIZE ? (int)message->n_text : NAME_SIZE;
    for (uint32_t i = 0; i < RULES_MOST && rules >> i != 0; i++)
        if (rules >> i & 1 && is_wanted(w, &w->config.rules->rule[i]))
            fire(w, &w->config.rules->rule[i], -1, "mark '%.*s' in thread %" PRIu32, n,
                 message->text != NULL ? message->text : "", tid);
}

/* Those of a stream; NULL: out of memory. */
static struct rule_ranges *ranges_of(struct rf_followed *stream)
{
    if (stream->state == NULL)
        stream->state = calloc(1, sizeof(struct rule_ranges));
    return stream->state;
}

static void begin_range(struct rf_followed *stream, const struct rf_record *r, uint64_t domain,
                        const struct rule_range *range)
{
    struct rule_ranges *ranges = ranges_of(stream);
    if (ranges == NULL)
        return;
    if (r->type == RF_REC_PUSH)
        rule_ranges_push(ranges, domain, range);
    else if (range->rules != 0)
        rule_ranges_start(ranges, stream->n_starts, range);
}

/* What the program asks for by a mark in a domain of ours. */
static void take_request(struct rule_watch *w, const struct rule_name *message)
{
    if (is_wanted(w, NULL))
        fire(w, NULL, -1, "%.*s", (int)(message->n_text < 127 ? message->n_text : 127),
             message->n_text > 0 ? message->text : "");
}

static void take_event(struct rule_watch *w, struct rf_followed *stream, const struct rf_record *r)
{
    const bool is_mark = r->type == RF_REC_MARK;
    const struct rf_attributes a = rf_attributes_of(r);
    const struct rule_name *domain;
    const uint32_t rules = rules_of_domain(w, stream->process, a.domain, &domain) &
                           (is_mark ? w->of_marks : w->of_ranges);
    const bool asks = is_mark && domain != NULL && domain->asks;
    if (rules == 0 && w->unmatched == 0 && !asks)
        return;
    const struct rule_name message = message_of(w, stream->process, &a);
    if (asks)
        take_request(w, &message);
    if (w->unmatched != 0 || (rules & message.fits & ~w->matched) != 0)
        note_misses(w, rules & message.fits, is_mark, domain, &message);
    struct rule_range range = {
        .ticks = r->ticks,
        .rules = rules & message.fits,
        .name = rf_hash_mix(message.hash, domain != NULL ? domain->hash : 1) | 1};
    if (is_mark)
        take_mark(w, stream->tid, range.rules, &message);
    else if (rules != 0)
        begin_range(stream, r, a.domain, &range);
    if (range.rules != 0 && !is_mark && message.text != NULL)
        rule_texts_keep(&w->texts, range.name, message.text, message.n_text);
}

/* Pushes of all domains are counted where it matters whether a process was in a range. */
static void count_push(struct rule_watch *w, struct rf_followed *stream)
{
    struct rule_ranges *ranges = w->of_ends != 0 ? ranges_of(stream) : stream->state;
    if (ranges != NULL)
        ranges->depth++;
}

static void on_record(void *context, struct rf_followed *stream, const struct rf_record *r)
{
    struct rule_watch *w = context;
    switch (r->type) {
    case RF_REC_PUSH:
        count_push(w, stream);
        take_event(w, stream, r);
        break;
    case RF_REC_MARK:
    case RF_REC_START:
        take_event(w, stream, r);
        break;
    case RF_REC_POP:
        take_pop(w, stream, 0, r->ticks);
        break;
    case RF_REC_POP_DOMAIN:
        take_pop(w, stream, r->n_words > 1 ? rf_load64(r->words + 8) : 0, r->ticks);
        break;
    case RF_REC_END:
        take_end(w, stream, r);
        break;
    default:
        break;
    }
}

static void on_break(void *context, struct rf_followed *stream)
{
    (void)context;
    if (stream->state != NULL)
        rule_ranges_clear_stacks(stream->state);
}

static void on_end(void *context, struct rf_followed *stream)
{
    (void)context;
    if (stream->state != NULL)
        rule_ranges_release(stream->state);
    free(stream->state);
    stream->state = NULL;
}

/* ---- Ranges that are open ---- */

struct open_look {
    struct rule_watch *watch;
    const struct rf_followed *stream;
};

/* Whether what is open in a process has been cut. */
static bool is_cut(const struct rule_watch *w, uint32_t process)
{
    char how[8];
    return rf_follow_pool(w->follow, process) == NULL ||
           process_end_of(w->follow, process, false, false, how, sizeof(how)) != PROCESS_RUNS;
}

static void look_at_open(void *context, struct rule_range *range)
{
    const struct open_look *look = context;
    struct rule_watch *w = look->watch;
    const uint32_t rules = range->rules & w->of_open & ~range->done;
    const int64_t ns =
        w->clock.now.ticks > range->ticks ? ns_of(w, w->clock.now.ticks - range->ticks) : 0;
    char since[32];
    for (uint32_t i = 0; i < RULES_MOST && rules >> i != 0; i++) {
        const struct rule *rule = &w->config.rules->rule[i];
        if ((rules >> i & 1) == 0 || ns <= rule->time_ns)
            continue;
        if (is_cut(w, look->stream->process)) {
            range->done = UINT32_MAX;
            return;
        }
        if (!is_wanted(w, rule))
            continue;
        range->done |= 1u << i;
        fire(w, rule, ns, "'%.*s' is open for %s in thread %" PRIu32, NAME_SIZE,
             text_of(w, rule, range), rf_format_duration(since, sizeof(since), ns),
             look->stream->tid);
    }
}

static void look_at_all(struct rule_watch *w)
{
    struct rf_followed *stream;
    for (uint32_t i = 0; i < w->n_processes; i++)
        for (uint32_t slot = 0; (stream = rf_follow_stream(w->follow, i, slot)) != NULL; slot++)
            if (stream->state != NULL)
                rule_ranges_each(stream->state, look_at_open, &(struct open_look){w, stream});
}

/* ---- Processes ---- */

static void add_processes(struct rule_watch *w)
{
    const uint32_t n = __atomic_load_n(&w->config.control->n_processes, __ATOMIC_ACQUIRE);
    while (w->n_processes < n && n <= RF_FOLLOW_PROCESSES) {
        if (rf_grow_array(&w->process, w->n_processes, &w->process_room, sizeof(*w->process)) !=
            RF_OK)
            return;
        struct process *process = &w->process[w->n_processes];
        *process = (struct process){.is_over = false};
        rule_names_init(&process->names, w->config.rules, w->config.dir, (uint32_t)w->n_processes);
        w->n_processes++;
    }
}

/* The rule of an end: of a crash the one about crashes, if there is one. */
static void report_end(struct rule_watch *w, uint32_t pid, enum process_end end, const char *how)
{
    const struct rule *found = NULL;
    for (uint32_t i = 0; i < w->config.rules->n; i++) {
        const struct rule *rule = &w->config.rules->rule[i];
        if (rule->kind == RULE_CRASH ? end == PROCESS_CRASHED
                                     : rule->kind == RULE_EXIT && found == NULL)
            found = rule;
    }
    if (found != NULL && is_wanted(w, found))
        fire(w, found, -1, "process %" PRIu32 " %s", pid, how);
}

static bool is_busy(const struct rule_watch *w, uint32_t process)
{
    const struct rf_followed *stream;
    for (uint32_t slot = 0; (stream = rf_follow_stream(w->follow, process, slot)) != NULL; slot++)
        if (stream->state != NULL && ((const struct rule_ranges *)stream->state)->depth > 0)
            return true;
    return false;
}

/* What it has written last was read in this round, or will be in the next: then it is forgotten. */
static void look_at_end(struct rule_watch *w, uint32_t i)
{
    struct process *process = &w->process[i];
    const struct rf_pool_header *header = rf_follow_pool(w->follow, i);
    char how[96];
    if (header == NULL)
        return;
    if (process->is_over) {
        rf_follow_forget(w->follow, i);
        return;
    }
    if (w->of_ends != 0)
        rule_names_read(&process->names);
    const enum process_end end =
        process_end_of(w->follow, i, process->names.has_exited, is_busy(w, i), how, sizeof(how));
    process->is_over = end != PROCESS_RUNS;
    if ((end == PROCESS_EXITED || end == PROCESS_CRASHED) &&
        header->pid != w->config.control->root_pid)
        report_end(w, header->pid, end, how);
}

static void look_at_ends(struct rule_watch *w)
{
    w->ends_next_ns = w->clock.now.mono_ns + ENDS_EVERY_NS;
    for (uint32_t i = 0; i < w->n_processes && i < rf_follow_n_processes(w->follow); i++)
        look_at_end(w, i);
}

void rule_watch_root_ended(struct rule_watch *w, int status)
{
    char how[96];
    const enum process_end end = process_end_of_status(status, how, sizeof(how));
    report_end(w, w->config.control->root_pid, end, how);
}

/* ---- All ---- */

bool rule_watch_round(struct rule_watch *w)
{
    w->clock = ring_clock_read(w->config.control);
    w->round++;
    add_processes(w);
    const bool has_more = rf_follow_round(w->follow);
    settle_early(w);
    if (w->of_open != 0)
        look_at_all(w);
    if (w->clock.now.mono_ns >= w->ends_next_ns)
        look_at_ends(w);
    return has_more;
}

void rule_watch_finish(struct rule_watch *w)
{
    while (rule_watch_round(w))
        ;
    look_at_ends(w);
}

/* Adds the names of a process's domains that are not listed yet. */
static size_t list_domains(const struct rule_names *names, const char **list, size_t n)
{
    for (size_t i = 0; i < names->n_domains && n < MOST_DOMAINS; i++) {
        const char *text = names->domain[i].text;
        size_t at = 0;
        while (text != NULL && at < n && strcmp(list[at], text) != 0)
            at++;
        if (text != NULL && at == n)
            list[n++] = text;
    }
    return n;
}

void rule_watch_say_unmatched(const struct rule_watch *w)
{
    const char **domains = calloc(MOST_DOMAINS, sizeof(*domains));
    size_t n = 0;
    for (size_t i = 0; i < w->n_processes && domains != NULL; i++) {
        rule_names_read(&w->process[i].names);
        n = list_domains(&w->process[i].names, domains, n);
    }
    for (uint32_t i = 0; i < w->config.rules->n && domains != NULL; i++)
        if (w->config.rules->rule[i].message != NULL && (w->matched >> i & 1) == 0)
            rule_miss_say(&w->rule[i].miss, &w->config.rules->rule[i], domains, n);
    free(domains);
}

uint64_t rule_watch_n_unseen(const struct rule_watch *w)
{
    return rf_follow_n_unseen(w->follow);
}

static void sort_rules(struct rule_watch *w)
{
    for (uint32_t i = 0; i < w->config.rules->n; i++) {
        const struct rule *rule = &w->config.rules->rule[i];
        const uint32_t bit = 1u << i;
        w->of_marks |= rule->kind == RULE_MARK ? bit : 0;
        w->of_ranges |= rule_is_of_ranges(rule) ? bit : 0;
        w->of_open |= rule->kind == RULE_OPEN ? bit : 0;
        w->of_ends |= rule->message == NULL ? bit : 0;
    }
    w->unmatched = w->of_marks | w->of_ranges;
}

struct rule_watch *rule_watch_new(const struct rule_watch_config *config, bool from_now_on)
{
    struct rule_watch *w = calloc(1, sizeof(*w));
    if (w == NULL)
        return NULL;
    const struct rf_follow_calls calls = {w, on_break, on_record, on_end};
    w->config = *config;
    sort_rules(w);
    w->follow = rf_follow_new(config->dir, config->control, &calls, from_now_on);
    if (w->follow != NULL)
        return w;
    free(w);
    return NULL;
}

void rule_watch_free(struct rule_watch *w)
{
    if (w == NULL)
        return;
    rf_follow_free(w->follow);
    for (size_t i = 0; i < w->n_processes; i++)
        rule_names_release(&w->process[i].names);
    for (uint32_t i = 0; i < RULES_MOST; i++)
        rule_pace_release(&w->rule[i].pace);
    free(w->process);
    free(w->early);
    free(w);
}
