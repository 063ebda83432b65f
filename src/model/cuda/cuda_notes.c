/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cuda/cuda_notes.h"

#include <stdlib.h>

#include "model/load/load.h"

#define COUNTED ": counted only, says nothing of memory in use"

static const char *const notes[RF_N_NOTES][2] = {
    [RF_NOTE_CALL_TIME] = {"CUDA calls", "no start or no end: taken as empty"},
    [RF_NOTE_CALL_ORDER] = {"CUDA calls", "ends before it starts: taken as empty"},
    [RF_NOTE_NO_TIME] = {"GPU work", "no times: shown where its call ends"},
    [RF_NOTE_NO_START] = {"GPU work", "no start: taken as empty"},
    [RF_NOTE_NO_END] = {"GPU work", "no end: taken as empty"},
    [RF_NOTE_ORDER] = {"GPU work", "ends before it starts: taken as empty"},
    [RF_NOTE_BEFORE_CALL] = {"GPU work", "begins before its call: shown as it is"},
    [RF_NOTE_NO_NAME] = {"CUDA names", "not defined: shown as a number"},
    [RF_NOTE_NO_CLOCK] = {"CUDA times", "process without clock pairs: taken as CLOCK_REALTIME"},
    [RF_NOTE_SHORT] = {"CUDA records", "too short: left out"},
    [RF_NOTE_UNKNOWN] = {"CUDA records", "of a kind that this version does not know: left out"},
    [RF_NOTE_METRICS_LOST] = {"GPU metrics",
                              "samples are missing: the hardware buffer was full, or they came "
                              "too fast"},
    [RF_NOTE_METRICS_BAD] = {"GPU metrics", "not what a sampler writes: left out"},
    [RF_NOTE_METRICS_NO_NUMBER] = {"GPU metrics", "values that are no numbers: left out"},
    [RF_NOTE_COUNTER_UNKNOWN] = {"NVTX counters",
                                 "samples of a counter that was not registered: left out"},
    [RF_NOTE_COUNTER_SCHEMA] = {"NVTX counters",
                                "samples that the counter's schema does not describe: left out"},
    [RF_NOTE_COUNTER_SIZE] = {"NVTX counters",
                              "samples that are not whole: as many as are whole are shown"},
    [RF_NOTE_COUNTER_PLACED] = {"NVTX counters",
                                "samples without a time, or with one of an unknown clock: shown "
                                "where they were recorded"},
    [RF_NOTE_EVENT_LEFT_OUT] = {"NVTX events",
                                "deferred events without payloads, and batches whose schema is "
                                "not known: left out"},
    [RF_NOTE_EVENT_SIZE] = {"NVTX events",
                            "batches that are not whole: the events that are whole are shown"},
    [RF_NOTE_EVENT_PLACED] = {"NVTX events",
                              "deferred events without a time, or with one of an unknown clock: "
                              "shown where they were submitted"},
    [RF_NOTE_EVENT_OUTSIDE] = {"NVTX events",
                               "submitted in a capture, with a time outside of it: left out"},
    [RF_NOTE_COUNTER_OUTSIDE] = {"NVTX counters",
                                 "samples of batches that were submitted in a capture, with a "
                                 "time outside of it: left out"},
    [RF_NOTE_EVENT_FAR] = {"NVTX events",
                           "a time of its own far outside of the recording: shown where it was "
                           "called or submitted"},
    [RF_NOTE_COUNTER_FAR] = {"NVTX counters",
                             "samples with a time far outside of the recording: shown where they "
                             "were recorded"},
    [RF_NOTE_HEAP_UNKNOWN] = {"NVTX memory",
                              "calls for a heap that was not registered: taken as those of an "
                              "unknown heap"},
    [RF_NOTE_HEAP_GONE] = {"NVTX memory",
                           "calls for a heap that was unregistered before: taken as if it were "
                           "not"},
    [RF_NOTE_REGION_UNKNOWN] = {"NVTX memory",
                                "calls for a region that is not registered, or no longer: left "
                                "out"},
    [RF_NOTE_REGION_TWICE] = {"NVTX memory",
                              "regions registered at the address of one of the same heap: the "
                              "earlier one ends there"},
    [RF_NOTE_MEMORY_NULL] = {"NVTX memory", "calls without a structure or elements: left out"},
    [RF_NOTE_MEMORY_VERSION] = {"NVTX memory",
                                "calls with a structure of another version, or one that is too "
                                "short: left out"},
    [RF_NOTE_MEMORY_ELEMENT] = {"NVTX memory",
                                "calls with elements of a size that does not fit their type: left "
                                "out"},
    [RF_NOTE_MEMORY_COUNT] = {"NVTX memory",
                              "calls with more elements than memory can hold: left out"},
    [RF_NOTE_MEMORY_TYPE] = {"NVTX memory",
                             "calls with a type of memory or reference that is not known: left "
                             "out"},
    [RF_NOTE_MEMORY_OTHER] = {"NVTX memory", "calls of functions that are not known: left out"},
    [RF_NOTE_MEMORY_FIRST] = {"NVTX memory", "nvtxMemPermissionsAssign" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 1] = {"NVTX memory", "nvtxMemPermissionsCreate" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 2] = {"NVTX memory", "nvtxMemPermissionsDestroy" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 3] = {"NVTX memory", "nvtxMemPermissionsReset" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 4] = {"NVTX memory", "nvtxMemPermissionsBind" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 5] = {"NVTX memory", "nvtxMemPermissionsUnbind" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 6] = {"NVTX memory", "nvtxMemCudaGetProcessWidePermissions" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 7] = {"NVTX memory", "nvtxMemCudaGetDeviceWidePermissions" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 8] = {"NVTX memory", "nvtxMemCudaSetPeerAccess" COUNTED},
    [RF_NOTE_MEMORY_FIRST + 9] = {"NVTX memory", "nvtxMemCudaMarkInitialized" COUNTED},
};

void rf_cuda_note_work(struct rf_load *load, uint8_t flags)
{
    struct rf_cuda_load *cuda = &load->cuda;
    const uint8_t no_time = RF_TIME_NO_START | RF_TIME_NO_END;
    load->rec->info.n_bad_times += flags != 0;
    if ((flags & no_time) == no_time)
        cuda->n_notes[RF_NOTE_NO_TIME]++;
    else if (flags & RF_TIME_NO_START)
        cuda->n_notes[RF_NOTE_NO_START]++;
    else if (flags & RF_TIME_NO_END)
        cuda->n_notes[RF_NOTE_NO_END]++;
    else if (flags & RF_TIME_CLAMPED)
        cuda->n_notes[RF_NOTE_ORDER]++;
    if (flags & RF_TIME_BEFORE_CALL)
        cuda->n_notes[RF_NOTE_BEFORE_CALL]++;
}

void rf_cuda_note_call(struct rf_load *load, uint8_t flags)
{
    struct rf_cuda_load *cuda = &load->cuda;
    load->rec->info.n_bad_times += flags != 0;
    cuda->n_notes[RF_NOTE_CALL_TIME] += (flags & (RF_TIME_NO_START | RF_TIME_NO_END)) != 0;
    cuda->n_notes[RF_NOTE_CALL_ORDER] += (flags & RF_TIME_CLAMPED) != 0;
}

int rf_cuda_list_notes(struct rf_load *load)
{
    rf_recording *rec = load->rec;
    load->cuda.n_notes[RF_NOTE_NO_NAME] += load->cuda.names.n_undefined;
    rec->skipped = calloc(RF_N_NOTES, sizeof(*rec->skipped));
    if (rec->skipped == NULL)
        return RF_ERR_NO_MEMORY;
    for (int i = 0; i < RF_N_NOTES; i++)
        if (load->cuda.n_notes[i] > 0)
            rec->skipped[rec->n_skipped++] =
                (struct rf_skipped){notes[i][0], notes[i][1], load->cuda.n_notes[i]};
    return RF_OK;
}

bool rf_cuda_has_notes(const struct rf_load *load)
{
    for (int i = 0; i < RF_N_NOTES; i++)
        if (load->cuda.n_notes[i] > 0)
            return true;
    return false;
}
