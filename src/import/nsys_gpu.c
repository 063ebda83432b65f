/* SPDX-License-Identifier: Apache-2.0 */
/* GPU work: kernels, copies, sets, whole graphs, waits. */
#include "import/nsys_gpu.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/grow.h"
#include "import/nsys_fields.h"
#include "model/private_access.h"

/* Columns that every kind of work has, at the front. */
enum column {
    START,
    END,
    DEVICE,
    CONTEXT,
    GREEN_CONTEXT,
    STREAM,
    CORRELATION,
    GLOBAL_PID,
    GRAPH,
    N_COMMON
};

static const char *const common[N_COMMON + 1] = {
    "start",    "end",           "deviceId",  "contextId", "greenContextId",
    "streamId", "correlationId", "globalPid", "graphId",   NULL};

/* ---- A row ---- */

/* The key of the process of work that names none: those of others have 40 bits. */
static uint64_t key_of_unknown(size_t table)
{
    return UINT64_MAX - table;
}

static uint32_t row_process(struct nsys_load *load, struct nsys_row *row, size_t table)
{
    int64_t global_pid;
    return nsys_find_process(load, nsys_row_int(row, GLOBAL_PID, &global_pid)
                                       ? (uint64_t)global_pid >> NSYS_TID_BITS
                                       : key_of_unknown(table));
}

/* Reads what every kind has. Returns 1, 0 where the row is left out, or a negative error. */
static int read_common(struct nsys_load *load, struct nsys_row *row, size_t table,
                       struct rf_gpu_op *op)
{
    bool is_clamped;
    if (!nsys_row_times(load, row, START, END, &op->start_ns, &op->end_ns, &is_clamped))
        return 0;
    if (op->end_ns == RF_NO_TIME) {
        (void)nsys_row_skip(row, "no end: taken as empty");
        op->end_ns = op->start_ns;
    }
    op->correlation = nsys_row_u32(row, CORRELATION);
    op->graph = nsys_row_low_32(row, GRAPH);
    /* contexts and streams of waits can be -1 for "any" */
    struct rf_gpu_track track = {.process = row_process(load, row, table),
                                 .device = nsys_row_low_32(row, DEVICE),
                                 .context = nsys_row_low_32(row, CONTEXT),
                                 .green_context = nsys_row_low_32(row, GREEN_CONTEXT),
                                 .stream = nsys_row_low_32(row, STREAM)};
    if (track.process == RF_NO_INDEX)
        return nsys_no_memory(load);
    op->track = rf_find_track(&load->tracks, load->rec, &track);
    if (op->track == RF_NO_INDEX ||
        nsys_use_track(load, op->track, op->kind == RF_OP_SYNC ? NSYS_WAITS : NSYS_WORKS) != RF_OK)
        return nsys_no_memory(load);
    return 1;
}

/* ---- The kinds ---- */

/* The structs that a row fills. */
struct work_row {
    struct rf_gpu_op op;
    uint64_t grid_id;
    union {
        struct rf_kernel kernel;
        struct rf_transfer transfer;
        struct rf_wait wait;
    };
};

struct work_pass;
typedef int complete_fn(const struct work_pass *pass, struct nsys_row *row, struct work_row *work);

/* One kind of work: a table, and how a row whose columns were read is completed. */
struct work {
    const char *table;
    uint8_t kind;
    complete_fn *complete;
};

/* The details of the last rows. They go to their pool together: see rf_record_pool_add_all(). */
struct waiting_details {
    unsigned n;
    size_t op[RF_RECORDS_AT_ONCE]; /* index: whose it is */
    char record[RF_RECORDS_AT_ONCE * sizeof(struct rf_kernel)];
};

/* The pass over one table. */
struct work_pass {
    struct nsys_load *load;
    struct waiting_details *waiting;
    struct work work;
    size_t table; /* its number */
    bool no_details;
    bool grid_ids_apart;
    struct nsys_fields fields;
};

static int add_op(const struct work_pass *pass, const struct work_row *work)
{
    struct nsys_load *load = pass->load;
    rf_recording *rec = load->rec;
    if (rf_grow_array(&rec->op, rec->n_ops, &load->op_room, sizeof(*rec->op)) != RF_OK)
        return nsys_no_memory(load);
    if (pass->grid_ids_apart) {
        if (rf_grow_array(&load->grid_id, rec->n_ops, &load->grid_id_room,
                          sizeof(*load->grid_id)) != RF_OK)
            return nsys_no_memory(load);
        load->grid_id[rec->n_ops] = work->grid_id;
    }
    rec->op[rec->n_ops++] = work->op;
    return RF_OK;
}

static struct rf_record_pool *pool_of(const struct work_pass *pass)
{
    unsigned kind = rf_row_kind(&rf_op_fields, pass->work.kind)->detail_of;
    return &pass->load->details.pool[kind];
}

static int add_waiting(const struct work_pass *pass)
{
    struct waiting_details *waiting = pass->waiting;
    struct rf_gpu_op *op = pass->load->rec->op;
    uint32_t index[RF_RECORDS_AT_ONCE];
    if (!rf_record_pool_add_all(pool_of(pass), waiting->record, waiting->n, index))
        return nsys_no_memory(pass->load);
    for (unsigned i = 0; i < waiting->n; i++)
        op[waiting->op[i]].detail = index[i];
    waiting->n = 0;
    return RF_OK;
}

/* Of the row that add_op() adds next. */
static int add_detail(const struct work_pass *pass, const struct work_row *work)
{
    struct waiting_details *waiting = pass->waiting;
    size_t size = pool_of(pass)->size;
    int status = waiting->n == RF_RECORDS_AT_ONCE ? add_waiting(pass) : RF_OK;
    if (status != RF_OK)
        return status;
    memcpy(waiting->record + waiting->n * size, &work->kernel, size);
    waiting->op[waiting->n++] = pass->load->rec->n_ops;
    return RF_OK;
}

static int complete_kernel(const struct work_pass *pass, struct nsys_row *row,
                           struct work_row *work)
{
    struct rf_kernel *kernel = &work->kernel;
    (void)row;
    if (!pass->grid_ids_apart)
        kernel->grid_id = work->grid_id;
    if (work->op.name == RF_NO_STRING)
        work->op.name = kernel->demangled != RF_NO_STRING ? kernel->demangled : kernel->mangled;
    return pass->no_details ? RF_OK : add_detail(pass, work);
}

static int complete_copy(const struct work_pass *pass, struct nsys_row *row, struct work_row *work)
{
    struct rf_transfer *copy = &work->transfer;
    if (pass->no_details)
        return RF_OK;
    copy->peer_device = RF_NO_INDEX;
    if (copy->source_device != RF_NO_INDEX && copy->target_device != RF_NO_INDEX &&
        copy->source_device != copy->target_device)
        copy->peer_device = copy->source_device == nsys_row_or_none(row, DEVICE)
                                ? copy->target_device
                                : copy->source_device;
    return add_detail(pass, work);
}

static int complete_set(const struct work_pass *pass, struct nsys_row *row, struct work_row *work)
{
    struct rf_transfer *set = &work->transfer;
    (void)row;
    if (pass->no_details)
        return RF_OK;
    set->source_memory = set->target_memory;
    set->peer_device = RF_NO_INDEX;
    set->source_device = set->target_device = RF_NO_INDEX;
    set->source_context = set->target_context = RF_NO_INDEX;
    return add_detail(pass, work);
}

/* No column says where a graph ended. */
static int complete_graph(const struct work_pass *pass, struct nsys_row *row, struct work_row *work)
{
    (void)pass, (void)row, (void)work;
    return RF_OK;
}

/* Most waits are for no event and have no detail. The event's column is the only NSYS_OR_NONE. */
static int complete_sync(const struct work_pass *pass, struct nsys_row *row, struct work_row *work)
{
    if (pass->no_details ||
        (!nsys_row_has(row, pass->fields.first[NSYS_OR_NONE]) && work->wait.event_sync == 0))
        return RF_OK;
    return add_detail(pass, work);
}

static int read_row(void *context, struct nsys_row *row)
{
    const struct work_pass *pass = context;
    struct work_row work;
    memset(&work, 0, sizeof(work)); /* padding too: records are compared as bytes */
    work.op.name = RF_NO_STRING;
    work.op.thread = work.op.call = RF_NO_INDEX;
    work.op.next_op = work.op.detail = RF_NO_INDEX;
    work.op.kind = pass->work.kind;
    int status = read_common(pass->load, row, pass->table, &work.op);
    if (status <= 0)
        return status;
    status = nsys_fields_read(pass->load, row, &pass->fields, &work);
    if (status == RF_OK)
        status = pass->work.complete(pass, row, &work);
    return status == RF_OK ? add_op(pass, &work) : status;
}

/* ---- The tables ---- */

static int complete_other(const struct work_pass *pass, struct nsys_row *row, struct work_row *work)
{
    (void)row;
    bool has_detail = rf_row_kind(&rf_op_fields, work->op.kind)->detail_size > 0;
    return pass->no_details || !has_detail ? RF_OK : add_detail(pass, work);
}

/* Kinds that are not here need complete_other(). */
static complete_fn *const complete[RF_MAX_KINDS] = {
    [RF_OP_KERNEL] = complete_kernel, [RF_OP_MEMCPY] = complete_copy, [RF_OP_MEMSET] = complete_set,
    [RF_OP_GRAPH] = complete_graph,   [RF_OP_SYNC] = complete_sync,
};

/* Tables are numbered from 0, in the order of their kinds; the last is an older name of the table
 * of kernels. The name is NULL past the last. */
static struct work work_at(size_t table)
{
    unsigned kind = (unsigned)table + 1;
    if (kind == rf_op_fields.n_kinds)
        return (struct work){"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", RF_OP_KERNEL,
                             complete_kernel};
    if (kind > rf_op_fields.n_kinds)
        return (struct work){.table = NULL};
    return (struct work){rf_op_fields.kind[kind].table, (uint8_t)kind,
                         complete[kind] != NULL ? complete[kind] : complete_other};
}

const char *nsys_table_of_unknown(uint64_t key)
{
    uint64_t table = UINT64_MAX - key;
    return table < RF_MAX_KINDS ? work_at(table).table : NULL;
}

/* walk: only its leaves from first to before end; NULL: the whole table. */
static int read_work(struct nsys_load *load, size_t table, struct nsys_walk *walk, size_t first,
                     size_t end)
{
    struct waiting_details waiting = {.n = 0};
    struct work_pass pass = {.load = load,
                             .waiting = &waiting,
                             .work = work_at(table),
                             .table = table,
                             .no_details = (load->db.flags & RF_OPEN_NO_DETAILS) != 0};
    pass.grid_ids_apart = !pass.no_details && (load->db.flags & RF_OPEN_GRID_IDS_APART) != 0;
    const struct nsys_wanted wanted = {
        .fields = &rf_op_fields,
        .kind = pass.work.kind,
        .by_hand = common,
        .part_at = {[RF_PART_ROW] = offsetof(struct work_row, op),
                    [RF_PART_LAUNCH] = offsetof(struct work_row, grid_id),
                    [RF_PART_DETAIL] = offsetof(struct work_row, kernel)},
        .no_details = pass.no_details,
    };
    const struct nsys_reader readers[] = {{pass.work.table, read_row, pass.fields.columns},
                                          {.table = NULL}};
    assert(rf_row_kind(&rf_op_fields, wanted.kind)->detail_size <= sizeof(struct rf_kernel));
    nsys_fields_init(&pass.fields, &wanted);
    int status = walk != NULL ? nsys_walk_read(walk, &load->db, readers, &pass, first, end)
                              : nsys_db_read(&load->db, readers, &pass);
    return status == RF_OK ? add_waiting(&pass) : status;
}

const char *nsys_work_table(size_t table)
{
    return work_at(table).table;
}

int nsys_read_work(struct nsys_load *load, size_t table)
{
    return read_work(load, table, NULL, 0, 0);
}

int nsys_read_work_leaves(struct nsys_load *load, size_t table, struct nsys_walk *walk,
                          size_t first, size_t end)
{
    return read_work(load, table, walk, first, end);
}
