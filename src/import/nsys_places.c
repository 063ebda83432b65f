/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, and the devices, contexts and streams of processes, with the names that the program gave
 * them. They are read last, when the processes have their final places. */
#include "import/nsys_places.h"

#include <string.h>

#include "base/grow.h"
#include "import/nsys_fields.h"
#include "model/gpu/gpu_columns.h"

/* The text of a column as a string; RF_NO_STRING: it is NULL or empty. */
static uint32_t add_text(struct nsys_load *load, struct nsys_row *row, int column)
{
    size_t size;
    const char *text = nsys_row_text(row, column, &size);
    return text != NULL && size > 0 ? rf_strings_add(&load->rec->strings, text, size)
                                    : RF_NO_STRING;
}

/* ---- GPUs ---- */

static int add_fact(struct nsys_load *load, struct nsys_row *row, int i, struct rf_gpu *gpu)
{
    const struct rf_gpu_column *column = &rf_gpu_columns[i];
    struct rf_gpu_fact fact = {.text = RF_NO_STRING};
    if (column->is_text)
        fact.text = add_text(load, row, i);
    if (column->is_text ? fact.text == RF_NO_STRING : !nsys_row_int(row, i, &fact.number))
        return RF_OK;
    fact.name = rf_strings_add(&load->rec->strings, column->name, strlen(column->name));
    return fact.name != RF_NO_STRING ? rf_gpu_places_add_fact(&load->rec->places, gpu, &fact)
                                     : RF_ERR_NO_MEMORY;
}

static int read_gpu_column(struct nsys_load *load, struct nsys_row *row, int i, struct rf_gpu *gpu)
{
    const struct rf_gpu_column *column = &rf_gpu_columns[i];
    char *at = (char *)gpu + column->offset;
    int64_t bytes;
    uint32_t number;
    if (column->size == 0)
        return add_fact(load, row, i, gpu);
    if (column->size == sizeof(bytes)) {
        (void)nsys_row_int(row, i, &bytes);
        memcpy(at, bytes > 0 ? &bytes : &(int64_t){0}, sizeof(bytes));
        return RF_OK;
    }
    number = column->is_text ? add_text(load, row, i) : nsys_row_u32(row, i);
    memcpy(at, &number, sizeof(number));
    return RF_OK;
}

static int read_gpu(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    rf_recording *rec = load->rec;
    struct rf_gpu gpu = {.name = RF_NO_STRING};
    int status = rf_grow_array(&rec->gpu, rec->n_gpus, &load->gpu_room, sizeof(gpu));
    for (int i = 0; i < RF_N_GPU_COLUMNS && status == RF_OK; i++)
        status = read_gpu_column(load, row, i, &gpu);
    if (status != RF_OK)
        return nsys_no_memory(load);
    rec->gpu[rec->n_gpus++] = gpu;
    return RF_OK;
}

/* The place of the process that a row names; RF_NO_INDEX: it has no events, and is left out. */
static uint32_t row_process(const struct nsys_load *load, struct nsys_row *row, int column)
{
    uint32_t i = rf_map_find(&load->process_of, nsys_row_process_key(row, column), 0);
    if (i != RF_MAP_NONE)
        return load->process[i].place;
    (void)nsys_row_skip(row, "process without events: left out");
    return RF_NO_INDEX;
}

/* ---- Devices ---- */

static uint32_t find_gpu(const rf_recording *rec, struct nsys_row *row, int column)
{
    int64_t id;
    for (uint32_t i = 0; nsys_row_int(row, column, &id) && i < rec->n_gpus; i++)
        if (rec->gpu[i].id == id)
            return i;
    return RF_NO_INDEX;
}

enum device_column { CUDA_ID, PID, GPU_ID, UUID, MULTIPROCESSORS };

/* The table names only the pid: the row holds for every process that has it. */
static int read_device(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    rf_recording *rec = load->rec;
    struct rf_gpu_device device = {.device = nsys_row_u32(row, CUDA_ID),
                                   .gpu = find_gpu(rec, row, GPU_ID),
                                   .uuid = add_text(load, row, UUID),
                                   .n_multiprocessors = nsys_row_u32(row, MULTIPROCESSORS),
                                   .name = RF_NO_STRING};
    uint32_t pid = nsys_row_u32(row, PID), n_found = 0;
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        if (rec->process[i].pid != pid)
            continue;
        device.process = i;
        n_found++;
        if (rf_gpu_places_add_device(&rec->places, &device) != RF_OK)
            return nsys_no_memory(load);
    }
    if (n_found == 0)
        (void)nsys_row_skip(row, "process without events: left out");
    return RF_OK;
}

/* ---- Contexts ---- */

enum context_column {
    CONTEXT_PROCESS,
    CONTEXT_DEVICE = CONTEXT_PROCESS + 3,
    CONTEXT_ID,
    NULL_STREAM,
    PARENT,
    IS_GREEN,
    CONTEXT_MULTIPROCESSORS,
    TPCS,
    TPC_MASK
};

static int read_context(void *argument, struct nsys_row *row)
{
    struct nsys_load *load = argument;
    struct rf_gpu_context context = {.process = row_process(load, row, CONTEXT_PROCESS),
                                     .device = nsys_row_u32(row, CONTEXT_DEVICE),
                                     .context = nsys_row_u32(row, CONTEXT_ID),
                                     .null_stream = nsys_row_or_none(row, NULL_STREAM),
                                     .tpc_mask = RF_NO_STRING,
                                     .name = RF_NO_STRING};
    if (context.process == RF_NO_INDEX)
        return RF_OK;
    if (nsys_row_u32(row, IS_GREEN) != 0) {
        context.green_context = context.context;
        context.context = nsys_row_u32(row, PARENT);
    }
    context.n_multiprocessors = nsys_row_u32(row, CONTEXT_MULTIPROCESSORS);
    context.n_tpcs = nsys_row_u32(row, TPCS);
    context.tpc_mask = add_text(load, row, TPC_MASK);
    return nsys_memory_status(load,
                              rf_gpu_places_add_context(&load->rec->places, &context) == RF_OK);
}

/* ---- Streams ---- */

enum stream_column {
    STREAM_PROCESS,
    STREAM_CONTEXT = STREAM_PROCESS + 3,
    STREAM_ID,
    PRIORITY,
    FLAG
};

static int read_stream(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    int64_t priority;
    uint32_t flag = nsys_row_u32(row, FLAG);
    struct rf_gpu_stream stream = {.process = row_process(load, row, STREAM_PROCESS),
                                   .context = nsys_row_u32(row, STREAM_CONTEXT),
                                   .stream = nsys_row_u32(row, STREAM_ID),
                                   .device = RF_NO_INDEX,
                                   .name = RF_NO_STRING,
                                   .flag = flag <= UINT8_MAX ? (uint8_t)flag : 0};
    if (stream.process == RF_NO_INDEX)
        return RF_OK;
    /* the column has -1 as 4294967295 */
    if (nsys_row_int(row, PRIORITY, &priority) && priority >= INT32_MIN && priority <= UINT32_MAX) {
        stream.priority = (int32_t)(uint32_t)priority;
        stream.has_priority = true;
    }
    return nsys_memory_status(load, rf_gpu_places_add_stream(&load->rec->places, &stream) == RF_OK);
}

/* ---- Names ---- */

enum name_column { NAME_PROCESS, NAME_DEVICE = NAME_PROCESS + 3, NAME_CONTEXT, NAME_STREAM, NAME };

/* The table does not name the process: the name holds for all that used the device. */
static int read_device_name(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    rf_recording *rec = load->rec;
    struct rf_gpu_device device = {.process = RF_NO_INDEX,
                                   .device = nsys_row_u32(row, NAME_DEVICE),
                                   .gpu = find_gpu(rec, row, NAME_DEVICE),
                                   .uuid = RF_NO_STRING,
                                   .name = add_text(load, row, NAME)};
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        if (rec->track[i].device != device.device || rec->track[i].process == device.process)
            continue;
        device.process = rec->track[i].process;
        if (rf_gpu_places_add_device(&rec->places, &device) != RF_OK)
            return nsys_no_memory(load);
    }
    return RF_OK;
}

static int read_context_name(void *argument, struct nsys_row *row)
{
    struct nsys_load *load = argument;
    struct rf_gpu_context context = {.process = row_process(load, row, NAME_PROCESS),
                                     .device = nsys_row_u32(row, NAME_DEVICE),
                                     .context = nsys_row_u32(row, NAME_CONTEXT),
                                     .null_stream = RF_NO_INDEX,
                                     .tpc_mask = RF_NO_STRING,
                                     .name = add_text(load, row, NAME)};
    if (context.process == RF_NO_INDEX)
        return RF_OK;
    return nsys_memory_status(load,
                              rf_gpu_places_add_context(&load->rec->places, &context) == RF_OK);
}

static int read_stream_name(void *context, struct nsys_row *row)
{
    struct nsys_load *load = context;
    struct rf_gpu_stream stream = {.process = row_process(load, row, NAME_PROCESS),
                                   .context = nsys_row_u32(row, NAME_CONTEXT),
                                   .stream = nsys_row_u32(row, NAME_STREAM),
                                   .device = RF_NO_INDEX,
                                   .name = add_text(load, row, NAME)};
    if (stream.process == RF_NO_INDEX)
        return RF_OK;
    return nsys_memory_status(load, rf_gpu_places_add_stream(&load->rec->places, &stream) == RF_OK);
}

/* ---- The tables ---- */

#define CONTEXT_COLUMNS(null_stream)                                                               \
    NSYS_COLUMNS(NSYS_MACHINE, "deviceId", "contextId", null_stream, "parentContextId",            \
                 "isGreenContext", "numMultiprocessors", "numTpcs", "tpcMask")

int nsys_load_places(struct nsys_load *load)
{
    const char *gpu[RF_N_GPU_COLUMNS + 1] = {NULL};
    static const char *const name[] = {NSYS_MACHINE, "deviceId", "contextId",
                                       "streamId",   "name",     NULL};
    /* Of what a later row says again, the name is kept and the rest replaced: names come first, and
     * TARGET_INFO_CUDA_NULL_STREAM of old versions before the table that says more. */
    const struct nsys_reader readers[] = {
        {"TARGET_INFO_GPU", read_gpu, gpu},
        {"TARGET_INFO_NVTX_CUDA_DEVICE", read_device_name, name},
        {"TARGET_INFO_NVTX_CUDA_CONTEXT", read_context_name, name},
        {"TARGET_INFO_NVTX_CUDA_STREAM", read_stream_name, name},
        {"TARGET_INFO_CUDA_DEVICE", read_device,
         NSYS_COLUMNS("cudaId", "pid", "gpuId", "uuid", "numMultiprocessors")},
        {"TARGET_INFO_CUDA_NULL_STREAM", read_context, CONTEXT_COLUMNS("streamId")},
        {"TARGET_INFO_CUDA_CONTEXT_INFO", read_context, CONTEXT_COLUMNS("nullStreamId")},
        {"TARGET_INFO_CUDA_STREAM", read_stream,
         NSYS_COLUMNS(NSYS_MACHINE, "contextId", "streamId", "priority", "flag")},
        {.table = NULL}};
    for (int i = 0; i < RF_N_GPU_COLUMNS; i++)
        gpu[i] = rf_gpu_columns[i].name;
    int status = nsys_db_read(&load->db, readers, load);
    if (status == RF_OK && rf_gpu_places_finish(&load->rec->places) != RF_OK)
        status = nsys_no_memory(load);
    return status;
}
