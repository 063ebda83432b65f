/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs, and the streams that work ran in. */
#include "shared_recording.h"
#include "kind.h"
#include "row.h"

/* ---- GPUs ---- */

static bool run_of_gpus(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_gpu_at(recording->rec, 0), rf_n_gpus(recording->rec));
}

#define GPU(member) FIELD(struct rf_gpu, member)

static const struct column gpu_columns[] = {
    {"id", NUMBER, GPU(id), .doc = "int: as the driver numbers it."},
    {"name", TEXT, GPU(name), .doc = "str: 'NVIDIA H100 80GB HBM3'."},
    {"chip", TEXT, GPU(chip), .doc = "str: 'GH100'; or None."},
    {"uuid", TEXT, GPU(uuid), .doc = "str: tells it from all others; or None."},
    {"bus", TEXT, GPU(bus), .doc = "str: where on the PCI bus; or None."},
    {"memory_bytes", COUNT, GPU(memory_bytes), .doc = "int: bytes."},
    {"n_multiprocessors", NUMBER, GPU(n_multiprocessors), .doc = "int: how many it has."},
    {"capability_major", NUMBER, GPU(capability_major),
     .doc = "int: of compute capability 9.0, 9."},
    {"capability_minor", NUMBER, GPU(capability_minor),
     .doc = "int: of compute capability 9.0, 0."},
    {.name = NULL}};

static PyObject *fact_object(const struct row *row, const struct rf_gpu_fact *fact)
{
    return fact->text != RF_NO_STRING ? recording_string(row->recording, fact->text)
                                      : PyLong_FromLongLong(fact->number);
}

static PyObject *facts_object(PyObject *self, void *ignored)
{
    const struct row *row = row_of_object(self);
    const struct rf_gpu *gpu = row->at;
    PyObject *dict = PyDict_New();
    (void)ignored;
    for (uint32_t i = 0; dict != NULL && i < gpu->n_facts; i++) {
        const struct rf_gpu_fact *fact = rf_gpu_fact_at(row->recording->rec, gpu->first_fact + i);
        PyObject *name = recording_string(row->recording, fact->name),
                 *value = fact_object(row, fact);
        if (name == NULL || value == NULL || PyDict_SetItem(dict, name, value) != 0)
            Py_CLEAR(dict);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return dict;
}

static const PyGetSetDef gpu_objects[] = {{"facts", facts_object, NULL,
                                           "dict: what else is known of it, by the names of nsys's "
                                           "databases ('l2CacheSize'): int or str.",
                                           NULL},
                                          {NULL, NULL, NULL, NULL, NULL}};

const struct kind gpu_kind = {.name = "gpus",
                              .type_name = "rangefinder.recording.Gpu",
                              .doc = "A GPU of the machine.",
                              .columns = gpu_columns,
                              .size = sizeof(struct rf_gpu),
                              .run = run_of_gpus,
                              .objects = gpu_objects};

/* ---- Streams ---- */

static bool run_of_streams(const struct recording *recording, uint32_t i, struct run *run)
{
    return run_of_array(i, run, rf_gpu_track_at(recording->rec, 0),
                        rf_n_gpu_tracks(recording->rec));
}

static const void *stream_of(const struct row *row)
{
    return rf_gpu_stream_of(row->recording->rec, row->at);
}

static const void *device_of(const struct row *row)
{
    const struct rf_gpu_track *track = row->at;
    return rf_gpu_device_of(row->recording->rec, track->process, track->device);
}

static const void *context_of(const struct row *row)
{
    return rf_gpu_context_of(row->recording->rec, row->at);
}

static bool get_priority(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_gpu_stream *stream = stream_of(row);
    (void)column;
    value->i = stream != NULL ? stream->priority : 0;
    return stream != NULL && stream->has_priority;
}

/* The GPU of the machine that the process calls by the stream's device. */
static bool get_gpu(const struct column *column, const struct row *row, union value *value)
{
    const struct rf_gpu_track *track = row->at;
    const struct rf_gpu *gpu = rf_gpu_of(row->recording->rec, track->process, track->device);
    (void)column;
    value->i = gpu != NULL ? gpu - rf_gpu_at(row->recording->rec, 0) : 0;
    return gpu != NULL;
}

static const struct column stream_columns[] = {
    {"process", INDEX, TRACK(process), .refers = PROCESSES,
     .doc = "Process. As a column: its index in Recording.processes."},
    {"device", NUMBER, TRACK(device), .doc = "int: the GPU as the process numbers it."},
    {"context", NUMBER, TRACK(context), .doc = "int: the CUDA context."},
    {"green_context", NUMBER, TRACK(green_context), .doc = "int: the green context; 0 for none."},
    {"stream", NUMBER, TRACK(stream), .doc = "int: the stream as CUDA numbers it."},
    {"name", TEXT, FIELD(struct rf_gpu_stream, name), .of = stream_of,
     .doc = "str: that the program gave it with NVTX; or None."},
    {"device_name", TEXT, FIELD(struct rf_gpu_device, name), .of = device_of,
     .doc = "str: likewise; or None."},
    {"context_name", TEXT, FIELD(struct rf_gpu_context, name), .of = context_of,
     .doc = "str: likewise; or None."},
    {"priority", INDEX, .get = get_priority, .refers = N_KINDS,
     .doc = "int: the lower, the sooner it runs; or None."},
    {"gpu", INDEX, .get = get_gpu, .refers = GPUS,
     .doc = "Gpu; or None. As a column: its index in Recording.gpus."},
    {"n_ops", NUMBER, TRACK(n_ops), .doc = "int: pieces of work that ran in it."},
    {.name = NULL}};

const struct kind stream_kind = {.name = "gpu_streams",
                                 .type_name = "rangefinder.recording.GpuStream",
                                 .doc = "A stream: where the GPU work of a process runs in order.",
                                 .columns = stream_columns,
                                 .size = sizeof(struct rf_gpu_track),
                                 .run = run_of_streams};
