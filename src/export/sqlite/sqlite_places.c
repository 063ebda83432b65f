/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, and the devices, contexts and streams of processes. A table is created with its first row.
 * Contexts and streams that only rows of work name have rows, too, with what is known from there.
 */
#include "export/sqlite/sqlite_places.h"

#include "model/gpu/gpu_columns.h"

/* A waiting thread names no stream. */
#define ANY_STREAM UINT32_MAX

#define MACHINE "hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "

/* hwId and vmId of a process. */
static struct rf_sqlite_value machine_of(const struct rf_sqlite *out, uint32_t process)
{
    return rf_sqlite_int(out->global_pids[process] >> 56 & 0xff);
}

static struct rf_sqlite_value virtual_machine_of(const struct rf_sqlite *out, uint32_t process)
{
    return rf_sqlite_int(out->global_pids[process] >> 48 & 0xff);
}

static struct rf_sqlite_value pid_of(const struct rf_sqlite *out, uint32_t process)
{
    return rf_sqlite_int(rf_process_at(out->rec, process)->pid);
}

/* The values of MACHINE. */
#define MACHINE_OF(out, process) machine_of(out, process), virtual_machine_of(out, process)

/* ---- GPUs ---- */

/* The fact of this name about a GPU; NULL: there is none. */
static const struct rf_gpu_fact *find_fact(const rf_recording *rec, const struct rf_gpu *gpu,
                                           const char *name)
{
    for (uint32_t i = 0; i < gpu->n_facts; i++) {
        const struct rf_gpu_fact *fact = rf_gpu_fact_at(rec, gpu->first_fact + i);
        const char *text = fact != NULL ? rf_string(rec, fact->name, NULL) : NULL;
        if (text != NULL && strcmp(text, name) == 0)
            return fact;
    }
    return NULL;
}

/* The value of a column that follows from other columns, else NULL. */
static struct rf_sqlite_value derive(const rf_recording *rec, const struct rf_gpu *gpu,
                                     const char *name)
{
    bool has_capability = gpu->capability_major != 0;
    if (strcmp(name, "vmId") == 0)
        return rf_sqlite_int(RF_GLOBAL_VID >> 48);
    if (strcmp(name, "smMajor") == 0 && has_capability)
        return rf_sqlite_int(gpu->capability_major);
    if (strcmp(name, "smMinor") == 0 && has_capability)
        return rf_sqlite_int(gpu->capability_minor);
    for (uint32_t i = 0; i < rf_n_gpu_devices(rec) && strcmp(name, "cuDevice") == 0; i++)
        if (rf_gpu_at(rec, rf_gpu_device_at(rec, i)->gpu) == gpu)
            return rf_sqlite_int(rf_gpu_device_at(rec, i)->device);
    return rf_sqlite_null();
}

static struct rf_sqlite_value fact_value(const struct rf_sqlite *out, const struct rf_gpu *gpu,
                                         const struct rf_gpu_column *column)
{
    const struct rf_gpu_fact *fact = find_fact(out->rec, gpu, column->name);
    if (fact == NULL)
        return derive(out->rec, gpu, column->name);
    return fact->text != RF_NO_STRING ? rf_sqlite_name(out, fact->text)
                                      : rf_sqlite_int(fact->number);
}

static struct rf_sqlite_value gpu_value(const struct rf_sqlite *out, const struct rf_gpu *gpu,
                                        const struct rf_gpu_column *column)
{
    const char *at = (const char *)gpu + column->offset;
    uint32_t number;
    if (column->size == 0)
        return fact_value(out, gpu, column);
    if (column->size == sizeof(gpu->memory_bytes))
        return rf_sqlite_int_unless((int64_t)gpu->memory_bytes, 0);
    memcpy(&number, at, sizeof(number));
    if (column->is_text)
        return rf_sqlite_name(out, number);
    /* 0 is an id, and the second number of 9.0, but no number of multiprocessors */
    bool is_known = number != 0 || at == (const char *)&gpu->id ||
                    (at == (const char *)&gpu->capability_minor && gpu->capability_major != 0);
    return is_known ? rf_sqlite_int(number) : rf_sqlite_null();
}

/* A column that not every version has is written where a GPU has it. */
static bool has_column(const rf_recording *rec, const struct rf_gpu_column *column)
{
    for (uint32_t i = 0; i < rf_n_gpus(rec) && column->is_late; i++)
        if (find_fact(rec, rf_gpu_at(rec, i), column->name) != NULL)
            return true;
    return !column->is_late;
}

static void create_gpus(struct rf_sqlite *out, struct rf_sqlite_table *table,
                        const bool *is_written)
{
    sqlite3_str *columns = sqlite3_str_new(out->db);
    for (int i = 0; i < RF_N_GPU_COLUMNS; i++)
        if (is_written[i])
            sqlite3_str_appendf(columns, "%s%s %s%s", i > 0 ? ", " : "", rf_gpu_columns[i].name,
                                rf_gpu_columns[i].is_text ? "TEXT" : "INTEGER",
                                i < 2 ? " NOT NULL" : ""); /* vmId, id */
    rf_sqlite_create_with(out, table, columns);
}

static void write_gpus(struct rf_sqlite *out)
{
    struct rf_sqlite_table table = {.name = "TARGET_INFO_GPU"};
    bool is_written[RF_N_GPU_COLUMNS];
    for (int i = 0; i < RF_N_GPU_COLUMNS; i++)
        is_written[i] = has_column(out->rec, &rf_gpu_columns[i]);
    if (rf_n_gpus(out->rec) > 0)
        create_gpus(out, &table, is_written);
    for (uint32_t i = 0; i < rf_n_gpus(out->rec); i++) {
        struct rf_sqlite_value row[RF_N_GPU_COLUMNS];
        size_t n = 0;
        for (int k = 0; k < RF_N_GPU_COLUMNS; k++)
            if (is_written[k])
                row[n++] = gpu_value(out, rf_gpu_at(out->rec, i), &rf_gpu_columns[k]);
        rf_sqlite_insert(out, &table, n, row);
    }
}

/* ---- Devices ---- */

/* The table of names does not tell processes apart. */
static void write_devices(struct rf_sqlite *out)
{
    struct rf_sqlite_table devices = {
        .name = "TARGET_INFO_CUDA_DEVICE",
        .columns = "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT,"
                   " numMultiprocessors INTEGER"};
    struct rf_sqlite_table named = {.name = "TARGET_INFO_NVTX_CUDA_DEVICE",
                                    .columns =
                                        "name TEXT NOT NULL, " MACHINE "deviceId INTEGER NOT NULL"};
    for (uint32_t i = 0; i < rf_n_gpu_devices(out->rec); i++) {
        const struct rf_gpu_device *device = rf_gpu_device_at(out->rec, i);
        const struct rf_gpu *gpu = rf_gpu_at(out->rec, device->gpu);
        RF_SQLITE_INSERT(out, &devices, gpu != NULL ? rf_sqlite_int(gpu->id) : rf_sqlite_null(),
                         rf_sqlite_int(device->device), pid_of(out, device->process),
                         rf_sqlite_name(out, device->uuid),
                         rf_sqlite_int_unless(device->n_multiprocessors, 0));
        if (device->name != RF_NO_STRING)
            RF_SQLITE_INSERT(out, &named, rf_sqlite_name(out, device->name),
                             MACHINE_OF(out, device->process), rf_sqlite_int(device->device));
    }
    if (named.insert != NULL)
        rf_sqlite_run(out, "DELETE FROM TARGET_INFO_NVTX_CUDA_DEVICE WHERE rowid NOT IN"
                           " (SELECT min(rowid) FROM TARGET_INFO_NVTX_CUDA_DEVICE"
                           " GROUP BY name, vmId, deviceId)");
}

/* ---- Contexts ---- */

#define CONTEXT_PLACE                                                                              \
    MACHINE "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL"

struct context_tables {
    struct rf_sqlite_table contexts;
    struct rf_sqlite_table null_streams;
    struct rf_sqlite_table named;
};

static void write_context(struct rf_sqlite *out, struct context_tables *tables,
                          const struct rf_gpu_context *context)
{
    bool is_green = context->green_context != 0;
    struct rf_sqlite_value row[] = {
        rf_sqlite_int_unless(context->null_stream, RF_NO_INDEX),
        MACHINE_OF(out, context->process),
        pid_of(out, context->process),
        rf_sqlite_int(context->device),
        rf_sqlite_int(is_green ? context->green_context : context->context),
        is_green ? rf_sqlite_int(context->context) : rf_sqlite_null(),
        rf_sqlite_int(is_green),
        rf_sqlite_int_unless(context->n_multiprocessors, 0),
        rf_sqlite_int_unless(context->n_tpcs, 0),
        rf_sqlite_name(out, context->tpc_mask),
    };
    const size_t n_place = 6; /* columns up to contextId: all of the other two tables */
    rf_sqlite_insert(out, &tables->contexts, sizeof(row) / sizeof(row[0]), row);
    if (!is_green && context->null_stream != RF_NO_INDEX)
        rf_sqlite_insert(out, &tables->null_streams, n_place, row);
    row[0] = rf_sqlite_name(out, context->name);
    if (context->name != RF_NO_STRING)
        rf_sqlite_insert(out, &tables->named, n_place, row);
}

static bool is_same_context(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device && a->context == b->context &&
           a->green_context == b->green_context;
}

/* Waits may name device 0 in place of the context's own: contexts that only waits name are left
 * out. */
static bool has_work(const rf_recording *rec, const struct rf_gpu_track *track)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (uint32_t i = 0; i < track->n_ops; i++)
        if (op[track->first_op + i].kind != RF_OP_SYNC)
            return true;
    return false;
}

/* Contexts that only rows of work name. Tracks are sorted by context, then stream. */
static void write_unknown_contexts(struct rf_sqlite *out, struct context_tables *tables)
{
    const struct rf_gpu_track *last = NULL;
    for (uint32_t i = 0; i < rf_n_gpu_tracks(out->rec); i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(out->rec, i);
        if ((last != NULL && is_same_context(track, last)) ||
            rf_gpu_context_of(out->rec, track) != NULL || !has_work(out->rec, track))
            continue;
        const struct rf_gpu_context context = {.process = track->process,
                                               .device = track->device,
                                               .context = track->context,
                                               .green_context = track->green_context,
                                               .null_stream = RF_NO_INDEX,
                                               .tpc_mask = RF_NO_STRING,
                                               .name = RF_NO_STRING};
        write_context(out, tables, &context);
        last = track;
    }
}

static void write_contexts(struct rf_sqlite *out)
{
    struct context_tables tables = {
        {.name = "TARGET_INFO_CUDA_CONTEXT_INFO",
         .columns = "nullStreamId INTEGER, " CONTEXT_PLACE
                    ", parentContextId INTEGER, isGreenContext INTEGER,"
                    " numMultiprocessors INTEGER, numTpcs INTEGER, tpcMask TEXT"},
        {.name = "TARGET_INFO_CUDA_NULL_STREAM",
         .columns = "streamId INTEGER NOT NULL, " CONTEXT_PLACE},
        {.name = "TARGET_INFO_NVTX_CUDA_CONTEXT", .columns = "name TEXT NOT NULL, " CONTEXT_PLACE},
    };
    for (uint32_t i = 0; i < rf_n_gpu_contexts(out->rec); i++)
        write_context(out, &tables, rf_gpu_context_at(out->rec, i));
    write_unknown_contexts(out, &tables);
}

/* ---- Streams ---- */

struct stream_tables {
    struct rf_sqlite_table streams;
    struct rf_sqlite_table named;
};

static void write_stream(struct rf_sqlite *out, struct stream_tables *tables,
                         const struct rf_gpu_stream *stream)
{
    const struct rf_sqlite_value id = rf_sqlite_int(stream->stream);
    const struct rf_sqlite_value pid = pid_of(out, stream->process);
    const struct rf_sqlite_value context = rf_sqlite_int(stream->context);
    /* as Nsight Systems has it: the bits of a negative one as a number without sign */
    RF_SQLITE_INSERT(out, &tables->streams, id, MACHINE_OF(out, stream->process), pid, context,
                     stream->has_priority ? rf_sqlite_int((uint32_t)stream->priority)
                                          : rf_sqlite_null(),
                     rf_sqlite_int_unless(stream->flag, 0));
    if (stream->name != RF_NO_STRING)
        RF_SQLITE_INSERT(out, &tables->named, rf_sqlite_name(out, stream->name),
                         MACHINE_OF(out, stream->process), pid,
                         rf_sqlite_int_unless(stream->device, RF_NO_INDEX), context, id);
}

static void write_stream_of(struct rf_sqlite *out, struct stream_tables *tables,
                            const struct rf_gpu_track *track)
{
    const struct rf_gpu_stream stream = {.process = track->process,
                                         .context = track->context,
                                         .stream = track->stream,
                                         .device = track->device,
                                         .name = RF_NO_STRING};
    write_stream(out, tables, &stream);
}

/* The table has neither device nor green context, so that two tracks can be one stream there. */
static void write_streams(struct rf_sqlite *out)
{
    const rf_recording *rec = out->rec;
    struct stream_tables tables = {
        {.name = "TARGET_INFO_CUDA_STREAM",
         .columns = "streamId INTEGER NOT NULL, " MACHINE
                    "processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER,"
                    " flag INTEGER"},
        {.name = "TARGET_INFO_NVTX_CUDA_STREAM",
         .columns = "name TEXT NOT NULL, " MACHINE
                    "processId INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER NOT NULL,"
                    " streamId INTEGER NOT NULL"},
    };
    for (uint32_t i = 0; i < rf_n_gpu_streams(rec); i++)
        write_stream(out, &tables, rf_gpu_stream_at(rec, i));
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec); i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, i);
        if (track->stream != ANY_STREAM && rf_gpu_stream_of(rec, track) == NULL)
            write_stream_of(out, &tables, track);
    }
    if (tables.streams.insert != NULL)
        rf_sqlite_run(out, "DELETE FROM TARGET_INFO_CUDA_STREAM WHERE rowid NOT IN"
                           " (SELECT min(rowid) FROM TARGET_INFO_CUDA_STREAM"
                           " GROUP BY vmId, processId, contextId, streamId)");
}

void rf_sqlite_write_places(struct rf_sqlite *out)
{
    write_gpus(out);
    write_devices(out);
    write_contexts(out);
    write_streams(out);
}
