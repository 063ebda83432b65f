/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs are one run where it can be told: they are of one side and one job of their launcher, have
 * different ranks, and ran at the same time. */
#include "stats/compare/compare_runs.h"

#include <stdlib.h>
#include <string.h>

#include "stats/add_up.h"
#include "summary/settings_data.h"

/* An input of a job. */
struct member {
    uint32_t input, job; /* string */
    int side;
    int64_t rank, start_ns, end_ns;
};

static int64_t end_of(const struct rf_summary_input *input)
{
    int64_t end;
    const int64_t duration = input->duration_ns < INT64_MAX ? (int64_t)input->duration_ns : 0;
    return __builtin_add_overflow(input->start_utc_ns, duration, &end) ? INT64_MAX : end;
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const int64_t values[][2] = {{x->side, y->side},
                                 {x->job, y->job},
                                 {x->start_ns, y->start_ns},
                                 {x->rank, y->rank},
                                 {x->input, y->input}};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i][0] != values[i][1])
            return values[i][0] < values[i][1] ? -1 : 1;
    return 0;
}

/* The inputs with a job and a rank, of a single recording each. */
static size_t list_members(struct member *member, const rf_summary *summary, const uint8_t *side)
{
    size_t n = 0;
    for (size_t i = 0; i < summary->settings.n; i++) {
        const struct rf_summary_setting *setting = &summary->settings.item[i];
        const struct rf_summary_input *input = &summary->input[setting->input];
        size_t size;
        const char *name = rf_summary_text(summary, setting->name, &size);
        if (name != NULL && strcmp(name, RF_SUMMARY_JOB) == 0 && input->rank >= 0 &&
            input->n_inputs == 1)
            member[n++] = (struct member){setting->input, setting->value,      side[setting->input],
                                          input->rank,    input->start_utc_ns, end_of(input)};
    }
    if (n > 0)
        qsort(member, n, sizeof(*member), compare_members);
    return n;
}

static bool has_rank(const struct member *member, size_t n, int64_t rank)
{
    for (size_t i = 0; i < n; i++)
        if (member[i].rank == rank)
            return true;
    return false;
}

#define MAX_RANKS 65536 /* of one run that are looked at */

/* By input: the first input of its run. */
static void group(uint32_t *first, const struct member *member, size_t n)
{
    for (size_t begin = 0, end; begin < n; begin = end) {
        int64_t common_end_ns = member[begin].end_ns;
        for (end = begin + 1; end < n && end - begin < MAX_RANKS; end++) {
            const struct member *next = &member[end];
            if (next->side != member[begin].side || next->job != member[begin].job ||
                next->start_ns >= common_end_ns ||
                has_rank(member + begin, end - begin, next->rank))
                break;
            common_end_ns = next->end_ns < common_end_ns ? next->end_ns : common_end_ns;
        }
        for (size_t i = begin; i < end; i++)
            first[member[i].input] = member[begin].input;
    }
}

static void add_input(struct rf_compare_runs *runs, const rf_summary *summary, uint32_t i,
                      uint32_t first, int side)
{
    const struct rf_summary_input *input = &summary->input[i];
    if (first == i) {
        runs->of_input[i] = (uint32_t)runs->n++;
        runs->n_of[side]++;
    }
    struct rf_compare_run *run = &runs->run[runs->of_input[first]];
    runs->of_input[i] = runs->of_input[first];
    run->side = side;
    run->n_paths_folded = rf_add_up(run->n_paths_folded, input->n_paths_folded);
    if (input->duration_ns > run->duration_ns)
        run->duration_ns = input->duration_ns;
}

int rf_compare_runs_make(struct rf_compare_runs *runs, const rf_summary *summary,
                         const uint8_t *side)
{
    const size_t n = summary->n_inputs;
    uint32_t *first = malloc((n + 1) * sizeof(*first));
    struct member *member = malloc((summary->settings.n + 1) * sizeof(*member));
    runs->run = calloc(n + 1, sizeof(*runs->run));
    runs->of_input = calloc(n + 1, sizeof(*runs->of_input));
    const bool is_done =
        first != NULL && member != NULL && runs->run != NULL && runs->of_input != NULL;
    for (uint32_t i = 0; is_done && i < n; i++)
        first[i] = i;
    if (is_done)
        group(first, member, list_members(member, summary, side));
    for (int pass = 0; pass < 2; pass++) /* the first input of a run may stand behind others */
        for (uint32_t i = 0; is_done && i < n; i++)
            if ((first[i] == i) == (pass == 0))
                add_input(runs, summary, i, first[i], side[i]);
    free(first);
    free(member);
    return is_done ? RF_OK : RF_ERR_NO_MEMORY;
}

void rf_compare_runs_release(struct rf_compare_runs *runs)
{
    free(runs->run);
    free(runs->of_input);
    *runs = (struct rf_compare_runs){.n = 0};
}
