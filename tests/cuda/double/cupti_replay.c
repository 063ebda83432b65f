/* SPDX-License-Identifier: Apache-2.0 */
/* RF_DOUBLE_REPLAY: a file of raw buffers (tests/cuda/raw_buffers.h) is delivered in the place of
 * what the stand-ins do. The version is the file's; CUPTI's clock begins where the file does. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"
#include "raw_buffers.h"

struct replay {
    FILE *file;
    uint32_t version;
    uint8_t *buffer[4096];
    uint32_t size[4096];
    size_t n;
    uint64_t first; /* time in the file */
    uint64_t n_of_kind[CUPTI_MAX_KIND];
};

static struct replay replay;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Where a record of this kind has its start; 0: nowhere. */
static size_t start_offset(uint32_t kind)
{
    switch (kind) {
    case 4:
    case 5:
    case 38:
    case 51:
        return 8;
    case 1:
    case 2:
    case 10:
    case 22:
        return 16;
    default:
        return 0;
    }
}

static void see_record(const uint8_t *record, uint32_t kind)
{
    uint64_t time = 0;
    if (start_offset(kind))
        memcpy(&time, record + start_offset(kind), sizeof time);
    if (time && (!replay.first || time < replay.first))
        replay.first = time;
    replay.n_of_kind[kind]++;
}

static void see_buffer(const uint8_t *bytes, uint32_t size)
{
    for (uint32_t at = 0; at < size;) {
        uint32_t kind;
        memcpy(&kind, bytes + at, sizeof kind);
        size_t record_size = cupti_record_size(kind);
        if (!record_size || record_size > size - at) {
            cupti_violation("the raw buffers have a record of kind %u at byte %u", kind, at);
            return;
        }
        see_record(bytes + at, kind);
        at += (uint32_t)record_size;
    }
}

static void load(void)
{
    const char *path = getenv("RF_DOUBLE_REPLAY");
    uint8_t *bytes;
    uint32_t size;
    if (!path)
        return;
    replay.file = fopen(path, "rb");
    replay.version = replay.file ? raw_buffers_open(replay.file) : 0;
    if (!replay.version) {
        cupti_violation("'%s' is no file of raw buffers", path);
        return;
    }
    while (replay.n < 4096 && (bytes = raw_buffers_next(replay.file, &size))) {
        replay.buffer[replay.n] = bytes;
        replay.size[replay.n++] = size;
    }
    fclose(replay.file);
}

uint32_t cupti_replay_version(void)
{
    pthread_once(&once, load);
    return replay.version;
}

static void see_all(void)
{
    for (size_t i = 0; i < replay.n; i++)
        see_buffer(replay.buffer[i], replay.size[i]);
}

uint64_t cupti_replay_first_time(void)
{
    static pthread_once_t seen = PTHREAD_ONCE_INIT;
    pthread_once(&seen, see_all);
    return replay.first;
}

static void deliver(const uint8_t *bytes, uint32_t size, rf_cupti_request *request,
                    rf_cupti_complete *complete)
{
    uint8_t *buffer;
    size_t room, max_records;
    cupti_set_inside(CUPTI_IN_REQUEST);
    request(&buffer, &room, &max_records);
    cupti_set_inside(CUPTI_IN_COMPLETE);
    if (size > room) {
        cupti_violation("a raw buffer of %u bytes does not fit", size);
        size = 0;
    }
    memcpy(buffer, bytes, size);
    complete(NULL, 0, buffer, room, size);
    cupti_set_inside(CUPTI_OUTSIDE);
}

void cupti_replay_all(rf_cupti_request *request, rf_cupti_complete *complete)
{
    for (size_t i = 0; i < replay.n; i++)
        deliver(replay.buffer[i], replay.size[i], request, complete);
    for (uint32_t kind = 0; kind < CUPTI_MAX_KIND; kind++)
        if (replay.n_of_kind[kind])
            cupti_note("replayed %u %llu", kind, (unsigned long long)replay.n_of_kind[kind]);
}
