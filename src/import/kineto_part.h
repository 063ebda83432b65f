/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a stretch of a trace, taken apart: what any thread can do with a part of the file,
 * without the recording that they are put into later. */
#ifndef RF_IMPORT_KINETO_PART_H
#define RF_IMPORT_KINETO_PART_H

#include "import/kineto_scan.h"
#include "model/strings.h"
#include "rangefinder/rangefinder.h"

/* What the events of a category become. */
enum kineto_role {
    KINETO_RANGES,      /* ranges and marks of a domain of the category's name */
    KINETO_ANNOTATIONS, /* ... of the default domain */
    KINETO_RUNTIME,
    KINETO_DRIVER,
    KINETO_OS, /* calls of the system's libraries */
    KINETO_KERNEL,
    KINETO_MEMCPY,
    KINETO_MEMSET,
    KINETO_GRAPH,
    KINETO_SYNC,
    KINETO_OVERHEAD,
    KINETO_PROJECTED, /* ranges as the GPU saw them */
    KINETO_SPAN,      /* of the whole trace */
};

static inline bool kineto_is_work(uint8_t role)
{
    return role >= KINETO_KERNEL && role <= KINETO_SYNC;
}

static inline bool kineto_is_call(uint8_t role)
{
    return role >= KINETO_RUNTIME && role <= KINETO_OS;
}

/* Text of the part; at NULL: none. hash: rf_strings_hash(). */
struct kineto_text {
    const char *at;
    uint32_t size, hash;
};

/* A pid, a tid or an id: a number, or a text. */
struct kineto_id {
    struct kineto_text text; /* at NULL: it is the number */
    int64_t number;
    bool is_there;
};

/* What calls and GPU work have besides. */
struct kineto_work {
    uint64_t correlation;
    uint32_t device, context, stream, graph;
    uint32_t graph_exec; /* of a graph; RF_NO_INDEX: not known */
    bool has_device, has_stream, has_odd_number;
    int32_t result;
    uint8_t sync_type;
    struct kineto_text full_name; /* of a kernel whose name is the short one; at NULL: none */
    union {
        struct rf_kernel kernel; /* names are set later */
        struct rf_transfer transfer;
        struct rf_wait wait;
    };
};

/* A value of a counter. */
struct kineto_sample {
    struct kineto_text key;
    double value;
    uint32_t item;   /* index of the event */
    uint32_t device; /* of memory; RF_NO_INDEX: that of the host, or it is no memory */
};

enum kineto_item_flags {
    KINETO_HAS_TIME = 1,
    KINETO_HAS_END = 2,
    KINETO_NEGATIVE = 4,   /* its duration was */
    KINETO_ODD_NUMBER = 8, /* one of its args does not fit where it belongs */
};

/* An event. */
struct kineto_item {
    int64_t start_ns, end_ns; /* as in the file, in nanoseconds */
    struct kineto_text name, category, payload;
    struct kineto_text domain; /* of annotations that name it */
    struct kineto_id pid, tid, id;
    uint64_t offset; /* in the text of the file */
    uint32_t work;   /* index, or RF_NO_INDEX */
    uint32_t n_like; /* more events behind it that are left out as this one is */
    char phase;      /* "ph"; 0: none */
    uint8_t role;    /* enum kineto_role */
    uint8_t flags;   /* enum kineto_item_flags */
};

/* Whether an event is left out since it does not say when it was; names need not. */
static inline bool kineto_has_no_time(const struct kineto_item *item)
{
    return item->phase != 'M' && (item->flags & KINETO_HAS_TIME) == 0;
}

struct kineto_member {
    struct kineto_value key, value;
};

enum kineto_end {
    KINETO_MORE,   /* the text ended between two events: used says where */
    KINETO_CUT,    /* ... in an event, which begins at used */
    KINETO_CLOSED, /* the array was closed: used is behind its bracket */
    KINETO_WRONG,  /* at used is no event */
};

struct kineto_part {
    struct kineto_item *item;
    struct kineto_work *work;
    struct kineto_sample *sample;
    struct kineto_member *member; /* of the event that is read */
    size_t n_items, n_works, n_samples, n_members;
    size_t item_room, work_room, sample_room, member_room;
    struct kineto_bytes *bytes; /* texts that are not in the file as they are */
    size_t used;                /* bytes of the text that were read */
    const char *problem;        /* of KINETO_WRONG */
    uint8_t end;                /* enum kineto_end */
    bool is_out_of_memory;
};

void kineto_part_release(struct kineto_part *part);

/* Takes apart the events in text, but flows, which begins inside of the array: before an event, or
 * a comma. It has KINETO_PADDING bytes behind its end, does not change and outlives the part.
 * offset: of the text in the file. strings: for its seed. What the part had before is gone. */
void kineto_part_read(struct kineto_part *part, const char *text, size_t size, uint64_t offset,
                      const struct rf_strings *strings);

#endif
