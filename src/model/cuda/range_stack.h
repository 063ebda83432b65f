/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of one thread, given in the order of their records: those that are open, and those
 * that ended last. Which of them are around a call is answered for calls that come in about the
 * order of their ends, and which of these is the innermost one as rf_call_owner() has it
 * (docs/projection.md). Otherwise is_uncertain: all ranges have to be in memory.
 *
 * Open ranges are a list by start, from the last one outwards, and lists that were stay as they
 * were: a node is a range and the list of those around it. Where a range ends that is not the last
 * one, ranges cross: those behind it get new nodes. */
#ifndef RF_MODEL_CUDA_RANGE_STACK_H
#define RF_MODEL_CUDA_RANGE_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_range_stack;

struct rf_range_node {
    int64_t start_ns;
    int64_t end_ns; /* of its first node; while it is open, where it ends at the latest by what was
                     * said of it. Of a further one: when that was made */
    struct rf_range_stack *of;
    uint32_t around;  /* the node of the range that began before it; RF_NO_INDEX: none is open */
    uint32_t range;   /* the first node of its range, which has what is said below */
    uint32_t inside;  /* with has_more: what around is of its last node */
    uint32_t tag;     /* the caller's, of all nodes of a range */
    uint32_t n_users; /* 0: it is free, and around the next one that is */
    uint32_t n_more;  /* of these: further nodes of its range. Where there are no others it is in no
                       * list any more, and nothing around it */
    bool is_open, has_more; /* of the range of a first node: it is open, it has further nodes */
    bool is_leaving;        /* likewise: it is among those that end together */
    bool is_nested;         /* it was said to end before those around it */
};

/* Is told of nodes. */
struct rf_range_listener {
    int (*added)(void *context, uint32_t node);   /* a further node of a range is new */
    void (*left)(void *context, uint32_t node);   /* NULL, or before it is in no list any more */
    void (*let_go)(void *context, uint32_t node); /* before a node is free */
    void *context;
};

#define RF_RANGE_LISTENERS 2

/* The ranges of all threads that are held. */
struct rf_range_pool {
    struct rf_range_node *node;
    uint32_t n, first_free; /* RF_NO_INDEX: none */
    size_t room;
    size_t n_used, max_used;   /* nodes that are not free */
    size_t n_ended, max_ended; /* those that ended, and how many of them are held */
    size_t most_ended;      /* as max_ended grows, and what goes with it, where calls come late */
    size_t max_of_thread;   /* at most that many of a thread; a power of two */
    size_t least_of_thread; /* that many even where others hold all */
    uint64_t n_steps;       /* that answers took */
    struct rf_range_listener listener[RF_RANGE_LISTENERS];
    unsigned n_listeners;
    bool (*make_room)(void *of_room, int64_t ns); /* NULL, or lets go of the node of a call that
                                                   * ended up to then; false: of none */
    void *of_room;
};

/* A range ended. */
struct rf_range_end {
    int64_t ns;
    uint32_t node; /* of the last range that was open then */
};

struct rf_range_stack {
    uint32_t open;                      /* the last node that is open; RF_NO_INDEX: none */
    struct rf_range_end *ended;         /* by time; their places are modulo room */
    size_t begin, end;                  /* their numbers: of all that ended */
    size_t room;                        /* a power of two, or 0 */
    int64_t last_start_ns, last_end_ns; /* of those that came */
    int64_t last_empty_ns;              /* where a range without a duration was */
    size_t n_leaving;                   /* open ranges that end together */
    bool has_started, has_ended, has_empty;
    bool has_crossed;
    bool is_uncertain; /* sticky */
};

/* max_of_thread: a power of two. Nothing is allocated. In use is a small multiple of max_ended at
 * most: where that is not enough, those that ended are let go of, then it is uncertain. */
void rf_range_pool_init(struct rf_range_pool *pool, size_t max_ended, size_t max_of_thread,
                        size_t least_of_thread);
void rf_range_pool_release(struct rf_range_pool *pool);

/* One more listener, of RF_RANGE_LISTENERS. */
void rf_range_pool_listen(struct rf_range_pool *pool, const struct rf_range_listener *listener);

/* A stack stays where it is while ranges of it are held. */
void rf_range_stack_init(struct rf_range_stack *s);
void rf_range_stack_release(struct rf_range_stack *s);

/* A range begins: its node is s->open. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_range_stack_push(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t start_ns,
                        uint32_t tag);

/* An open range ends, by its first node. Likewise. */
int rf_range_stack_take(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t range,
                        int64_t end_ns);

/* An open range, by its first node, ends together with others, before any other one begins or ends;
 * when is said later. */
void rf_range_stack_leave(struct rf_range_stack *s, struct rf_range_pool *pool, uint32_t range);

/* All of these end, the last one to begin first. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below.
 */
int rf_range_stack_take_leaving(struct rf_range_stack *s, struct rf_range_pool *pool,
                                int64_t end_ns);

/* The last one ends, if there is one. */
int rf_range_stack_pop(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t end_ns);

/* All that is held of the thread is let go of, open ranges too. */
void rf_range_stack_end(struct rf_range_stack *s, struct rf_range_pool *pool);

/* One user more of a node, and one less. */
void rf_range_pool_use(struct rf_range_pool *pool, uint32_t node);
void rf_range_pool_drop(struct rf_range_pool *pool, uint32_t node);

/* The node whose range, and those around the node, are the ranges around a call; valid until the
 * next range ends; RF_NO_INDEX: none is. All that begins or ends up to the end of the call has
 * come. */
uint32_t rf_range_stack_find(struct rf_range_stack *s, struct rf_range_pool *pool, int64_t start_ns,
                             int64_t end_ns);

/* The first node of the innermost one of the range of a node and those around it. Of ranges that
 * are open it takes for granted that the last one ends first; if it does not, is_uncertain.
 * RF_NO_INDEX: it is uncertain. */
uint32_t rf_range_innermost(struct rf_range_pool *pool, uint32_t node);

/* The same of the ranges around a range, by its first node; RF_NO_INDEX: there is none, too. */
uint32_t rf_range_parent_of(struct rf_range_pool *pool, uint32_t range);

/* Takes note of the steps that something took. Ranges in each other may be too many: it is
 * uncertain then. */
void rf_range_count_steps(struct rf_range_stack *s, struct rf_range_pool *pool, uint64_t n);

#endif
