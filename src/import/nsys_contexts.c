/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of waits and of events. CUPTI does not report them, and some versions of nsys
 * (2026.2) write 0. A context belongs to one device, which is that of the work that ran in it; if
 * none ran, the table of contexts may name the device. */
#include "import/nsys_contexts.h"

#include "import/nsys_part.h"

#define SEVERAL (RF_MAP_NONE - 1) /* devices have a context of this number: none is known */

struct contexts {
    struct nsys_load *load;
    struct rf_map device; /* (key of the process, context) */
};

static int add_context(struct contexts *contexts, uint64_t process, uint32_t context,
                       uint32_t device)
{
    uint32_t known = rf_map_find(&contexts->device, process, context);
    if (context == 0 || known == device || device >= SEVERAL)
        return RF_OK;
    return rf_map_set(&contexts->device, process, context, known == RF_MAP_NONE ? device : SEVERAL);
}

/* The device of a context whose row has device 0. */
static uint32_t device_of(const struct contexts *contexts, uint64_t process, uint32_t context)
{
    uint32_t known = rf_map_find(&contexts->device, process, context);
    return known == RF_MAP_NONE || known == SEVERAL ? 0 : known;
}

/* ---- The devices of contexts ---- */

/* Contexts in which something ran. Returns 0 or RF_ERR_NO_MEMORY. */
static int add_busy_contexts(struct contexts *contexts, const struct nsys_load *part)
{
    int status = RF_OK;
    for (uint32_t i = 0; i < part->n_track_uses && status == RF_OK; i++) {
        const struct rf_gpu_track *track = &part->rec->track[i];
        if ((part->track_use[i] & NSYS_WORKS) != 0)
            status = add_context(contexts, part->process[track->process].key, track->context,
                                 track->device);
    }
    return status;
}

enum column { PROCESS, DEVICE = PROCESS + 3, CONTEXT };

static int read_context(void *argument, struct nsys_row *row)
{
    struct contexts *contexts = argument;
    uint32_t context = nsys_row_u32(row, CONTEXT);
    uint64_t process = nsys_row_process_key(row, PROCESS);
    if (rf_map_find(&contexts->device, process, context) != RF_MAP_NONE)
        return RF_OK;
    return nsys_memory_status(contexts->load, add_context(contexts, process, context,
                                                          nsys_row_u32(row, DEVICE)) == RF_OK);
}

static int find_devices(struct contexts *contexts)
{
    const struct nsys_reader readers[] = {{"TARGET_INFO_CUDA_CONTEXT_INFO", read_context,
                                           NSYS_COLUMNS(NSYS_MACHINE, "deviceId", "contextId")},
                                          {.table = NULL}};
    const struct nsys_parts *parts = contexts->load->parts;
    for (uint32_t i = 0; i < parts->n_parts; i++)
        if (add_busy_contexts(contexts, &parts->part[i].load) != RF_OK)
            return nsys_no_memory(contexts->load);
    return nsys_db_read(&contexts->load->db, readers, contexts);
}

/* ---- Waits ---- */

static int move_wait(const struct contexts *contexts, struct nsys_load *part, struct rf_gpu_op *op)
{
    struct rf_gpu_track track = part->rec->track[op->track];
    if (op->kind != RF_OP_SYNC)
        return RF_OK;
    if (track.device == 0)
        track.device = device_of(contexts, part->process[track.process].key, track.context);
    if (track.device != 0)
        op->track = rf_find_track(&part->tracks, part->rec, &track);
    return op->track != RF_NO_INDEX ? nsys_use_track(part, op->track, NSYS_WAITS)
                                    : RF_ERR_NO_MEMORY;
}

/* Tracks that nothing is on any more are marked so. */
static int move_waits(const struct contexts *contexts, struct nsys_load *part)
{
    int status = RF_OK;
    bool has_waits = false;
    for (uint32_t i = 0; i < part->n_track_uses; i++) {
        has_waits |= (part->track_use[i] & NSYS_WAITS) != 0;
        part->track_use[i] &= NSYS_WORKS;
    }
    for (size_t i = 0; has_waits && i < part->rec->n_ops && status == RF_OK; i++)
        status = move_wait(contexts, part, &part->rec->op[i]);
    return status;
}

int nsys_place_waits(struct nsys_load *load)
{
    struct contexts contexts = {.load = load};
    struct nsys_parts *parts = load->parts;
    int status = find_devices(&contexts);
    for (uint32_t i = 0; i < parts->n_parts && status == RF_OK; i++)
        status = nsys_memory_status(load, move_waits(&contexts, &parts->part[i].load) == RF_OK);
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
            extra->device = device_of(&contexts, load->process[extra->process].key, extra->context);
    }
    rf_map_release(&contexts.device);
    return status;
}
