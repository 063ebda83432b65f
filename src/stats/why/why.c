/* SPDX-License-Identifier: Apache-2.0 */
#include "rangefinder/why.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text_sink.h"
#include "model/same_recording.h"
#include "stats/why/why_judge.h"
#include "stats/why/why_store.h"
#include "stats/why/why_words.h"

struct rf_why {
    char *range;
    struct rf_seen_recordings seen;
    struct rf_why_store store;
    struct rf_why_judgement judgement;
    bool has_tried, is_found;
    char **path; /* of each group */
    char **view; /* of each slow instance */
};

static int no_memory(struct rf_err *err)
{
    return rf_fail(err, RF_ERR_NO_MEMORY, "out of memory");
}

int rf_why_new(const char *range, rf_why **out, struct rf_err *err)
{
    if (out != NULL)
        *out = NULL;
    if (range == NULL || out == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_why_new: range or out is NULL");
    rf_why *why = calloc(1, sizeof(*why));
    if (why == NULL)
        return no_memory(err);
    why->range = strdup(range);
    if (rf_why_store_init(&why->store) == RF_OK && why->range != NULL) {
        *out = why;
        return RF_OK;
    }
    rf_why_free(why);
    return no_memory(err);
}

void rf_why_free(rf_why *why)
{
    if (why == NULL)
        return;
    for (size_t i = 0; why->path != NULL && i < why->judgement.n_groups; i++)
        free(why->path[i]);
    for (size_t i = 0; why->view != NULL && i < why->judgement.n_slow; i++)
        free(why->view[i]);
    free(why->path);
    free(why->view);
    rf_why_judgement_release(&why->judgement);
    rf_why_store_release(&why->store);
    rf_seen_recordings_release(&why->seen);
    free(why->range);
    free(why);
}

int rf_why_add(rf_why *why, const rf_recording *rec, const char *path, struct rf_err *err)
{
    if (why == NULL || path == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_why_add: why or path is NULL");
    if (why->has_tried)
        return rf_fail(err, RF_ERR_USAGE, "rf_why_add: the answer was found before");
    int status = rec != NULL ? rf_seen_recordings_add(&why->seen, rec, path, err) : RF_OK;
    if (status == RF_OK)
        status = rf_why_store_add(&why->store, rec, why->range, path, err);
    return status == RF_ERR_NO_MEMORY ? no_memory(err) : status;
}

/* ---- The answer ---- */

/* Of a gap its name is the range behind it. */
static char *new_path(const rf_why *why, const struct rf_why_group *group)
{
    const struct rf_why_tree *tree = &why->store.tree;
    return group->part == RF_WHY_GAP ? strdup(tree->node[group->node].text)
                                     : rf_why_tree_path(tree, group->node);
}

static char *new_view(const rf_why *why, const struct rf_why_slow *slow)
{
    const struct rf_why_one *one = &why->store.one[slow->one];
    const char *name = why->store.name[one->name];
    size_t size = strlen(name) + 24;
    char *view = malloc(size);
    if (view != NULL)
        (void)snprintf(view, size, "%s/%llu", name, (unsigned long long)one->index);
    return view;
}

static int make_texts(rf_why *why)
{
    const struct rf_why_judgement *judgement = &why->judgement;
    why->path = calloc(judgement->n_groups + 1, sizeof(*why->path));
    why->view = calloc(judgement->n_slow + 1, sizeof(*why->view));
    if (why->path == NULL || why->view == NULL)
        return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < judgement->n_groups; i++)
        if ((why->path[i] = new_path(why, &judgement->group[i])) == NULL)
            return RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < judgement->n_slow; i++)
        if ((why->view[i] = new_view(why, &judgement->slow[i])) == NULL)
            return RF_ERR_NO_MEMORY;
    return RF_OK;
}

int rf_why_find(rf_why *why, struct rf_why_verdict *verdict, struct rf_err *err)
{
    if (why == NULL)
        return rf_fail(err, RF_ERR_USAGE, "rf_why_find: why is NULL");
    if (!why->has_tried)
        why->is_found =
            rf_why_judge(&why->judgement, &why->store) == RF_OK && make_texts(why) == RF_OK;
    why->has_tried = true;
    if (!why->is_found)
        return no_memory(err);
    if (verdict != NULL &&
        rf_sized_write(verdict, sizeof(*verdict), &why->judgement.verdict) != RF_SIZED_OK)
        return rf_fail(err, RF_ERR_USAGE, "rf_why_find: verdict->size is not set");
    return RF_OK;
}

static uint64_t to_ns(double ns)
{
    return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

int rf_why_cause_at(const rf_why *why, size_t i, struct rf_why_cause *out)
{
    if (why == NULL || !why->is_found || i >= why->judgement.n_groups)
        return RF_ERR_USAGE;
    const struct rf_why_judgement *judgement = &why->judgement;
    const struct rf_why_group *group = &judgement->group[i];
    const struct rf_why_node *node = why->store.tree.node;
    const bool is_self = group->part == RF_WHY_SELF, has_work = group->work != RF_NO_INDEX;
    const bool has_other = group->other != RF_NO_INDEX;
    double n = (double)group->n;
    double typical_ns = (is_self ? judgement->typical_own_ns : judgement->typical_ns)[group->node];
    const struct rf_why_cause cause = {
        .part = group->part,
        .path = why->path[i],
        .call = group->part == RF_WHY_CALL ? node[group->node].text : "",
        .n_slow = group->n,
        .ns = to_ns(group->ns / n),
        .typical_ns = to_ns(typical_ns),
        .count = group->count / n,
        .typical_count = judgement->typical_count[group->node],
        .share = group->excess_ns > 0 ? 100 * (group->ns - n * typical_ns) / group->excess_ns : 0,
        .chance = group->chance,
        .work = has_work ? node[group->work].text : "",
        .work_ns = has_work ? to_ns(group->work_ns / n) : 0,
        .typical_work_ns = has_work ? to_ns(judgement->typical_ns[group->work]) : 0,
        .other = has_other ? node[group->other].text : "",
        .other_thread = has_other ? node[node[group->other].parent].text : "",
        .other_ns = has_other ? to_ns(group->other_ns / n) : 0,
        .typical_other_ns = has_other ? to_ns(judgement->typical_ns[group->other]) : 0,
    };
    return rf_sized_write(out, sizeof(cause), &cause) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}

int rf_why_cause_text(const rf_why *why, size_t i, char *text, size_t size)
{
    struct rf_why_cause cause = RF_WHY_CAUSE_INIT;
    struct rf_text_sink words;
    if (text == NULL || size == 0 || rf_why_cause_at(why, i, &cause) != RF_OK)
        return RF_ERR_USAGE;
    char *line = NULL;
    if (rf_text_sink_init(&words) == RF_OK) {
        rf_why_put_where(&words.sink, &cause);
        line = rf_text_sink_take(&words);
    }
    if (line != NULL)
        rf_cut_text(text, size, line);
    rf_text_sink_release(&words);
    free(line);
    return line != NULL ? RF_OK : RF_ERR_NO_MEMORY;
}

int rf_why_instance_at(const rf_why *why, size_t i, struct rf_why_instance *out)
{
    if (why == NULL || !why->is_found || i >= why->judgement.n_slow)
        return RF_ERR_USAGE;
    const struct rf_why_slow *slow = &why->judgement.slow[i];
    const struct rf_why_one *one = &why->store.one[slow->one];
    const struct rf_why_instance instance = {
        .input = why->store.input[one->input],
        .view = why->view[i],
        .pid = one->pid,
        .tid = one->tid,
        .start_ns = one->start_ns,
        .duration_ns = one->duration_ns,
        .excess_ns = slow->excess_ns,
        .cause = slow->cause != RF_NO_INDEX ? slow->cause : UINT64_MAX,
    };
    return rf_sized_write(out, sizeof(instance), &instance) == RF_SIZED_OK ? RF_OK : RF_ERR_USAGE;
}
