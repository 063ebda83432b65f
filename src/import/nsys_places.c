/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, and the devices, contexts and streams of processes, with the names that the program gave
 * them: after everything else, for their processes have their final places then. */
#include "import/nsys_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/gpu/gpu_columns.h"

struct process_key {
    uint64_t key; /* globalPid >> NSYS_TID_BITS */
    uint32_t place;
};

struct places {
    struct nsys_load *load;
    struct process_key *process; /* by key */
    uint32_t n_processes;
    size_t room;
};

static uint32_t add_text(struct nsys_load *load, struct nsys_row *row, int column)
{
    size_t size;
    const char *text = nsys_row_text(row, column, &size);
    return text != NULL && size > 0 ? rf_strings_add(&load->rec->strings, text, size)
                                    : RF_NO_STRING;
}

/* ---- GPUs ---- */

static int add_fact(struct places *places, struct nsys_row *row, int i, struct rf_gpu *gpu)
{
    struct nsys_load *load = places->load;
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

static int read_gpu_column(struct places *places, struct nsys_row *row, int i, struct rf_gpu *gpu)
{
    int64_t bytes;
    switch (rf_gpu_columns[i].field) {
    case RF_GPU_ID:
        gpu->id = nsys_row_u32(row, i);
        return RF_OK;
    case RF_GPU_NAME:
        gpu->name = add_text(places->load, row, i);
        return RF_OK;
    case RF_GPU_BUS:
        gpu->bus = add_text(places->load, row, i);
        return RF_OK;
    case RF_GPU_UUID:
        gpu->uuid = add_text(places->load, row, i);
        return RF_OK;
    case RF_GPU_CHIP:
        gpu->chip = add_text(places->load, row, i);
        return RF_OK;
    case RF_GPU_MEMORY:
        (void)nsys_row_int(row, i, &bytes);
        gpu->memory_bytes = bytes > 0 ? (uint64_t)bytes : 0;
        return RF_OK;
    case RF_GPU_MULTIPROCESSORS:
        gpu->n_multiprocessors = nsys_row_u32(row, i);
        return RF_OK;
    case RF_GPU_CAPABILITY_MAJOR:
        gpu->capability_major = nsys_row_u32(row, i);
        return RF_OK;
    case RF_GPU_CAPABILITY_MINOR:
        gpu->capability_minor = nsys_row_u32(row, i);
        return RF_OK;
    default:
        return add_fact(places, row, i, gpu);
    }
}

static int read_gpu(void *context, struct nsys_row *row)
{
    struct places *places = context;
    rf_recording *rec = places->load->rec;
    struct rf_gpu gpu = {.name = RF_NO_STRING};
    int status = rf_grow_array(&rec->gpu, rec->n_gpus, &places->room, sizeof(gpu));
    for (int i = 0; i < RF_N_GPU_COLUMNS && status == RF_OK; i++)
        status = read_gpu_column(places, row, i, &gpu);
    if (status != RF_OK)
        return nsys_no_memory(places->load);
    rec->gpu[rec->n_gpus++] = gpu;
    return RF_OK;
}

static int load_gpus(struct places *places)
{
    const char *column[RF_N_GPU_COLUMNS];
    for (int i = 0; i < RF_N_GPU_COLUMNS; i++)
        column[i] = rf_gpu_columns[i].name;
    return nsys_db_read(&places->load->db, "TARGET_INFO_GPU", column, RF_N_GPU_COLUMNS, read_gpu,
                        places);
}

/* ---- Processes ---- */

static int compare_keys(const void *left, const void *right)
{
    const struct process_key *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Processes stand by their keys. */
static int list_processes(struct places *places)
{
    struct nsys_load *load = places->load;
    places->process = calloc((size_t)load->n_processes + 1, sizeof(*places->process));
    if (places->process == NULL)
        return nsys_no_memory(load);
    for (uint32_t i = 0; i < load->n_processes; i++)
        places->process[i].key = load->process[i].key;
    qsort(places->process, load->n_processes, sizeof(*places->process), compare_keys);
    for (uint32_t i = 0; i < load->n_processes; i++)
        places->process[i].place = i;
    places->n_processes = load->n_processes;
    return RF_OK;
}

/* A process that nothing else is known of is left out. */
static uint32_t row_process(struct places *places, struct nsys_row *row, int column)
{
    struct process_key key = {.key = nsys_row_process_key(row, column)};
    const struct process_key *found =
        bsearch(&key, places->process, places->n_processes, sizeof(key), compare_keys);
    if (found != NULL)
        return found->place;
    nsys_db_skip(&places->load->db, row->table, "process without events: left out", 1);
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

enum device_column { CUDA_ID, PID, GPU_ID, UUID, MULTIPROCESSORS, N_DEVICE };

/* The table says only the pid: it is meant for every process that has it. */
static int read_device(void *context, struct nsys_row *row)
{
    struct places *places = context;
    rf_recording *rec = places->load->rec;
    struct rf_gpu_device device = {.device = nsys_row_u32(row, CUDA_ID),
                                   .gpu = find_gpu(rec, row, GPU_ID),
                                   .uuid = add_text(places->load, row, UUID),
                                   .n_multiprocessors = nsys_row_u32(row, MULTIPROCESSORS),
                                   .name = RF_NO_STRING};
    uint32_t pid = nsys_row_u32(row, PID), n_found = 0;
    for (uint32_t i = 0; i < rec->n_processes; i++) {
        if (rec->process[i].pid != pid)
            continue;
        device.process = i;
        n_found++;
        if (rf_gpu_places_add_device(&rec->places, &device) != RF_OK)
            return nsys_no_memory(places->load);
    }
    if (n_found == 0)
        nsys_db_skip(&places->load->db, row->table, "process without events: left out", 1);
    return RF_OK;
}

static int load_devices(struct places *places)
{
    static const char *const column[N_DEVICE] = {"cudaId", "pid", "gpuId", "uuid",
                                                 "numMultiprocessors"};
    return nsys_db_read(&places->load->db, "TARGET_INFO_CUDA_DEVICE", column, N_DEVICE, read_device,
                        places);
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
    TPC_MASK,
    N_CONTEXT
};

static int read_context(void *argument, struct nsys_row *row)
{
    struct places *places = argument;
    int64_t null_stream;
    struct rf_gpu_context context = {.process = row_process(places, row, CONTEXT_PROCESS),
                                     .device = nsys_row_u32(row, CONTEXT_DEVICE),
                                     .context = nsys_row_u32(row, CONTEXT_ID),
                                     .null_stream = RF_NO_INDEX,
                                     .tpc_mask = RF_NO_STRING,
                                     .name = RF_NO_STRING};
    if (context.process == RF_NO_INDEX)
        return RF_OK;
    if (nsys_row_int(row, NULL_STREAM, &null_stream))
        context.null_stream = nsys_row_u32(row, NULL_STREAM);
    if (nsys_row_u32(row, IS_GREEN) != 0) {
        context.green_context = context.context;
        context.context = nsys_row_u32(row, PARENT);
    }
    context.n_multiprocessors = nsys_row_u32(row, CONTEXT_MULTIPROCESSORS);
    context.n_tpcs = nsys_row_u32(row, TPCS);
    context.tpc_mask = add_text(places->load, row, TPC_MASK);
    return rf_gpu_places_add_context(&places->load->rec->places, &context) == RF_OK
               ? RF_OK
               : nsys_no_memory(places->load);
}

#define CONTEXT_REST "parentContextId", "isGreenContext", "numMultiprocessors", "numTpcs", "tpcMask"

/* Versions before TARGET_INFO_CUDA_CONTEXT_INFO have TARGET_INFO_CUDA_NULL_STREAM. Where both are
 * there, the former says more. */
static int load_contexts(struct places *places)
{
    static const char *const old[N_CONTEXT] = {NSYS_MACHINE, "deviceId", "contextId", "streamId",
                                               CONTEXT_REST};
    static const char *const column[N_CONTEXT] = {NSYS_MACHINE, "deviceId", "contextId",
                                                  "nullStreamId", CONTEXT_REST};
    struct nsys_db *db = &places->load->db;
    int status =
        nsys_db_read(db, "TARGET_INFO_CUDA_NULL_STREAM", old, N_CONTEXT, read_context, places);
    return status == RF_OK ? nsys_db_read(db, "TARGET_INFO_CUDA_CONTEXT_INFO", column, N_CONTEXT,
                                          read_context, places)
                           : status;
}

/* ---- Streams ---- */

enum stream_column {
    STREAM_PROCESS,
    STREAM_CONTEXT = STREAM_PROCESS + 3,
    STREAM_ID,
    PRIORITY,
    FLAG,
    N_STREAM
};

static int read_stream(void *context, struct nsys_row *row)
{
    struct places *places = context;
    int64_t priority;
    uint32_t flag = nsys_row_u32(row, FLAG);
    struct rf_gpu_stream stream = {.process = row_process(places, row, STREAM_PROCESS),
                                   .context = nsys_row_u32(row, STREAM_CONTEXT),
                                   .stream = nsys_row_u32(row, STREAM_ID),
                                   .device = RF_NO_INDEX,
                                   .name = RF_NO_STRING,
                                   .flag = flag <= UINT8_MAX ? (uint8_t)flag : 0};
    if (stream.process == RF_NO_INDEX)
        return RF_OK;
    /* -1 is 4294967295 there */
    if (nsys_row_int(row, PRIORITY, &priority) && priority >= INT32_MIN && priority <= UINT32_MAX) {
        stream.priority = (int32_t)(uint32_t)priority;
        stream.has_priority = 1;
    }
    return rf_gpu_places_add_stream(&places->load->rec->places, &stream) == RF_OK
               ? RF_OK
               : nsys_no_memory(places->load);
}

static int load_streams(struct places *places)
{
    static const char *const column[N_STREAM] = {NSYS_MACHINE, "contextId", "streamId", "priority",
                                                 "flag"};
    return nsys_db_read(&places->load->db, "TARGET_INFO_CUDA_STREAM", column, N_STREAM, read_stream,
                        places);
}

/* ---- Names: read first, so that what else is known of the same comes behind them ---- */

enum name_column {
    NAME_PROCESS,
    NAME_DEVICE = NAME_PROCESS + 3,
    NAME_CONTEXT,
    NAME_STREAM,
    NAME,
    N_NAME
};

static const char *const name_columns[N_NAME] = {NSYS_MACHINE, "deviceId", "contextId", "streamId",
                                                 "name"};

/* The table does not say the process: it is meant for all that used the device. */
static int read_device_name(void *context, struct nsys_row *row)
{
    struct places *places = context;
    rf_recording *rec = places->load->rec;
    struct rf_gpu_device device = {.process = RF_NO_INDEX,
                                   .device = nsys_row_u32(row, NAME_DEVICE),
                                   .gpu = find_gpu(rec, row, NAME_DEVICE),
                                   .uuid = RF_NO_STRING,
                                   .name = add_text(places->load, row, NAME)};
    for (uint32_t i = 0; i < rec->n_tracks; i++) {
        if (rec->track[i].device != device.device || rec->track[i].process == device.process)
            continue;
        device.process = rec->track[i].process;
        if (rf_gpu_places_add_device(&rec->places, &device) != RF_OK)
            return nsys_no_memory(places->load);
    }
    return RF_OK;
}

static int read_context_name(void *argument, struct nsys_row *row)
{
    struct places *places = argument;
    struct rf_gpu_context context = {.process = row_process(places, row, NAME_PROCESS),
                                     .device = nsys_row_u32(row, NAME_DEVICE),
                                     .context = nsys_row_u32(row, NAME_CONTEXT),
                                     .null_stream = RF_NO_INDEX,
                                     .tpc_mask = RF_NO_STRING,
                                     .name = add_text(places->load, row, NAME)};
    if (context.process == RF_NO_INDEX)
        return RF_OK;
    return rf_gpu_places_add_context(&places->load->rec->places, &context) == RF_OK
               ? RF_OK
               : nsys_no_memory(places->load);
}

static int read_stream_name(void *context, struct nsys_row *row)
{
    struct places *places = context;
    struct rf_gpu_stream stream = {.process = row_process(places, row, NAME_PROCESS),
                                   .context = nsys_row_u32(row, NAME_CONTEXT),
                                   .stream = nsys_row_u32(row, NAME_STREAM),
                                   .device = RF_NO_INDEX,
                                   .name = add_text(places->load, row, NAME)};
    if (stream.process == RF_NO_INDEX)
        return RF_OK;
    return rf_gpu_places_add_stream(&places->load->rec->places, &stream) == RF_OK
               ? RF_OK
               : nsys_no_memory(places->load);
}

static int load_names(struct places *places)
{
    struct nsys_db *db = &places->load->db;
    int status = nsys_db_read(db, "TARGET_INFO_NVTX_CUDA_DEVICE", name_columns, N_NAME,
                              read_device_name, places);
    if (status == RF_OK)
        status = nsys_db_read(db, "TARGET_INFO_NVTX_CUDA_CONTEXT", name_columns, N_NAME,
                              read_context_name, places);
    if (status == RF_OK)
        status = nsys_db_read(db, "TARGET_INFO_NVTX_CUDA_STREAM", name_columns, N_NAME,
                              read_stream_name, places);
    return status;
}

int nsys_load_places(struct nsys_load *load)
{
    static int (*const steps[])(struct places *) = {list_processes, load_gpus,     load_names,
                                                    load_devices,   load_contexts, load_streams};
    struct places places = {.load = load};
    int status = RF_OK;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == RF_OK; i++)
        status = steps[i](&places);
    if (status == RF_OK && rf_gpu_places_finish(&load->rec->places) != RF_OK)
        status = nsys_no_memory(load);
    free(places.process);
    return status;
}
