/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, and the devices, contexts and streams of processes. A table is made when its first row is
 * written. What did work but was not made known has a row, too, with what its work says of it. */
#include "export/sqlite/sqlite_places.h"

#include <stdio.h>
#include <string.h>

#include "model/gpu/gpu_columns.h"

/* A waiting thread names no stream. */
#define ANY_STREAM UINT32_MAX

enum table_index {
    DEVICES,
    CONTEXTS,
    NULL_STREAMS,
    STREAMS,
    NAMED_DEVICES,
    NAMED_CONTEXTS,
    NAMED_STREAMS,
    N_TABLES
};

#define MACHINE "hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "

static const struct {
    const char *name;
    int n_columns;
    const char *columns;
} tables[N_TABLES] = {
    [DEVICES] = {"TARGET_INFO_CUDA_DEVICE", 5,
                 "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT,"
                 " numMultiprocessors INTEGER"},
    [CONTEXTS] = {"TARGET_INFO_CUDA_CONTEXT_INFO", 11,
                  "nullStreamId INTEGER, " MACHINE
                  "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
                  " contextId INTEGER NOT NULL, parentContextId INTEGER, isGreenContext INTEGER,"
                  " numMultiprocessors INTEGER, numTpcs INTEGER, tpcMask TEXT"},
    [NULL_STREAMS] = {"TARGET_INFO_CUDA_NULL_STREAM", 6,
                      "streamId INTEGER NOT NULL, " MACHINE
                      "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
                      " contextId INTEGER NOT NULL"},
    [STREAMS] = {"TARGET_INFO_CUDA_STREAM", 7,
                 "streamId INTEGER NOT NULL, " MACHINE
                 "processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER,"
                 " flag INTEGER"},
    [NAMED_DEVICES] = {"TARGET_INFO_NVTX_CUDA_DEVICE", 4,
                       "name TEXT NOT NULL, " MACHINE "deviceId INTEGER NOT NULL"},
    [NAMED_CONTEXTS] = {"TARGET_INFO_NVTX_CUDA_CONTEXT", 6,
                        "name TEXT NOT NULL, " MACHINE
                        "processId INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
                        " contextId INTEGER NOT NULL"},
    [NAMED_STREAMS] = {"TARGET_INFO_NVTX_CUDA_STREAM", 7,
                       "name TEXT NOT NULL, " MACHINE
                       "processId INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER NOT NULL,"
                       " streamId INTEGER NOT NULL"},
};

struct writer {
    struct rf_sqlite *out;
    sqlite3_stmt *insert[N_TABLES]; /* NULL: it is not made yet */
};

static int make_table(struct rf_sqlite *out, const char *name, const char *columns, int n_columns,
                      sqlite3_stmt **insert)
{
    char sql[2048];
    (void)snprintf(sql, sizeof(sql), "CREATE TABLE %s(%s)", name, columns);
    int status = rf_sqlite_run(out, sql);
    return status == RF_OK ? rf_sqlite_prepare_insert(out, name, n_columns, insert) : status;
}

static int insert(struct writer *writer, enum table_index i, const struct rf_sqlite_value *row)
{
    int status = RF_OK;
    if (writer->insert[i] == NULL)
        status = make_table(writer->out, tables[i].name, tables[i].columns, tables[i].n_columns,
                            &writer->insert[i]);
    return status == RF_OK
               ? rf_sqlite_insert(writer->out, writer->insert[i], tables[i].n_columns, row)
               : status;
}

/* hwId, vmId and processId of a process. */
static struct rf_sqlite_value machine_of(const struct writer *writer, uint32_t process)
{
    return rf_sqlite_int(writer->out->global_pids[process] >> 56 & 0xff);
}

static struct rf_sqlite_value virtual_machine_of(const struct writer *writer, uint32_t process)
{
    return rf_sqlite_int(writer->out->global_pids[process] >> 48 & 0xff);
}

static struct rf_sqlite_value pid_of(const struct writer *writer, uint32_t process)
{
    return rf_sqlite_int(rf_process_at(writer->out->rec, process)->pid);
}

#define PLACE(writer, process) machine_of(writer, process), virtual_machine_of(writer, process)

/* ---- GPUs ---- */

/* The fact of a GPU that has a name; NULL: it has none. */
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

/* What follows from other columns. */
static struct rf_sqlite_value derive(const rf_recording *rec, const struct rf_gpu *gpu,
                                     const char *name)
{
    int has_capability = gpu->capability_major != 0;
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

static struct rf_sqlite_value fact_value(const rf_recording *rec, const struct rf_gpu *gpu,
                                         const struct rf_gpu_column *column)
{
    const struct rf_gpu_fact *fact = find_fact(rec, gpu, column->name);
    if (fact == NULL)
        return derive(rec, gpu, column->name);
    return fact->text != RF_NO_STRING ? rf_sqlite_name(rec, fact->text)
                                      : rf_sqlite_int(fact->number);
}

static struct rf_sqlite_value gpu_value(const rf_recording *rec, const struct rf_gpu *gpu,
                                        const struct rf_gpu_column *column)
{
    const char *at = (const char *)gpu + column->offset;
    uint32_t number;
    if (column->size == 0)
        return fact_value(rec, gpu, column);
    if (column->size == sizeof(gpu->memory_bytes))
        return rf_sqlite_int_unless((int64_t)gpu->memory_bytes, 0);
    memcpy(&number, at, sizeof(number));
    if (column->is_text)
        return rf_sqlite_name(rec, number);
    /* 0 is an id, and the second number of 9.0, but no number of multiprocessors */
    bool is_known = number != 0 || at == (const char *)&gpu->id ||
                    (at == (const char *)&gpu->capability_minor && gpu->capability_major != 0);
    return is_known ? rf_sqlite_int(number) : rf_sqlite_null();
}

/* A column that not every version has is written where a GPU has it. */
static int has_column(const rf_recording *rec, const struct rf_gpu_column *column)
{
    for (uint32_t i = 0; i < rf_n_gpus(rec) && column->is_late; i++)
        if (find_fact(rec, rf_gpu_at(rec, i), column->name) != NULL)
            return 1;
    return !column->is_late;
}

static int make_gpu_table(struct rf_sqlite *out, const uint8_t *is_written, int n_columns,
                          sqlite3_stmt **statement)
{
    char columns[1536];
    int at = 0;
    for (int i = 0; i < RF_N_GPU_COLUMNS; i++) {
        int is_needed = i < 2; /* vmId, id */
        if (is_written[i])
            at += snprintf(columns + at, sizeof(columns) - (size_t)at, "%s%s %s%s",
                           at > 0 ? ", " : "", rf_gpu_columns[i].name,
                           rf_gpu_columns[i].is_text ? "TEXT" : "INTEGER",
                           is_needed ? " NOT NULL" : "");
    }
    return make_table(out, "TARGET_INFO_GPU", columns, n_columns, statement);
}

static int write_gpus(struct rf_sqlite *out)
{
    const rf_recording *rec = out->rec;
    uint8_t is_written[RF_N_GPU_COLUMNS];
    sqlite3_stmt *statement = NULL;
    int n_columns = 0, status = RF_OK;
    if (rf_n_gpus(rec) == 0)
        return RF_OK;
    for (int i = 0; i < RF_N_GPU_COLUMNS; i++)
        n_columns += is_written[i] = (uint8_t)has_column(rec, &rf_gpu_columns[i]);
    status = make_gpu_table(out, is_written, n_columns, &statement);
    for (uint32_t i = 0; i < rf_n_gpus(rec) && status == RF_OK; i++) {
        struct rf_sqlite_value row[RF_N_GPU_COLUMNS];
        int at = 0;
        for (int k = 0; k < RF_N_GPU_COLUMNS; k++)
            if (is_written[k])
                row[at++] = gpu_value(rec, rf_gpu_at(rec, i), &rf_gpu_columns[k]);
        status = rf_sqlite_insert(out, statement, n_columns, row);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* ---- Devices ---- */

static int write_device(struct writer *writer, const struct rf_gpu_device *device)
{
    const rf_recording *rec = writer->out->rec;
    const struct rf_gpu *gpu = rf_gpu_at(rec, device->gpu);
    const struct rf_sqlite_value row[] = {
        gpu != NULL ? rf_sqlite_int(gpu->id) : rf_sqlite_null(),
        rf_sqlite_int(device->device),
        pid_of(writer, device->process),
        rf_sqlite_name(rec, device->uuid),
        rf_sqlite_int_unless(device->n_multiprocessors, 0),
    };
    const struct rf_sqlite_value named[] = {rf_sqlite_name(rec, device->name),
                                            PLACE(writer, device->process),
                                            rf_sqlite_int(device->device)};
    int status = insert(writer, DEVICES, row);
    return status == RF_OK && device->name != RF_NO_STRING ? insert(writer, NAMED_DEVICES, named)
                                                           : status;
}

/* The table of names does not tell processes apart. */
static int write_devices(struct writer *writer)
{
    static const char remove_copies[] =
        "DELETE FROM TARGET_INFO_NVTX_CUDA_DEVICE WHERE rowid NOT IN (SELECT min(rowid)"
        " FROM TARGET_INFO_NVTX_CUDA_DEVICE GROUP BY name, vmId, deviceId)";
    const rf_recording *rec = writer->out->rec;
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_devices(rec) && status == RF_OK; i++)
        status = write_device(writer, rf_gpu_device_at(rec, i));
    if (status == RF_OK && writer->insert[NAMED_DEVICES] != NULL)
        status = rf_sqlite_run(writer->out, remove_copies);
    return status;
}

/* ---- Contexts ---- */

static int write_context(struct writer *writer, const struct rf_gpu_context *context)
{
    const rf_recording *rec = writer->out->rec;
    int is_green = context->green_context != 0;
    const struct rf_sqlite_value row[] = {
        rf_sqlite_int_unless(context->null_stream, RF_NO_INDEX),
        PLACE(writer, context->process),
        pid_of(writer, context->process),
        rf_sqlite_int(context->device),
        rf_sqlite_int(is_green ? context->green_context : context->context),
        is_green ? rf_sqlite_int(context->context) : rf_sqlite_null(),
        rf_sqlite_int(is_green),
        rf_sqlite_int_unless(context->n_multiprocessors, 0),
        rf_sqlite_int_unless(context->n_tpcs, 0),
        rf_sqlite_name(rec, context->tpc_mask),
    };
    const struct rf_sqlite_value null_stream[] = {
        row[0], row[1], row[2], row[3], row[4], row[5],
    };
    const struct rf_sqlite_value named[] = {
        rf_sqlite_name(rec, context->name), row[1], row[2], row[3], row[4], row[5],
    };
    int status = insert(writer, CONTEXTS, row);
    if (status == RF_OK && !is_green && context->null_stream != RF_NO_INDEX)
        status = insert(writer, NULL_STREAMS, null_stream);
    if (status == RF_OK && context->name != RF_NO_STRING)
        status = insert(writer, NAMED_CONTEXTS, named);
    return status;
}

static int is_same_context(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device && a->context == b->context &&
           a->green_context == b->green_context;
}

/* Rows of waits may name device 0 in place of the context's own: contexts that only waits name are
 * left out. */
static int has_work(const rf_recording *rec, const struct rf_gpu_track *track)
{
    size_t n;
    const struct rf_gpu_op *op = rf_gpu_ops(rec, &n);
    for (uint32_t i = 0; i < track->n_ops; i++)
        if (op[track->first_op + i].kind != RF_OP_SYNC)
            return 1;
    return 0;
}

static int write_context_of(struct writer *writer, const struct rf_gpu_track *track)
{
    const struct rf_gpu_context context = {.process = track->process,
                                           .device = track->device,
                                           .context = track->context,
                                           .green_context = track->green_context,
                                           .null_stream = RF_NO_INDEX,
                                           .tpc_mask = RF_NO_STRING,
                                           .name = RF_NO_STRING};
    return write_context(writer, &context);
}

static int write_contexts(struct writer *writer)
{
    const rf_recording *rec = writer->out->rec;
    const struct rf_gpu_track *last = NULL;
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_contexts(rec) && status == RF_OK; i++)
        status = write_context(writer, rf_gpu_context_at(rec, i));
    /* tracks are sorted by context, then stream */
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, i);
        if ((last != NULL && is_same_context(track, last)) ||
            rf_gpu_context_of(rec, track) != NULL || !has_work(rec, track))
            continue;
        status = write_context_of(writer, track);
        last = track;
    }
    return status;
}

/* ---- Streams ---- */

static int write_stream(struct writer *writer, const struct rf_gpu_stream *stream)
{
    const struct rf_sqlite_value row[] = {
        rf_sqlite_int(stream->stream),
        PLACE(writer, stream->process),
        pid_of(writer, stream->process),
        rf_sqlite_int(stream->context),
        /* as Nsight Systems has it: the bits of a negative one as a number without sign */
        stream->has_priority ? rf_sqlite_int((uint32_t)stream->priority) : rf_sqlite_null(),
        rf_sqlite_int_unless(stream->flag, 0),
    };
    const struct rf_sqlite_value named[] = {
        rf_sqlite_name(writer->out->rec, stream->name),    row[1], row[2], row[3],
        rf_sqlite_int_unless(stream->device, RF_NO_INDEX), row[4], row[0],
    };
    int status = insert(writer, STREAMS, row);
    return status == RF_OK && stream->name != RF_NO_STRING ? insert(writer, NAMED_STREAMS, named)
                                                           : status;
}

static int write_stream_of(struct writer *writer, const struct rf_gpu_track *track)
{
    const struct rf_gpu_stream stream = {.process = track->process,
                                         .context = track->context,
                                         .stream = track->stream,
                                         .device = track->device,
                                         .name = RF_NO_STRING};
    return write_stream(writer, &stream);
}

/* The table has neither device nor green context, so that two tracks can be one stream there. */
static int write_streams(struct writer *writer)
{
    static const char remove_copies[] =
        "DELETE FROM TARGET_INFO_CUDA_STREAM WHERE rowid NOT IN (SELECT min(rowid)"
        " FROM TARGET_INFO_CUDA_STREAM GROUP BY vmId, processId, contextId, streamId)";
    const rf_recording *rec = writer->out->rec;
    int status = RF_OK;
    for (uint32_t i = 0; i < rf_n_gpu_streams(rec) && status == RF_OK; i++)
        status = write_stream(writer, rf_gpu_stream_at(rec, i));
    for (uint32_t i = 0; i < rf_n_gpu_tracks(rec) && status == RF_OK; i++) {
        const struct rf_gpu_track *track = rf_gpu_track_at(rec, i);
        if (track->stream != ANY_STREAM && rf_gpu_stream_of(rec, track) == NULL)
            status = write_stream_of(writer, track);
    }
    if (status == RF_OK && writer->insert[STREAMS] != NULL)
        status = rf_sqlite_run(writer->out, remove_copies);
    return status;
}

int rf_sqlite_write_places(struct rf_sqlite *out)
{
    struct writer writer = {.out = out};
    int status = write_gpus(out);
    if (status == RF_OK)
        status = write_devices(&writer);
    if (status == RF_OK)
        status = write_contexts(&writer);
    if (status == RF_OK)
        status = write_streams(&writer);
    for (int i = 0; i < N_TABLES; i++)
        (void)sqlite3_finalize(writer.insert[i]);
    return status;
}
