/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the GPU: as ranges on tracks of the process, or, where that is asked for, as render
 * stages, which is how Perfetto since v55 has CUDA's kernels, with their launches and correlation.
 */
#include "export/perfetto/export_perfetto_gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/perfetto/export_perfetto_fields.h"
#include "export/perfetto/export_perfetto_packets.h"
#include "export/perfetto/export_perfetto_projection.h"
#include "export/perfetto/export_perfetto_tracks.h"
#include "model/fields/gpu_names.h"

enum stage_field {
    STAGE_EVENT_ID = 1,
    STAGE_DURATION = 2,
    STAGE_CONTEXT = 5,
    STAGE_GPU_ID = 11,
    STAGE_QUEUE_IID = 13,
    STAGE_STAGE_IID = 14,
    STAGE_NAME = 17,
    STAGE_KERNEL_IID = 19,
    STAGE_NAME_IID = 20,
    STAGE_LAUNCH = 21,
};

enum { LAUNCH_GRID = 1, LAUNCH_BLOCK = 2 };
enum { SPEC_NAME = 2, SPEC_DESCRIPTION = 3, SPEC_CATEGORY = 4 };
enum { CONTEXT_PID = 2, CONTEXT_API = 3 };
enum { KERNEL_NAME = 2, KERNEL_DEMANGLED = 3, KERNEL_ARCH = 4 };
enum { SPEC_OTHER = 0, SPEC_COMPUTE = 2 };

/* Stages are numbered by the kind of work; queues follow: two per track, since waits run beside
 * the work that is waited for. */
#define FIRST_QUEUE ((uint64_t)RF_MAX_KINDS)

/* The name of a kernel is interned; others are put together from what they do. */
static void put_op_name(struct pf_writer *to, const struct rf_gpu_op *op, uint32_t iid_field,
                        uint32_t text_field)
{
    char buffer[128];
    size_t size;
    if (op->name != RF_NO_STRING) {
        rf_proto_u64(&to->packet, iid_field, pf_name(to, op->name));
        return;
    }
    const char *label = rf_op_label(to->rec, op, buffer, &size);
    rf_proto_text(&to->packet, text_field, label, size);
}

/* ---- Names of streams ---- */

static bool is_neighbour(const struct pf_writer *to, const struct rf_gpu_track *track,
                         uint32_t other)
{
    const struct rf_gpu_track *at = rf_gpu_track_at(to->rec, other);
    return at != NULL && at->process == track->process && at->device == track->device &&
           at->context != track->context;
}

#define STREAM_NAME_SIZE (2 * RF_PLACE_NAME_SIZE)

/* A stream as people call it, with its context where the process uses several on the device. The
 * names that the program gave are there if has_names is set. */
static void name_stream(const struct pf_writer *to, uint32_t index, bool has_names,
                        char name[STREAM_NAME_SIZE])
{
    char stream[RF_PLACE_NAME_SIZE], context[RF_PLACE_NAME_SIZE];
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, index);
    uint32_t stream_name = has_names ? rf_track_stream_name(to->rec, track) : RF_NO_STRING;
    uint32_t context_name = has_names ? rf_track_context_name(to->rec, track) : RF_NO_STRING;
    rf_place_name(to->rec, "Stream", track->stream, stream_name, stream);
    rf_place_name(to->rec, "Context", track->context, context_name, context);
    if (is_neighbour(to, track, index - 1) || is_neighbour(to, track, index + 1) ||
        context_name != RF_NO_STRING)
        (void)snprintf(name, STREAM_NAME_SIZE, "%s %s", context, stream);
    else
        (void)snprintf(name, STREAM_NAME_SIZE, "%s", stream);
}

/* ---- What all work of a stream says alike ---- */

/* Fields that were written in full once, to be written again as they are while the reader still
 * knows what they refer to. */
struct said {
    uint64_t generation; /* of the interning; 0: nothing was said yet */
    size_t size;
    uint8_t bytes[256];
};

static bool say_again(struct pf_writer *to, const struct said *said)
{
    if (said->generation != to->known.generation)
        return false;
    rf_proto_append(&to->packet, said->bytes, said->size);
    return true;
}

/* What stands in the packet from begin on. */
static void keep_said(const struct pf_writer *to, struct said *said, size_t begin)
{
    size_t size = to->packet.used - begin;
    if (to->packet.has_failed || size > sizeof(said->bytes))
        return;
    memcpy(said->bytes, to->packet.data + begin, size);
    said->size = size;
    said->generation = to->known.generation;
}

/* The arguments of kernels that were written last: launches of a kernel differ in little else than
 * PF_OWN. */
#define N_SAID_KERNELS 64

struct said_kernel {
    struct rf_kernel kernel;
    struct said args;
};

#define KERNEL_WORDS (sizeof(struct rf_kernel) / sizeof(uint64_t))
_Static_assert(sizeof(struct rf_kernel) % sizeof(uint64_t) == 0, "is_same_kernel()");

/* Whether a flow leads to it from its call. A wait is no work that a call causes. */
static bool has_flow(const struct pf_writer *to, const struct rf_gpu_op *op)
{
    return !to->gpu_events && !to->job->options->no_flows && op->call != RF_NO_INDEX &&
           op->kind != RF_OP_SYNC;
}

/* What the work of all streams is written with. */
struct work_fields {
    struct pf_fields of_kind[RF_MAX_KINDS]; /* by enum rf_gpu_op_kind */
    uint64_t mask[KERNEL_WORDS];            /* the bytes of PF_DETAIL of kernels */
    struct said_kernel kernels[N_SAID_KERNELS];
};

#define PLACE_SIZE 128

struct stage_track {
    const struct rf_gpu_track *track;
    struct work_fields *fields;
    uint32_t index;
    uint32_t first_of_context; /* index of the first track of the same context: they are sorted */
    uint64_t group;            /* the track that the streams of this process and GPU are below */
    struct said place[2];      /* queue, GPU and context; of waits and of other work */
    struct said args;
    char description[PLACE_SIZE]; /* of its tracks of slices */
};

/* The same arguments for all work of a stream. */
static void put_place_args(struct pf_writer *to, const struct pf_fields *fields,
                           struct stage_track *at)
{
    size_t begin = to->packet.used;
    if (say_again(to, &at->args))
        return;
    pf_put_fields(to, fields, PF_TRACK, at->track);
    keep_said(to, &at->args, begin);
}

static struct work_fields *new_fields(struct pf_writer *to)
{
    struct work_fields *fields = calloc(1, sizeof(*fields));
    if (fields == NULL)
        return NULL;
    for (unsigned kind = 1; kind < rf_op_fields.n_kinds; kind++)
        pf_fields_init(&fields->of_kind[kind], to, &rf_op_fields, kind,
                       to->gpu_events ? PF_ARGUMENT : PF_ANNOTATION);
    for (size_t i = 0; i < rf_op_fields.n; i++) {
        const struct rf_field *field = &rf_op_fields.field[i];
        if (rf_field_is_of(field, RF_OP_KERNEL) && field->part == RF_PART_DETAIL &&
            !pf_is_own(field))
            memset((char *)fields->mask + field->offset, 0xff, field->size);
    }
    return fields;
}

static bool is_same_kernel(const uint64_t mask[KERNEL_WORDS], const struct rf_kernel *a,
                           const struct rf_kernel *b)
{
    uint64_t differs = 0, left[KERNEL_WORDS], right[KERNEL_WORDS];
    memcpy(left, a, sizeof(left));
    memcpy(right, b, sizeof(right));
    for (size_t i = 0; i < KERNEL_WORDS; i++)
        differs |= (left[i] ^ right[i]) & mask[i];
    return differs == 0;
}

static void put_kernel_args(struct pf_writer *to, struct work_fields *fields,
                            const struct rf_kernel *kernel)
{
    struct said_kernel *said = &fields->kernels[kernel->demangled % N_SAID_KERNELS];
    size_t begin = to->packet.used;
    if (is_same_kernel(fields->mask, kernel, &said->kernel) && say_again(to, &said->args))
        return;
    pf_put_fields(to, &fields->of_kind[RF_OP_KERNEL], PF_DETAIL, kernel);
    said->kernel = *kernel;
    said->args.generation = 0;
    keep_said(to, &said->args, begin);
}

/* The full name of a kernel, where that is not the name of its slice. */
static void put_kernel_name(struct pf_writer *to, const struct rf_gpu_op *op,
                            const struct rf_kernel *kernel)
{
    if (!to->gpu_events && kernel->demangled != op->name)
        pf_put_string(to, PF_ANNOTATION, PF_KEY_KERNEL, kernel->demangled);
}

static void put_op_args(struct pf_writer *to, struct stage_track *at, const struct rf_gpu_op *op)
{
    struct rf_row row;
    const struct pf_fields *fields = &at->fields->of_kind[op->kind];
    rf_row_of_op(to->rec, op, &row);
    const void *detail = row.part[RF_PART_DETAIL];
    put_place_args(to, fields, at);
    pf_put_fields(to, fields, PF_ROW, op);
    if (rf_names_call(to->job, op, has_flow(to, op)))
        pf_put_fields(to, fields, PF_LINK, op);
    pf_put_owner(to, fields->kind, (uint32_t)(op - rf_gpu_ops(to->rec, NULL)));
    if (op->kind == RF_OP_KERNEL && detail != NULL) {
        put_kernel_name(to, op, detail);
        put_kernel_args(to, at->fields, detail);
    } else {
        pf_put_fields(to, fields, PF_DETAIL, detail);
    }
    pf_put_fields(to, fields, PF_OWN, detail);
}

/* ---- Render stages ---- */

static void define_spec(struct pf_writer *to, uint64_t iid, const char *name,
                        const char *description, int category)
{
    if (pf_is_known(to, PF_SPECS, iid))
        return;
    size_t begin = pf_begin_definition(to, PF_SPECS, iid);
    rf_proto_words(&to->interned, SPEC_NAME, name);
    rf_proto_words(&to->interned, SPEC_DESCRIPTION, description);
    rf_proto_u64(&to->interned, SPEC_CATEGORY, (uint64_t)category);
    rf_proto_end(&to->interned, begin);
}

static uint64_t queue_of(struct pf_writer *to, uint32_t index, bool is_wait)
{
    char stream[STREAM_NAME_SIZE], owner[96], name[STREAM_NAME_SIZE + 112], description[160];
    uint64_t iid = FIRST_QUEUE + (uint64_t)index * 2 + (uint64_t)is_wait;
    const struct rf_gpu_track *track = rf_gpu_track_at(to->rec, index);
    const struct rf_process *process = rf_process_at(to->rec, track->process);
    bool has_owner = rf_n_processes(to->rec) > 1;
    const char *program = rf_string(to->rec, process->name, NULL);
    name_stream(to, index, true, stream);
    (void)snprintf(owner, sizeof(owner), "%.60s %u", program != NULL ? program : "process",
                   process->pid);
    (void)snprintf(name, sizeof(name), "%s%s%s%s", stream, is_wait ? " waits" : "",
                   has_owner ? ", " : "", has_owner ? owner : "");
    (void)snprintf(description, sizeof(description), "device %u, context %u, stream %u of %s",
                   track->device, track->context, track->stream, owner);
    define_spec(to, iid, name, description, SPEC_OTHER);
    return iid;
}

static uint64_t stage_of(struct pf_writer *to, const struct rf_gpu_op *op)
{
    uint64_t iid = (uint64_t)op->kind + 1;
    bool is_compute = op->kind == RF_OP_KERNEL || op->kind == RF_OP_GRAPH;
    define_spec(to, iid, rf_gpu_op_kind_name(op->kind), "", is_compute ? SPEC_COMPUTE : SPEC_OTHER);
    return iid;
}

static bool is_same_context(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device && a->context == b->context;
}

static bool is_same_gpu(const struct rf_gpu_track *a, const struct rf_gpu_track *b)
{
    return a->process == b->process && a->device == b->device;
}

/* A context of a process; the first of its tracks gives the number. */
static uint64_t context_of(struct pf_writer *to, const struct stage_track *at)
{
    uint64_t iid = (uint64_t)at->first_of_context + 1;
    if (!pf_is_known(to, PF_CONTEXTS, iid)) {
        size_t begin = pf_begin_definition(to, PF_CONTEXTS, iid);
        rf_proto_u64(&to->interned, CONTEXT_PID, to->ids.pids[at->track->process]);
        rf_proto_u64(&to->interned, CONTEXT_API, PF_API_CUDA);
        rf_proto_end(&to->interned, begin);
    }
    return iid;
}

static void put_kernel(struct pf_writer *to, const struct rf_gpu_op *op,
                       const struct rf_kernel *kernel)
{
    uint32_t key = kernel->mangled != RF_NO_STRING     ? kernel->mangled
                   : kernel->demangled != RF_NO_STRING ? kernel->demangled
                                                       : op->name;
    if (key >= to->n_strings)
        return;
    uint64_t iid = (uint64_t)key + 1;
    rf_proto_u64(&to->packet, STAGE_KERNEL_IID, iid);
    if (pf_is_known(to, PF_KERNELS, iid))
        return;
    size_t begin = pf_begin_definition(to, PF_KERNELS, iid);
    to->known.text_bytes +=
        pf_put_whole(to, &to->interned, KERNEL_NAME,
                     kernel->mangled != RF_NO_STRING ? kernel->mangled : op->name);
    to->known.text_bytes += pf_put_whole(to, &to->interned, KERNEL_DEMANGLED, kernel->demangled);
    if (to->arch != NULL)
        rf_proto_words(&to->interned, KERNEL_ARCH, to->arch);
    rf_proto_end(&to->interned, begin);
}

static void put_dim3(struct pf_writer *to, uint32_t field, const uint32_t size[3])
{
    size_t begin = rf_proto_begin(&to->packet, field);
    for (uint32_t i = 0; i < 3; i++)
        rf_proto_u64(&to->packet, i + 1, size[i]);
    rf_proto_end(&to->packet, begin);
}

static void put_launch(struct pf_writer *to, struct stage_track *at, const struct rf_gpu_op *op,
                       const struct rf_kernel *kernel)
{
    size_t begin = rf_proto_begin_wide(&to->packet, STAGE_LAUNCH);
    if (kernel != NULL) {
        put_dim3(to, LAUNCH_GRID, kernel->grid);
        put_dim3(to, LAUNCH_BLOCK, kernel->block);
    }
    put_op_args(to, at, op);
    rf_proto_end_wide(&to->packet, begin);
}

static void put_place(struct pf_writer *to, struct stage_track *at, bool is_wait)
{
    size_t begin = to->packet.used;
    if (say_again(to, &at->place[is_wait]))
        return;
    rf_proto_u64(&to->packet, STAGE_QUEUE_IID, queue_of(to, at->index, is_wait));
    rf_proto_u64(&to->packet, STAGE_GPU_ID, pf_gpu_id(to, at->track->device));
    rf_proto_u64(&to->packet, STAGE_CONTEXT, context_of(to, at));
    keep_said(to, &at->place[is_wait], begin);
}

static int put_stage(struct pf_writer *to, struct stage_track *at, const struct rf_gpu_op *op,
                     uint64_t id)
{
    const struct rf_kernel *kernel = rf_op_kernel(to->rec, op);
    pf_begin_packet_at(to, op->start_ns);
    size_t begin = rf_proto_begin_wide(&to->packet, PF_PACKET_RENDER_STAGE);
    rf_proto_u64(&to->packet, STAGE_EVENT_ID, id);
    rf_proto_u64(&to->packet, STAGE_DURATION, (uint64_t)rf_op_duration_ns(op));
    rf_proto_u64(&to->packet, STAGE_STAGE_IID, stage_of(to, op));
    put_place(to, at, op->kind == RF_OP_SYNC);
    put_op_name(to, op, STAGE_NAME_IID, STAGE_NAME);
    if (kernel != NULL)
        put_kernel(to, op, kernel);
    put_launch(to, at, op, kernel);
    rf_proto_end_wide(&to->packet, begin);
    return pf_end_packet(to);
}

/* ---- The same as ranges on tracks ---- */

static int put_range(struct pf_writer *to, struct pf_track *lanes, struct stage_track *at,
                     const struct rf_gpu_op *op, uint64_t id)
{
    uint64_t uuid = pf_track_place(to, lanes, op->start_ns, op->end_ns);
    size_t begin = pf_begin_event(to, op->start_ns, PF_BEGIN, uuid, pf_category_of_work(op->kind));
    put_op_name(to, op, PF_EVENT_NAME_IID, PF_EVENT_NAME);
    if (has_flow(to, op))
        rf_proto_fixed64(&to->packet, PF_EVENT_TERMINATING_FLOW_IDS, id);
    put_op_args(to, at, op);
    return pf_end_message(to, begin);
}

/* Viewers sort what is right below a process by name, which puts stream 13 before stream 7. */
static uint64_t describe_group(struct pf_writer *to, const struct rf_gpu_track *track)
{
    struct pf_track_name name = {.string = RF_NO_STRING, .rank = (1u << 20)};
    (void)snprintf(name.text, sizeof(name.text), "GPU %u", track->device);
    return pf_describe(to, pf_process_uuid(to, track->process), &name);
}

/* "device 0, context 1, stream 7": what else work with arguments of its own would say each time. */
static void describe_place(const struct rf_gpu_track *track, char place[PLACE_SIZE])
{
    const struct rf_row row = {.part = {[RF_PART_TRACK] = track}};
    size_t used = 0;
    for (size_t i = 0; i < rf_op_fields.n; i++) {
        const struct rf_field *field = &rf_op_fields.field[i];
        if (field->part != RF_PART_TRACK || field->type != RF_FIELD_NUMBER)
            continue;
        uint64_t number = rf_field_number(field, rf_field_at(field, &row));
        if (rf_field_is_hidden_in_viewers(field, number))
            continue;
        int n = snprintf(place + used, PLACE_SIZE - used, "%s%s %" PRIu64, used > 0 ? ", " : "",
                         field->name, number);
        if (n < 0 || (size_t)n >= PLACE_SIZE - used)
            return;
        used += (size_t)n;
    }
}

static void begin_lanes(struct pf_writer *to, struct stage_track *at, struct pf_track lanes[2])
{
    const struct rf_gpu_track *track = at->track;
    char stream[STREAM_NAME_SIZE];
    uint32_t given = rf_track_stream_name(to->rec, track);
    struct pf_track_name name = {
        .string = given, .rank = at->index & INT32_MAX, .description = at->description};
    describe_place(track, at->description);
    name_stream(to, at->index, false, stream);
    for (int is_wait = 0; is_wait < 2; is_wait++) {
        (void)snprintf(name.text, sizeof(name.text), "GPU %u %.40s%s%s", track->device, stream,
                       is_wait ? " waits" : "", given != RF_NO_STRING ? ": " : "");
        pf_track_begin(&lanes[is_wait], at->group, &name);
    }
}

static int put_op(struct pf_writer *to, struct stage_track *at, struct pf_track lanes[2],
                  size_t index)
{
    const struct rf_gpu_op *op = &rf_gpu_ops(to->rec, NULL)[index];
    if (to->gpu_events)
        (void)put_stage(to, at, op, index + 1);
    else
        (void)put_range(to, &lanes[op->kind == RF_OP_SYNC], at, op, to->first_flow + index);
    return pf_fail(to, rf_export_step(to->job));
}

static void put_track(struct pf_writer *to, struct stage_track *at, struct pf_track lanes[2])
{
    if (!to->gpu_events)
        begin_lanes(to, at, lanes);
    for (uint32_t k = 0; k < at->track->n_ops && to->status == RF_OK; k++) {
        rf_track_fetch_ahead(to->rec, at->track, k);
        (void)put_op(to, at, lanes, (size_t)at->track->first_op + k);
    }
    pf_track_finish(to, &lanes[0]);
    pf_track_finish(to, &lanes[1]);
}

int pf_write_gpu(struct pf_writer *to)
{
    struct pf_track lanes[2];
    uint32_t first_of_context = 0;
    uint64_t group = 0;
    struct work_fields *fields = new_fields(to);
    memset(lanes, 0, sizeof(lanes));
    if (fields == NULL)
        return pf_fail_memory(to);
    for (uint32_t i = 0; i < rf_n_gpu_tracks(to->rec) && to->status == RF_OK; i++) {
        struct stage_track at = {
            .track = rf_gpu_track_at(to->rec, i), .fields = fields, .index = i};
        const struct rf_gpu_track *before = i > 0 ? rf_gpu_track_at(to->rec, i - 1) : NULL;
        if (before == NULL || !is_same_context(at.track, before))
            first_of_context = i;
        if (!to->gpu_events && (before == NULL || !is_same_gpu(at.track, before)))
            group = describe_group(to, at.track);
        at.first_of_context = first_of_context;
        at.group = group;
        put_track(to, &at, lanes);
    }
    free(fields);
    return to->status;
}
