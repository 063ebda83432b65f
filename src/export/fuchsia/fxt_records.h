/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the Fuchsia trace format, as fuchsia.dev has it under "Trace format": words of 64
 * bits, little-endian. An event is put together in fxt->record; the texts that it names go to
 * the sink before it. */
#ifndef RF_EXPORT_FUCHSIA_FXT_RECORDS_H
#define RF_EXPORT_FUCHSIA_FXT_RECORDS_H

#include "base/sink.h"
#include "model/payload/payload_json.h"
#include "model/strings.h"

enum fxt_event_type {
    FXT_INSTANT = 0,
    FXT_COUNTER = 1,
    FXT_COMPLETE = 4, /* a range of a thread */
    FXT_ASYNC_BEGIN = 5,
    FXT_ASYNC_END = 7,
    FXT_FLOW_BEGIN = 8,
    FXT_FLOW_END = 10,
};

/* Who an event is of. */
struct fxt_thread {
    uint32_t pid, tid;
};

#define FXT_MAX_ARGS ((size_t)64)
#define FXT_MAX_TEXT ((size_t)32000)

struct fxt_arg {
    uint8_t type;
    uint16_t key;   /* index of the text */
    uint64_t value; /* the bits of it */
};

struct fxt {
    struct rf_sink *sink;
    const rf_recording *rec;
    struct rf_strings strings; /* the table of texts: id + 1 is the index there */
    size_t n_bytes;            /* of them */
    uint32_t n_kept;           /* of those: they keep their index */
    uint16_t more;             /* one of them: the word "more" */
    struct rf_json_text text;  /* that is put together */
    uint16_t *of_string;       /* by string of the recording: its index, or 0 */
    bool has_no_memory;
    /* The event that is being put together: */
    uint64_t head;
    struct fxt_thread of;
    int64_t at_ns;
    struct fxt_arg arg[FXT_MAX_ARGS];
    size_t n_args;
    char clean[3 * FXT_MAX_TEXT]; /* a text whose bytes were no UTF-8 */
};

/* Begins the trace, whose times are nanoseconds. Returns RF_OK or RF_ERR_NO_MEMORY; fxt_release()
 * is due in both cases. */
int fxt_init(struct fxt *fxt, const rf_recording *rec, struct rf_sink *sink);
void fxt_release(struct fxt *fxt);

/* The index of a text; of more than 32,000 bytes the beginning. Bytes that are no UTF-8 become
 * U+FFFD. */
uint16_t fxt_text(struct fxt *fxt, const char *text, size_t size);
/* Of a string of the recording; otherwise: where it is none. */
uint16_t fxt_string(struct fxt *fxt, uint32_t string, const char *otherwise);

/* Indices are valid until the next call of this, between two events, if fxt_keep() did not come
 * after them. */
void fxt_next_item(struct fxt *fxt);
void fxt_keep(struct fxt *fxt);

/* A text that is put together: what is written to the sink until fxt_composed(). */
struct rf_sink *fxt_compose(struct fxt *fxt);
uint16_t fxt_composed(struct fxt *fxt);
/* The text itself, until the next one is begun; NULL: out of memory. */
const char *fxt_composed_text(struct fxt *fxt, size_t *size);

static inline uint16_t fxt_words(struct fxt *fxt, const char *words)
{
    return fxt_text(fxt, words, strlen(words));
}

void fxt_name_process(struct fxt *fxt, uint32_t pid, const char *name, size_t size);
/* process: the index of the word "process". */
void fxt_name_thread(struct fxt *fxt, const struct fxt_thread *thread, uint16_t process,
                     const char *name, size_t size);

/* An event: fxt_begin(), its name, up to FXT_MAX_ARGS arguments, fxt_end(). Keys are indices. An
 * event of the format has 15: of more the last one is a text, more, with the rest in it. */
void fxt_begin(struct fxt *fxt, enum fxt_event_type type, const struct fxt_thread *of,
               uint16_t category, int64_t at_ns);
void fxt_name(struct fxt *fxt, uint16_t name);
void fxt_u64(struct fxt *fxt, uint16_t key, uint64_t value);
void fxt_i64(struct fxt *fxt, uint16_t key, int64_t value);
void fxt_double(struct fxt *fxt, uint16_t key, double value);
void fxt_pointer(struct fxt *fxt, uint16_t key, uint64_t value);
void fxt_true(struct fxt *fxt, uint16_t key);
void fxt_arg_text(struct fxt *fxt, uint16_t key, uint16_t text);
/* last: the end of a range; the id of what is asynchronous, of a flow or a counter. */
void fxt_end(struct fxt *fxt, uint64_t last);
/* Of an instant, which has no such word. */
void fxt_end_instant(struct fxt *fxt);

#endif
