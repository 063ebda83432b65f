/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/why/why_collect.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "stats/range_labels.h"
#include "stats/why/why_meanwhile.h"

/* What the thread is in. Those that have ended stay below others until these end too. */
struct open {
    int64_t end_ns;
    uint32_t node;
    bool is_call;
};

/* The node that a folded key had last. */
struct memo {
    uint32_t parent; /* and 1 more; 0: none yet */
    uint32_t node;
};

struct memos {
    struct rf_map of_key; /* (parent, folded key) to node */
    struct memo *memo;    /* per folded key */
    size_t room;
};

struct collector {
    struct rf_why_store *store;
    const rf_recording *rec;
    struct rf_range_keys *keys;
    struct memos of_range;
    struct memos of_gap;     /* the same of the gap before it */
    struct memos of_other;   /* (thread's node, folded key) to node */
    struct rf_map of_thread; /* (thread, 0) to node */
    struct rf_why_meanwhile meanwhile;
    struct rf_map of_call; /* (parent, string) to node */
    struct rf_map of_work; /* (kind, string) to node */
    struct rf_map of_name; /* (domain, string) to rf_why_store.name */
    size_t *share_of;      /* per node: 1 more than the index of its last share */
    size_t shares_room;
    struct open *open;
    size_t n_open, open_room;
    int64_t at_ns;     /* the instance's parts are known up to here */
    uint64_t gap_ns;   /* of what precedes, directly in the instance, since the last range in it */
    bool has_child;    /* a range directly in the instance */
    uint64_t n_visits; /* events and calls that may still be looked at: instances that overlap
                        * would otherwise make it quadratic */
    size_t next_call;  /* of the thread: those before it begin before the instance */
    struct rf_why_one *one;
};

/* ---- Shares ---- */

static int add_share(struct collector *c, uint32_t node, uint32_t count, uint64_t ns)
{
    struct rf_why_store *store = c->store;
    if (node == RF_NO_INDEX)
        return RF_ERR_NO_MEMORY;
    while (node >= c->shares_room) {
        size_t before = c->shares_room;
        if (rf_grow_array(&c->share_of, before, &c->shares_room, sizeof(*c->share_of)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        memset(c->share_of + before, 0, (c->shares_room - before) * sizeof(*c->share_of));
    }
    if (c->share_of[node] <= c->one->first_share) {
        if (rf_grow_array(&store->share, store->n_shares, &store->shares_room,
                          sizeof(*store->share)) != RF_OK)
            return RF_ERR_NO_MEMORY;
        store->share[store->n_shares++] = (struct rf_why_share){.node = node};
        c->share_of[node] = store->n_shares;
        c->one->n_shares++;
    }
    store->share[c->share_of[node] - 1].count += count;
    store->share[c->share_of[node] - 1].ns += ns;
    return RF_OK;
}

/* ---- Nodes ---- */

/* The label of a range with # for each number. A default domain has no name. */
static uint32_t new_range_node(struct collector *c, uint32_t parent, uint32_t kind, uint32_t folded)
{
    const struct rf_range_key *key = &c->keys->key[folded];
    struct rf_cell cell = {.text = NULL};
    size_t n = 0;
    if (!rf_cell_set_range(&cell, c->rec, key->domain, key->name))
        return RF_NO_INDEX;
    char *text = malloc(cell.size + 1);
    bool skips = cell.size > 0 && cell.text[0] == ':';
    for (size_t i = skips; text != NULL && i < cell.size && cell.text[i] != '\0'; i++) {
        bool is_digit = cell.text[i] >= '0' && cell.text[i] <= '9';
        if (!is_digit)
            text[n++] = cell.text[i];
        else if (i == 0 || cell.text[i - 1] < '0' || cell.text[i - 1] > '9')
            text[n++] = '#';
    }
    uint32_t node =
        text != NULL ? rf_why_tree_find(&c->store->tree, parent, kind, text, n) : RF_NO_INDEX;
    free(text);
    free((char *)cell.text);
    return node;
}

static struct memo *memo_of(struct memos *memos, uint32_t folded)
{
    while (folded >= memos->room) {
        size_t before = memos->room;
        if (rf_grow_array(&memos->memo, before, &memos->room, sizeof(*memos->memo)) != RF_OK)
            return NULL;
        memset(memos->memo + before, 0, (memos->room - before) * sizeof(*memos->memo));
    }
    return &memos->memo[folded];
}

static uint32_t range_node(struct collector *c, struct memos *memos, uint32_t parent, uint32_t kind,
                           const struct rf_event *range)
{
    uint32_t key = rf_range_keys_find(c->keys, range);
    uint32_t folded = key != RF_NO_INDEX ? c->keys->key[key].folded : 0;
    struct memo *memo = key != RF_NO_INDEX ? memo_of(memos, folded) : NULL;
    if (memo == NULL || memo->parent == parent + 1)
        return memo != NULL ? memo->node : RF_NO_INDEX;
    uint32_t node = rf_map_find(&memos->of_key, parent, folded);
    if (node == RF_MAP_NONE) {
        node = new_range_node(c, parent, kind, folded);
        if (node == RF_NO_INDEX || rf_map_set(&memos->of_key, parent, folded, node) != RF_OK)
            return RF_NO_INDEX;
    }
    *memo = (struct memo){parent + 1, node};
    return node;
}

/* of: distinguishes texts of one number. */
static uint32_t text_node(struct collector *c, struct rf_map *map, uint32_t parent, uint32_t kind,
                          uint32_t string, uint64_t of, const char *otherwise)
{
    uint32_t node = rf_map_find(map, of, string);
    if (node != RF_MAP_NONE)
        return node;
    size_t size = 0;
    const char *text = rf_string(c->rec, string, &size);
    text = text != NULL ? text : otherwise;
    node = rf_why_tree_find(&c->store->tree, parent, kind, text, strlen(text));
    return node != RF_NO_INDEX && rf_map_set(map, of, string, node) == RF_OK ? node : RF_NO_INDEX;
}

/* ---- Time ---- */

/* Time directly in the instance belongs to the gap before the next range in it. */
static int spend(struct collector *c, int64_t until_ns)
{
    uint64_t ns = (uint64_t)until_ns - (uint64_t)c->at_ns;
    c->at_ns = until_ns;
    if (c->n_open > 0)
        return add_share(c, c->open[c->n_open - 1].node, 0, ns);
    c->gap_ns += ns;
    return RF_OK;
}

/* Gives the time up to until_ns to what was open. */
static int settle(struct collector *c, int64_t until_ns)
{
    int status = RF_OK;
    while (status == RF_OK && c->n_open > 0 && c->open[c->n_open - 1].end_ns <= until_ns) {
        if (c->open[c->n_open - 1].end_ns > c->at_ns)
            status = spend(c, c->open[c->n_open - 1].end_ns);
        c->n_open--;
    }
    return status == RF_OK && until_ns > c->at_ns ? spend(c, until_ns) : status;
}

static int push(struct collector *c, struct open open)
{
    if (open.node == RF_NO_INDEX ||
        rf_grow_array(&c->open, c->n_open, &c->open_room, sizeof(*c->open)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    c->open[c->n_open++] = open;
    return add_share(c, open.node, 1, 0);
}

static uint32_t innermost(const struct collector *c)
{
    return c->n_open > 0 ? c->open[c->n_open - 1].node : RF_WHY_ROOT;
}

static int begin_range(struct collector *c, const struct rf_event *range, int64_t end_ns)
{
    uint32_t parent = innermost(c);
    int status = RF_OK;
    if (c->n_open == 0) {
        uint32_t gap = range_node(c, &c->of_gap, RF_WHY_GAPS_NODE, RF_WHY_NODE_GAP, range);
        status = add_share(c, gap, 0, c->gap_ns);
        c->gap_ns = 0;
        c->has_child = true;
    }
    uint32_t node = range_node(c, &c->of_range, parent, RF_WHY_NODE_RANGE, range);
    return status == RF_OK ? push(c, (struct open){end_ns, node, false}) : status;
}

static int add_work(struct collector *c, const struct rf_call *call)
{
    int status = RF_OK;
    size_t n_ops = 0;
    const struct rf_gpu_op *ops = rf_gpu_ops(c->rec, &n_ops);
    for (uint32_t i = call->first_op; i < n_ops && status == RF_OK; i = ops[i].next_op) {
        uint32_t node = text_node(c, &c->of_work, RF_WHY_WORK, RF_WHY_NODE_WORK, ops[i].name,
                                  ops[i].kind, rf_gpu_op_kind_name(ops[i].kind));
        status = add_share(c, node, 1, (uint64_t)ops[i].end_ns - (uint64_t)ops[i].start_ns);
    }
    return status;
}

/* A call in another one, as those of the driver in those of the runtime, is part of it. */
static int begin_call(struct collector *c, const struct rf_call *call, int64_t end_ns)
{
    int status = add_work(c, call);
    if (status != RF_OK || (c->n_open > 0 && c->open[c->n_open - 1].is_call))
        return status;
    uint32_t parent = innermost(c);
    uint32_t node =
        text_node(c, &c->of_call, parent, RF_WHY_NODE_CALL, call->name, parent, "(unnamed)");
    return push(c, (struct open){end_ns, node, true});
}

/* ---- An instance ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The next range in the instance: *i is at it, or at the first event behind the instance. */
static const struct rf_event *next_range(const struct rf_event *event, size_t n, size_t *i,
                                         int64_t end_ns)
{
    for (; *i < n && event[*i].start_ns < end_ns; ++*i)
        if (event[*i].kind == RF_EVENT_PUSH_POP)
            return &event[*i];
    return NULL;
}

static int sweep(struct collector *c, const struct rf_why_range *range)
{
    size_t n_events = 0, n_calls = 0, i = (size_t)range->at.event + 1, j;
    const struct rf_event *event = rf_thread_events(c->rec, range->at.thread, &n_events);
    const struct rf_call *call = rf_thread_calls(c->rec, range->at.thread, &n_calls);
    int status = RF_OK;
    while (c->next_call < n_calls && call[c->next_call].start_ns < range->at.start_ns)
        c->next_call++;
    for (j = c->next_call; status == RF_OK && c->n_visits > 0; c->n_visits--) {
        const struct rf_event *child = next_range(event, n_events, &i, range->at.end_ns);
        bool has_call = j < n_calls && call[j].start_ns < range->at.end_ns;
        if (child == NULL && !has_call)
            break;
        if (child != NULL && (!has_call || child->start_ns <= call[j].start_ns)) {
            status = settle(c, child->start_ns);
            if (status == RF_OK)
                status = begin_range(c, child, least(child->end_ns, range->at.end_ns));
            i++;
        } else {
            status = settle(c, call[j].start_ns);
            if (status == RF_OK)
                status = begin_call(c, &call[j], least(call[j].end_ns, range->at.end_ns));
            j++;
        }
    }
    return status == RF_OK ? settle(c, range->at.end_ns) : status;
}

/* What is left belongs to the instance itself, where no range is in it, or is behind the last. */
static int finish(struct collector *c)
{
    uint32_t node = RF_WHY_ROOT;
    if (c->has_child)
        node = rf_why_tree_find(&c->store->tree, RF_WHY_GAPS_NODE, RF_WHY_NODE_GAP, "", 0);
    return add_share(c, node, 0, c->gap_ns);
}

/* ---- Other threads ---- */

static uint32_t thread_node(struct collector *c, uint32_t thread)
{
    uint32_t node = rf_map_find(&c->of_thread, thread, 0);
    char number[32];
    if (node != RF_MAP_NONE)
        return node;
    const struct rf_thread *of = rf_thread_at(c->rec, thread);
    const char *name = rf_string(c->rec, of->name, NULL);
    (void)snprintf(number, sizeof(number), "%u", of->tid);
    name = name != NULL && name[0] != '\0' ? name : number;
    node =
        rf_why_tree_find(&c->store->tree, RF_WHY_MEANWHILE, RF_WHY_NODE_THREAD, name, strlen(name));
    return node != RF_NO_INDEX && rf_map_set(&c->of_thread, thread, 0, node) == RF_OK ? node
                                                                                      : RF_NO_INDEX;
}

static int add_other(void *context, uint32_t thread, const struct rf_event *range, uint64_t ns)
{
    struct collector *c = context;
    uint32_t parent = thread_node(c, thread);
    uint32_t node = RF_NO_INDEX;
    if (parent != RF_NO_INDEX)
        node = range_node(c, &c->of_other, parent, RF_WHY_NODE_OTHER, range);
    return add_share(c, node, 0, ns);
}

/* ---- The instances of a recording ---- */

/* The name of an instance for --at: its message and domain. */
static uint32_t name_of(struct collector *c, uint32_t key)
{
    struct rf_why_store *store = c->store;
    const struct rf_range_key *of = &c->keys->key[key];
    uint32_t found = rf_map_find(&c->of_name, of->domain, of->name);
    if (found != RF_MAP_NONE)
        return found;
    const struct rf_domain *domain = rf_domain_at(c->rec, of->domain);
    const char *message = rf_string(c->rec, of->name, NULL);
    const char *in = domain->id != 0 ? rf_string(c->rec, domain->name, NULL) : "";
    message = message != NULL ? message : "";
    in = in != NULL ? in : "";
    size_t size = strlen(message) + strlen(in) + 2;
    char *name = malloc(size);
    if (name == NULL || rf_grow_array(&store->name, store->n_names, &store->names_room,
                                      sizeof(*store->name)) != RF_OK) {
        free(name);
        return RF_NO_INDEX;
    }
    (void)snprintf(name, size, "%s@%s", message, in);
    store->name[store->n_names] = name;
    return rf_map_set(&c->of_name, of->domain, of->name, (uint32_t)store->n_names++) == RF_OK
               ? (uint32_t)store->n_names - 1
               : RF_NO_INDEX;
}

static int add_instance(struct collector *c, const struct rf_why_range *range)
{
    struct rf_why_store *store = c->store;
    const struct rf_thread *thread = rf_thread_at(c->rec, range->at.thread);
    struct rf_why_one one = {
        .start_ns = range->at.start_ns,
        .duration_ns = (uint64_t)range->at.end_ns - (uint64_t)range->at.start_ns,
        .index = range->index,
        .name = name_of(c, range->key),
        .input = (uint32_t)store->n_inputs - 1,
        .pid = rf_process_at(c->rec, thread->process)->pid,
        .tid = thread->tid,
        .first_share = store->n_shares,
    };
    if (one.name == RF_NO_INDEX ||
        rf_grow_array(&store->one, store->n, &store->room, sizeof(one)) != RF_OK)
        return RF_ERR_NO_MEMORY;
    c->one = &one;
    c->at_ns = range->at.start_ns;
    c->gap_ns = 0;
    c->has_child = false;
    c->n_open = 0;
    int status = sweep(c, range);
    if (status == RF_OK)
        status = finish(c);
    if (status == RF_OK)
        status = rf_why_meanwhile_between(&c->meanwhile, range->at.start_ns, range->at.end_ns,
                                          add_other, c);
    if (c->n_visits > 0)
        store->one[store->n++] = one;
    else
        store->n_left_out++;
    return status;
}

static void release_memos(struct memos *memos)
{
    rf_map_release(&memos->of_key);
    free(memos->memo);
}

static uint64_t count_visits(const rf_recording *rec, uint32_t thread)
{
    size_t n_events = 0, n_calls = 0;
    (void)rf_thread_events(rec, thread, &n_events);
    (void)rf_thread_calls(rec, thread, &n_calls);
    return 16 * ((uint64_t)n_events + n_calls);
}

int rf_why_collect(struct rf_why_store *store, const rf_recording *rec,
                   struct rf_why_instances *instances)
{
    struct collector c = {.store = store, .rec = rec, .keys = &instances->keys};
    const size_t n_all = store->n + instances->n;
    int status = rf_reserve_array(&store->one, n_all, &store->room, sizeof(*store->one));
    rf_why_meanwhile_init(&c.meanwhile, rec);
    store->n_left_out += instances->n_cut;
    for (size_t i = 0; i < instances->n && status == RF_OK; i++) {
        uint32_t thread = instances->range[i].at.thread;
        if (i == 0 || thread != instances->range[i - 1].at.thread) {
            c.n_visits = count_visits(rec, thread);
            c.next_call = 0;
            rf_why_meanwhile_begin(&c.meanwhile, thread);
        }
        status = add_instance(&c, &instances->range[i]);
    }
    release_memos(&c.of_range);
    release_memos(&c.of_gap);
    release_memos(&c.of_other);
    rf_map_release(&c.of_thread);
    rf_why_meanwhile_release(&c.meanwhile);
    rf_map_release(&c.of_call);
    rf_map_release(&c.of_work);
    rf_map_release(&c.of_name);
    free(c.share_of);
    free(c.open);
    return status;
}
