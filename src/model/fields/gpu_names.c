/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fields/gpu_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/fields/fields.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_at(const char *const *names, size_t n, int i)
{
    return i >= 0 && (size_t)i < n && names[i] != NULL ? names[i] : "unknown";
}

const char *rf_call_kind_name(int kind)
{
    return rf_row_kind(&rf_call_fields, (unsigned)kind)->name;
}

const char *rf_gpu_op_kind_name(int kind)
{
    return rf_row_kind(&rf_op_fields, (unsigned)kind)->name;
}

const char *rf_copy_kind_name(int kind)
{
    static const char *const names[] = {
        [1] = "HtoD",      [2] = "DtoH",      [3] = "HtoA",      [4] = "AtoH", [5] = "AtoA",
        [6] = "AtoD",      [7] = "DtoA",      [8] = "DtoD",      [9] = "HtoH", [10] = "PtoP",
        [11] = "UVM HtoD", [12] = "UVM DtoH", [13] = "UVM DtoD",
    };
    return name_at(names, N_OF(names), kind);
}

const char *rf_memory_kind_name(int kind)
{
    static const char *const names[] = {
        "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static",
    };
    return name_at(names, N_OF(names), kind);
}

const char *rf_sync_type_name(int type)
{
    static const char *const names[] = {
        [1] = "Event sync",
        [2] = "Stream wait",
        [3] = "Stream sync",
        [4] = "Context sync",
    };
    return name_at(names, N_OF(names), type);
}

const char *rf_time_flag_name(unsigned bit)
{
    static const char *const words[] = {"no_start", "no_end", "clamped", "before_call"};
    return bit < N_OF(words) ? words[bit] : NULL;
}

void rf_sink_time_flags(struct rf_sink *sink, uint8_t flags)
{
    const char *separator = "", *word;
    for (unsigned i = 0; (word = rf_time_flag_name(i)) != NULL; i++) {
        if ((flags >> i & 1) == 0)
            continue;
        rf_sink_text(sink, separator);
        rf_sink_text(sink, word);
        separator = "+";
    }
}

/* ---- Places ---- */

#define MAX_GIVEN_NAME 64

/* How many bytes of a name are shown: no character is cut in two. */
static int shown_size(const char *name, size_t size)
{
    if (size <= MAX_GIVEN_NAME)
        return (int)size;
    size = MAX_GIVEN_NAME;
    while (size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80)
        size--;
    return (int)size;
}

char *rf_place_name(const rf_recording *rec, const char *what, uint32_t id, uint32_t name,
                    char to[RF_PLACE_NAME_SIZE])
{
    size_t size = 0;
    const char *given = rf_string(rec, name, &size);
    int used = id == RF_NO_INDEX
                   ? snprintf(to, RF_PLACE_NAME_SIZE, "%s %.24s", *what < 'a' ? "Any" : "any", what)
                   : snprintf(to, RF_PLACE_NAME_SIZE, "%.24s %" PRIu32, what, id);
    if (given != NULL && size > 0)
        (void)snprintf(to + used, RF_PLACE_NAME_SIZE - (size_t)used, " (%.*s)",
                       shown_size(given, size), given);
    return to;
}

uint32_t rf_track_device_name(const rf_recording *rec, const struct rf_gpu_track *track)
{
    const struct rf_gpu_device *device = rf_gpu_device_of(rec, track->process, track->device);
    return device != NULL ? device->name : RF_NO_STRING;
}

uint32_t rf_track_context_name(const rf_recording *rec, const struct rf_gpu_track *track)
{
    const struct rf_gpu_context *context = rf_gpu_context_of(rec, track);
    return context != NULL ? context->name : RF_NO_STRING;
}

uint32_t rf_track_stream_name(const rf_recording *rec, const struct rf_gpu_track *track)
{
    const struct rf_gpu_stream *stream = rf_gpu_stream_of(rec, track);
    return stream != NULL ? stream->name : RF_NO_STRING;
}

const struct rf_kernel *rf_op_kernel(const rf_recording *rec, const struct rf_gpu_op *op)
{
    return op->kind == RF_OP_KERNEL ? rf_kernel_at(rec, op->detail) : NULL;
}

const struct rf_transfer *rf_op_transfer(const rf_recording *rec, const struct rf_gpu_op *op)
{
    bool has_one = rf_row_kind(&rf_op_fields, op->kind)->detail_of == RF_OP_MEMCPY;
    return has_one ? rf_gpu_op_detail(rec, op) : NULL;
}

void rf_track_fetch_ahead(const rf_recording *rec, const struct rf_gpu_track *track, uint32_t k)
{
    enum { AHEAD = 8 };
    if (track->n_ops - k <= AHEAD)
        return;
    const struct rf_gpu_op *op = &rf_gpu_ops(rec, NULL)[(size_t)track->first_op + k + AHEAD];
    const char *detail = rf_gpu_op_detail(rec, op);
    if (detail == NULL)
        return;
    __builtin_prefetch(detail);
    __builtin_prefetch(detail + rf_row_kind(&rf_op_fields, op->kind)->detail_size - 1);
}

/* Each of the words is known, and short: 128 bytes hold them all. */
static char *put_label(const rf_recording *rec, const struct rf_gpu_op *op, char *out)
{
    const struct rf_transfer *transfer = rf_op_transfer(rec, op);
    if (op->kind == RF_OP_SYNC)
        return rf_put_text(out, rf_sync_type_name(op->sync_type));
    out = rf_put_text(out, rf_row_kind(&rf_op_fields, op->kind)->label);
    if (op->kind == RF_OP_MEMCPY && transfer != NULL) {
        out = rf_put_text(rf_put_text(out, " "), rf_copy_kind_name(transfer->copy_kind));
        out = rf_put_text(rf_put_text(out, " ("), rf_memory_kind_name(transfer->source_memory));
        out = rf_put_text(rf_put_text(out, " -> "), rf_memory_kind_name(transfer->target_memory));
        return rf_put_text(out, ")");
    }
    if (op->kind == RF_OP_MEMSET && transfer != NULL) {
        out = rf_put_text(rf_put_text(out, " ("), rf_memory_kind_name(transfer->source_memory));
        return rf_put_text(out, ")");
    }
    return op->kind == RF_OP_GRAPH ? rf_put_u64(rf_put_text(out, " "), op->graph) : out;
}

const char *rf_op_label(const rf_recording *rec, const struct rf_gpu_op *op, char buffer[128],
                        size_t *size)
{
    const char *text = rf_string(rec, op->name, size);
    if (text != NULL)
        return text;
    *size = (size_t)(put_label(rec, op, buffer) - buffer);
    return buffer;
}
