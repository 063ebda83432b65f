/* SPDX-License-Identifier: Apache-2.0 */
/* What ranges add up to as they are read, against the sums of all events. */
#ifndef TESTS_UNIT_CHECK_SUMS_H
#define TESTS_UNIT_CHECK_SUMS_H

#include "unit.h"

#include "model/private_access.h"
#include "model/recording.h"
#include "model/same_domains.h"
#include "model/sums/range_sums.h"

static void add_events(struct rf_sums *sums, const rf_recording *rec)
{
    uint32_t *same_domain = rf_same_domains(rec);
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        const struct rf_thread *thread = rf_thread_at(rec, t);
        size_t n;
        const struct rf_event *event = rf_thread_events(rec, t, &n);
        for (size_t i = 0; i < n; i++) {
            if (event[i].kind != RF_EVENT_PUSH_POP && event[i].kind != RF_EVENT_START_END)
                continue;
            struct rf_sum_key key = {same_domain[event[i].domain], event[i].name, event[i].kind, 0};
            struct rf_sum_place place = {(uint64_t)(event[i].end_ns - event[i].start_ns),
                                         event[i].start_ns,
                                         {thread->process, thread->tid, thread->serial}};
            assert_true(rf_sums_add(sums, &key, &place));
            if (event[i].cut != RF_CUT_NONE || (event[i].flags & RF_EVENT_CUT_AT_START) != 0)
                sums->sum[rf_sums_index(sums, &key)].n_cut++;
        }
    }
    free(same_domain);
}

/* Two openings of a recording number its strings differently. */
static const struct rf_sum *find_sum(const struct rf_sums *sums, const rf_recording *rec,
                                     const struct rf_sum_key *key, const char *name)
{
    for (size_t i = 0; i < sums->n; i++) {
        const struct rf_sum_key *k = &sums->sum[i].key;
        const char *text = rf_string(rec, k->name, NULL);
        if (k->domain == key->domain && k->kind == key->kind &&
            (text == NULL || name == NULL ? text == name : strcmp(text, name) == 0))
            return &sums->sum[i];
    }
    fail_msg("no sum of '%s'", name != NULL ? name : "(null)");
    return NULL;
}

static void check_place(const struct rf_sum_place *a, const struct rf_sum_place *b)
{
    assert_true(a->duration_ns == b->duration_ns && a->start_ns == b->start_ns);
    assert_true(a->owner.process == b->owner.process && a->owner.tid == b->owner.tid &&
                a->owner.serial == b->owner.serial);
}

static void check_sum(const struct rf_sum *a, const struct rf_sum *b)
{
    assert_true(a->n_cut == b->n_cut);
    assert_true(a->n == b->n && a->total_ns == b->total_ns && a->squares == b->squares);
    check_place(&a->min, &b->min);
    check_place(&a->max, &b->max);
    for (unsigned octave = 0; octave < RF_SUM_OCTAVES; octave++) {
        assert_true((a->count[octave] == NULL) == (b->count[octave] == NULL));
        if (a->count[octave] != NULL)
            assert_memory_equal(a->count[octave], b->count[octave],
                                RF_SUM_STEPS * sizeof(uint64_t));
    }
}

static void check_counts(const rf_recording *a, const rf_recording *b)
{
    const struct rf_info *x = rf_get_info(a), *y = rf_get_info(b);
    assert_true(x->n_events == y->n_events && x->n_ranges == y->n_ranges);
    assert_true(x->n_marks == y->n_marks && x->n_cut == y->n_cut);
    assert_true(x->n_unmatched_ends == y->n_unmatched_ends && x->end_ns == y->end_ns);
    assert_true(x->n_foreign_ends == y->n_foreign_ends);
    assert_memory_equal(x->n_cut_by, y->n_cut_by, sizeof(x->n_cut_by));
    assert_int_equal(rf_n_processes(a), rf_n_processes(b));
    for (uint32_t i = 0; i < rf_n_processes(a); i++)
        assert_true(rf_process_at(a, i)->n_annotations == rf_process_at(b, i)->n_annotations);
    assert_int_equal(rf_n_domains(a), rf_n_domains(b));
    for (uint32_t i = 0; i < rf_n_domains(a); i++) {
        assert_true(rf_domain_at(a, i)->handle == rf_domain_at(b, i)->handle);
        assert_true(rf_domain_at(a, i)->n_annotations == rf_domain_at(b, i)->n_annotations);
    }
    assert_int_equal(rf_n_threads(a), rf_n_threads(b));
    for (uint32_t t = 0; t < rf_n_threads(a); t++) {
        assert_true(rf_thread_at(a, t)->n_events == rf_thread_at(b, t)->n_events);
        assert_true(rf_thread_at(a, t)->first_ns == rf_thread_at(b, t)->first_ns);
        assert_true(rf_thread_at(a, t)->end_ns == rf_thread_at(b, t)->end_ns);
    }
}

/* Returns how many start/end ranges were kept until all was read. */
static uint32_t check_recording(const struct rfw *w)
{
    struct rf_sums expected = {.sum = NULL};
    rf_recording *whole = rfw_reopen(w, 0, 0);
    rf_recording *summed = rfw_reopen(w, 0, RF_OPEN_SUMS_ALWAYS);
    const struct rf_sums *sums = rf_recording_sums(summed);
    assert_null(rf_recording_sums(whole));
    assert_non_null(sums);
    add_events(&expected, whole);
    assert_int_equal(sums->n, expected.n);
    for (size_t i = 0; i < sums->n; i++)
        check_sum(&sums->sum[i], find_sum(&expected, whole, &sums->sum[i].key,
                                          rf_string(summed, sums->sum[i].key.name, NULL)));
    check_counts(whole, summed);
    for (uint32_t t = 0; t < rf_n_threads(summed); t++)
        assert_null(rf_thread_events(summed, t, NULL));
    const uint32_t n_kept = summed->n_start_end;
    rf_sums_release(&expected);
    rf_close(whole);
    rf_close(summed);
    return n_kept;
}

#endif
