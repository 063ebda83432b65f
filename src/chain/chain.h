/* SPDX-License-Identifier: Apache-2.0 */
/* Several tools of NVTX in one process: librangefinder-chain.so is the tool that the program finds.
 * It loads the recorder and the libraries that RANGEFINDER_CHAIN names, has each fill tables of its
 * own, and calls all of them for every call. Nothing is locked or allocated on an event. */
#ifndef RF_CHAIN_CHAIN_H
#define RF_CHAIN_CHAIN_H

#define NVTX_NO_IMPL
#include "nvtx3/nvToolsExt.h"
#include "nvtx3/nvToolsExtCounters.h"
#include "nvtx3/nvToolsExtMem.h"
#include "nvtx3/nvToolsExtPayload.h"
#include "nvtx3/nvToolsExtSync.h"
#include "nvtx3/nvtxDetail/nvtxExtTypes.h"
#include "nvtx3/nvtxDetail/nvtxTypes.h"

#include <stdbool.h>
#include <stdint.h>

#define CHAIN_TOOLS   4u
#define CHAIN_SLOTS   32u /* of a module, more than any has */
#define CHAIN_MODULES 8u  /* of an extension: their numbers are below that */

typedef NvtxFunctionPointer chain_function;

#define CHAIN_FUNCTION(f) ((chain_function)(void (*)(void))(f))

/* ---- Tools ---- */

/* What tool t took, the recorder being tool 0; NULL where it took nothing. Set once, before the
 * program calls. */
extern chain_function chain_slot[CHAIN_TOOLS][NVTX_CB_MODULE_SIZE][CHAIN_SLOTS];
extern intptr_t chain_ext_slot[CHAIN_TOOLS][CHAIN_MODULES][CHAIN_SLOTS];
extern unsigned chain_n_tools;

/* ---- What the program holds for several tools ---- */

enum chain_kind {
    CHAIN_DOMAIN,
    CHAIN_STRING,
    CHAIN_RESOURCE,
    CHAIN_LOCK,
    CHAIN_HEAP,
    CHAIN_PERMISSIONS,
    CHAIN_KINDS
};

/* Reserves what follows needs, before the program calls: nothing is mapped on an event. Without it
 * the recorder alone hears what has handles and ids. */
void chain_prepare(void);

/* Notes what the others have for a handle of the recorder's, which the program gets. Returns that.
 * Where there is no room the others do not hear of it, which is said and counted. */
void *chain_add_handle(enum chain_kind kind, void *const of[CHAIN_TOOLS]);

/* The same handle for every tool, as chain_handle_of() gives it; then it is forgotten. */
void chain_take_handle(enum chain_kind kind, void *handle, void *of[CHAIN_TOOLS]);

/* What that handle is for tool t; NULL: there is none, or it is not known. */
void *chain_handle_of(enum chain_kind kind, const void *handle, unsigned t);

/* Ids of tools before they have heard of a range: the others do not hear of its end either. */
#define CHAIN_NOT_HEARD UINT64_MAX
#define CHAIN_NO_IDS                                                                               \
    {                                                                                              \
        0, CHAIN_NOT_HEARD, CHAIN_NOT_HEARD, CHAIN_NOT_HEARD                                       \
    }
_Static_assert(CHAIN_TOOLS == 4, "as many as CHAIN_NO_IDS has");

/* The id of a start/end range for these ids of tools; that of the recorder if too many are open. */
nvtxRangeId_t chain_open_range(const nvtxRangeId_t of[CHAIN_TOOLS]);

/* The same for the handle of a region of memory. Regions that end with their heap, or by their
 * address, stay open here: they never take more than half of the room. */
nvtxRangeId_t chain_open_region(const nvtxRangeId_t of[CHAIN_TOOLS]);
bool chain_close_region(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS]);

/* The ids of the tools of an open range, which stays open. False: it is none of ours, or it has
 * ended. */
bool chain_find_range(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS]);

/* The same, and the range is forgotten. */
bool chain_close_range(nvtxRangeId_t id, nvtxRangeId_t of[CHAIN_TOOLS]);

/* The recorder's id of an open range. */
nvtxRangeId_t chain_recorders_range(nvtxRangeId_t id);

/* An id for a schema, enum, scope, counter or time domain that the program leaves to the tool. */
uint64_t chain_new_id(void);

/* ---- What `info` says ---- */

/* The recorder's function for it; NULL before it is loaded, and where it has none. */
extern void (*chain_message)(const char *text);

/* In the recording: a tool prints nothing. */
static inline void chain_say(const char *text)
{
    if (chain_message != NULL)
        chain_message(text);
}

/* ---- What the program calls ---- */

/* Of a module of NVTX, and of an extension, by callback id; NULL: nothing is there. */
chain_function chain_entry(NvtxCallbackModule module, unsigned id);
intptr_t chain_ext_entry(unsigned module, unsigned id);
intptr_t chain_memory_entry(unsigned id);

#endif
