/* SPDX-License-Identifier: Apache-2.0 */
#include "model/collectives/collectives.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/collectives/collective_names.h"
#include "model/collectives/collective_payload.h"
#include "model/collectives/torch_collectives.h"
#include "model/filter/range_search.h"
#include "model/private_access.h"
#include "model/recording.h"

struct finding {
    const rf_recording *rec;
    struct rf_collectives *found;
    struct rf_collective_payload payload;
    uint8_t *of_domain;  /* enum library */
    uint32_t torch_name; /* string, or RF_NO_STRING */
    int status;
};

enum library { NO_LIBRARY, NCCL, MPI };

const char *rf_collective_kind_name(uint32_t kind)
{
    static const char *const names[] = {
#define NAME(symbol, name) name,
        RF_COLLECTIVE_KINDS(NAME)
#undef NAME
    };
    return kind < RF_COLLECTIVE_N_KINDS ? names[kind] : "";
}

bool rf_collective_waits(uint32_t kind, const char *operation, size_t size)
{
    const bool is_mpi = kind == RF_COLLECTIVE_MPI || kind == RF_COLLECTIVE_MPI_RANGE;
    return kind != RF_COLLECTIVE_NCCL && kind != RF_COLLECTIVE_TORCH &&
           !(is_mpi && size > 0 && operation[0] == 'I');
}

static void add(struct finding *f, const struct rf_collective *item)
{
    struct rf_collectives *found = f->found;
    f->status = rf_grow_array(&found->item, found->n, &found->room, sizeof(*item));
    if (f->status == RF_OK)
        found->item[found->n++] = *item;
}

static int64_t rank_of(const struct finding *f, uint32_t process)
{
    const struct rf_process *of = rf_process_at(f->rec, process);
    return of != NULL ? of->rank : -1;
}

/* ---- Ranges ---- */

static bool is_named(const rf_recording *rec, uint32_t string, const char *name)
{
    size_t size;
    const char *text = rf_string(rec, string, &size);
    return text != NULL && size == strlen(name) && memcmp(text, name, size) == 0;
}

static uint8_t library_of(const rf_recording *rec, uint32_t domain)
{
    const uint32_t name = rf_domain_at(rec, domain)->name;
    return is_named(rec, name, "NCCL") ? NCCL : is_named(rec, name, "MPI") ? MPI : NO_LIBRARY;
}

static bool find_libraries(struct finding *f)
{
    uint32_t n = rf_n_domains(f->rec);
    bool has_one = false;
    f->of_domain = calloc(n + (size_t)1, 1);
    if (f->of_domain == NULL)
        f->status = RF_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < n && f->of_domain != NULL; i++) {
        f->of_domain[i] = library_of(f->rec, i);
        has_one |= f->of_domain[i] != NO_LIBRARY;
    }
    return has_one;
}

int rf_collective_read_payload(struct rf_collective_payload *payload, const rf_recording *rec,
                               const struct rf_event *range, struct rf_streamed_collective *item)
{
    bool has[RF_COLLECTIVE_N_FIELDS];
    uint64_t value[RF_COLLECTIVE_N_FIELDS] = {0};
    int status = rf_collective_payload_of(payload, rec, range, has, value);
    item->communicator = value[RF_COLLECTIVE_COMMUNICATOR];
    item->has_communicator =
        has[RF_COLLECTIVE_COMMUNICATOR] && value[RF_COLLECTIVE_COMMUNICATOR] < UINT64_MAX;
    item->bytes = value[RF_COLLECTIVE_BYTES];
    item->has_bytes = has[RF_COLLECTIVE_BYTES] && value[RF_COLLECTIVE_BYTES] <= INT64_MAX;
    item->rank = has[RF_COLLECTIVE_RANK] && value[RF_COLLECTIVE_RANK] <= INT32_MAX
                     ? (int64_t)value[RF_COLLECTIVE_RANK]
                     : -1;
    return status;
}

/* What a payload says of an operation. */
static void set_payload(struct rf_collective *item, const struct rf_streamed_collective *said)
{
    item->communicator = said->communicator;
    item->has_communicator = said->has_communicator;
    item->bytes = said->bytes;
    item->has_bytes = said->has_bytes;
    if (item->rank < 0)
        item->rank = said->rank;
}

static void read_payload(struct finding *f, const struct rf_event *range,
                         struct rf_collective *item)
{
    struct rf_streamed_collective said = {.rank = -1};
    f->status = rf_collective_read_payload(&f->payload, f->rec, range, &said);
    set_payload(item, &said);
}

static void add_range(struct finding *f, uint32_t thread, const struct rf_event *range,
                      enum rf_collective_kind kind, struct rf_operation operation)
{
    const uint32_t process = rf_thread_at(f->rec, thread)->process;
    struct rf_collective item = {.start_ns = range->start_ns,
                                 .end_ns = range->end_ns,
                                 .operation = operation.text,
                                 .operation_size = operation.size,
                                 .rank = rank_of(f, process),
                                 .process = process,
                                 .thread = thread,
                                 .track = RF_NO_INDEX,
                                 .kind = (uint8_t)kind};
    read_payload(f, range, &item);
    if (f->status == RF_OK)
        add(f, &item);
}

static bool is_range(const struct rf_event *event)
{
    return event->kind == RF_EVENT_PUSH_POP || event->kind == RF_EVENT_START_END;
}

static void add_torch(struct finding *f, uint32_t thread, const struct rf_event *range)
{
    const struct rf_operation operation = rf_torch_operation(f->rec, range);
    if (operation.text != NULL)
        add_range(f, thread, range, RF_COLLECTIVE_TORCH, operation);
}

static void add_thread(struct finding *f, uint32_t thread)
{
    size_t n = 0, size;
    const struct rf_event *event = rf_thread_events(f->rec, thread, &n);
    for (size_t i = 0; i < n && f->status == RF_OK; i++) {
        if (event[i].name == f->torch_name && event[i].name != RF_NO_STRING && is_range(&event[i]))
            add_torch(f, thread, &event[i]);
        if (!is_range(&event[i]) || event[i].domain >= rf_n_domains(f->rec) ||
            f->of_domain[event[i].domain] == NO_LIBRARY)
            continue;
        bool is_nccl = f->of_domain[event[i].domain] == NCCL;
        const char *text = rf_string(f->rec, event[i].name, &size);
        struct rf_operation operation =
            is_nccl ? rf_nccl_operation(text, size) : rf_mpi_operation(text, size);
        if (operation.text != NULL)
            add_range(f, thread, &event[i], is_nccl ? RF_COLLECTIVE_NCCL : RF_COLLECTIVE_MPI_RANGE,
                      operation);
    }
}

/* A range without a message cannot be asked for. */
static void add_asked(struct finding *f, const char *range, struct rf_err *err)
{
    struct rf_found_ranges ranges = {.n = 0};
    if (range == NULL || f->status != RF_OK || !f->found->is_searched)
        return;
    f->status = rf_find_ranges(f->rec, range, NULL, &ranges, err);
    for (size_t i = 0; i < ranges.n && f->status == RF_OK; i++) {
        const struct rf_event *event =
            rf_thread_event_at(f->rec, ranges.range[i].thread, ranges.range[i].event);
        struct rf_operation operation;
        operation.text = rf_string(f->rec, event->name, &operation.size);
        add_range(f, ranges.range[i].thread, event, RF_COLLECTIVE_RANGE, operation);
    }
    rf_found_ranges_release(&ranges);
}

/* ---- Kernels ---- */

/* The kernel has the name alone; the range of PyTorch in which it was launched says the rest. */
static void read_torch(struct finding *f, const struct rf_gpu_op *op, struct rf_collective *item)
{
    size_t n = 0;
    const struct rf_call *call = f->torch_name != RF_NO_STRING && op->thread != RF_NO_INDEX
                                     ? rf_thread_calls(f->rec, op->thread, &n)
                                     : NULL;
    const struct rf_event *range =
        op->call < n
            ? rf_torch_collective_around(f->rec, f->torch_name, op->thread, &call[op->call])
            : NULL;
    if (range != NULL)
        read_payload(f, range, item);
}

static void add_track(struct finding *f, uint32_t i)
{
    const struct rf_gpu_track *track = rf_gpu_track_at(f->rec, i);
    for (uint32_t k = track->first_op; k < track->first_op + track->n_ops && f->status == RF_OK;
         k++) {
        const struct rf_gpu_op *op = rf_gpu_op_at(f->rec, k);
        size_t size = 0;
        const char *name = op->kind == RF_OP_KERNEL ? rf_string(f->rec, op->name, &size) : NULL;
        const struct rf_operation operation = rf_kernel_operation(name, size);
        struct rf_collective item = {.start_ns = op->start_ns,
                                     .end_ns = op->end_ns,
                                     .operation = operation.text,
                                     .operation_size = operation.size,
                                     .rank = rank_of(f, track->process),
                                     .process = track->process,
                                     .thread = op->thread,
                                     .track = i,
                                     .kind = RF_COLLECTIVE_NCCL_KERNEL};
        if (operation.text == NULL)
            continue;
        read_torch(f, op, &item);
        if (f->status == RF_OK)
            add(f, &item);
    }
}

/* ---- Rows of MPI ---- */

/* A value that the row has and that is not negative. */
static bool value_of(const struct finding *f, const struct rf_extra *extra, const char *name,
                     uint64_t *number)
{
    const char *known;
    int64_t value = -1;
    for (unsigned i = 0; (known = rf_extra_value_name(extra->kind, i)) != NULL; i++)
        if (strcmp(known, name) == 0 && rf_extra_value(f->rec, extra, i, &value) != RF_VALUE_NUMBER)
            value = -1;
    *number = value >= 0 ? (uint64_t)value : 0;
    return value >= 0;
}

/* The id of a communicator is the same in all processes; its handle is that of one process. */
static void add_mpi(struct finding *f, const struct rf_extra *extra)
{
    size_t size;
    const char *name = rf_string(f->rec, extra->name, &size);
    const struct rf_operation operation = rf_mpi_operation(name, size);
    struct rf_collective item = {.start_ns = extra->start_ns,
                                 .end_ns = extra->end_ns,
                                 .operation = operation.text,
                                 .operation_size = operation.size,
                                 .rank = rank_of(f, extra->process),
                                 .process = extra->process,
                                 .thread = extra->thread,
                                 .track = RF_NO_INDEX,
                                 .kind = RF_COLLECTIVE_MPI};
    if (operation.text == NULL || extra->start_ns == RF_NO_TIME)
        return;
    if (item.end_ns == RF_NO_TIME)
        item.end_ns = item.start_ns;
    item.has_communicator = value_of(f, extra, "commUid", &item.communicator) ||
                            value_of(f, extra, "commHandle", &item.communicator);
    item.has_bytes = value_of(f, extra, "size", &item.bytes);
    add(f, &item);
}

static void add_extras(struct finding *f)
{
    size_t n = 0;
    const struct rf_extra *extra = rf_extras(f->rec, &n);
    for (size_t i = 0; i < n && f->status == RF_OK; i++)
        if (extra[i].kind == RF_EXTRA_MPI_COLLECTIVE)
            add_mpi(f, &extra[i]);
}

/* ---- Order and numbers ---- */

static int compare_keys(const int64_t *a, const int64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int rf_collective_compare_names(const struct rf_collective *a, const struct rf_collective *b)
{
    size_t size = a->operation_size < b->operation_size ? a->operation_size : b->operation_size;
    int order = a->kind != b->kind ? a->kind - b->kind : memcmp(a->operation, b->operation, size);
    const int64_t x[] = {(int64_t)a->operation_size, a->has_communicator, (int64_t)a->communicator};
    const int64_t y[] = {(int64_t)b->operation_size, b->has_communicator, (int64_t)b->communicator};
    return order != 0 ? order : compare_keys(x, y, 3);
}

static int compare_tracks(const struct rf_collective *a, const struct rf_collective *b)
{
    const int64_t x[] = {a->process, a->track, a->track == RF_NO_INDEX ? a->thread : 0};
    const int64_t y[] = {b->process, b->track, b->track == RF_NO_INDEX ? b->thread : 0};
    int order = rf_collective_compare_names(a, b);
    return order != 0 ? order : compare_keys(x, y, 3);
}

static int compare_times(const struct rf_collective *a, const struct rf_collective *b)
{
    const int64_t x[] = {a->start_ns, a->end_ns, a->has_bytes, (int64_t)a->bytes};
    const int64_t y[] = {b->start_ns, b->end_ns, b->has_bytes, (int64_t)b->bytes};
    return compare_keys(x, y, 4);
}

static int by_name(const void *a, const void *b)
{
    int order = compare_tracks(a, b);
    return order != 0 ? order : compare_times(a, b);
}

static int by_start(const void *a, const void *b)
{
    const struct rf_collective *x = a, *y = b;
    int order = compare_times(a, b);
    if (order == 0)
        order = compare_tracks(a, b);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static void number(struct rf_collectives *found)
{
    if (found->n == 0)
        return;
    qsort(found->item, found->n, sizeof(*found->item), by_name);
    for (size_t i = 0; i < found->n; i++) {
        bool goes_on = i > 0 && compare_tracks(&found->item[i - 1], &found->item[i]) == 0;
        found->item[i].number = goes_on ? found->item[i - 1].number + 1 : 1;
    }
    qsort(found->item, found->n, sizeof(*found->item), by_start);
}

/* ---- While a recording is read ---- */

int rf_collective_kind_of_domain(const rf_recording *rec, uint32_t domain)
{
    const uint8_t library = library_of(rec, domain);
    return library == NCCL ? RF_COLLECTIVE_NCCL : library == MPI ? RF_COLLECTIVE_MPI_RANGE : -1;
}

static struct rf_operation operation_of(const rf_recording *rec, uint32_t kind, uint32_t name)
{
    size_t size = 0;
    const char *text = rf_string(rec, name, &size);
    return kind == RF_COLLECTIVE_NCCL_KERNEL ? rf_kernel_operation(text, size)
           : kind == RF_COLLECTIVE_NCCL      ? rf_nccl_operation(text, size)
                                             : rf_mpi_operation(text, size);
}

bool rf_collective_is(const rf_recording *rec, uint32_t kind, uint32_t name)
{
    return operation_of(rec, kind, name).text != NULL;
}

/* Those that were found then. */
static void add_streamed(struct finding *f)
{
    const struct rf_streamed_collectives *list = f->rec->collectives;
    f->found->n_more = list->n_more;
    for (size_t i = 0; i < list->n && f->status == RF_OK; i++) {
        const struct rf_streamed_collective *from = &list->item[i];
        const struct rf_operation operation = operation_of(f->rec, from->kind, from->name);
        struct rf_collective item = {.start_ns = from->start_ns,
                                     .end_ns = from->end_ns,
                                     .operation = operation.text,
                                     .operation_size = operation.size,
                                     .rank = rank_of(f, from->process),
                                     .process = from->process,
                                     .thread = from->thread,
                                     .track = from->track,
                                     .kind = from->kind};
        set_payload(&item, from);
        add(f, &item);
    }
}

int rf_collectives_find(const rf_recording *rec, const char *range, struct rf_collectives *found,
                        struct rf_err *err)
{
    struct finding f = {.rec = rec, .found = found};
    const bool has_ranges = rf_recording_paths(rec) == NULL && rf_recording_sums(rec) == NULL;
    f.torch_name = rf_torch_collective_name(rec);
    const bool has_library = find_libraries(&f) || f.torch_name != RF_NO_STRING;
    const bool was_streamed = rec->collectives != NULL;
    *found = (struct rf_collectives){
        .is_searched = has_ranges || ((!has_library || was_streamed) && range == NULL)};
    if (was_streamed)
        add_streamed(&f);
    for (uint32_t t = 0; has_library && t < rf_n_threads(rec) && f.status == RF_OK; t++)
        add_thread(&f, t);
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec) && f.status == RF_OK; i++)
        add_track(&f, i);
    if (f.status == RF_OK)
        add_extras(&f);
    add_asked(&f, range, err);
    rf_collective_payload_release(&f.payload);
    free(f.of_domain);
    if (f.status == RF_OK)
        number(found);
    return f.status == RF_ERR_NO_MEMORY ? rf_fail(err, f.status, "out of memory") : f.status;
}

void rf_collectives_release(struct rf_collectives *found)
{
    free(found->item);
}
