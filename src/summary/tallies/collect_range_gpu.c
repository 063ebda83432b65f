/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU work of ranges: by domain, name and style what their projections add up to, and how much
 * of the work lies under ranges. */
#include "model/private_access.h"
#include "model/projection/range_tree.h"
#include "model/sums/projected_sums.h"
#include "summary/collect.h"

/* The sums of a tally. */
enum { RANGE_NS, N_CALLS, N_LEVELS, N_CHILDREN };

static struct rf_tally_key key_of(struct rf_collecting *c, uint32_t domain, uint32_t name,
                                  uint32_t kind)
{
    struct rf_tally_key key = RF_TALLY_NO_KEY;
    key.kind = RF_TALLY_RANGE_GPU;
    key.domain = rf_collect_domain(c, domain);
    key.name = rf_collect_range_name(c, name);
    key.style =
        rf_collect_text(c, rf_summary_kind_name(kind == RF_EVENT_PUSH_POP ? RF_SUMMARY_PUSH_POP
                                                                          : RF_SUMMARY_START_END));
    return key;
}

static void add_sums(struct rf_collecting *c, const struct rf_tally_key *key, const uint64_t *sum)
{
    for (unsigned i = 0; i < RF_TALLY_SUMS; i++)
        rf_collect_tally_sum(c, key, i, sum[i]);
}

/* ---- Where ranges and work are in memory ---- */

static void add_projection(struct rf_collecting *c, const struct rf_range_tree *tree, size_t i)
{
    const struct rf_projection *projection = &tree->projection[i];
    const struct rf_event *range = rf_range_of(tree->rec, projection);
    const struct rf_tally_key key = key_of(c, range->domain, range->name, range->kind);
    const uint64_t sum[RF_TALLY_SUMS] = {[RANGE_NS] =
                                             (uint64_t)range->end_ns - (uint64_t)range->start_ns,
                                         [N_CALLS] = projection->n_calls,
                                         [N_LEVELS] = tree->node[i].level,
                                         [N_CHILDREN] = tree->node[i].n_children};
    rf_collect_tally(c, &key, (uint64_t)projection->end_ns - (uint64_t)projection->start_ns);
    add_sums(c, &key, sum);
}

static void add_projections(struct rf_collecting *c)
{
    struct rf_range_tree tree;
    (void)rf_collect_fail(c, rf_range_tree_of(&tree, c->rec, c->projections));
    for (size_t i = 0; i < tree.n && c->status == RF_OK; i++)
        add_projection(c, &tree, i);
    tree.projections = NULL; /* they are c's */
    rf_range_tree_release(&tree);
}

/* ---- Where they were added up as they were read ---- */

static void add_projected(struct rf_collecting *c, const struct rf_projected_sums *sums)
{
    for (uint32_t i = 0; i < sums->n_ranges && c->status == RF_OK; i++) {
        const struct rf_projected_ranges *from = &sums->ranges[i];
        if (from->ns.n_values == 0) /* they have no work */
            continue;
        const struct rf_tally_key key = key_of(c, from->domain, from->name, from->kind);
        const uint64_t sum[RF_TALLY_SUMS] = {[RANGE_NS] = from->range_ns,
                                             [N_CALLS] = from->n_calls,
                                             [N_LEVELS] = from->n_levels,
                                             [N_CHILDREN] = from->n_children};
        rf_collect_tally_counts(c, &key, &from->ns);
        add_sums(c, &key, sum);
    }
}

void rf_collect_range_gpu(struct rf_collecting *c)
{
    const struct rf_projected_sums *sums = rf_recording_projected_sums(c->rec);
    struct rf_coverage coverage = RF_COVERAGE_INIT;
    size_t n_ops = 0;
    (void)rf_gpu_ops(c->rec, &n_ops);
    if (sums == NULL && rf_recording_named_work(c->rec) != NULL)
        return; /* it is not known */
    rf_collect_searched(c, RF_TALLY_RANGE_GPU);
    if (sums != NULL) {
        add_projected(c, sums);
        rf_collect_coverage(c, RF_TALLY_COVERAGE, &sums->all);
        rf_collect_note(c, RF_TALLY_ENDED_ELSEWHERE, sums->n_left_out);
    } else if (n_ops > 0) {
        add_projections(c);
        (void)rf_projection_coverage(c->projections, &coverage);
        rf_collect_coverage(c, RF_TALLY_COVERAGE, &coverage);
        rf_collect_note(c, RF_TALLY_ENDED_ELSEWHERE, rf_count_ended_elsewhere(c->rec));
    }
}
