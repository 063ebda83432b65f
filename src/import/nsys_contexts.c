/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of waits and of events. CUPTI does not report them, and some versions of nsys
 * (2026.2) write 0. A context belongs to one device, which is that of the work that ran in it; if
 * none ran, the table of contexts may name the device. */
#include "import/nsys_contexts.h"

#include <stdlib.h>

#define SEVERAL (RF_MAP_NONE - 1) /* devices have a context of this number: none is known */

struct contexts {
    struct nsys_load *load;
    struct rf_map device; /* (process, context) */
};

static int add_context(struct contexts *contexts, uint32_t process, uint32_t context,
                       uint32_t device)
{
    uint32_t known = rf_map_find(&contexts->device, process, context);
    if (context == 0 || known == device || device >= SEVERAL)
        return RF_OK;
    return rf_map_set(&contexts->device, process, context, known == RF_MAP_NONE ? device : SEVERAL);
}

/* The device of a context whose row has device 0. */
static uint32_t device_of(const struct contexts *contexts, uint32_t process, uint32_t context)
{
    uint32_t known = rf_map_find(&contexts->device, process, context);
    return known == RF_MAP_NONE || known == SEVERAL ? 0 : known;
}

/* ---- The devices of contexts ---- */

/* Contexts in which something ran. Returns 0 or RF_ERR_NO_MEMORY. */
static int add_busy_contexts(struct contexts *contexts, const rf_recording *rec)
{
    bool *is_busy = calloc((size_t)rec->n_tracks + 1, sizeof(*is_busy));
    int status = is_busy != NULL ? RF_OK : RF_ERR_NO_MEMORY;
    for (size_t i = 0; i < rec->n_ops && status == RF_OK; i++)
        is_busy[rec->op[i].track] |= rec->op[i].kind != RF_OP_SYNC;
    for (uint32_t i = 0; i < rec->n_tracks && status == RF_OK; i++) {
        const struct rf_gpu_track *track = &rec->track[i];
        if (is_busy[i])
            status = add_context(contexts, track->process, track->context, track->device);
    }
    free(is_busy);
    return status;
}

enum column { PROCESS, DEVICE = PROCESS + 3, CONTEXT };

static int read_context(void *argument, struct nsys_row *row)
{
    struct contexts *contexts = argument;
    uint32_t context = nsys_row_u32(row, CONTEXT);
    uint32_t process =
        rf_map_find(&contexts->load->process_of, nsys_row_process_key(row, PROCESS), 0);
    if (process == RF_MAP_NONE || rf_map_find(&contexts->device, process, context) != RF_MAP_NONE)
        return RF_OK;
    return nsys_memory_status(contexts->load, add_context(contexts, process, context,
                                                          nsys_row_u32(row, DEVICE)) == RF_OK);
}

static int find_devices(struct contexts *contexts)
{
    const struct nsys_reader readers[] = {{"TARGET_INFO_CUDA_CONTEXT_INFO", read_context,
                                           NSYS_COLUMNS(NSYS_MACHINE, "deviceId", "contextId")},
                                          {.table = NULL}};
    if (add_busy_contexts(contexts, contexts->load->rec) != RF_OK)
        return nsys_no_memory(contexts->load);
    return nsys_db_read(&contexts->load->db, readers, contexts);
}

/* ---- Waits ---- */

static int move_wait(struct contexts *contexts, struct rf_gpu_op *op)
{
    struct rf_gpu_track track = contexts->load->rec->track[op->track];
    if (op->kind != RF_OP_SYNC || track.device != 0)
        return RF_OK;
    track.device = device_of(contexts, track.process, track.context);
    if (track.device != 0)
        op->track = rf_find_track(&contexts->load->tracks, contexts->load->rec, &track);
    return nsys_memory_status(contexts->load, op->track != RF_NO_INDEX);
}

int nsys_place_waits(struct nsys_load *load)
{
    struct contexts contexts = {.load = load};
    rf_recording *rec = load->rec;
    int status = find_devices(&contexts);
    for (size_t i = 0; i < rec->n_ops && status == RF_OK; i++)
        status = move_wait(&contexts, &rec->op[i]);
    rf_map_release(&contexts.device);
    return status;
}

/* ---- Other rows ---- */

int nsys_place_extras(struct nsys_load *load)
{
    struct contexts contexts = {.load = load};
    rf_recording *rec = load->rec;
    int status = rec->n_extras > 0 ? find_devices(&contexts) : RF_OK;
    for (size_t i = 0; i < rec->n_extras && status == RF_OK; i++) {
        struct rf_extra *extra = &rec->extra[i];
        if (extra->device == 0 && extra->process != RF_NO_INDEX && extra->context != RF_NO_INDEX)
            extra->device = device_of(&contexts, extra->process, extra->context);
    }
    rf_map_release(&contexts.device);
    return status;
}
