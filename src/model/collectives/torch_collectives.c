/* SPDX-License-Identifier: Apache-2.0 */
#include "model/collectives/torch_collectives.h"

#include <string.h>

#include "model/fields/event_names.h"
#include "model/recording.h"

uint32_t rf_torch_collective_name(const rf_recording *rec)
{
    static const char name[] = "record_param_comms";
    return rf_strings_find(&rec->strings, name, strlen(name));
}

/* Names that PyTorch gives to what exchanges nothing. */
static bool is_operation(const char *text, size_t size)
{
    static const char *const others[] = {"wait", "init", "start_coalesced", "end_coalesced"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strlen(others[i]) == size && memcmp(others[i], text, size) == 0)
            return false;
    return size > 0;
}

struct rf_operation rf_torch_operation(const rf_recording *rec, const struct rf_event *event)
{
    static const char key[] = "\"Collective name\":\"";
    struct rf_operation operation = {NULL, 0};
    size_t size = 0;
    const char *json = event->payload_type == RF_TYPE_JSON
                           ? rf_string(rec, rf_payload_string(event), &size)
                           : NULL;
    const char *at = json != NULL ? memmem(json, size, key, strlen(key)) : NULL;
    if (at == NULL)
        return operation;
    at += strlen(key);
    const char *end = memchr(at, '"', (size_t)(json + size - at));
    if (end != NULL && is_operation(at, (size_t)(end - at)))
        operation = (struct rf_operation){at, (size_t)(end - at)};
    return operation;
}

/* The index behind the last event that starts no later than ns. */
static size_t find_behind(const struct rf_event *event, size_t n, int64_t ns)
{
    size_t low = 0;
    while (n > 0) {
        const size_t half = n / 2;
        if (event[low + half].start_ns <= ns) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

#define MAX_LOOKS 64

const struct rf_event *rf_torch_collective_around(const rf_recording *rec, uint32_t name,
                                                  uint32_t thread, const struct rf_call *call)
{
    size_t n = 0;
    const struct rf_event *event = rf_thread_events(rec, thread, &n);
    size_t i = find_behind(event, n, call->start_ns);
    for (int looks = 0; i > 0 && looks < MAX_LOOKS; looks++)
        if (event[--i].name == name && event[i].kind == RF_EVENT_PUSH_POP &&
            event[i].end_ns >= call->end_ns)
            return &event[i];
    return NULL;
}
