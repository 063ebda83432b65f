/* SPDX-License-Identifier: Apache-2.0 */
/* The attached NVTX tool, if any. */
#ifndef RF_NVTX_TOOL_H
#define RF_NVTX_TOOL_H

#include "nvtx_python.h"
#include "threads.h"

/* 0: no tool is attached. Otherwise the number of times that a tool was attached: what was prepared
 * for another number is prepared again. Stored when all of that is ready: nvtx_attach_domains(). */
extern unsigned nvtx_attached;

/* NVTX_DISABLE is set: nothing is checked, made or recorded. */
extern bool nvtx_disabled;

static inline bool nvtx_is_heard(void)
{
    return nvtx_read(&nvtx_attached) != 0;
}

/* Whether a tool is attached: it has filled the slots that it wants. */
bool nvtx_has_tool(void);

/* Attaches the payload and counter extensions of the library that attach_recorder() has attached.
 */
void nvtx_attach_extensions(const char *path);

/* Disables all calls, and keeps NVTX from looking for a tool. */
void nvtx_silence(void);

/* Finds the functions of Rangefinder's recorder: which message begins captures, and which range is
 * part of which. Another tool has none. path: of the library that is attached, or NULL. */
void nvtx_find_recorder(const char *path);

/* Whether ranges of this message begin captures. */
bool nvtx_is_trigger(const char *message);

/* Tells the recorder that a start/end range belongs to a parent; 0: to none. */
void nvtx_set_parent(nvtxRangeId_t id, nvtxRangeId_t parent);

#endif
