/* SPDX-License-Identifier: Apache-2.0 */
/* Adding the inputs of a summary to another one, and adding all inputs up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/add_count.h"
#include "base/error.h"
#include "base/rank_list.h"
#include "summary/summary_data.h"
#include "summary/summary_steps.h"

/* What numbers of one summary are in the other one. */
struct absorbing {
    rf_summary *to;
    const rf_summary *from;
    struct rf_absorb_choice choice;
    uint32_t *input, *path; /* RF_NO_INDEX: it is left out */
};

/* false: out of memory. */
static bool find_string(const struct absorbing *a, uint32_t string, uint32_t *out)
{
    size_t size;
    const char *text = rf_summary_text(a->from, string, &size);
    *out = text != NULL ? rf_strings_add(&a->to->strings, text, size) : string;
    return text == NULL || *out != RF_NO_STRING;
}

/* The path that a row goes to; RF_NO_INDEX: out of memory. */
static uint32_t path_of(struct absorbing *a, uint32_t path)
{
    uint32_t domain;
    if (a->choice.is_kept == NULL || a->choice.is_kept[path])
        return a->path[path];
    if (!find_string(a, a->from->path[path].domain, &domain))
        return RF_NO_INDEX;
    return rf_summary_path(a->to, RF_NO_INDEX, domain, RF_REST_OF_NAMES);
}

static bool add_paths(struct absorbing *a)
{
    for (size_t i = 0; i < a->from->n_paths; i++) {
        const struct rf_summary_path *of = &a->from->path[i];
        uint32_t parent = of->parent != RF_NO_INDEX ? a->path[of->parent] : RF_NO_INDEX;
        if (a->choice.is_kept != NULL && !a->choice.is_kept[i])
            continue;
        uint32_t domain, name;
        if (!find_string(a, of->domain, &domain) || !find_string(a, of->name, &name))
            return false;
        a->path[i] = rf_summary_path(a->to, parent, domain, name);
        if (a->path[i] == RF_NO_INDEX)
            return false;
    }
    return true;
}

/* Says that an input is there already. */
static int fail_twice(const rf_summary *to, const struct rf_summary_identity *there,
                      const struct rf_summary_input *input, struct rf_err *err)
{
    const char *path = to->input[there->input].path;
    if (strcmp(path, input->path) == 0)
        return rf_fail(err, RF_ERR_EXISTS, "'%s' comes again: it is counted once", input->path);
    return rf_fail(err, RF_ERR_EXISTS, "'%s' is the recording '%s': it is counted once",
                   input->path, path);
}

/* Marks the inputs of one recording that the other summary has, with RF_NO_INDEX; the others have
 * 0. RF_OK; RF_ERR_EXISTS, and the first of those that are there in err. */
static int find_twice(struct absorbing *a, struct rf_err *err)
{
    const struct rf_summary_identities *all = &a->from->identities;
    int status = RF_OK;
    memset(a->input, 0, a->from->n_inputs * sizeof(*a->input));
    for (size_t i = 0; i < all->n; i++) {
        const struct rf_summary_input *input = &a->from->input[all->item[i].input];
        const struct rf_summary_identity *there = NULL;
        if (input->n_inputs == 1 &&
            (a->choice.ranks == NULL || rf_rank_list_has(a->choice.ranks, input->rank)))
            there = rf_summary_find_recording(a->to, a->from, &all->item[i]);
        if (there == NULL)
            continue;
        a->input[all->item[i].input] = RF_NO_INDEX;
        if (status == RF_OK)
            status = fail_twice(a->to, there, input, err);
    }
    return status;
}

/* RF_OK; RF_ERR_EXISTS, and the first of those that are there in err. */
static int add_inputs(struct absorbing *a, struct rf_err *err)
{
    const int status = find_twice(a, err);
    for (size_t i = 0; i < a->from->n_inputs; i++) {
        const struct rf_summary_input *input = &a->from->input[i];
        const bool is_there = a->input[i] == RF_NO_INDEX;
        a->input[i] = RF_NO_INDEX;
        if (is_there ||
            (a->choice.ranks != NULL && !rf_rank_list_has(a->choice.ranks, input->rank)))
            continue;
        a->input[i] = (uint32_t)a->to->n_inputs;
        if (rf_summary_add_input(a->to, input) != RF_OK)
            return RF_ERR_NO_MEMORY;
    }
    return status;
}

static int add_rows(struct absorbing *a)
{
    for (size_t i = 0; i < a->from->n_rows; i++) {
        const struct rf_summary_row *from = &a->from->row[i];
        if (a->input[from->input] == RF_NO_INDEX)
            continue;
        uint32_t path = path_of(a, from->path);
        struct rf_summary_row *row = NULL;
        if (path != RF_NO_INDEX)
            row = rf_summary_row(a->to, a->input[from->input], path, from->kind);
        int status = row != NULL ? rf_summary_row_merge(row, from) : RF_ERR_NO_MEMORY;
        if (status != RF_OK)
            return status;
    }
    return RF_OK;
}

/* The children of a step, and its GPUs, go to the step that was added last. */
static int add_step_parts(struct absorbing *a, const struct rf_summary_step *step)
{
    int status = RF_OK;
    for (size_t i = 0; i < step->n_children && status == RF_OK; i++) {
        const struct rf_summary_step_child *child = &a->from->step_child[step->first_child + i];
        uint32_t path = path_of(a, child->path);
        status = path != RF_NO_INDEX
                     ? rf_summary_add_step_child(a->to, path, child->n, child->total)
                     : RF_ERR_NO_MEMORY;
    }
    return status == RF_OK ? rf_summary_copy_step_gpus(a->to, a->from, step) : status;
}

static int add_steps(struct absorbing *a)
{
    int status = RF_OK;
    for (size_t i = 0; i < a->from->n_steps && status == RF_OK; i++) {
        struct rf_summary_step step = a->from->step[i];
        if (a->input[step.input] == RF_NO_INDEX)
            continue;
        step.input = a->input[step.input];
        step.path = path_of(a, step.path);
        status = step.path != RF_NO_INDEX && find_string(a, step.host, &step.host)
                     ? rf_summary_add_step(a->to, &step)
                     : RF_ERR_NO_MEMORY;
        if (status == RF_OK)
            status = add_step_parts(a, &a->from->step[i]);
    }
    return status;
}

int rf_summary_absorb(rf_summary *to, const rf_summary *from, const struct rf_absorb_choice *choice,
                      struct rf_err *err)
{
    struct absorbing a = {to, from, {NULL, NULL}, NULL, NULL};
    if (choice != NULL)
        a.choice = *choice;
    a.input = malloc((from->n_inputs + 1) * sizeof(*a.input));
    a.path = malloc((from->n_paths + 1) * sizeof(*a.path));
    int status = a.input != NULL && a.path != NULL ? add_inputs(&a, err) : RF_ERR_NO_MEMORY;
    bool has_twice = status == RF_ERR_EXISTS;
    if (status == RF_OK || has_twice)
        status = add_paths(&a) ? add_rows(&a) : RF_ERR_NO_MEMORY;
    if (status == RF_OK)
        status = add_steps(&a);
    if (status == RF_OK)
        status = rf_summary_identities_absorb(to, from, a.input);
    if (status == RF_OK)
        status = rf_summary_collectives_absorb(to, from, a.input);
    if (status == RF_OK)
        status = rf_summary_counters_absorb(to, from, a.input, false);
    if (status == RF_OK)
        status = rf_counter_ranges_absorb(to, from, a.input);
    if (status == RF_OK)
        status = rf_summary_tallies_absorb(to, from, a.input, false);
    if (status == RF_OK)
        status = rf_summary_settings_absorb(to, from, a.input, false);
    free(a.input);
    free(a.path);
    if (status == RF_OK && has_twice)
        return RF_ERR_EXISTS; /* err says which */
    return rf_summary_fail(status, from->n_inputs > 0 ? from->input[0].path : "the sum", err);
}

int rf_summary_append_ranks(rf_summary *summary, const rf_summary *from, const char *ranks,
                            struct rf_err *err)
{
    const struct rf_absorb_choice choice = {.ranks = ranks};
    int status = ranks != NULL ? rf_rank_list_check(ranks, err) : RF_OK;
    if (status != RF_OK)
        return status;
    if (summary == NULL || from == NULL || summary == from)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_append: summary and from are not two");
    return rf_summary_absorb(summary, from, &choice, err);
}

int rf_summary_append(rf_summary *summary, const rf_summary *from, struct rf_err *err)
{
    return rf_summary_append_ranks(summary, from, NULL, err);
}

/* ---- All inputs as one ---- */

static int64_t same_or_none(int64_t a, int64_t b)
{
    return a == b ? a : -1;
}

/* Of times and of numbers it is the same in every order. */
static int join_input(struct rf_summary_input *to, const struct rf_summary_input *from)
{
    if (!rf_add_count(&to->n_inputs, from->n_inputs) ||
        !rf_add_count(&to->n_events, from->n_events) || !rf_add_count(&to->n_lost, from->n_lost) ||
        !rf_add_count(&to->n_cut, from->n_cut) ||
        !rf_add_count(&to->n_paths_folded, from->n_paths_folded) ||
        !rf_add_count(&to->n_searched, from->n_searched) ||
        !rf_add_count(&to->n_steps, from->n_steps) ||
        !rf_add_count(&to->n_steps_left_out, from->n_steps_left_out))
        return RF_ERR_UNSUPPORTED;
    to->start_utc_ns =
        from->start_utc_ns < to->start_utc_ns ? from->start_utc_ns : to->start_utc_ns;
    to->duration_ns = from->duration_ns > to->duration_ns ? from->duration_ns : to->duration_ns;
    to->rank = same_or_none(to->rank, from->rank);
    to->local_rank = same_or_none(to->local_rank, from->local_rank);
    to->world_size = same_or_none(to->world_size, from->world_size);
    to->host = strcmp(to->host, from->host) == 0 ? to->host : "";
    if (memcmp(to->boot_id, from->boot_id, sizeof(to->boot_id)) != 0)
        memset(to->boot_id, 0, sizeof(to->boot_id));
    to->filter = strcmp(to->filter, from->filter) == 0 ? to->filter : "differs";
    return RF_OK;
}

static int join_rows(rf_summary *to, const rf_summary *from)
{
    struct absorbing a = {to, from, {NULL, NULL}, NULL, NULL};
    a.input = calloc(from->n_inputs + 1, sizeof(*a.input)); /* all are input 0 */
    a.path = malloc((from->n_paths + 1) * sizeof(*a.path));
    int status = RF_ERR_NO_MEMORY;
    if (a.input != NULL && a.path != NULL && add_paths(&a))
        status = add_rows(&a);
    if (status == RF_OK)
        status = add_steps(&a);
    if (status == RF_OK)
        status = rf_summary_identities_absorb(to, from, a.input);
    if (status == RF_OK)
        status = rf_summary_collectives_absorb(to, from, a.input);
    if (status == RF_OK)
        status = rf_summary_counters_absorb(to, from, a.input, true);
    if (status == RF_OK)
        status = rf_summary_counters_join(to);
    if (status == RF_OK)
        status = rf_counter_ranges_absorb(to, from, a.input);
    if (status == RF_OK)
        status = rf_counter_ranges_join(to);
    if (status == RF_OK)
        status = rf_summary_tallies_absorb(to, from, a.input, true);
    if (status == RF_OK)
        status = rf_summary_settings_absorb(to, from, a.input, true);
    if (status == RF_OK)
        rf_summary_settings_sort(to);
    free(a.input);
    free(a.path);
    return status;
}

/* A recording that two inputs are of would count twice. */
static int check_once(const rf_summary *summary, struct rf_err *err)
{
    const struct rf_summary_identity *a, *b;
    char first[320], second[320];
    if (!rf_summary_find_twice(summary, &a, &b))
        return RF_OK;
    return rf_fail(err, RF_ERR_UNSUPPORTED,
                   "%s and %s have a recording in common, which would count twice: leave one of "
                   "them out",
                   rf_summary_identity_name(summary, a, first, sizeof(first)),
                   rf_summary_identity_name(summary, b, second, sizeof(second)));
}

int rf_summary_merge(rf_summary *summary, struct rf_err *err)
{
    char path[64];
    if (summary == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_summary_merge: summary is NULL");
    if (summary->n_inputs < 2)
        return RF_OK;
    int status = check_once(summary, err);
    if (status != RF_OK)
        return status;
    struct rf_summary_input input = summary->input[0];
    for (size_t i = 1; i < summary->n_inputs && status == RF_OK; i++)
        status = join_input(&input, &summary->input[i]);
    if (status != RF_OK) /* the number of inputs may be none */
        return rf_summary_fail(status, "all inputs", err);
    (void)snprintf(path, sizeof(path), "%llu inputs", (unsigned long long)input.n_inputs);
    input.path = path;
    rf_summary merged;
    rf_summary_init(&merged);
    status = rf_summary_add_input(&merged, &input);
    if (status == RF_OK)
        status = join_rows(&merged, summary);
    if (status != RF_OK) {
        rf_summary_release(&merged);
        return rf_summary_fail(status, path, err);
    }
    rf_summary_release(summary);
    *summary = merged;
    return RF_OK;
}
