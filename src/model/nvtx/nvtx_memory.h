/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX's memory extension: heaps, and regions in them (docs/format.md, section 11.5). The steps:
 *
 *     nvtx_memory.c       while the streams are read for samples, what happened to regions
 *     nvtx_regions.c      then, by time, which regions there were, and how many bytes of each heap
 *                         were in use: samples of a counter
 *     nvtx_memory_rows.c  when threads have their places, regions and heaps as rows of rf_extras()
 */
#ifndef RF_MODEL_NVTX_NVTX_MEMORY_H
#define RF_MODEL_NVTX_NVTX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "log/records.h"

struct rf_load;
struct rf_nvtx_source;
struct rf_nvtx_data;

enum rf_memory_event_kind {
    RF_MEMORY_REGISTER,   /* a: heap, b: handle or 0, c: address, d: size */
    RF_MEMORY_RESIZE,     /* c: address, d: size */
    RF_MEMORY_UNREGISTER, /* c: address or handle */
    RF_MEMORY_NAME,       /* likewise; name, category */
    RF_MEMORY_HEAP_END,   /* a: heap, d: 1: it is gone */
};

/* One thing that happened, to one region or heap. */
struct rf_memory_event {
    int64_t ns;
    uint64_t a, b, c, d;
    uint32_t process;  /* index */
    uint32_t thread;   /* in rf_load.thread, or RF_NO_INDEX */
    uint32_t domain;   /* index, as rf_load_domain() gives it */
    uint32_t name;     /* string */
    uint32_t category; /* 0: none */
    uint8_t kind;      /* enum rf_memory_event_kind */
    uint8_t type;      /* of a region: NVTX_MEM_TYPE_; of a reference: NVTX_MEM_REGION_REF_TYPE_ */
};

/* Why a region, or a heap, is no longer there. */
enum rf_region_end {
    RF_REGION_OPEN, /* it still is */
    RF_REGION_UNREGISTERED,
    RF_REGION_RESET,     /* its heap was reset */
    RF_REGION_HEAP_GONE, /* its heap was unregistered */
    RF_REGION_REPLACED,  /* another one was registered in its place */
    RF_N_REGION_ENDS
};

struct rf_memory_region {
    int64_t start_ns, end_ns;
    uint64_t address, size, most; /* bytes now, and at most */
    uint32_t process, thread;     /* as of the event that registered it */
    uint32_t heap;
    uint32_t name, domain; /* strings */
    uint32_t category;
    uint32_t shadowed;   /* the one that was registered at this address before */
    uint32_t next, prev; /* of its heap, while it is there */
    uint8_t end;         /* enum rf_region_end */
    uint8_t type;
};

struct rf_memory_heap {
    int64_t start_ns, end_ns; /* RF_NO_TIME: not known; it is none that was registered */
    uint64_t address, size;
    uint64_t in_use, most; /* bytes */
    uint64_t n_regions;
    int64_t sample_ns;          /* when in_use became so */
    uint64_t before, peak;      /* in use before sample_ns; the most that was in use then */
    uint32_t process, domain;   /* the domain's index before rf_load_order_domains() */
    uint32_t name, domain_name; /* strings */
    uint32_t track;             /* of its counter */
    uint32_t first;             /* of its regions that are there; RF_NO_INDEX: none */
    uint32_t category, usage;
    uint8_t end; /* enum rf_region_end */
    bool has_sample, is_registered;
};

/* All zero: there are none. */
struct rf_nvtx_memory {
    struct rf_memory_event *event;
    size_t n_events, event_room;
    struct rf_memory_region *region;
    size_t n_regions, region_room;
    struct rf_memory_heap *heap;
    uint32_t n_heaps;
    size_t heap_room;
};

/* Takes an EXT record of the memory extension, which the cursor gave last. word: its words from
 * word 1 on, n of them. Returns RF_OK or RF_ERR_NO_MEMORY. */
int rf_nvtx_take_memory(struct rf_load *load, const struct rf_nvtx_source *from,
                        const struct rf_record *record, struct rf_nvtx_data *data,
                        struct rf_stream_cursor *cursor, int64_t ns);

/* Whether a kind of EXT records is of the memory extension. */
bool rf_nvtx_is_memory(uint64_t ext_kind);

/* The second step. Returns RF_OK or RF_ERR_NO_MEMORY, likewise below. */
int rf_nvtx_find_regions(struct rf_load *load);

/* The third step. */
int rf_nvtx_list_memory(struct rf_load *load);

void rf_nvtx_memory_release(struct rf_nvtx_memory *memory);

#endif
