/* SPDX-License-Identifier: Apache-2.0 */
#include "model/extra.h"

#include "model/filter/activities.h"
#include "model/recording.h"

#define START                                                                                      \
    {                                                                                              \
        "start", RF_ROLE_START, 0                                                                  \
    }
#define END                                                                                        \
    {                                                                                              \
        "end", RF_ROLE_END, 0                                                                      \
    }
#define THREAD                                                                                     \
    {                                                                                              \
        "globalTid", RF_ROLE_THREAD, 0                                                             \
    }
#define PROCESS                                                                                    \
    {                                                                                              \
        "globalPid", RF_ROLE_PROCESS, 0                                                            \
    }
#define DEVICE                                                                                     \
    {                                                                                              \
        "deviceId", RF_ROLE_DEVICE, 0                                                              \
    }
#define CONTEXT                                                                                    \
    {                                                                                              \
        "contextId", RF_ROLE_CONTEXT, 0                                                            \
    }
#define GREEN                                                                                      \
    {                                                                                              \
        "greenContextId", RF_ROLE_GREEN_CONTEXT, 1                                                 \
    }
#define STREAM                                                                                     \
    {                                                                                              \
        "streamId", RF_ROLE_STREAM, 0                                                              \
    }
#define CORRELATION                                                                                \
    {                                                                                              \
        "correlationId", RF_ROLE_CORRELATION, 0                                                    \
    }
#define NAME                                                                                       \
    {                                                                                              \
        "nameId", RF_ROLE_NAME, 0                                                                  \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
        name, RF_ROLE_NUMBER, 0                                                                    \
    }
#define STRING(name)                                                                               \
    {                                                                                              \
        name, RF_ROLE_STRING, 0                                                                    \
    }
#define TEXT(name)                                                                                 \
    {                                                                                              \
        name, RF_ROLE_TEXT, 0                                                                      \
    }
#define LATE(name)                                                                                 \
    {                                                                                              \
        name, RF_ROLE_NUMBER, 1                                                                    \
    }
#define CLASS NUMBER("eventClass")

static const struct rf_extra_column cuda_event[] = {
    LATE("timestamp"),  DEVICE, CONTEXT, GREEN, STREAM, CORRELATION, PROCESS, NUMBER("eventId"),
    LATE("eventSyncId")};

static const struct rf_extra_column memory[] = {START,
                                                PROCESS,
                                                DEVICE,
                                                CONTEXT,
                                                NUMBER("address"),
                                                NUMBER("pc"),
                                                NUMBER("bytes"),
                                                NUMBER("memKind"),
                                                NUMBER("memoryOperationType"),
                                                {"name", RF_ROLE_MESSAGE, 0},
                                                CORRELATION,
                                                {"streamId", RF_ROLE_STREAM, 1},
                                                NUMBER("localMemoryPoolAddress"),
                                                NUMBER("localMemoryPoolReleaseThreshold"),
                                                NUMBER("localMemoryPoolSize"),
                                                NUMBER("localMemoryPoolUtilizedSize"),
                                                NUMBER("importedMemoryPoolAddress"),
                                                NUMBER("importedMemoryPoolProcessId"),
                                                LATE("isAsync")}; /* ours */

static const struct rf_extra_column memory_pool[] = {START,
                                                     PROCESS,
                                                     DEVICE,
                                                     NUMBER("address"),
                                                     NUMBER("operationType"),
                                                     NUMBER("poolType"),
                                                     CORRELATION,
                                                     NUMBER("minBytesToKeep"),
                                                     NUMBER("localMemoryPoolReleaseThreshold"),
                                                     NUMBER("localMemoryPoolSize"),
                                                     NUMBER("localMemoryPoolUtilizedSize")};

static const struct rf_extra_column cpu_page_fault[] = {START,
                                                        PROCESS,
                                                        NUMBER("address"),
                                                        NUMBER("originalFaultPc"),
                                                        {"CpuInstruction", RF_ROLE_NAME, 0},
                                                        STRING("module"),
                                                        NUMBER("unresolvedFaultPc"),
                                                        {"sourceFile", RF_ROLE_STRING, 1},
                                                        LATE("sourceLine")};

static const struct rf_extra_column gpu_page_fault[] = {START,
                                                        END,
                                                        PROCESS,
                                                        DEVICE,
                                                        NUMBER("address"),
                                                        NUMBER("numberOfPageFaults"),
                                                        NUMBER("faultAccessType")};

static const struct rf_extra_column graph[] = {START,
                                               END,
                                               CLASS,
                                               THREAD,
                                               NAME,
                                               NUMBER("graphId"),
                                               NUMBER("originalGraphId"),
                                               NUMBER("graphExecId")};

static const struct rf_extra_column graph_node[] = {
    START, END, CLASS, THREAD, NAME, NUMBER("graphNodeId"), NUMBER("originalGraphNodeId")};

static const struct rf_extra_column host_node[] = {START,
                                                   END,
                                                   DEVICE,
                                                   CONTEXT,
                                                   GREEN,
                                                   STREAM,
                                                   CORRELATION,
                                                   PROCESS,
                                                   NUMBER("graphNodeId"),
                                                   NUMBER("graphId")};

static const struct rf_extra_column host_callback[] = {START,  END,         CLASS,
                                                       THREAD, CORRELATION, NAME};

static const struct rf_extra_column decompression[] = {START,
                                                       END,
                                                       CLASS,
                                                       DEVICE,
                                                       CONTEXT,
                                                       STREAM,
                                                       CORRELATION,
                                                       PROCESS,
                                                       NUMBER("ChannelID"),
                                                       NUMBER("sourceBytes"),
                                                       NUMBER("NumberOfOperations")};

static const struct rf_extra_column overhead[] = {
    START, END, CLASS, THREAD, CORRELATION, NAME, NUMBER("overheadType")};

static const struct rf_extra_column jit[] = {START,
                                             END,
                                             CLASS,
                                             THREAD,
                                             CORRELATION,
                                             NAME,
                                             NUMBER("overheadType"),
                                             NUMBER("jitEntryType"),
                                             NUMBER("jitOperationType"),
                                             DEVICE,
                                             NUMBER("jitOperationCorrelationId"),
                                             NUMBER("cacheSize"),
                                             TEXT("cachePath")};

static const struct rf_extra_column profiler_overhead[] = {
    START, END, THREAD, NAME, LATE("returnValue"), LATE("overheadType")};

static const struct rf_extra_column library_call[] = {START, END, CLASS, THREAD, NAME};

static const struct rf_extra_column diagnostic[] = {{"timestamp", RF_ROLE_START, 0},
                                                    NUMBER("timestampType"),
                                                    NUMBER("source"),
                                                    NUMBER("severity"),
                                                    {"text", RF_ROLE_MESSAGE, 0},
                                                    PROCESS};

#define MPI                                                                                        \
    START, END, THREAD,                                                                            \
    {                                                                                              \
        "textId", RF_ROLE_NAME, 0                                                                  \
    }

static const struct rf_extra_column mpi_message[] = {MPI,
                                                     NUMBER("commHandle"),
                                                     LATE("commUid"),
                                                     NUMBER("tag"),
                                                     NUMBER("remoteRank"),
                                                     NUMBER("size"),
                                                     NUMBER("requestHandle")};

static const struct rf_extra_column mpi_collective[] = {MPI,
                                                        NUMBER("commHandle"),
                                                        LATE("commUid"),
                                                        NUMBER("rootRank"),
                                                        NUMBER("size"),
                                                        NUMBER("recvSize"),
                                                        NUMBER("requestHandle")};

static const struct rf_extra_column mpi_wait[] = {MPI, NUMBER("requestHandle")};
static const struct rf_extra_column mpi_other[] = {MPI};
static const struct rf_extra_column mpi_rank[] = {THREAD, NUMBER("rank")};

#define OPENACC                                                                                    \
    START, END, NAME, THREAD, NUMBER("eventKind"), NUMBER("DeviceType"), NUMBER("lineNo"),         \
        {"cuDeviceId", RF_ROLE_DEVICE, 0}, {"cuContextId", RF_ROLE_CONTEXT, 0},                    \
        {"cuStreamId", RF_ROLE_STREAM, 0}, STRING("srcFile"), STRING("funcName")

static const struct rf_extra_column openacc_data[] = {OPENACC, NUMBER("bytes"), STRING("varName")};
static const struct rf_extra_column openacc_launch[] = {
    OPENACC, NUMBER("numGangs"), NUMBER("numWorkers"), NUMBER("vectorLength"),
    STRING("kernelName")};
static const struct rf_extra_column openacc_other[] = {OPENACC};

#define OPENMP START, END, CLASS, THREAD, CORRELATION, NAME, NUMBER("eventKind")

static const struct rf_extra_column openmp_thread[] = {OPENMP, NUMBER("threadId"),
                                                       NUMBER("threadType")};
static const struct rf_extra_column openmp_parallel[] = {OPENMP, NUMBER("parallelId"),
                                                         NUMBER("parentTaskId")};
static const struct rf_extra_column openmp_sync_region_wait[] = {OPENMP, NUMBER("parallelId"),
                                                                 NUMBER("taskId"), NUMBER("kind")};
static const struct rf_extra_column openmp_sync_region[] = {OPENMP, NUMBER("parallelId"),
                                                            NUMBER("taskId"), NUMBER("kind")};
static const struct rf_extra_column openmp_task[] = {OPENMP, NUMBER("parallelId"), NUMBER("taskId"),
                                                     NUMBER("kind")};
static const struct rf_extra_column openmp_master[] = {OPENMP, NUMBER("parallelId"),
                                                       NUMBER("taskId")};
static const struct rf_extra_column openmp_reduction[] = {OPENMP, NUMBER("parallelId"),
                                                          NUMBER("taskId")};
static const struct rf_extra_column openmp_task_create[] = {OPENMP, NUMBER("parentTaskId"),
                                                            NUMBER("newTaskId")};
static const struct rf_extra_column openmp_task_schedule[] = {
    OPENMP, NUMBER("parallelId"), NUMBER("priorTaskId"), NUMBER("priorTaskStatus"),
    NUMBER("nextTaskId")};
static const struct rf_extra_column openmp_cancel[] = {OPENMP, NUMBER("taskId")};
static const struct rf_extra_column openmp_mutex_wait[] = {OPENMP, NUMBER("kind"), NUMBER("waitId"),
                                                           NUMBER("taskId")};
static const struct rf_extra_column openmp_critical_section[] = {OPENMP, NUMBER("kind"),
                                                                 NUMBER("waitId")};
static const struct rf_extra_column openmp_mutex_released[] = {OPENMP, NUMBER("kind"),
                                                               NUMBER("waitId"), NUMBER("taskId")};
static const struct rf_extra_column openmp_lock_init[] = {OPENMP, NUMBER("kind"), NUMBER("waitId")};
static const struct rf_extra_column openmp_lock_destroy[] = {OPENMP, NUMBER("kind"),
                                                             NUMBER("waitId")};
static const struct rf_extra_column openmp_workshare[] = {
    OPENMP, NUMBER("kind"), NUMBER("parallelId"), NUMBER("taskId"), NUMBER("count")};
static const struct rf_extra_column openmp_dispatch[] = {OPENMP, NUMBER("kind"),
                                                         NUMBER("parallelId"), NUMBER("taskId")};
static const struct rf_extra_column openmp_flush[] = {OPENMP, NUMBER("threadId")};

#define SCHEMA NUMBER("domainId"), NUMBER("schemaId")

static const struct rf_extra_column payload_schema[] = {
    SCHEMA,           {"name", RF_ROLE_MESSAGE, 0}, NUMBER("type"),
    NUMBER("flags"),  NUMBER("numEntries"),         NUMBER("payloadSize"),
    NUMBER("alignTo")};

static const struct rf_extra_column payload_entry[] = {SCHEMA,
                                                       NUMBER("idx"),
                                                       NUMBER("flags"),
                                                       NUMBER("type"),
                                                       {"name", RF_ROLE_MESSAGE, 0},
                                                       TEXT("description"),
                                                       NUMBER("arrayOrUnionDetail"),
                                                       NUMBER("offset")};

static const struct rf_extra_column payload_enum[] = {
    SCHEMA, {"name", RF_ROLE_MESSAGE, 0}, NUMBER("numEntries"), NUMBER("size")};

static const struct rf_extra_column payload_enum_entry[] = {
    SCHEMA, NUMBER("idx"), {"name", RF_ROLE_MESSAGE, 0}, NUMBER("value"), NUMBER("isFlag")};

static const struct rf_extra_column nic_metric[] = {START,
                                                    END,
                                                    NUMBER("globalId"),
                                                    NUMBER("portId"),
                                                    NUMBER("metricsListId"),
                                                    NUMBER("metricsIdx"),
                                                    NUMBER("value")};

static const struct rf_extra_column nic_metric_name[] = {NUMBER("metricsListId"),
                                                         NUMBER("metricsIdx"),
                                                         {"name", RF_ROLE_MESSAGE, 0},
                                                         TEXT("description"),
                                                         TEXT("unit")};

static const struct rf_extra_column nic_id[] = {NUMBER("nicId"), NUMBER("globalId")};

static const struct rf_extra_column nic[] = {
    LATE("GUID"),       TEXT("stateName"),  NUMBER("nicId"),     {"name", RF_ROLE_MESSAGE, 0},
    NUMBER("deviceId"), NUMBER("vendorId"), NUMBER("linkLayer"), LATE("globalId")};

#define MESSAGE                                                                                    \
    {                                                                                              \
        "name", RF_ROLE_MESSAGE, 0                                                                 \
    }

static const struct rf_extra_column nvtx_heap[] = {START,
                                                   END,
                                                   PROCESS,
                                                   MESSAGE,
                                                   TEXT("domain"),
                                                   NUMBER("address"),
                                                   NUMBER("bytes"),
                                                   NUMBER("mostBytes"),
                                                   NUMBER("numRegions"),
                                                   NUMBER("usage"),
                                                   LATE("category")};

static const struct rf_extra_column nvtx_region[] = {START,
                                                     END,
                                                     PROCESS,
                                                     THREAD,
                                                     MESSAGE,
                                                     TEXT("domain"),
                                                     TEXT("heap"),
                                                     NUMBER("address"),
                                                     NUMBER("bytes"),
                                                     NUMBER("mostBytes"),
                                                     NUMBER("memoryType"),
                                                     LATE("category"),
                                                     TEXT("endedBy")};

#define TABLE(columns) (int)(sizeof(columns) / sizeof((columns)[0])), columns

static const struct rf_extra_table tables[] = {
    [RF_EXTRA_CUDA_EVENT] = {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "cuda_event", RF_ACTIVITY_CUDA_EVENT,
                             TABLE(cuda_event)},
    [RF_EXTRA_MEMORY] = {"CUDA_GPU_MEMORY_USAGE_EVENTS", "memory", RF_ACTIVITY_MEMORY,
                         TABLE(memory)},
    [RF_EXTRA_MEMORY_POOL] = {"CUDA_GPU_MEMORY_POOL_EVENTS", "memory_pool", RF_ACTIVITY_MEMORY,
                              TABLE(memory_pool)},
    [RF_EXTRA_CPU_PAGE_FAULT] = {"CUDA_UM_CPU_PAGE_FAULT_EVENTS", "cpu_page_fault",
                                 RF_ACTIVITY_MEMORY, TABLE(cpu_page_fault)},
    [RF_EXTRA_GPU_PAGE_FAULT] = {"CUDA_UM_GPU_PAGE_FAULT_EVENTS", "gpu_page_fault",
                                 RF_ACTIVITY_MEMORY, TABLE(gpu_page_fault)},
    [RF_EXTRA_GRAPH] = {"CUDA_GRAPH_EVENTS", "cuda_graph", RF_ACTIVITY_RUNTIME, TABLE(graph)},
    [RF_EXTRA_GRAPH_NODE] = {"CUDA_GRAPH_NODE_EVENTS", "cuda_graph_node", RF_ACTIVITY_RUNTIME,
                             TABLE(graph_node)},
    [RF_EXTRA_HOST_NODE] = {"CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE_AND_HOST_LAUNCH", "host_node",
                            RF_ACTIVITY_OF_WORK(RF_OP_GRAPH), TABLE(host_node)},
    [RF_EXTRA_HOST_CALLBACK] = {"CUDA_HOST_CALLBACK", "host_callback", RF_ACTIVITY_RUNTIME,
                                TABLE(host_callback)},
    [RF_EXTRA_DECOMPRESSION] = {"CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS", "decompression",
                                RF_ACTIVITY_OF_WORK(RF_OP_MEMCPY), TABLE(decompression)},
    [RF_EXTRA_OVERHEAD] = {"CUPTI_ACTIVITY_KIND_OVERHEAD", "cuda_overhead", RF_ACTIVITY_OVERHEAD,
                           TABLE(overhead)},
    [RF_EXTRA_JIT] = {"CUPTI_ACTIVITY_KIND_JIT", "cuda_jit", RF_ACTIVITY_OVERHEAD, TABLE(jit)},
    [RF_EXTRA_PROFILER] = {"PROFILER_OVERHEAD", "profiler_overhead", RF_ACTIVITY_OVERHEAD,
                           TABLE(profiler_overhead)},
    [RF_EXTRA_CUDNN] = {"CUDNN_EVENTS", "cudnn", RF_ACTIVITY_LIBRARY, TABLE(library_call)},
    [RF_EXTRA_CUBLAS] = {"CUBLAS_EVENTS", "cublas", RF_ACTIVITY_LIBRARY, TABLE(library_call)},
    [RF_EXTRA_MPI_MESSAGE] = {"MPI_P2P_EVENTS", "mpi_p2p", RF_ACTIVITY_LIBRARY, TABLE(mpi_message)},
    [RF_EXTRA_MPI_COLLECTIVE] = {"MPI_COLLECTIVES_EVENTS", "mpi_collective", RF_ACTIVITY_LIBRARY,
                                 TABLE(mpi_collective)},
    [RF_EXTRA_MPI_WAIT] = {"MPI_START_WAIT_EVENTS", "mpi_wait", RF_ACTIVITY_LIBRARY,
                           TABLE(mpi_wait)},
    [RF_EXTRA_MPI_OTHER] = {"MPI_OTHER_EVENTS", "mpi", RF_ACTIVITY_LIBRARY, TABLE(mpi_other)},
    [RF_EXTRA_MPI_RANK] = {"MPI_RANKS", "mpi_rank", 0, TABLE(mpi_rank)},
    [RF_EXTRA_OPENACC_DATA] = {"CUPTI_ACTIVITY_KIND_OPENACC_DATA", "openacc_data",
                               RF_ACTIVITY_LIBRARY, TABLE(openacc_data)},
    [RF_EXTRA_OPENACC_LAUNCH] = {"CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "openacc_launch",
                                 RF_ACTIVITY_LIBRARY, TABLE(openacc_launch)},
    [RF_EXTRA_OPENACC_OTHER] = {"CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "openacc", RF_ACTIVITY_LIBRARY,
                                TABLE(openacc_other)},
    [RF_EXTRA_DIAGNOSTIC] = {"DIAGNOSTIC_EVENT", "diagnostic", 0, TABLE(diagnostic)},
    [RF_EXTRA_PAYLOAD_SCHEMA] = {"NVTX_PAYLOAD_SCHEMAS", "payload_schema", RF_ACTIVITY_NVTX,
                                 TABLE(payload_schema)},
    [RF_EXTRA_PAYLOAD_ENTRY] = {"NVTX_PAYLOAD_SCHEMA_ENTRIES", "payload_entry", RF_ACTIVITY_NVTX,
                                TABLE(payload_entry)},
    [RF_EXTRA_PAYLOAD_ENUM] = {"NVTX_PAYLOAD_ENUMS", "payload_enum", RF_ACTIVITY_NVTX,
                               TABLE(payload_enum)},
    [RF_EXTRA_PAYLOAD_ENUM_ENTRY] = {"NVTX_PAYLOAD_ENUM_ENTRIES", "payload_enum_entry",
                                     RF_ACTIVITY_NVTX, TABLE(payload_enum_entry)},
    [RF_EXTRA_OPENMP_THREAD] = {"OPENMP_EVENT_KIND_THREAD", "openmp_thread", RF_ACTIVITY_LIBRARY,
                                TABLE(openmp_thread)},
    [RF_EXTRA_OPENMP_PARALLEL] = {"OPENMP_EVENT_KIND_PARALLEL", "openmp_parallel",
                                  RF_ACTIVITY_LIBRARY, TABLE(openmp_parallel)},
    [RF_EXTRA_OPENMP_SYNC_REGION_WAIT] = {"OPENMP_EVENT_KIND_SYNC_REGION_WAIT",
                                          "openmp_sync_region_wait", RF_ACTIVITY_LIBRARY,
                                          TABLE(openmp_sync_region_wait)},
    [RF_EXTRA_OPENMP_SYNC_REGION] = {"OPENMP_EVENT_KIND_SYNC_REGION", "openmp_sync_region",
                                     RF_ACTIVITY_LIBRARY, TABLE(openmp_sync_region)},
    [RF_EXTRA_OPENMP_TASK] = {"OPENMP_EVENT_KIND_TASK", "openmp_task", RF_ACTIVITY_LIBRARY,
                              TABLE(openmp_task)},
    [RF_EXTRA_OPENMP_MASTER] = {"OPENMP_EVENT_KIND_MASTER", "openmp_master", RF_ACTIVITY_LIBRARY,
                                TABLE(openmp_master)},
    [RF_EXTRA_OPENMP_REDUCTION] = {"OPENMP_EVENT_KIND_REDUCTION", "openmp_reduction",
                                   RF_ACTIVITY_LIBRARY, TABLE(openmp_reduction)},
    [RF_EXTRA_OPENMP_TASK_CREATE] = {"OPENMP_EVENT_KIND_TASK_CREATE", "openmp_task_create",
                                     RF_ACTIVITY_LIBRARY, TABLE(openmp_task_create)},
    [RF_EXTRA_OPENMP_TASK_SCHEDULE] = {"OPENMP_EVENT_KIND_TASK_SCHEDULE", "openmp_task_schedule",
                                       RF_ACTIVITY_LIBRARY, TABLE(openmp_task_schedule)},
    [RF_EXTRA_OPENMP_CANCEL] = {"OPENMP_EVENT_KIND_CANCEL", "openmp_cancel", RF_ACTIVITY_LIBRARY,
                                TABLE(openmp_cancel)},
    [RF_EXTRA_OPENMP_MUTEX_WAIT] = {"OPENMP_EVENT_KIND_MUTEX_WAIT", "openmp_mutex_wait",
                                    RF_ACTIVITY_LIBRARY, TABLE(openmp_mutex_wait)},
    [RF_EXTRA_OPENMP_CRITICAL_SECTION] = {"OPENMP_EVENT_KIND_CRITICAL_SECTION",
                                          "openmp_critical_section", RF_ACTIVITY_LIBRARY,
                                          TABLE(openmp_critical_section)},
    [RF_EXTRA_OPENMP_MUTEX_RELEASED] = {"OPENMP_EVENT_KIND_MUTEX_RELEASED", "openmp_mutex_released",
                                        RF_ACTIVITY_LIBRARY, TABLE(openmp_mutex_released)},
    [RF_EXTRA_OPENMP_LOCK_INIT] = {"OPENMP_EVENT_KIND_LOCK_INIT", "openmp_lock_init",
                                   RF_ACTIVITY_LIBRARY, TABLE(openmp_lock_init)},
    [RF_EXTRA_OPENMP_LOCK_DESTROY] = {"OPENMP_EVENT_KIND_LOCK_DESTROY", "openmp_lock_destroy",
                                      RF_ACTIVITY_LIBRARY, TABLE(openmp_lock_destroy)},
    [RF_EXTRA_OPENMP_WORKSHARE] = {"OPENMP_EVENT_KIND_WORKSHARE", "openmp_workshare",
                                   RF_ACTIVITY_LIBRARY, TABLE(openmp_workshare)},
    [RF_EXTRA_OPENMP_DISPATCH] = {"OPENMP_EVENT_KIND_DISPATCH", "openmp_dispatch",
                                  RF_ACTIVITY_LIBRARY, TABLE(openmp_dispatch)},
    [RF_EXTRA_OPENMP_FLUSH] = {"OPENMP_EVENT_KIND_FLUSH", "openmp_flush", RF_ACTIVITY_LIBRARY,
                               TABLE(openmp_flush)},
    [RF_EXTRA_NIC_METRIC] = {"NET_NIC_METRIC", "nic_metric", RF_ACTIVITY_METRICS,
                             TABLE(nic_metric)},
    [RF_EXTRA_NIC_METRIC_NAME] = {"TARGET_INFO_NETWORK_METRICS", "nic_metric_name",
                                  RF_ACTIVITY_METRICS, TABLE(nic_metric_name)},
    [RF_EXTRA_NIC_ID] = {"NIC_ID_MAP", "nic_id", RF_ACTIVITY_METRICS, TABLE(nic_id)},
    [RF_EXTRA_NIC] = {"TARGET_INFO_NIC_INFO", "nic", RF_ACTIVITY_METRICS, TABLE(nic)},
    [RF_EXTRA_NVTX_HEAP] = {"RANGEFINDER_NVTX_HEAPS", "nvtx_heap", RF_ACTIVITY_NVTX,
                            TABLE(nvtx_heap)},
    [RF_EXTRA_SYSCALL] = {"SYSCALL", "syscall", RF_ACTIVITY_OS, TABLE(library_call)},
    [RF_EXTRA_NVTX_REGION] = {"RANGEFINDER_NVTX_REGIONS", "nvtx_region", RF_ACTIVITY_NVTX,
                              TABLE(nvtx_region)},
};

#define N_TABLES ((int)(sizeof(tables) / sizeof(tables[0])))

const struct rf_extra_table *rf_extra_table(int kind)
{
    return kind > 0 && kind < N_TABLES ? &tables[kind] : NULL;
}

const char *rf_extra_kind_name(int kind)
{
    const struct rf_extra_table *table = rf_extra_table(kind);
    return table != NULL ? table->kind : NULL;
}

const struct rf_extra *rf_extras(const rf_recording *rec, size_t *n)
{
    size_t n_extras = rec != NULL ? rec->n_extras : 0;
    if (n != NULL)
        *n = n_extras;
    return n_extras > 0 ? rec->extra : NULL;
}

const struct rf_extra *rf_extra_at(const rf_recording *rec, size_t i)
{
    return rec != NULL && i < rec->n_extras ? &rec->extra[i] : NULL;
}

/* The column of the i-th value of a kind; NULL past the last. */
static const struct rf_extra_column *find_value(int kind, unsigned i)
{
    const struct rf_extra_table *table = rf_extra_table(kind);
    for (int c = 0; table != NULL && c < table->n_columns; c++)
        if (table->column[c].role >= RF_ROLE_NUMBER && i-- == 0)
            return &table->column[c];
    return NULL;
}

const char *rf_extra_value_name(int kind, unsigned i)
{
    const struct rf_extra_column *column = find_value(kind, i);
    return column != NULL ? column->name : NULL;
}

int rf_extra_value(const rf_recording *rec, const struct rf_extra *extra, unsigned i,
                   int64_t *value)
{
    if (value != NULL)
        *value = 0;
    if (rec == NULL || extra == NULL || value == NULL)
        return RF_VALUE_NONE;
    const struct rf_extra_column *column = find_value(extra->kind, i);
    if (column == NULL || (extra->has >> i & 1) == 0)
        return RF_VALUE_NONE;
    unsigned before = extra->has & ((UINT32_C(1) << i) - 1);
    *value = rec->extra_value[extra->first_value + (size_t)__builtin_popcount(before)];
    return column->role == RF_ROLE_NUMBER ? RF_VALUE_NUMBER : RF_VALUE_STRING;
}
