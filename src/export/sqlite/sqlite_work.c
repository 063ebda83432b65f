/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CPU and work of the GPU. A table is made when its first row is written, so that a
 * recording without such work has none of them. */
#include "export/gpu_names.h"
#include "export/sqlite/sqlite_db.h"
#include "export/sqlite/sqlite_work_schema.h"

/* ENUM_NSYS_EVENT_CLASS. */
#define CLASS_CUDA_RUNTIME 0
#define CLASS_CUDA_DRIVER  1
#define CLASS_OS_RUNTIME   27

struct table {
    const struct rf_work_table *schema;
    sqlite3_stmt *insert; /* NULL: it is not made yet */
};

struct writer {
    struct rf_sqlite *out;
    struct table table[RF_N_WORK_TABLES];
};

static int make_table(struct rf_sqlite *out, struct table *table)
{
    int status = rf_sqlite_run(out, table->schema->create);
    if (status == RF_OK)
        status = rf_sqlite_prepare_insert(out, table->schema->name, table->schema->n_columns,
                                          &table->insert);
    return status;
}

static int insert(struct writer *writer, enum rf_work_table_index index,
                  const struct rf_sqlite_value *row)
{
    struct table *table = &writer->table[index];
    int status = table->insert != NULL ? RF_OK : make_table(writer->out, table);
    if (status == RF_OK)
        status = rf_sqlite_insert(writer->out, table->insert, table->schema->n_columns, row);
    return status == RF_OK ? rf_export_step(writer->out->job) : status;
}

/* Notes what the times of the row are not that was just written to a table. */
static int note_times(struct writer *writer, enum rf_work_table_index index, uint8_t flags)
{
    int64_t row_id = sqlite3_last_insert_rowid(writer->out->db);
    const char *word;
    int status = RF_OK;
    for (unsigned i = 0; (word = rf_time_flag_name(i)) != NULL && status == RF_OK; i++) {
        const struct rf_sqlite_value row[] = {rf_sqlite_text(rf_work_tables[index].name),
                                              rf_sqlite_int(row_id), rf_sqlite_text(word)};
        if ((flags >> i & 1) != 0)
            status = insert(writer, RF_WORK_NOTES, row);
    }
    return status;
}

static struct rf_sqlite_value string_id(struct rf_sqlite *out, uint32_t string)
{
    return string != RF_NO_STRING ? rf_sqlite_int(rf_sqlite_string(out, string)) : rf_sqlite_null();
}

/* ---- Calls ---- */

static int write_cuda_call(struct writer *writer, int64_t global_tid, const struct rf_call *call)
{
    int is_driver = call->kind == RF_CALL_CUDA_DRIVER;
    const struct rf_sqlite_value row[] = {
        rf_sqlite_int(call->start_ns),
        rf_sqlite_int(call->end_ns),
        rf_sqlite_int(is_driver ? CLASS_CUDA_DRIVER : CLASS_CUDA_RUNTIME),
        rf_sqlite_int(global_tid),
        rf_sqlite_int_unless(call->correlation, 0),
        string_id(writer->out, call->name),
        rf_sqlite_int(call->result),
        rf_sqlite_null(), /* callchainId */
    };
    int status = insert(writer, RF_WORK_CUDA_CALLS, row);
    return status == RF_OK && call->flags != 0 ? note_times(writer, RF_WORK_CUDA_CALLS, call->flags)
                                               : status;
}

static int write_os_call(struct writer *writer, int64_t global_tid, const struct rf_call *call)
{
    const struct rf_sqlite_value row[] = {
        rf_sqlite_int(call->start_ns),
        rf_sqlite_int(call->end_ns),
        rf_sqlite_int(call->event_class != 0 ? call->event_class : CLASS_OS_RUNTIME),
        rf_sqlite_int(global_tid),
        string_id(writer->out, call->name),
        rf_sqlite_int(call->result),
        rf_sqlite_null(), /* nestingLevel */
        rf_sqlite_null(), /* callchainId */
    };
    return insert(writer, RF_WORK_OS_CALLS, row);
}

static int write_calls(struct writer *writer)
{
    const rf_recording *rec = writer->out->rec;
    int status = RF_OK;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        size_t n;
        const struct rf_call *call = rf_thread_calls(rec, t, &n);
        int64_t global_tid = rf_global_tid_of(writer->out, t);
        for (size_t i = 0; i < n && status == RF_OK; i++)
            status = call[i].kind == RF_CALL_OS ? write_os_call(writer, global_tid, &call[i])
                                                : write_cuda_call(writer, global_tid, &call[i]);
    }
    return status;
}

/* ---- Work ---- */

/* The columns that every kind of work begins with. */
#define N_COMMON    8
#define COMMON(row) (row)[0], (row)[1], (row)[2], (row)[3], (row)[4], (row)[5], (row)[6], (row)[7]

static void get_common(const struct rf_sqlite *out, const struct rf_gpu_op *op,
                       struct rf_sqlite_value row[N_COMMON])
{
    const struct rf_gpu_track *track = rf_gpu_track_at(out->rec, op->track);
    row[0] = rf_sqlite_int(op->start_ns);
    row[1] = rf_sqlite_int(op->end_ns);
    row[2] = rf_sqlite_int(track->device);
    row[3] = rf_sqlite_int(track->context);
    row[4] = rf_sqlite_int_unless(track->green_context, 0);
    row[5] = rf_sqlite_int(track->stream);
    row[6] = rf_sqlite_int_unless(op->correlation, 0);
    row[7] = rf_sqlite_int(out->global_pids[track->process]);
}

static int write_kernel(struct writer *writer, const struct rf_gpu_op *op)
{
    static const struct rf_kernel unknown = {.demangled = RF_NO_STRING, .mangled = RF_NO_STRING};
    struct rf_sqlite *out = writer->out;
    const struct rf_kernel *kernel = rf_kernel_at(out->rec, op->detail);
    struct rf_sqlite_value common[N_COMMON];
    get_common(out, op, common);
    if (kernel == NULL)
        kernel = &unknown;
    const struct rf_sqlite_value row[] = {
        COMMON(common),
        string_id(out, kernel->demangled),
        string_id(out, op->name),
        string_id(out, kernel->mangled),
        rf_sqlite_int(kernel->launch_type),
        rf_sqlite_int(kernel->cache_config),
        rf_sqlite_int(kernel->registers),
        rf_sqlite_int(kernel->grid[0]),
        rf_sqlite_int(kernel->grid[1]),
        rf_sqlite_int(kernel->grid[2]),
        rf_sqlite_int(kernel->block[0]),
        rf_sqlite_int(kernel->block[1]),
        rf_sqlite_int(kernel->block[2]),
        rf_sqlite_int(kernel->static_shared_bytes),
        rf_sqlite_int(kernel->dynamic_shared_bytes),
        rf_sqlite_int(kernel->local_bytes_per_thread),
        rf_sqlite_int((int64_t)kernel->local_bytes),
        rf_sqlite_null(), /* gridId */
        rf_sqlite_int(kernel->shared_executed_bytes),
        rf_sqlite_int_unless((int64_t)kernel->graph_node, 0),
        rf_sqlite_int(kernel->shared_limit_config),
        rf_sqlite_int_unless(op->graph, 0),
        rf_sqlite_int_unless(kernel->cluster[0], 0),
        rf_sqlite_int_unless(kernel->cluster[1], 0),
        rf_sqlite_int_unless(kernel->cluster[2], 0),
        rf_sqlite_int_unless(kernel->cluster_policy, 0),
        rf_sqlite_int_unless(kernel->max_potential_cluster_size, 0),
        rf_sqlite_int_unless(kernel->max_active_clusters, 0),
        rf_sqlite_int_unless(kernel->shared_requested_percent, 0),
    };
    return insert(writer, RF_WORK_KERNELS, row);
}

static const struct rf_transfer unknown_transfer = {.peer_device = RF_NO_INDEX,
                                                    .source_device = RF_NO_INDEX,
                                                    .source_context = RF_NO_INDEX,
                                                    .target_device = RF_NO_INDEX,
                                                    .target_context = RF_NO_INDEX};

static int write_copy(struct writer *writer, const struct rf_gpu_op *op)
{
    struct rf_sqlite *out = writer->out;
    const struct rf_transfer *copy = rf_transfer_at(out->rec, op->detail);
    struct rf_sqlite_value common[N_COMMON];
    get_common(out, op, common);
    if (copy == NULL)
        copy = &unknown_transfer;
    const struct rf_sqlite_value row[] = {
        COMMON(common),
        rf_sqlite_int((int64_t)copy->bytes),
        rf_sqlite_int(copy->copy_kind),
        rf_sqlite_null(), /* deprecatedSrcId */
        rf_sqlite_int(copy->source_memory),
        rf_sqlite_int(copy->target_memory),
        rf_sqlite_int_unless(copy->source_device, RF_NO_INDEX),
        rf_sqlite_int_unless(copy->source_context, RF_NO_INDEX),
        rf_sqlite_int_unless(copy->target_device, RF_NO_INDEX),
        rf_sqlite_int_unless(copy->target_context, RF_NO_INDEX),
        rf_sqlite_int_unless(copy->migration_cause, 0),
        rf_sqlite_int_unless((int64_t)copy->graph_node, 0),
        rf_sqlite_int_unless((int64_t)copy->address, 0),
        rf_sqlite_int_unless(copy->n_copies, 0),
    };
    return insert(writer, RF_WORK_COPIES, row);
}

static int write_set(struct writer *writer, const struct rf_gpu_op *op)
{
    struct rf_sqlite *out = writer->out;
    const struct rf_transfer *set = rf_transfer_at(out->rec, op->detail);
    struct rf_sqlite_value common[N_COMMON];
    get_common(out, op, common);
    if (set == NULL)
        set = &unknown_transfer;
    const struct rf_sqlite_value row[] = {
        COMMON(common),
        rf_sqlite_int(set->value),
        rf_sqlite_int((int64_t)set->bytes),
        rf_sqlite_int_unless((int64_t)set->graph_node, 0),
        rf_sqlite_int(set->target_memory),
    };
    return insert(writer, RF_WORK_SETS, row);
}

static int write_graph(struct writer *writer, const struct rf_gpu_op *op)
{
    struct rf_sqlite_value common[N_COMMON];
    get_common(writer->out, op, common);
    const struct rf_sqlite_value row[] = {
        COMMON(common),
        rf_sqlite_int(op->graph),
        rf_sqlite_int_unless(op->detail, RF_NO_INDEX),
    };
    return insert(writer, RF_WORK_GRAPHS, row);
}

static int write_wait(struct writer *writer, const struct rf_gpu_op *op)
{
    const struct rf_wait *wait = rf_wait_at(writer->out->rec, op->detail);
    struct rf_sqlite_value common[N_COMMON];
    get_common(writer->out, op, common);
    const struct rf_sqlite_value row[] = {
        COMMON(common),
        rf_sqlite_int(op->sync_type),
        wait != NULL ? rf_sqlite_int(wait->event) : rf_sqlite_null(), /* none is 0xffffffff */
        rf_sqlite_int_unless(wait != NULL ? (int64_t)wait->event_sync : 0, 0),
    };
    return insert(writer, RF_WORK_WAITS, row);
}

static int write_op(struct writer *writer, const struct rf_gpu_op *op)
{
    switch (op->kind) {
    case RF_OP_KERNEL:
        return write_kernel(writer, op);
    case RF_OP_MEMCPY:
        return write_copy(writer, op);
    case RF_OP_MEMSET:
        return write_set(writer, op);
    case RF_OP_GRAPH:
        return write_graph(writer, op);
    default:
        return write_wait(writer, op);
    }
}

static int note_op(struct writer *writer, const struct rf_gpu_op *op)
{
    static const enum rf_work_table_index tables[] = {
        [RF_OP_KERNEL] = RF_WORK_KERNELS, [RF_OP_MEMCPY] = RF_WORK_COPIES,
        [RF_OP_MEMSET] = RF_WORK_SETS,    [RF_OP_GRAPH] = RF_WORK_GRAPHS,
        [RF_OP_SYNC] = RF_WORK_WAITS,
    };
    return note_times(writer, tables[op->kind <= RF_OP_SYNC ? op->kind : RF_OP_SYNC], op->flags);
}

static int write_ops(struct writer *writer)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(writer->out->rec, &n);
    int status = RF_OK;
    for (size_t i = 0; i < n && status == RF_OK; i++) {
        status = write_op(writer, &op[i]);
        if (status == RF_OK && op[i].flags != 0)
            status = note_op(writer, &op[i]);
    }
    return status;
}

void rf_sqlite_count_work(struct rf_sqlite *out)
{
    const rf_recording *rec = out->rec;
    size_t n;
    (void)rf_gpu_ops(rec, &n);
    out->job->n_events += n;
    for (uint32_t t = 0; t < rf_n_threads(rec); t++) {
        (void)rf_thread_calls(rec, t, &n);
        out->job->n_events += n;
    }
}

int rf_sqlite_write_work(struct rf_sqlite *out)
{
    struct writer writer = {.out = out};
    for (int i = 0; i < RF_N_WORK_TABLES; i++)
        writer.table[i].schema = &rf_work_tables[i];
    int status = write_calls(&writer);
    if (status == RF_OK)
        status = write_ops(&writer);
    for (int i = 0; i < RF_N_WORK_TABLES; i++)
        (void)sqlite3_finalize(writer.table[i].insert);
    return status;
}
