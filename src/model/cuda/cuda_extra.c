/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA records that become rows of other kinds: memory, events, overhead. */
#include "model/cuda/cuda_extra.h"

#include "base/map.h"
#include "model/cuda/cuda_callers.h"
#include "model/cuda/cuda_clock.h"
#include "model/cuda/cuda_names.h"
#include "model/load/extra_row.h"
#include "model/load/load.h"
#include "model/strings.h"

/* Of what overhead is, as CUPTI numbers it. */
enum { OF_THREAD = 2, OF_DEVICE = 3, OF_CONTEXT = 4, OF_STREAM = 5 };

bool rf_cuda_row_of(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                    int64_t written_ns, struct rf_cuda_row *out)
{
    uint64_t ns = 0;
    *out = (struct rf_cuda_row){.start_ns = RF_NO_TIME};
    switch (record->head.kind) {
    case RF_CUDA_MEMORY:
        out->kind = RF_EXTRA_MEMORY;
        ns = record->memory.time;
        break;
    case RF_CUDA_EVENT:
        out->kind = RF_EXTRA_CUDA_EVENT;
        return true;
    case RF_CUDA_OVERHEAD:
        out->kind = RF_EXTRA_OVERHEAD;
        ns = record->overhead.start;
        out->has_thread = record->overhead.object_kind == OF_THREAD;
        out->tid = record->overhead.object[1];
        break;
    default: /* of a later version */
        return false;
    }
    out->start_ns = ns != 0 ? rf_cuda_ns(load, process, ns) : written_ns;
    return true;
}

/* ---- Memory ---- */

static void set_pool(struct rf_extra_row *row, const struct rf_cuda_memory *from)
{
    enum { LOCAL = 1, IMPORTED = 2 };
    if (from->pool_type == LOCAL) {
        rf_extra_row_set(row, RF_MEMORY_POOL, from->pool_address);
        rf_extra_row_set(row, RF_MEMORY_POOL_THRESHOLD, from->pool_threshold);
        rf_extra_row_set(row, RF_MEMORY_POOL_SIZE, from->pool_size);
        rf_extra_row_set(row, RF_MEMORY_POOL_USED, from->pool_used);
    } else if (from->pool_type == IMPORTED) {
        rf_extra_row_set(row, RF_MEMORY_IMPORTED_POOL, from->pool_address);
    }
}

static int add_memory(struct rf_load *load, const struct rf_cuda_memory *from,
                      struct rf_extra_row *row)
{
    load->cuda.n_notes[RF_NOTE_NO_TIME] += from->time == 0;
    row->extra.device = from->device;
    row->extra.context = from->context;
    if (from->stream != UINT32_MAX)
        row->extra.stream = from->stream;
    rf_extra_row_set(row, RF_MEMORY_ADDRESS, from->address);
    rf_extra_row_set(row, RF_MEMORY_PC, from->pc);
    rf_extra_row_set(row, RF_MEMORY_BYTES, from->bytes);
    rf_extra_row_set(row, RF_MEMORY_KIND,
                     from->memory >= 1 && from->memory <= 7 ? from->memory - 1u : 7u);
    rf_extra_row_set(row, RF_MEMORY_OPERATION, from->operation > 0 ? from->operation - 1u : 0);
    set_pool(row, from);
    if (from->is_async)
        rf_extra_row_set(row, RF_MEMORY_IS_ASYNC, 1);
    if (from->name != 0) {
        const struct rf_cuda_name *name = rf_cuda_names_of(&load->cuda.names, &load->rec->strings,
                                                           row->extra.process, from->name);
        if (name == NULL)
            return RF_ERR_NO_MEMORY;
        row->extra.name = name->demangled;
    }
    return rf_extra_row_add(load, row);
}

/* ---- Events ---- */

/* When it was recorded is known by the call that did. */
static int add_event(struct rf_load *load, const struct rf_cuda_event *from,
                     struct rf_extra_row *row)
{
    const uint32_t process = row->extra.process;
    uint32_t device = rf_map_find(&load->cuda.names.device_of, process, from->context);
    row->extra.device = device != RF_MAP_NONE ? device : from->device;
    row->extra.context = from->context;
    row->extra.stream = from->stream;
    if (from->device_time != 0)
        rf_extra_row_set(row, RF_CUDA_EVENT_TIMESTAMP,
                         (uint64_t)rf_cuda_ns(load, process, from->device_time));
    rf_extra_row_set(row, RF_CUDA_EVENT_ID, from->event);
    if (from->event_sync != 0)
        rf_extra_row_set(row, RF_CUDA_EVENT_SYNC, from->event_sync);
    return rf_extra_row_add(load, row);
}

/* ---- Overhead ---- */

/* CUPTI numbers them 0, 1, 1 << 16, 2 << 16, ...; the databases 1, 2, 3, 4, ... */
static int set_overhead_kind(struct rf_load *load, struct rf_extra_row *row, uint32_t of_cupti)
{
    static const char *const names[] = {"Undefined",
                                        "Unknown",
                                        "Driver Compiler",
                                        "Buffer Flush",
                                        "Instrumentation",
                                        "Resource",
                                        "Runtime Triggered Module Loading",
                                        "Lazy Function Loading",
                                        "Command Buffer Full",
                                        "Activity Buffer Request",
                                        "UVM Activity Init"};
    const uint32_t n = sizeof(names) / sizeof(names[0]);
    uint32_t kind = of_cupti >> 16 != 0 ? (of_cupti >> 16) + 2 : of_cupti + 1;
    const char *name = names[kind < n ? kind : 0];
    rf_extra_row_set(row, RF_OVERHEAD_TYPE, kind);
    row->extra.name = rf_strings_add(&load->rec->strings, name, strlen(name));
    return row->extra.name != RF_NO_STRING ? RF_OK : RF_ERR_NO_MEMORY;
}

/* Until threads have their final places, the thread is the caller. */
static int set_object(struct rf_load *load, struct rf_extra_row *row,
                      const struct rf_cuda_overhead *from)
{
    if (from->object_kind == OF_THREAD) {
        row->extra.thread = rf_cuda_find_caller(&load->cuda, row->extra.process, from->object[1]);
        if (row->extra.thread == RF_NO_INDEX)
            return RF_ERR_NO_MEMORY;
        load->cuda.caller[row->extra.thread].is_object = 1;
        return RF_OK;
    }
    if (from->object_kind >= OF_DEVICE && from->object_kind <= OF_STREAM)
        row->extra.device = from->object[0];
    if (from->object_kind >= OF_CONTEXT && from->object_kind <= OF_STREAM)
        row->extra.context = from->object[1];
    if (from->object_kind == OF_STREAM)
        row->extra.stream = from->object[2];
    return RF_OK;
}

static int add_overhead(struct rf_load *load, const struct rf_cuda_overhead *from,
                        struct rf_extra_row *row)
{
    const uint32_t event_class = 103; /* that of nsys's rows */
    struct rf_extra *extra = &row->extra;
    extra->end_ns = from->end != 0 ? rf_cuda_ns(load, extra->process, from->end) : extra->start_ns;
    load->cuda.n_notes[RF_NOTE_NO_TIME] += from->start == 0;
    load->cuda.n_notes[RF_NOTE_ORDER] += from->start != 0 && from->end < from->start;
    if (extra->end_ns < extra->start_ns)
        extra->end_ns = extra->start_ns;
    rf_extra_row_set(row, RF_OVERHEAD_CLASS, event_class);
    int status = set_overhead_kind(load, row, from->overhead_kind);
    if (status == RF_OK)
        status = set_object(load, row, from);
    return status == RF_OK ? rf_extra_row_add(load, row) : status;
}

int rf_cuda_add_extra(struct rf_load *load, uint32_t process, const union rf_cuda_record *record,
                      int64_t written_ns)
{
    struct rf_cuda_row at;
    if (!rf_cuda_row_of(load, process, record, written_ns, &at)) {
        load->cuda.n_notes[RF_NOTE_UNKNOWN]++;
        return RF_OK;
    }
    struct rf_extra_row row = rf_extra_row_new((enum rf_extra_kind)at.kind, process);
    row.extra.start_ns = at.start_ns;
    row.extra.correlation = record->head.correlation;
    return at.kind == RF_EXTRA_MEMORY       ? add_memory(load, &record->memory, &row)
           : at.kind == RF_EXTRA_CUDA_EVENT ? add_event(load, &record->event, &row)
                                            : add_overhead(load, &record->overhead, &row);
}
