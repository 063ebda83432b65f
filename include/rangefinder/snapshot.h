/* SPDX-License-Identifier: Apache-2.0 */
/* A program asks for a snapshot of the flight recorder that records it.
 *
 *     #include <rangefinder/snapshot.h>
 *
 *     if (latency_ms > 100)
 *         rangefinder_snapshot("a slow request");
 *
 * Under `rangefinder profile --ring=64M ./program` the newest events of all threads are then saved
 * as NAME.snapshot1.rf, by the command line: the program does not wait for it. Otherwise the
 * function does nothing. Header-only; it needs nvtx3/nvToolsExt.h, Rangefinder's or NVIDIA's. */
#ifndef RANGEFINDER_SNAPSHOT_H
#define RANGEFINDER_SNAPSHOT_H

#include <errno.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mark in this domain is what asks: its message is the reason. */
#define RANGEFINDER_SNAPSHOT_DOMAIN "rangefinder.snapshot"

/* Asks for a snapshot. reason: up to 127 bytes of UTF-8 are kept, which `rangefinder info` shows;
 * NULL: none is given. Any thread may call it, and a signal handler too, once something was
 * annotated. It costs what a mark costs: it neither waits nor locks nor allocates, and keeps errno.
 * What is asked for within --cool-down of another snapshot is counted and not taken. */
static inline void rangefinder_snapshot(const char *reason)
{
    static nvtxDomainHandle_t domain; /* of this file: the tool gives all of them the same one */
    nvtxEventAttributes_t attributes;
    const int code = errno;
    nvtxDomainHandle_t known = __atomic_load_n(&domain, __ATOMIC_RELAXED);
    if (known == NULL) {
        known = nvtxDomainCreateA(RANGEFINDER_SNAPSHOT_DOMAIN);
        __atomic_store_n(&domain, known, __ATOMIC_RELAXED);
    }
    memset(&attributes, 0, sizeof(attributes));
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = reason != NULL ? reason : "";
    if (known != NULL)
        nvtxDomainMarkEx(known, &attributes);
    errno = code;
}

#ifdef __cplusplus
}
#endif

#endif
