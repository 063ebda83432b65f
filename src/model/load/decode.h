/* SPDX-License-Identifier: Apache-2.0 */
/* Turning records into events: what streams.c (whole streams) and merge.c (one thread out of
 * several streams) share. */
#ifndef RF_MODEL_LOAD_DECODE_H
#define RF_MODEL_LOAD_DECODE_H

#include <stdbool.h>

#include "log/log_memory.h"
#include "model/cuda/cuda_sums.h"
#include "model/load/load.h"
#include "model/load/path_walk.h"

#define RF_DECODER_CACHE 64u /* a power of two */

#define RF_DECODER_TEXTS 256u

/* A short message that was met, as its record has it. */
struct rf_decoder_text {
    uint64_t words[3];
    uint32_t n_words; /* 0: none */
    uint32_t id;
};

#define RF_DECODER_SCHEMAS 16u

/* Whether payloads of a schema are needed (payload_matters.h). */
struct rf_decoder_schema {
    uint64_t id;
    uint32_t domain, process;
    uint32_t definition; /* RF_NO_INDEX: it is not known */
    bool is_known, is_needed;
};

/* One per worker. */
struct rf_decoder {
    struct rf_load *load;
    struct rf_strings *strings; /* the recording's, or this worker's own */
    uint32_t name_base; /* ids of own strings begin here; 0 where they are the recording's */
    size_t line;        /* of the timeline, found last */
    uint32_t process;   /* that the caches belong to */
    uint64_t domain_key[RF_DECODER_CACHE]; /* handle + 1 */
    uint32_t domain[RF_DECODER_CACHE];
    uint64_t string_key[RF_DECODER_CACHE]; /* handle + 1 */
    uint32_t string[RF_DECODER_CACHE];
    uint64_t string_gone[RF_DECODER_CACHE]; /* ticks from which on it is not valid */
    uint8_t string_flags[RF_DECODER_CACHE];
    struct rf_decoder_text text_of[RF_DECODER_TEXTS];
    char *text; /* of a message that goes on in TEXT records */
    size_t text_size, text_room;
    struct rf_load_payloads *payloads; /* NULL: it has met none */
    struct rf_decoder_schema schema[RF_DECODER_SCHEMAS];
    const uint8_t *with_payloads; /* by domain: not 0: all its payloads are needed */
    uint32_t n_with_payloads;
    struct rf_sums sums; /* see summing.c */
    struct rf_summed n_summed, n_selected;
    struct rf_selector selector; /* see selecting.h */
    struct rf_cuda_sums cuda_sums;
    struct rf_path_walk walk;        /* see path_walk.h */
    uint32_t stream, stream_end;     /* that it decodes */
    struct rf_log_read read;         /* of them, where they are summed up */
    struct rf_part_reader parts;     /* of all that it reads */
    struct rf_load_thread **waiting; /* those with ends, see early_ends.c; likewise below */
    size_t n_waiting, waiting_room;
    size_t n_new_ends, n_left_ends;
    bool is_out_of_memory; /* sticky */
};

void rf_decoder_init(struct rf_decoder *d, struct rf_load *load);
void rf_decoder_release(struct rf_decoder *d);

/* The parts from first on and before end are not read any more, for now. */
void rf_decoder_drop_parts(struct rf_decoder *d, const struct rf_log_part *first,
                           const struct rf_log_part *end);

/* One more event, behind the others, when there is no room for it: not set yet; NULL: out of
 * memory. */
struct rf_event *rf_load_grow_events(struct rf_load_thread *thread);

/* Takes a record as one of thread. counter: of a START record, its number in the stream. */
void rf_decode_record(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t thread_index,
                      struct rf_load_stream *stream, struct rf_stream_cursor *cursor,
                      const struct rf_record *record);

/* Takes the pushes and pops that follow in the part, but for the last record there, until the
 * thread has n_enough events. Returns the latest time among them; 0: there are none. */
uint64_t rf_decode_run(struct rf_decoder *d, struct rf_load_thread *thread,
                       struct rf_stream_cursor *cursor, size_t n_enough);

/* The steps of a part that was counted: the domain that a handle of this thread stands for; a push
 * without a name; a pop without payloads. */
uint32_t rf_decode_domain(struct rf_decoder *d, const struct rf_load_thread *thread,
                          uint64_t handle);
void rf_decode_push(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain,
                    int64_t ns);
void rf_decode_pop(struct rf_decoder *d, struct rf_load_thread *thread, uint32_t domain,
                   int64_t ns);

/* Ends every open range on the thread's stacks: where and why. One whose domain was destroyed ended
 * then. */
void rf_decode_cut(const struct rf_load *load, struct rf_load_thread *thread, int64_t ns,
                   enum rf_cut cut);

/* Records may be missing here: open ranges on the stacks cannot be told from ended ones. */
void rf_decode_gap(const struct rf_load *load, struct rf_load_thread *thread);

/* The thread's events and open ranges are forgotten, its segments are not. */
void rf_decode_reset(struct rf_load_thread *thread);

#endif
