/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/step_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fold_numbers.h"
#include "base/grow.h"

/* ---- Loops ---- */

/* "domain:step #", which the caller frees; NULL: out of memory. */
static char *fold(const struct rf_step_lane_name *name)
{
    const size_t before = name->domain != NULL ? name->domain_size + 1 : 0;
    char *label = malloc(before + name->name_size + 1);
    if (label == NULL)
        return NULL;
    if (before > 0) {
        memcpy(label, name->domain, name->domain_size);
        label[name->domain_size] = ':';
    }
    label[before + rf_fold_numbers(label + before, name->name, name->name_size)] = '\0';
    return label;
}

/* The loops of a job are few. RF_NO_INDEX: out of memory. */
static uint32_t find_loop(struct rf_step_lanes *lanes, const struct rf_step_lane_name *name)
{
    char *label = fold(name);
    if (label == NULL)
        return RF_NO_INDEX;
    for (size_t i = 0; i < lanes->n_loops; i++)
        if (strcmp(lanes->loop[i], label) == 0) {
            free(label);
            return (uint32_t)i;
        }
    if (rf_grow_array(&lanes->loop, lanes->n_loops, &lanes->loop_room, sizeof(*lanes->loop)) !=
        RF_OK) {
        free(label);
        return RF_NO_INDEX;
    }
    lanes->loop[lanes->n_loops] = label;
    return (uint32_t)lanes->n_loops++;
}

/* ---- Lanes ---- */

struct rf_step_lane *rf_step_lanes_add(struct rf_step_lanes *lanes, const struct rf_step_lane *lane,
                                       const struct rf_step_lane_name *name)
{
    const uint32_t loop = find_loop(lanes, name);
    if (loop == RF_NO_INDEX ||
        rf_grow_array(&lanes->lane, lanes->n, &lanes->room, sizeof(*lanes->lane)) != RF_OK)
        return NULL;
    struct rf_step_lane *added = &lanes->lane[lanes->n++];
    *added = *lane;
    added->loop = loop;
    added->step = NULL;
    added->n = added->room = 0;
    return added;
}

bool rf_step_lane_add(struct rf_step_lane *lane, int64_t start_ns, uint64_t duration_ns)
{
    if (rf_grow_array(&lane->step, lane->n, &lane->room, sizeof(*lane->step)) != RF_OK)
        return false;
    lane->step[lane->n++] = (struct rf_lane_instance){start_ns, duration_ns};
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct rf_step_lane *a = left, *b = right;
    if (a->loop != b->loop)
        return a->loop < b->loop ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    int order = strcmp(a->host, b->host);
    if (order != 0)
        return order;
    return a->pid != b->pid ? (a->pid < b->pid ? -1 : 1) : (a->tid > b->tid) - (a->tid < b->tid);
}

static bool is_neighbour(const struct rf_step_lanes *lanes, size_t i, size_t other, bool of_rank)
{
    const struct rf_step_lane *lane = lanes->lane;
    return other < lanes->n && lane[i].loop == lane[other].loop &&
           (!of_rank || lane[i].rank == lane[other].rank);
}

/* The rank alone where no other lane of the loop has it. */
static void set_label(struct rf_step_lanes *lanes, size_t i)
{
    struct rf_step_lane *lane = &lanes->lane[i];
    const bool is_alone =
        !is_neighbour(lanes, i, i - 1, true) && !is_neighbour(lanes, i, i + 1, true);
    char rank[40] = "";
    if (lane->rank >= 0)
        (void)snprintf(rank, sizeof(rank), "rank %lld", (long long)lane->rank);
    if (lane->rank >= 0 && is_alone)
        (void)snprintf(lane->label, sizeof(lane->label), "%s", rank);
    else
        (void)snprintf(lane->label, sizeof(lane->label), "%s%s%.40s %u/%u", rank,
                       rank[0] != '\0' ? " " : "", lane->host, lane->pid, lane->tid);
}

void rf_step_lanes_settle(struct rf_step_lanes *lanes)
{
    if (lanes->n > 0)
        qsort(lanes->lane, lanes->n, sizeof(*lanes->lane), compare);
    for (size_t i = 0; i < lanes->n; i++)
        set_label(lanes, i);
}

void rf_step_lanes_release(struct rf_step_lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++)
        free(lanes->lane[i].step);
    for (size_t i = 0; i < lanes->n_loops; i++)
        free(lanes->loop[i]);
    free(lanes->lane);
    free(lanes->loop);
    *lanes = (struct rf_step_lanes){.n = 0};
}
