/* SPDX-License-Identifier: Apache-2.0 */
/* rf-verify RECORDING THREADS EVENTS: checks a recording of volume: every event of every thread
 * is there, in order, with its kind, text, payload and an end that fits.
 * rf-verify RECORDING numbered: checks a recording of marks "THREAD NUMBER": each thread's numbers
 * run from 0 without a gap. Prints how many each of the threads 0 to 3 has.
 * rf-verify RECORDING counts: prints a line for each thread: pid, tid, marks, ranges that were
 * ended, ranges that were cut. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rangefinder/rangefinder.h"

static int complain(uint64_t thread, uint64_t i, const char *what)
{
    fprintf(stderr, "thread %" PRIu64 ", event %" PRIu64 ": %s\n", thread, i, what);
    return -1;
}

static uint8_t expected_kind(uint64_t i)
{
    static const uint8_t kinds[4] = {RF_EVENT_MARK, RF_EVENT_PUSH_POP, RF_EVENT_PUSH_POP,
                                     RF_EVENT_START_END};
    return kinds[i % 4];
}

static int check_event(const rf_recording *rec, const struct rf_event *e, uint64_t i)
{
    uint64_t thread = e[0].payload >> 40;
    const char *text = rf_string(rec, e->name, NULL);
    if ((e->payload & ((1ULL << 40) - 1)) != i)
        return complain(thread, i, "lost, doubled or out of order");
    if (e->kind != expected_kind(i) || e->payload_type != RF_TYPE_UINT64)
        return complain(thread, i, "another kind");
    if (!text || strcmp(text, i % 3 == 0 ? "volume" : "a volume of twenty-four b") != 0)
        return complain(thread, i, "another text");
    if (e->kind != RF_EVENT_MARK && (e->cut || e->end_ns < e->start_ns))
        return complain(thread, i, "cut or backwards");
    if (i % 4 == 2 && (e->start_ns < e[-1].start_ns || e->end_ns > e[-1].end_ns))
        return complain(thread, i, "not inside its parent");
    if (i % 4 == 3 && e->start_ns < e[-2].end_ns)
        return complain(thread, i, "before the end of the range before it");
    return 0;
}

static int check_thread(const rf_recording *rec, uint32_t thread, uint64_t n_each, uint8_t *seen)
{
    size_t n = 0;
    const struct rf_event *events = rf_thread_events(rec, thread, &n);
    if (n == 0)
        return 0;
    uint64_t number = events[0].payload >> 40;
    if (n != n_each) {
        fprintf(stderr, "thread %" PRIu64 ": %zu events, expected %" PRIu64 "\n", number, n,
                n_each);
        return -1;
    }
    if (number > 255 || seen[number]++)
        return complain(number, 0, "not a thread, or twice");
    for (size_t i = 0; i < n; i++) {
        if (events[i].payload >> 40 != number)
            return complain(number, i, "of another thread");
        if (check_event(rec, &events[i], i) < 0)
            return -1;
    }
    return 1;
}

/* Marks "THREAD NUMBER" of one thread. */
static int check_numbered(const rf_recording *rec, uint32_t thread, uint64_t counts[4])
{
    size_t n = 0;
    const struct rf_event *events = rf_thread_events(rec, thread, &n);
    for (size_t i = 0; i < n; i++) {
        const char *text = rf_string(rec, events[i].name, NULL);
        char *end = NULL;
        unsigned long number = text ? strtoul(text, &end, 10) : 4;
        if (events[i].kind != RF_EVENT_MARK || number > 3)
            return complain(thread, i, "not a numbered mark");
        if (strtoull(end, NULL, 10) != counts[number]++)
            return complain(number, i, "lost, doubled or out of order");
    }
    return 0;
}

static int run_numbered(const rf_recording *rec)
{
    uint64_t counts[4] = {0};
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        if (check_numbered(rec, i, counts) < 0)
            return 1;
    for (int i = 0; i < 4; i++)
        printf("%" PRIu64 "\n", counts[i]);
    return 0;
}

static void count(const rf_recording *rec, uint32_t thread)
{
    const struct rf_thread *t = rf_thread_at(rec, thread);
    size_t n = 0;
    const struct rf_event *events = rf_thread_events(rec, thread, &n);
    uint64_t n_marks = 0;
    uint64_t n_whole = 0;
    uint64_t n_cut = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_range = events[i].kind == RF_EVENT_PUSH_POP || events[i].kind == RF_EVENT_START_END;
        n_marks += events[i].kind == RF_EVENT_MARK;
        n_whole += is_range && !events[i].cut;
        n_cut += is_range && events[i].cut;
    }
    printf("%u %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rf_process_at(rec, t->process)->pid,
           t->tid, n_marks, n_whole, n_cut);
}

static int run_counts(const rf_recording *rec)
{
    const struct rf_info *info = rf_get_info(rec);
    for (uint32_t i = 0; i < rf_n_threads(rec); i++)
        count(rec, i);
    if (info->n_lost_records || info->n_lost_defs || info->n_failed_processes ||
        info->n_unmatched_ends || info->n_damaged_bytes) {
        fprintf(stderr,
                "lost: %" PRIu64 " records, %" PRIu64 " definitions, %" PRIu64
                " processes; %" PRIu64 " ends of nothing, %" PRIu64 " damaged bytes\n",
                info->n_lost_records, info->n_lost_defs, (uint64_t)info->n_failed_processes,
                info->n_unmatched_ends, info->n_damaged_bytes);
        return 1;
    }
    return 0;
}

static int run_volume(const rf_recording *rec, uint64_t n_threads, uint64_t n_events)
{
    static uint8_t seen[256];
    uint64_t n_checked = 0;
    for (uint32_t i = 0; i < rf_n_threads(rec); i++) {
        int result = check_thread(rec, i, n_events / n_threads, seen);
        if (result < 0)
            return 1;
        n_checked += result > 0;
    }
    if (n_checked != n_threads) {
        fprintf(stderr, "%" PRIu64 " threads, expected %" PRIu64 "\n", n_checked, n_threads);
        return 1;
    }
    if (rf_get_info(rec)->n_lost_records) {
        fprintf(stderr, "%" PRIu64 " records lost\n", rf_get_info(rec)->n_lost_records);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct rf_err err;
    rf_recording *rec = NULL;
    bool is_numbered = argc == 3 && strcmp(argv[2], "numbered") == 0;
    bool is_counts = argc == 3 && strcmp(argv[2], "counts") == 0;
    if (argc != 4 && !is_numbered && !is_counts) {
        fprintf(stderr, "usage: rf-verify RECORDING THREADS EVENTS\n"
                        "       rf-verify RECORDING numbered\n"
                        "       rf-verify RECORDING counts\n");
        return 2;
    }
    if (rf_open(argv[1], 0, &rec, &err) < 0) {
        fprintf(stderr, "rf-verify: %s\n", err.text);
        return 1;
    }
    int status = is_numbered ? run_numbered(rec)
                 : is_counts
                     ? run_counts(rec)
                     : run_volume(rec, strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    rf_close(rec);
    return status;
}
